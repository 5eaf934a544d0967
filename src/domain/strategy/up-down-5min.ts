import type { Criterion, Decision } from '../agent.ts';
import type { RoundView } from '../signal.ts';
import type { EvaluationWindow, InputName } from './terms.ts';
import {
  askCriterion, directionName, directionOf, enterWhenAll, feedsAgreeCriterion, missingInputs, percentOf, percentOfMicros,
  relativeDifferenceMicros, signalStrength, skipForMissing, windowCriterion,
} from './terms.ts';

/** Signal strength needed for entry: 70 percent (spec.md, BTC 5-minute strategies). */
export const UP_DOWN_STRENGTH_MINIMUM = 0.7;
/**
 * The whole round but its last 30 s: then the venue's engine is flooded with orders and refusals and lost answers rise
 * (venue_a.md section 11).
 */
export const UP_DOWN_5MIN_WINDOW: EvaluationWindow = { opensAfterMs: 0, closesAfterMs: 270_000 };

/** The part of the settings this strategy reads. */
export interface UpDownThresholds {
  /** Smallest inference difference x, in millionths. */
  readonly inferenceDifferenceMicros: number;
}

const NEEDED: readonly InputName[] = ['oracle price', 'exchange price', 'exchange price at start', 'prediction', 'price to beat', 'volatility'];

/**
 * Judges a BTC 5-minute round by the spec's Up/Down: buys the direction of the exchange move when its signal strength is
 * at least 70 percent, the inference network agrees, and the inference difference is at least x. Words: `terms.ts`.
 */
export function upDown5Min(thresholds: UpDownThresholds, view: RoundView): Decision {
  const { oracle, exchange, exchangeAtStart, prediction } = view;
  if (oracle === null || exchange === null || exchangeAtStart === null || prediction === null) return skipForMissing(missingInputs(view, NEEDED));
  const direction = directionOf(exchangeAtStart, exchange.value);
  if (direction === null) return skipWithoutMove(view);
  const strength = signalStrength(view, direction);
  if (strength === null) return skipForMissing(missingInputs(view, NEEDED));
  const book = view.books[direction];
  if (book === null) return skipForMissing([direction === 0 ? 'Up book' : 'Down book']);
  const inference = directionOf(oracle.value, prediction.value.price);
  const difference = relativeDifferenceMicros(prediction.value.price, oracle.value);
  return enterWhenAll(direction, [
    windowCriterion(view, UP_DOWN_5MIN_WINDOW),
    feedsAgreeCriterion(oracle.value, exchange.value),
    { name: `signal strength ${directionName(direction)}`, value: percentOf(strength), threshold: `at least ${percentOf(UP_DOWN_STRENGTH_MINIMUM)}`, passed: strength >= UP_DOWN_STRENGTH_MINIMUM },
    { name: 'inference direction', value: directionName(inference), threshold: `${directionName(direction)}, as the exchange moved`, passed: inference === direction },
    { name: 'inference difference', value: percentOfMicros(difference), threshold: `at least ${percentOfMicros(thresholds.inferenceDifferenceMicros)}`, passed: difference >= thresholds.inferenceDifferenceMicros },
    askCriterion(book),
  ]);
}

function skipWithoutMove(view: RoundView): Decision {
  const moved: Criterion = { name: 'exchange move', value: 'none', threshold: 'Up or Down', passed: false };
  return { verdict: 'skip', outcome: null, criteria: [windowCriterion(view, UP_DOWN_5MIN_WINDOW), moved], reason: 'The exchange price has not moved since the round began.' };
}
