import type { AgentEffects } from '../../../machines/agent-types.ts';

/** Gives the same effects, and how many of them are under way. */
export function countingEffects(effects: AgentEffects): {
  readonly effects: AgentEffects;
  now(): number;
} {
  let underWay = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
    }
  };
  return {
    effects: {
      decide: (input) => counted(effects.decide(input)),
      enter: (input) => counted(effects.enter(input)),
      leave: (input) => counted(effects.leave(input)),
      withdraw: (input) => counted(effects.withdraw(input)),
    },
    now: () => underWay,
  };
}
