import { describe, expect, it } from 'vitest';
import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { asId, type Address } from '../../../../src/domain/ids.ts';
import { createPoolBooks, type PoolPair } from '../../../../src/venues/venue-c/pool/books.ts';

const MARKET = {
  marketId: asId<PoolPair[0]['marketId']>('will-it-rain'),
  address: asId<Address>(`0x${'11'.repeat(20)}`),
  tokens: [asId<PoolPair[0]['tokenId']>('1'), asId<PoolPair[0]['tokenId']>('2')],
} as const;
const MONEY = {
  usdc: asId<Address>(`0x${'22'.repeat(20)}`),
  conditionalTokens: asId<Address>(`0x${'33'.repeat(20)}`),
};

function aReader() {
  const clock = createVirtualClock(1_000);
  const chain = { reserves: [5_000_000_000n, 3_333_000_000n], isDown: false, reads: 0 };
  const books = createPoolBooks({
    evm: {
      async shares() {
        chain.reads += 1;
        if (chain.isDown) throw new Error('down');
        return chain.reserves;
      },
    },
    pools: { feeOf: async () => 20_000_000_000_000_000n },
    money: MONEY,
    clock,
  });
  const heard: (PoolPair | 'failed')[] = [];
  const listener = {
    next: (pair: PoolPair) => void heard.push(pair),
    failed: () => void heard.push('failed'),
  };
  return { clock, chain, books, heard, listener };
}

describe('a pool as books', () => {
  it('are those of both outcomes from one reading, each the other one turned round', async () => {
    const { books } = aReader();
    const [yes, no] = (await books.read(MARKET)) ?? [];
    expect([yes?.tokenId, no?.tokenId, yes?.venueAtMs]).toEqual(['1', '2', 1_000]);
    expect([yes?.asks[0]?.price, yes?.bids[0]?.price]).toEqual([4_090, 3_910]);
    expect([no?.asks[0]?.price, no?.bids[0]?.price]).toEqual([6_130, 5_880]);
    expect([yes?.statedE5, no?.statedE5]).toEqual([39_998, 60_002]);
  });

  it('are none where the contract is no pool', async () => {
    const { chain, clock } = aReader();
    const books = createPoolBooks({
      evm: { shares: async () => chain.reserves },
      pools: { feeOf: async () => null },
      money: MONEY,
      clock,
    });
    expect(await books.read(MARKET)).toBeNull();
  });

  it('are read each few seconds while they are followed, said to be past where that fails, and not after', async () => {
    const { books, chain, clock, heard, listener } = aReader();
    const stop = books.follow(MARKET, listener);
    await clock.advance(0);
    chain.reserves = [4_000_000_000n, 4_166_000_000n];
    await clock.advance(VENUE_C_POOL.readMs);
    chain.isDown = true;
    await clock.advance(VENUE_C_POOL.readMs);
    chain.isDown = false;
    await clock.advance(VENUE_C_POOL.readMs);
    expect(heard.map((one) => (one === 'failed' ? one : one[0].asks[0]?.price))).toEqual([
      4_090,
      5_210,
      'failed',
      5_210,
    ]);
    stop();
    await clock.advance(10 * VENUE_C_POOL.readMs);
    expect([heard.length, chain.reads]).toEqual([4, 4]);
  });
});
