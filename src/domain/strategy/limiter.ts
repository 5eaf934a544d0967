import type { Decision } from '../agent.ts';
import type { JudgedView } from '../signal.ts';
import { fiveMinSignal } from './five-min-signal.ts';
import { FIVE_MIN_LIMIT_WINDOW } from './limit-60.ts';
import { enterWhenAll, percentOf, windowCriterion } from './terms.ts';

/** Signal strength needed for entry: 90 percent (spec.md, BTC 5-minute strategies). */
const LIMITER_STRENGTH_MINIMUM = 0.9;

/** The rule of `limiter` for people. */
export const LIMITER_RULE = `Buys the side to which the exchange price has moved since the round began, when its signal strength is ${percentOf(LIMITER_STRENGTH_MINIMUM, 'down')} or more and the prediction points the same way.`;

/**
 * Judges a BTC 5-minute round by the spec's Limiter: bids 60 cents for the direction of the
 * exchange move when its signal strength is at least 90 percent and the inference network agrees.
 * The ask does not matter: the bid waits for it.
 */
export function limiter(view: JudgedView): Decision {
  const signal = fiveMinSignal(view, FIVE_MIN_LIMIT_WINDOW, LIMITER_STRENGTH_MINIMUM);
  if (signal.kind === 'none') return signal.decision;
  return enterWhenAll(signal.direction, [
    windowCriterion(view, FIVE_MIN_LIMIT_WINDOW),
    ...signal.criteria,
  ]);
}
