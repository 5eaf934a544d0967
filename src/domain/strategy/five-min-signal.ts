import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import type { JudgedView } from '../signal.ts';
import {
  directionName,
  directionOf,
  feedsAgreeCriterion,
  missingInputs,
  relativeDifferenceMicros,
  signalStrength,
  skipForMissing,
  strengthCriterion,
  windowCriterion,
  type EntryWindow,
  type InputName,
} from './terms.ts';

/**
 * What the 5-minute strategies share: a direction with what speaks for it, or why there is no
 * direction.
 */
export type FiveMinSignal =
  | {
      readonly kind: 'signal';
      /** Direction of the exchange move. */
      readonly direction: OutcomeIndex;
      /** Feeds apart, signal strength, inference agreement: in this order. */
      readonly criteria: readonly Criterion[];
      readonly inferenceDifferenceMicros: number;
    }
  | { readonly kind: 'none'; readonly decision: Decision };

const NEEDED: readonly InputName[] = [
  'oracle price',
  'exchange price',
  'exchange price at start',
  'prediction',
  'price to beat',
  'volatility',
];

/**
 * Reads the shared signal off a view: strength of the exchange move's direction against
 * `strengthMinimum`, and inference agreement. Words: `terms.ts`.
 */
export function fiveMinSignal(
  view: JudgedView,
  window: EntryWindow,
  strengthMinimum: number,
): FiveMinSignal {
  const { oracle, exchange, exchangeAtStart, prediction } = view;
  if (oracle === null || exchange === null || exchangeAtStart === null || prediction === null)
    return none(skipForMissing(missingInputs(view, NEEDED)));
  const direction = directionOf(exchangeAtStart, exchange.value);
  if (direction === null) return none(skipWithoutMove(view, window));
  const strength = signalStrength(view, direction);
  if (strength === null) return none(skipForMissing(missingInputs(view, NEEDED)));
  const inference = directionOf(oracle.value, prediction.value.price);
  return {
    kind: 'signal',
    direction,
    criteria: [
      feedsAgreeCriterion(oracle.value, exchange.value),
      strengthCriterion(direction, strength, strengthMinimum),
      {
        name: 'inference direction',
        value: directionName(inference),
        threshold: `${directionName(direction)}, as the exchange moved`,
        passed: inference === direction,
      },
    ],
    inferenceDifferenceMicros: relativeDifferenceMicros(prediction.value.price, oracle.value),
  };
}

function none(decision: Decision): FiveMinSignal {
  return { kind: 'none', decision };
}

function skipWithoutMove(view: JudgedView, window: EntryWindow): Decision {
  const moved: Criterion = {
    name: 'exchange move',
    value: 'none',
    threshold: 'Up or Down',
    passed: false,
  };
  return {
    verdict: 'skip',
    outcome: null,
    criteria: [windowCriterion(view, window), moved],
    reason: 'The exchange price has not moved since the round began.',
  };
}
