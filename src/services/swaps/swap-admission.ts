import { SWAP } from '../../../config/limits/tokens.ts';
import type { Hold } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import { soldMicros } from '../../domain/swap-checks.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { StoreReader } from '../../ports/store.ts';
import { assertKeyCharge, type KeyCharge } from '../api-keys/key-spends.ts';
import { assertFree } from '../books/holds.ts';
import { assertNotLate } from '../tokens/price-late.ts';
import { assertMayGoOut } from '../transactions/daily-out.ts';
import { assertQueueRoom } from '../transactions/transaction-records.ts';
import { assertUnreserved, type ReservesBefore } from '../transactions/wallet-reserves.ts';
import type { SwapDeps } from './swap-deps.ts';
import { prepareSwap, type PreparedSwap } from './swap-preparing.ts';
import type { SwapQuote } from './swap-quotes.ts';
import { holdOffer, rulesFor } from './swap-quoting.ts';
import { OPEN_SWAPS } from './tables.ts';

/** What of a swap counts, in millionths of a dollar; null where unknown. */
export interface SwapCounts {
  /** What is sold: against the limits of an API key. */
  readonly soldMicros: number | null;
  /** Against what may leave in a day. */
  readonly outMicros: number | null;
}

/**
 * Returns what of a quote counts at the prices of the moment. A swap on one chain is proven by its
 * trial, and counts by what it may lose; a bridge is a third party's promise, and counts in full.
 */
export function countsOf(
  deps: SwapDeps,
  { asked, sell, buy, worstLossMicros }: SwapQuote,
): SwapCounts {
  const worth = soldMicros(asked, rulesFor(deps, sell, buy));
  const sold = worth === null ? null : Number(worth);
  return { soldMicros: sold, outMicros: sell.chain === buy.chain ? worstLossMicros : sold };
}

/**
 * Checks a quote once more and tries it out on the chain; resolves with what there is to sign.
 * Errors: `trading_stopped`, `no_route`, `quote_refused`, `price_late`, `insufficient_funds`,
 * `chain_unavailable`.
 */
export async function tryQuote(deps: SwapDeps, quote: SwapQuote): Promise<PreparedSwap> {
  const { userId, sell, buy } = quote;
  deps.assertMayLeave(deps.store, userId);
  const nodes = deps.nodesOf(sell.chain);
  if (nodes === null) throw new AppError('no_route', `there is no node of ${sell.chain}`);
  await deps.prices.warm([sell, buy], SWAP.priceWaitMs);
  holdOffer(deps, quote, 'execution');
  // what leaves in a day is counted by what is sold
  assertNotLate(deps.prices, [sell]);
  return prepareSwap(deps, nodes, quote);
}

/** Refuses one swap more than may be under way. Errors: `limit_reached`. */
export function assertRoom(reader: StoreReader, userId: UserId): void {
  const open = reader.range(OPEN_SWAPS, { prefix: [userId] }).length;
  if (open >= SWAP.openPerUserMaximum)
    throw new AppError('limit_reached', `${open} swaps of yours are under way already`, {
      retryable: true,
    });
}

/**
 * Returns the dollars in the books that a swap sets aside; null where what is sold is not in the
 * books.
 */
export function cashOf(
  { cashAccountOf }: Pick<SwapDeps, 'cashAccountOf'>,
  { userId, asked, sell }: SwapQuote,
): Pick<Hold, 'userId' | 'cashAccount' | 'usdc'> | null {
  const cashAccount = cashAccountOf(sell);
  return cashAccount === null
    ? null
    : { userId, cashAccount, usdc: usdcMicros(Number(asked.amount)) };
}

/**
 * Refuses a swap that could not be taken in as the records stand, in the order in which execution
 * refuses. It only reads. Errors: `trading_stopped`, `limit_reached`, `fresh_sign_in_required`,
 * `insufficient_funds`, those of `assertKeyCharge`.
 */
export function assertAdmissible(
  deps: SwapDeps,
  {
    quote,
    prepared: { account, approvals, demands },
    before,
    charge,
    outMicros,
    isFresh,
  }: {
    readonly quote: SwapQuote;
    readonly prepared: PreparedSwap;
    /** As they were before the wallet's balances were read. */
    readonly before: ReservesBefore;
    readonly charge: KeyCharge | null;
    readonly outMicros: number | null;
    readonly isFresh: boolean;
  },
): void {
  const { store, clock, dailyOutMicros } = deps;
  const { userId } = quote;
  deps.assertMayLeave(store, userId);
  assertRoom(store, userId);
  if (charge !== null) assertKeyCharge(store, charge);
  assertQueueRoom(store, { userId, account }, approvals.length + 1);
  assertPayable(store, { quote, demands, before });
  assertMayGoOut(
    store,
    { userId, micros: outMicros, atMs: clock.nowMs(), isFresh },
    dailyOutMicros,
  );
  const cash = cashOf(deps, quote);
  if (cash !== null) assertFree(store, cash);
}

/**
 * Refuses a swap of what its wallet has promised to others (L5). It only reads. Errors:
 * `insufficient_funds`.
 */
export function assertPayable(
  reader: StoreReader,
  {
    quote: { userId, asked, sell },
    demands,
    before,
  }: Pick<PreparedSwap, 'demands'> & {
    readonly quote: SwapQuote;
    readonly before: ReservesBefore;
  },
): void {
  assertUnreserved(reader, userId, {
    chain: sell.chain,
    wallet: asked.sender,
    demands,
    before,
    path: '/quoteId',
  });
}
