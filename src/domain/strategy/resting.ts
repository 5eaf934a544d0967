import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import type { RoundView } from '../signal.ts';
import type { PriceTicks } from '../units.ts';
import type { InputName } from './terms.ts';
import { formatPrice, TICKS_PER_USD } from '../units.ts';
import { directionName, missingInputs, percentOf, signalStrength } from './terms.ts';

const NEEDED: readonly InputName[] = ['oracle price', 'price to beat', 'volatility'];

/**
 * Judges a resting bid again: it stays (`hold`) while a share of the outcome is worth more than the bid pays, that is while
 * the signal strength is above the price; else it is taken back (`exit`), for whoever sells to it then knows more. A bid
 * whose worth cannot be told is taken back too: a stale input is absent (L8), and a missed trade costs nothing.
 */
export function judgeResting(price: PriceTicks): (view: RoundView, outcome: OutcomeIndex) => Decision {
  return (view, outcome) => {
    const strength = signalStrength(view, outcome);
    if (strength === null) {
      const missing = missingInputs(view, NEEDED).join(', ');
      const inputs: Criterion = { name: 'inputs', value: `missing: ${missing}`, threshold: 'all present and fresh', passed: false };
      return { verdict: 'exit', outcome, criteria: [inputs], reason: `The bid is taken back: without ${missing} nobody knows what it is worth.` };
    }
    const worth: Criterion = {
      name: `signal strength ${directionName(outcome)}`, value: percentOf(strength),
      threshold: `above the bid of ${formatPrice(price)}`, passed: strength > price / TICKS_PER_USD,
    };
    if (worth.passed) return { verdict: 'hold', outcome, criteria: [worth], reason: `The bid at ${formatPrice(price)} stays: ${directionName(outcome)} is worth more.` };
    return { verdict: 'exit', outcome, criteria: [worth], reason: `The bid at ${formatPrice(price)} is taken back: ${directionName(outcome)} is not worth more any longer.` };
  };
}
