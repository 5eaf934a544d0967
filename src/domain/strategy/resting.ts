import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import type { JudgedView } from '../signal.ts';
import { formatPrice, TICKS_PER_USD, type PriceTicks } from '../units.ts';
import {
  directionName,
  missingInputs,
  percentOf,
  signalStrength,
  type InputName,
} from './terms.ts';

const NEEDED: readonly InputName[] = ['oracle price', 'price to beat', 'volatility'];

/**
 * Judges a resting bid again: it stays (`hold`) while the signal strength of its outcome is above
 * the price; else it is taken back (`exit`), for whoever sells to it then knows more. `skip` says
 * that its worth is unknown, which no user should bear for long (L8).
 */
export function judgeResting(
  price: PriceTicks,
): (view: JudgedView, outcome: OutcomeIndex) => Decision {
  return (view, outcome) => {
    const strength = signalStrength(view, outcome);
    const bid = `The bid at ${formatPrice(price)}`;
    if (strength === null) {
      const missing = missingInputs(view, NEEDED).join(', ');
      const inputs: Criterion = {
        name: 'inputs',
        value: `missing: ${missing}`,
        threshold: 'all present and fresh',
        passed: false,
      };
      return {
        verdict: 'skip',
        outcome: null,
        criteria: [inputs],
        reason: `${bid} cannot be judged without ${missing}.`,
      };
    }
    const worth: Criterion = {
      name: `signal strength ${directionName(outcome)}`,
      value: percentOf(strength, 'up'),
      threshold: `above ${percentOf(price / TICKS_PER_USD, 'up')}, the bid's price`,
      passed: strength > price / TICKS_PER_USD,
    };
    return worth.passed
      ? {
          verdict: 'hold',
          outcome,
          criteria: [worth],
          reason: `${bid} stays: ${directionName(outcome)} is worth more.`,
        }
      : {
          verdict: 'exit',
          outcome,
          criteria: [worth],
          reason: `${bid} is taken back: ${directionName(outcome)} is worth no more than it pays.`,
        };
  };
}
