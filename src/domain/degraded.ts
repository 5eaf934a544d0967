import type { RoundView } from './signal.ts';

/** Why an agent does not decide, for machines. */
export type DegradedCode =
  | 'market_unknown'
  | 'oracle_stale'
  | 'exchange_stale'
  | 'feeds_disagree'
  | 'inference_stale'
  | 'book_untrusted'
  | 'settlement_failing'
  | 'user_stream_blind'
  | 'trades_unread'
  | 'all_trading_stopped'
  | 'user_stopped'
  | 'venue_restricted'
  | 'clock_set_back';

/** Every code, in the order in which reasons are listed. */
export const DEGRADED_CODES: readonly DegradedCode[] = [
  'all_trading_stopped',
  'user_stopped',
  'venue_restricted',
  'clock_set_back',
  'user_stream_blind',
  'trades_unread',
  'settlement_failing',
  'market_unknown',
  'feeds_disagree',
  'oracle_stale',
  'exchange_stale',
  'inference_stale',
  'book_untrusted',
];

/** One reason why an agent does not decide. */
export interface DegradedReason {
  readonly code: DegradedCode;
  /** One sentence for people. */
  readonly message: string;
  readonly sinceMs: number;
}

/** What each code says. */
export const DEGRADED_SENTENCES: Readonly<Record<DegradedCode, string>> = {
  all_trading_stopped: 'Buying is stopped for everybody.',
  user_stopped: 'Buying is stopped for this user.',
  clock_set_back:
    'The clock of this machine was set back: until ours has waited for it, what we know is older than it looks.',
  venue_restricted:
    'The venue takes no orders from where this service runs; one is tried after a pause.',
  user_stream_blind:
    "The venue's channel of this user is down, and their trades have not been read since.",
  trades_unread:
    'Trades of this user could not be read for a while: the channel may have lost some.',
  settlement_failing: 'Too many trades fail to settle; one entry is tried after a pause.',
  market_unknown: 'No open market is known.',
  feeds_disagree: 'Oracle and exchange contradict each other.',
  oracle_stale: 'There is no fresh oracle price.',
  exchange_stale: 'There is no fresh exchange price.',
  inference_stale: 'There is no fresh prediction.',
  book_untrusted: 'An order book cannot be trusted.',
};

/**
 * Names what strategies have to do without in these views of the open rounds (L8): the reason why
 * their inputs are absent. Without a view no round is known.
 */
export function missingOfRounds(views: readonly RoundView[]): readonly DegradedCode[] {
  if (views.length === 0) return ['market_unknown'];
  const missing = views.map(missingOfRound);
  return DEGRADED_CODES.filter((code) => missing.some((round) => round[code] === true));
}

function missingOfRound({
  oracle,
  exchange,
  prediction,
  books,
  areFeedsApart = false,
}: RoundView): Partial<Record<DegradedCode, boolean>> {
  return {
    feeds_disagree: areFeedsApart,
    oracle_stale: oracle === null && !areFeedsApart,
    exchange_stale: exchange === null && !areFeedsApart,
    inference_stale: prediction === null,
    book_untrusted: books.includes(null),
  };
}
