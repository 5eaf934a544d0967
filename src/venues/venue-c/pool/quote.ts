import { AppError } from '../../../domain/errors.ts';
import { sharesBought, type FixedProductPool } from '../../../domain/fixed-product-pool.ts';
import type { OrderIntent } from '../../../domain/order.ts';
import { TICKS_PER_USD, formatPrice, priceTicks } from '../../../domain/units.ts';
import { dollarsFor, dollarsFrom } from './sizing.ts';

/** What of an intent a quote is for. */
export type QuotedIntent = Pick<
  OrderIntent,
  'side' | 'outcome' | 'exact' | 'price' | 'spendMicros' | 'receiveMicros'
>;

/**
 * What the contract is asked for: dollars paid for no fewer shares, or dollars brought for no more
 * of them; micros.
 */
export interface PoolQuote {
  readonly dollars: bigint;
  readonly shares: bigint;
}

/**
 * Returns what to ask the pool for, as it is now, within what the intent accepts: a sum buys at
 * least what the intent says; a number of shares costs what it costs; a sale brings all it can.
 * Errors: `no_liquidity` (retryable) where the pool gives less than the intent accepts.
 */
export function quoteOf(pool: FixedProductPool, intent: QuotedIntent): PoolQuote {
  const { side, outcome, exact } = intent;
  const [spend, receive] = [BigInt(intent.spendMicros), BigInt(intent.receiveMicros)];
  if (side === 'sell') {
    const dollars = dollarsFrom(pool, outcome, spend);
    if (dollars > 0n && dollars >= receive) return { dollars, shares: spend };
    throw beyond(intent, Number(dollars) / Number(spend));
  }
  const bought = sharesBought(pool, outcome, spend) ?? 0n;
  if (bought < receive) throw beyond(intent, bought === 0n ? null : Number(spend) / Number(bought));
  if (exact === 'spend') return { dollars: spend, shares: receive };
  const dollars = dollarsFor(pool, outcome, { shares: receive, most: spend });
  return { dollars: dollars ?? spend, shares: receive };
}

/** The pool gives less than is accepted; the price of all of it, null where it has none. */
function beyond({ price }: QuotedIntent, asked: number | null): AppError {
  if (asked === null)
    return new AppError('no_liquidity', 'the pool has too little for this', { retryable: true });
  const ticks = Math.min(Math.max(Math.round(asked * TICKS_PER_USD), 1), TICKS_PER_USD - 1);
  const moved = { price: formatPrice(priceTicks(ticks)), worstPrice: formatPrice(price) };
  return new AppError(
    'no_liquidity',
    `the pool trades all of it at ${moved.price} a share, the worst price accepted is ${moved.worstPrice}`,
    { retryable: true, movedPrice: moved },
  );
}
