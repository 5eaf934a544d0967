import { describe, expect, it } from 'vitest';
import { sampled } from '../support/sampled.ts';
import { allScenarios } from './scenarios/table.ts';
import { cutInModel, sample, takenOver } from './support/cut-model.ts';

/** Of each scenario's points; `npm run sim -- crash --takeover` takes all of them. */
const TAKEN = 3;

const scenarios = (await allScenarios()).filter(({ scenario }) => scenario.takesOver);
const NAMED = scenarios.map(({ scenario }) => [scenario.family, scenario.name, scenario] as const);

describe('processes that are replaced while they are held up at a durable write', () => {
  it.each(sampled('taken over', NAMED, 8))(
    'L1, L2, L4: come to the same end beside their successor as one that was not held up: %s, %s',
    async (_family, name, scenario) => {
      const { cuts, failures } = await cutInModel(scenario, (points) =>
        sample(`taken over ${name}`, TAKEN)(takenOver(points)),
      );
      expect(failures).toEqual([]);
      expect(cuts).toBe(TAKEN);
    },
  );
});
