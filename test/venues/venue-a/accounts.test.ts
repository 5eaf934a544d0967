import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createAccounts } from '../../../src/venues/venue-a/accounts.ts';
import { createVenueClient } from '../../../src/venues/venue-a/client.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { OTHER_KEY } from '../../conformance/venue-a-fixture.ts';
import { cannedHosts } from '../../support/fakes/canned-hosts.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { memoryRecordStore, silentMetrics } from '../../support/fixtures/wire-venue.ts';

const USER = asId<UserId>('usr_ada');
const deposit = (change: object = {}) => ({
  type: 'DEPOSIT',
  timestamp: 1_760_000_001,
  usdcSize: 12.5,
  transactionHash: '0x01',
  ...change,
});

async function depositsIn(rows: readonly object[]) {
  const clock = createVirtualClock(1_760_000_002_000);
  const keccak = await loadKeccak();
  const client = createVenueClient({
    urls: { clobRest: 'canned:', gamma: 'canned:', dataApi: 'canned:', site: 'canned:' },
    hosts: cannedHosts(() => rows),
    clock,
    metrics: silentMetrics,
  });
  const vault = await vaultWith(keccak, USER, OTHER_KEY);
  return createAccounts({
    client,
    vault,
    keccak,
    clock,
    chainId: 137,
    signatureType: 0,
    records: memoryRecordStore(),
    funderOf: () => asId<Address>('0xAA00000000000000000000000000000000000001'),
  }).deposits(USER, 0);
}

describe('deposits the venue reports', () => {
  it('are distinguished by their place where one transaction holds several, oldest first', async () => {
    expect(
      await depositsIn([
        deposit({ timestamp: 1_760_000_002, transactionHash: '0x02' }),
        deposit(),
        deposit({ usdcSize: 1 }),
        deposit({ type: 'REDEEM' }),
      ]),
    ).toEqual([
      { depositId: '0x01', usdc: 12_500_000, atMs: 1_760_000_001_000 },
      { depositId: '0x01#2', usdc: 1_000_000, atMs: 1_760_000_001_000 },
      { depositId: '0x02', usdc: 12_500_000, atMs: 1_760_000_002_000 },
    ]);
  });

  it.each([0, 1e-7, 9e-7])(
    'of %d dollars are no money, and keep none of the others back',
    async (usdcSize) => {
      expect(await depositsIn([deposit({ usdcSize, transactionHash: '0x00' }), deposit()])).toEqual(
        [{ depositId: '0x01', usdc: 12_500_000, atMs: 1_760_000_001_000 }],
      );
    },
  );

  it('are of their time, whether it is stated in seconds or in thousandths: from a later one on nothing earlier is asked for', async () => {
    expect(
      (await depositsIn([deposit({ timestamp: 1_760_000_001_123 })])).map(({ atMs }) => atMs),
    ).toEqual([1_760_000_001_123]);
  });

  it.each([-5, 1e21])('of %d dollars are refused', async (usdcSize) => {
    await expect(depositsIn([deposit({ usdcSize })])).rejects.toMatchObject({
      code: 'venue_protocol',
    });
  });
});
