/**
 * A pool of a market's two outcomes that keeps the product of what it has of each
 * (FixedProductMarketMaker 1.8.1, venue_c.md section 9). Amounts are micros, as the contract has
 * them, and every division rounds as the contract's does.
 */
import type { OutcomeIndex } from './market.ts';

/** A pool as it is at one moment. */
export interface FixedProductPool {
  /** Shares of YES and of NO in the pool. */
  readonly reserves: readonly [bigint, bigint];
  /** Part of the dollars of a trade that the pool keeps, in 10^-18. */
  readonly feeE18: bigint;
}

const ONE_E18 = 10n ** 18n;

/**
 * Returns the shares that so many dollars buy, fee included; null where the contract reverts: a
 * pool without shares.
 */
export function sharesBought(
  pool: FixedProductPool,
  outcome: OutcomeIndex,
  dollars: bigint,
): bigint | null {
  const { own, other } = sidesOf(pool, outcome);
  const paidIn = dollars - feeOnBuy(pool, dollars);
  if (other + paidIn === 0n) return null;
  const left = ceilDiv(own * ONE_E18 * other, other + paidIn);
  return left === 0n ? null : own + paidIn - ceilDiv(left, ONE_E18);
}

/**
 * Returns the shares that the pool takes for paying so many dollars out, fee included; null where
 * the contract reverts: it has no such sum, or no shares.
 */
export function sharesSold(
  pool: FixedProductPool,
  outcome: OutcomeIndex,
  dollars: bigint,
): bigint | null {
  const { own, other } = sidesOf(pool, outcome);
  const paidOut = (dollars * ONE_E18) / (ONE_E18 - pool.feeE18);
  if (paidOut >= other) return null;
  const left = ceilDiv(own * ONE_E18 * other, other - paidOut);
  return left === 0n ? null : paidOut + ceilDiv(left, ONE_E18) - own;
}

/** What a pool with shares of both outcomes says the outcome is worth, 0 to 1. */
export function poolPrice(
  { reserves: [yes, no] }: FixedProductPool,
  outcome: OutcomeIndex,
): number {
  const other = outcome === 0 ? no : yes;
  return Number(other) / (Number(yes) + Number(no));
}

/**
 * Returns the trade that moves the pool to a chance of YES between 0 and 1: dollars to pay for the
 * outcome that is too cheap, or to be paid for the one that is too dear, before and after the fee.
 * Nothing where the pool is there already.
 */
export function tradeTo(
  pool: FixedProductPool,
  yesPrice: number,
): { readonly cheap: OutcomeIndex; readonly toPay: bigint; readonly toBePaid: bigint } | null {
  const cheap: OutcomeIndex = yesPrice > poolPrice(pool, 0) ? 0 : 1;
  const price = cheap === 0 ? yesPrice : 1 - yesPrice;
  const { own, other } = sidesOf(pool, cheap);
  const product = Number(own) * Number(other);
  // the sets that a buy adds to the other side, and that a sale of that side takes from this one
  const added = BigInt(Math.round(Math.sqrt((product * price) / (1 - price)))) - other;
  const removed = own - BigInt(Math.round(Math.sqrt((product * (1 - price)) / price)));
  if (added <= 0n || removed <= 0n) return null;
  const kept = ONE_E18 - pool.feeE18;
  return { cheap, toPay: (added * ONE_E18) / kept, toBePaid: (removed * kept) / ONE_E18 };
}

/** The fee in what a buyer pays. */
function feeOnBuy({ feeE18 }: FixedProductPool, dollars: bigint): bigint {
  return (dollars * feeE18) / ONE_E18;
}

function sidesOf({ reserves: [yes, no] }: FixedProductPool, outcome: OutcomeIndex) {
  return outcome === 0 ? { own: yes, other: no } : { own: no, other: yes };
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return value === 0n ? 0n : (value - 1n) / by + 1n;
}
