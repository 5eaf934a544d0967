import { ClobClient, OrderType, Side } from '../peers/clob-client.ts';
import { peerSigner } from '../peers/signer.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFixture, TEST_ADDRESS, TEST_KEY, UP, type Fixture } from './venue-a-fixture.ts';

let fixture: Fixture;
let client: ClobClient;

beforeEach(async () => {
  fixture = await startFixture();
  await fetch(`${fixture.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
  });
  const signer = peerSigner(TEST_KEY);
  const creds = await new ClobClient(fixture.rest, 137, signer).createOrDeriveApiKey();
  client = new ClobClient(fixture.rest, 137, signer, creds, 0, TEST_ADDRESS);
});

afterEach(() => fixture.close());

describe('@polymarket/clob-client 5.8.1, the client of the old order format', () => {
  it("hears that its order format is not the venue's, and nothing is booked", async () => {
    expect(
      await client.createAndPostOrder({ tokenID: UP, price: 0.47, size: 10, side: Side.BUY }),
    ).toEqual({ error: 'order_version_mismatch', status: 400 });
    expect(
      await client.createAndPostMarketOrder(
        { tokenID: UP, amount: 10, price: 0.5, side: Side.BUY },
        {},
        OrderType.FOK,
      ),
    ).toEqual({ error: 'order_version_mismatch', status: 400 });
    expect(await client.getOpenOrders()).toEqual([]);
  });
});
