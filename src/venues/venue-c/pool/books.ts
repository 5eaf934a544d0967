import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import type { MarketId } from '../../../domain/ids.ts';
import { inWallTime, type Clock } from '../../../ports/clock.ts';
import type { EvmChain } from '../../../ports/evm.ts';
import type { BookSnapshot } from '../../../ports/venue-books.ts';
import { readReserves, type PoolMoney, type PoolPlace } from './contract.ts';
import type { KnownPools } from './known-pools.ts';
import { poolLadder } from './ladder.ts';
import { CERTAIN_E5 } from '../../../domain/market-listing.ts';
import { poolPrice, type FixedProductPool } from '../../../domain/fixed-product-pool.ts';
import type { OutcomeIndex } from '../../../domain/market.ts';

/** A market that is traded with a pool. */
export interface PoolMarket extends PoolPlace {
  readonly marketId: MarketId;
}

/** A pool's curve as the books of its two outcomes, of one reading. */
export type PoolPair = readonly [BookSnapshot, BookSnapshot];

/** Hears of a pool that is followed. */
export interface PoolListener {
  next(pair: PoolPair): void;
  /** The pool could not be read: what it was may be past. */
  failed(): void;
}

/** Reads pools as books. */
export interface PoolBooks {
  /** Resolves with the pool as it is now; null without one. Errors: `chain_unavailable`. */
  read(market: PoolMarket): Promise<PoolPair | null>;
  /** Reads a pool again and again, until what it returns is called. */
  follow(market: PoolMarket, listener: PoolListener): () => void;
}

/**
 * Makes the reader. The chain states no changes: a reading is as old as its question, and each one
 * takes the place of the one before.
 */
export function createPoolBooks({
  evm,
  pools,
  money,
  clock,
}: {
  readonly evm: Pick<EvmChain, 'shares'>;
  readonly pools: KnownPools;
  readonly money: PoolMoney;
  readonly clock: Clock;
}): PoolBooks {
  async function read(market: PoolMarket): Promise<PoolPair | null> {
    const venueAtMs = clock.nowMs();
    const [feeE18, reserves] = await Promise.all([
      pools.feeOf(market.address),
      readReserves(evm, market, money),
    ]);
    if (feeE18 === null) return null;
    const bookOf = (outcome: OutcomeIndex): BookSnapshot => ({
      tokenId: market.tokens[outcome],
      marketId: market.marketId,
      ...poolLadder({ reserves, feeE18 }, outcome),
      venueAtMs,
      tickSize: null,
      ...statedBy({ reserves, feeE18 }, outcome),
    });
    return [bookOf(0), bookOf(1)];
  }
  return {
    read,
    follow(market, listener) {
      let isOver = false;
      const again = (): void =>
        void clock.after(inWallTime(clock, VENUE_C_POOL.readMs), () => void readAgain());
      async function readAgain(): Promise<void> {
        if (isOver) return;
        const pair = await read(market).catch(() => null);
        if (isOver) return;
        if (pair === null) listener.failed();
        else listener.next(pair);
        again();
      }
      void readAgain();
      return () => void (isOver = true);
    },
  };
}

/** What a pool says an outcome is worth, its fee aside; nothing where it has no shares. */
function statedBy(pool: FixedProductPool, outcome: OutcomeIndex): Pick<BookSnapshot, 'statedE5'> {
  return pool.reserves.some((shares) => shares === 0n)
    ? {}
    : { statedE5: Math.round(poolPrice(pool, outcome) * CERTAIN_E5) };
}
