import type { Criterion, Decision } from '../agent.ts';
import { INFERENCE_STRIKE_RULE, inferenceStrike } from './inference-strike.ts';
import { LIMITER_RULE, limiter } from './limiter.ts';
import type { RoundJudge } from './round-judge.ts';

/** The rule of `max` for people. */
export const MAX_RULE = `Enters when either of two rules says so. Limiter: ${LIMITER_RULE} Inference strike: ${INFERENCE_STRIKE_RULE}`;

/**
 * Judges a BTC 5-minute round by the spec's Max: enters when the Limiter or the inference-network
 * strike does. Both judge by the exchange move, so they never name different directions. The
 * receipt shows both, with what each was judged by.
 */
export function max(strike: RoundJudge = inferenceStrike()): RoundJudge {
  return {
    memory: strike.memory ?? null,
    judge: (view) => either(limiter(view), strike.judge(view)),
    after: (view) => max(strike.after(view)),
  };
}

function either(limited: Decision, struck: Decision): Decision {
  const entered = limited.verdict === 'enter' ? limited : struck;
  const criteria = [
    signalOf('Limiter', limited),
    signalOf('inference strike', struck),
    ...named('Limiter', limited),
    ...named('inference strike', struck),
  ];
  if (entered.verdict === 'enter')
    return {
      ...entered,
      criteria,
      reason: `${entered === limited ? 'Limiter' : 'Inference strike'}: ${entered.reason}`,
    };
  return {
    verdict: 'skip',
    outcome: null,
    criteria,
    reason: `Limiter: ${limited.reason} Inference strike: ${struck.reason}`,
  };
}

function signalOf(name: string, { verdict }: Decision): Criterion {
  return {
    name: `${name} signal`,
    value: verdict === 'enter' ? 'yes' : 'no',
    threshold: 'one of the two',
    passed: verdict === 'enter',
  };
}

function named(strategy: string, { criteria }: Decision): readonly Criterion[] {
  return criteria.map((criterion) => ({ ...criterion, name: `${strategy}: ${criterion.name}` }));
}
