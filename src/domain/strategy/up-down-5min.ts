import type { Decision } from '../agent.ts';
import type { JudgedView } from '../signal.ts';
import { fiveMinSignal } from './five-min-signal.ts';
import {
  askCriterion,
  bookName,
  enterWhenAll,
  percentOf,
  percentOfMicros,
  skipForMissing,
  windowCriterion,
  type EntryWindow,
} from './terms.ts';

/** Signal strength needed for entry: 70 percent (spec.md, BTC 5-minute strategies). */
const UP_DOWN_STRENGTH_MINIMUM = 0.7;
/**
 * The whole round but its last 30 s: then the venue's engine is flooded with orders and refusals
 * and lost answers rise (venue_a.md section 11).
 */
export const FIVE_MIN_MARKET_WINDOW: EntryWindow = { opensAfterMs: 0, closesAfterMs: 270_000 };

/** The rule of `upDown5Min` for people. */
export const UP_DOWN_RULE = `Buys the side to which the exchange price has moved since the round began, when its signal strength is ${percentOf(UP_DOWN_STRENGTH_MINIMUM, 'down')} or more, the prediction points the same way, and the prediction is at least as far from the price as the difference you set.`;

/** The part of the settings this strategy reads. */
export interface UpDownThresholds {
  /** Smallest inference difference x, in millionths. */
  readonly inferenceDifferenceMicros: number;
}

/**
 * Judges a BTC 5-minute round by the spec's Up/Down: buys the direction of the exchange move when
 * its signal strength is at least 70 percent, the inference network agrees, and the inference
 * difference is at least x. Words: `terms.ts`.
 */
export function upDown5Min(thresholds: UpDownThresholds, view: JudgedView): Decision {
  const signal = fiveMinSignal(view, FIVE_MIN_MARKET_WINDOW, UP_DOWN_STRENGTH_MINIMUM);
  if (signal.kind === 'none') return signal.decision;
  const { direction, criteria, inferenceDifferenceMicros: difference } = signal;
  const book = view.books[direction];
  if (book === null) return skipForMissing([bookName(direction)]);
  return enterWhenAll(direction, [
    windowCriterion(view, FIVE_MIN_MARKET_WINDOW),
    ...criteria,
    {
      name: 'inference difference',
      value: percentOfMicros(difference),
      threshold: `at least ${percentOfMicros(thresholds.inferenceDifferenceMicros)}`,
      passed: difference >= thresholds.inferenceDifferenceMicros,
    },
    askCriterion(book),
  ]);
}
