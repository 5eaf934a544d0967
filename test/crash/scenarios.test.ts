import { afterAll, describe, expect, it } from 'vitest';
import { allScenarios } from './scenarios/table.ts';
import { killChildren } from './support/child-processes.ts';
import { cutInModel, sample } from './support/cut-model.ts';
import { deadly, killInTurn, liveWholes, type Killed } from './support/kill-processes.ts';
import { sampled } from '../support/sampled.ts';

/** Of each scenario's points; `npm run sim -- crash` cuts at all of them. */
const CUTS = 3;
/** Processes killed here; `npm run sim -- crash` kills some hundred. */
const KILLED = sampled(
  'killed',
  ['market-buy', 'three-parts', 'entry-and-exit', 'phone-joined-by-google', 'withdrawal-of-a-part'],
  1,
);

const scenarios = await allScenarios();

const NAMED = scenarios.map(({ scenario }) => [scenario.family, scenario.name, scenario] as const);

describe('scenarios that are cut at their durable writes', () => {
  it('are fifty and more, each with a name of its own', () => {
    const names = scenarios.map(({ scenario }) => scenario.name);
    expect(names.length).toBeGreaterThanOrEqual(50);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(sampled('scenarios', NAMED, 12))(
    'L1, L4, L9, L10: come to the same end, twice uncut and wherever the power goes: %s, %s',
    async (_family, name, scenario) => {
      const { cuts, failures } = await cutInModel(scenario, sample(name, CUTS));
      expect(failures).toEqual([]);
      expect(cuts).toBe(CUTS);
    },
  );
});

describe('processes that are killed at a durable write', () => {
  afterAll(killChildren);

  it('L1, L9: are followed by ones that come to the end of the run that was not killed, over what LMDB has on disk', {
    timeout: 600_000,
  }, async () => {
    const chosen = scenarios.flatMap(({ file, scenario: { name } }) =>
      KILLED.includes(name) ? [{ file, name }] : [],
    );
    const wholes = await liveWholes(chosen);
    const killings = chosen.flatMap(({ file, name }) =>
      sample(
        `killed ${name}`,
        1,
      )(deadly(wholes.get(name)?.points ?? [])).map((point) => ({ file, name, point })),
    );
    const killed: Killed[] = [];
    await killInTurn(killings, wholes, (one) => killed.push(one));
    expect(killed).toEqual(killings.map((killing) => ({ ...killing, failure: null })));
    expect(killed.length).toBe(KILLED.length);
  });
});
