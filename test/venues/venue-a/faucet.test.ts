import { afterAll, beforeAll, expect, it } from 'vitest';
import { NETWORK } from '../../../src/adapters/wire/transport.ts';
import { createFaucet } from '../../../src/venues/venue-a/faucet.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { TEST_ADDRESS, startFixture, type Fixture } from '../../conformance/venue-a-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());

it('grants exactly what was asked for', async () => {
  const faucet = createFaucet(fixture.faucet, NETWORK);
  await faucet.grant(TEST_ADDRESS, usdcMicros(12_345_678));
  expect(fixture.exchange.balanceOf(TEST_ADDRESS)).toBe(12_345_678);
  await faucet.close();
});

it('pays once when its answer was late and it is asked again', async () => {
  const faucet = createFaucet(fixture.faucet, NETWORK);
  const address = asId<Address>('0x00000000000000000000000000000000000000A7');
  await Promise.all([faucet.grant(address, usdcMicros(5)), faucet.grant(address, usdcMicros(5))]);
  await faucet.grant(address, usdcMicros(5));
  expect(fixture.exchange.balanceOf(address)).toBe(5);
  await faucet.close();
});

it('says so when it grants nothing', async () => {
  const faucet = createFaucet('http://127.0.0.1:9', NETWORK);
  await expect(faucet.grant(TEST_ADDRESS, usdcMicros(1))).rejects.toMatchObject({
    code: 'funding_unavailable',
    retryable: true,
  });
  await faucet.close();
});
