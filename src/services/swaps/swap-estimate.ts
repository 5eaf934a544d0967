import type { UserId } from '../../domain/ids.ts';
import { keyDayLeft } from '../../domain/key-limits.ts';
import { keySpendOf, walletCharge } from '../api-keys/key-spends.ts';
import { refusedBy, type Refusal } from '../refusal.ts';
import { outLeftAfter } from '../transactions/daily-out.ts';
import { reservesBefore } from '../transactions/wallet-reserves.ts';
import { assertAdmissible, countsOf, tryQuote, type SwapCounts } from './swap-admission.ts';
import type { SwapDeps } from './swap-deps.ts';
import { gasOf, type SwapGas } from './swap-gas.ts';
import type { SwapExecution } from './swap-execution.ts';
import type { SwapQuote } from './swap-quotes.ts';

/** What executing a quote would do, and what it would be refused for. */
export interface SwapEstimate {
  readonly quote: SwapQuote;
  readonly counted: SwapCounts;
  /** What the network would take; null where its chain did not tell in time. */
  readonly gas: SwapGas | null;
  /** What may leave in the day after it, millionths of a dollar; null where unknown. */
  readonly dayLeftMicros: number | null;
  /** Whether it is asked for by a user who would have to sign in again. */
  readonly needsFreshSignIn: boolean;
  /** The most its API key may sell in one call; null where no such limit binds. */
  readonly keyOrderMicros: number | null;
  /** What its API key may still spend in the day after it; null where no such limit binds. */
  readonly keyDayLeftMicros: number | null;
  /** Null where it would be taken. */
  readonly refusal: Refusal | null;
}

/**
 * Returns what executing the quote would do now. It asks what execution asks, the trial on the
 * chain too, and changes nothing: the quote stays good. Errors: `not_found`, `quote_expired`; what
 * execution would refuse is `refusal`.
 */
export async function estimateSwap(
  deps: SwapDeps,
  userId: UserId,
  { quoteId, isFresh, keyId }: Omit<SwapExecution, 'key'>,
): Promise<SwapEstimate> {
  const { quotes, store, clock, marketClock, dailyOutMicros } = deps;
  const quote = quotes.take(userId, quoteId);
  const counted = countsOf(deps, quote);
  const { outMicros } = counted;
  const usdc = counted.soldMicros;
  const charge = walletCharge({ userId, keyId, usdc, atMs: marketClock.nowMs() });
  const [refusal, gas] = await Promise.all([
    refusedBy(async () => {
      const before = reservesBefore(store, userId);
      const prepared = await tryQuote(deps, quote);
      quotes.take(userId, quoteId);
      assertAdmissible(deps, { quote, prepared, before, charge, outMicros, isFresh });
    }),
    gasOf(deps, quote),
  ]);
  const spend = charge === null ? null : keySpendOf(store, charge);
  const keyLeft = spend === null ? null : keyDayLeft(spend);
  const left = outLeftAfter(
    store,
    { userId, micros: outMicros, atMs: clock.nowMs() },
    dailyOutMicros,
  );
  return {
    quote,
    counted,
    gas,
    dayLeftMicros: left === null ? null : Math.max(0, left),
    needsFreshSignIn: !isFresh && (left === null || left < 0),
    keyOrderMicros: spend?.limits.orderUsdc ?? null,
    keyDayLeftMicros: keyLeft === null ? null : Math.max(0, keyLeft - (counted.soldMicros ?? 0)),
    refusal,
  };
}
