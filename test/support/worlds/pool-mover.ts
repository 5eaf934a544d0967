import { tradeTo, type FixedProductPool } from '../../../src/domain/fixed-product-pool.ts';
import { TICKS_PER_USD } from '../../../src/domain/units.ts';
import { POOL_FEE_E18 } from '../../../src/sandbox/venues/venue-c/chain/pool-address.ts';
import type { OtherOrder } from '../../contracts/venue/fixture.ts';
import type { PoolUser } from '../../sandbox/venues/venue-c/a-venue.ts';
import type { AmmChain, ListedPool } from '../../sandbox/venues/venue-c/an-amm-chain.ts';

/** Shares beyond those that are asked for: a millionth must not be missing where numbers round. */
const MARGIN = 10_000;
const KEPT = 1 - Number(POOL_FEE_E18) / 1e18;

/** Another trader at a pool. */
export interface PoolMover {
  /** Trades until so many shares can be had, or sold, each at that price or better. */
  move(order: OtherOrder): Promise<void>;
  /** Trades until the first outcome is worth so much of a dollar, 0 to 1. */
  moveTo(price: number): Promise<void>;
}

/** Makes the trader, who has the rights already; one trade of theirs after the other. */
export function createPoolMover(on: AmmChain, trader: PoolUser, listed: ListedPool): PoolMover {
  const { address, positionIds } = listed;
  let last: Promise<void> = Promise.resolve();
  async function read(): Promise<FixedProductPool> {
    const [yes, no] = await Promise.all(positionIds.map((tokenId) => on.shares(address, tokenId)));
    return { reserves: [yes ?? 0n, no ?? 0n], feeE18: POOL_FEE_E18 };
  }
  async function trade(priceOf: (pool: FixedProductPool) => number): Promise<void> {
    const pool = await read();
    const wanted = tradeTo(pool, priceOf(pool));
    if (wanted === null) return;
    const { status } = await on.trade(trader, address, 'buy', [
      wanted.toPay,
      BigInt(wanted.cheap),
      0n,
    ]);
    if (status !== 'success') throw new Error('another trader moves the pool');
  }
  const inTurn = (priceOf: (pool: FixedProductPool) => number): Promise<void> => {
    last = last.then(() => trade(priceOf));
    return last;
  };
  return {
    moveTo: (price) => inTurn(() => price),
    move: (order) =>
      inTurn((pool) => {
        const isFirst = order.tokenId === positionIds[0];
        const price = priceFor(pool, order);
        return isFirst ? price : 1 - price;
      }),
  };
}

/**
 * Returns the outcome's price, 0 to 1, from which so many shares can be traded until the last of
 * them has the price that is asked for, fee included: the product of both sides stays the same.
 */
function priceFor(
  { reserves: [yes, no] }: FixedProductPool,
  { side, price, shares }: OtherOrder,
): number {
  const product = Number(yes) * Number(no);
  const asked = price / TICKS_PER_USD;
  const last = side === 'sell' ? asked * KEPT : asked / KEPT;
  const lastOwn = Math.sqrt((product * (1 - last)) / last);
  const traded = (shares * 1_000_000 + MARGIN) * (side === 'sell' ? 1 : -1);
  const apart = lastOwn - product / lastOwn + traded;
  const own = (apart + Math.sqrt(apart ** 2 + 4 * product)) / 2;
  return product / own / (own + product / own);
}
