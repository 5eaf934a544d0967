import { SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SwapSide } from '../../domain/swap.ts';
import type { AskedSwap } from '../../domain/swap-checks.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RouteOffer } from '../../ports/router.ts';
import type { SwapGas } from './swap-gas.ts';

/** An offer that held to what was asked for, and until when it is good. */
export interface SwapQuote {
  readonly quoteId: string;
  readonly userId: UserId;
  readonly asked: AskedSwap;
  readonly sell: SwapSide;
  readonly buy: SwapSide;
  readonly offer: RouteOffer;
  readonly worstLossMicros: number | null;
  /** Hundredths of a percent that go by the expected amount, at our own prices. */
  readonly impactBps: number | null;
  /** What the network would take; null where its chain did not tell in time. */
  readonly gas: SwapGas | null;
  readonly expiresAtMs: number;
}

/**
 * Quotes that may be executed, in memory: a restart forgets them, and whoever has one asks again.
 */
export interface SwapQuotes {
  put(quote: SwapQuote): void;
  /**
   * Errors: `not_found` for an unknown one and another user's, `quote_expired` for one that is too
   * old or was executed.
   */
  take(userId: UserId, quoteId: string): SwapQuote;
  /** Ends a quote: it was executed. */
  spend(quoteId: string): void;
}

/** Makes the quotes; the oldest go first beyond the bounds. */
export function createSwapQuotes(clock: Clock): SwapQuotes {
  const quotes = new Map<string, SwapQuote | 'spent'>();
  const owners = new Map<string, UserId>();
  const drop = (quoteId: string): void => {
    quotes.delete(quoteId);
    owners.delete(quoteId);
  };
  return {
    put(quote) {
      const own = [...owners].filter(([, owner]) => owner === quote.userId).map(([id]) => id);
      const [oldest] = own;
      if (own.length >= SWAP.quotesPerUserMaximum && oldest !== undefined) drop(oldest);
      const [first] = quotes.keys();
      if (quotes.size >= SWAP.quotesMaximum && first !== undefined) drop(first);
      quotes.set(quote.quoteId, quote);
      owners.set(quote.quoteId, quote.userId);
    },
    take(userId, quoteId) {
      const found = owners.get(quoteId) === userId ? quotes.get(quoteId) : undefined;
      if (found === undefined) throw new AppError('not_found', `quote ${quoteId} not found`);
      if (found === 'spent') throw new AppError('quote_expired', 'the quote was executed');
      if (clock.nowMs() >= found.expiresAtMs)
        throw new AppError('quote_expired', `the quote was good for ${SWAP.quoteLifeMs / 1_000} s`);
      return found;
    },
    spend: (quoteId) => void quotes.set(quoteId, 'spent'),
  };
}
