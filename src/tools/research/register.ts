/**
 * A choice that figures of the report rest on, when it was fixed, and what its maker had seen by
 * then.
 */
export interface Choice {
  readonly what: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly fixedOn: string;
  /** What it was chosen by. */
  readonly by: string;
  /** UTC days of recorded data it was chosen or checked on; empty where no data had a say. */
  readonly days: readonly string[];
}

/**
 * Every choice with its date. A figure counts as out of sample only on days that no choice was made
 * or checked on; whoever changes a number by looking at data adds a line, and the days it was
 * looked at on stop counting.
 */
export const REGISTER: readonly Choice[] = [
  {
    what: 'strategies: thresholds of strength, limits, sizes',
    fixedOn: '2026-11-21',
    by: 'the interface we offer',
    days: [],
  },
  {
    what: 'volatility: half life, floor, returns needed',
    fixedOn: '2026-11-21',
    by: 'reasoning, before any figure',
    days: [],
  },
  {
    what: 'exit: a strength of 35 %, a cent, ten seconds',
    fixedOn: '2026-11-21',
    by: 'reasoning, before any figure',
    days: [],
  },
  {
    what: 'this report: split, horizons, stake, resampling',
    fixedOn: '2026-11-21',
    by: 'written before the first figure',
    days: [],
  },
  {
    what: 'signal: Student’s t with four degrees of freedom, volatility × 1.1',
    fixedOn: '2026-11-21',
    by: 'log loss on the first of these days, checked on the second',
    days: ['2026-06-08', '2026-07-24'],
  },
  {
    what: 'evidence gate: trades, wins, losses, days, level',
    fixedOn: '2026-11-22',
    by: 'simulated fair bets',
    days: [],
  },
  {
    what: 'latency: half a second, one cent',
    fixedOn: '2026-11-23',
    by: 'moves of recorded best asks, not profit',
    days: ['2026-04-16'],
  },
  {
    what: 'exit: worth of holding was the mean of signal and market price, until 2026-11-24',
    fixedOn: '2026-11-23',
    by: 'equal weights, after all weight on the market was seen to fit these days best',
    days: ['2026-07-26', '2026-07-27'],
  },
  {
    what: 'exit: worth of holding is the market’s price, weight 0 for the signal',
    fixedOn: '2026-11-24',
    by: 'log loss on these days, and the calibration of hours kept apart (held-out.ts)',
    days: ['2026-07-24', '2026-07-26', '2026-07-27'],
  },
  {
    what: 'evidence gate: a bound by days with one bad day more; least number of hours',
    fixedOn: '2026-11-24',
    by: 'simulated fair bets whose days share a shock',
    days: [],
  },
  {
    what: 'farming on venue_b: band, filters and strict row; its fee, and rounds that end together as one event',
    fixedOn: '2026-11-23',
    by: 'the interface we offer and reasoning, before the first figure',
    days: [],
  },
];

/**
 * UTC days on which something was chosen or checked: nothing that begins on them is out of sample.
 */
export const SEEN_DAYS: ReadonlySet<string> = new Set(REGISTER.flatMap(({ days }) => days));

/** UTC day of a moment, `YYYY-MM-DD`. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
