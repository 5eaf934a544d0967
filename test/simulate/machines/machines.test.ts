import { describe, expect, it } from 'vitest';
import { DAY_MS, drawMachinePlan, type Plan } from '../plan.ts';
import { liveThrough } from '../simulation.ts';

const TIMEOUT_MS = 600_000;
const HOUR_MS = 3_600_000;
/**
 * A seed whose first three rounds and whose markets to farm lie in three hours, with pauses, kills,
 * a hand-over and a database that is down in them.
 */
const SEED = 156;
const UNTIL_MS = 3 * HOUR_MS;

/** The first hours of a day, and a way that is cut off in them. */
function morningOf(plan: Plan): Plan {
  const isEarly = ({ afterMs }: { readonly afterMs: number }): boolean => afterMs < UNTIL_MS;
  const rounds = plan.roundsAfterMs.filter((startMs) => startMs < UNTIL_MS);
  return {
    ...plan,
    days: UNTIL_MS / DAY_MS,
    roundsAfterMs: rounds,
    events: plan.events.filter(isEarly),
    disturbances: [
      ...(plan.disturbances ?? []).filter(isEarly),
      ...rounds.map((startMs) => ({
        afterMs: startMs + 60_000,
        disturbs: { what: 'cut-off', lastsMs: 7_000, appends: 1, isAllLost: false } as const,
      })),
    ],
  };
}

describe('a morning of two machines that take turns at one log', () => {
  it(
    'L1 to L9: leaves nothing to find over the lives of both, through pauses, cuts, hand-overs and failovers; L10: the same seed leaves the same journal',
    async () => {
      const morning = morningOf(drawMachinePlan(SEED, 1));
      const { findings, counts, hash } = await liveThrough(morning);
      expect(findings).toEqual({});
      expect([
        counts['take-overs of the log'] > 5,
        counts['owners that were fenced'] > 0,
        counts['commits undecided'] > 0,
        counts['entries of rounds'] > 0,
        counts['entries of farming'] > 0,
        counts.fills > 20,
      ]).toEqual([true, true, true, true, true, true]);
      expect((await liveThrough(morning)).hash).toBe(hash);
    },
    TIMEOUT_MS,
  );
});
