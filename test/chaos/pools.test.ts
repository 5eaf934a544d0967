import { describe, expect, it } from 'vitest';
import { runs } from '../support/sampled.ts';
import { isCleanOfPools } from './pool-verdict.ts';
import { liveThroughPools } from './pools.ts';

const INTENTS = runs(24, 2_000);
const PEOPLE = runs(12, 60);
const KILLS = runs(2, 20);

describe('venue_c through the faults of its pools and their chain, and kills', () => {
  it('L1, L2, L4, L9: makes one trade of each intent, loses and guesses none, and keeps the books of the chain', {
    timeout: 3_600_000,
  }, async () => {
    const { verdict, kills, met } = await liveThroughPools({
      intents: INTENTS,
      people: PEOPLE,
      kills: KILLS,
      seed: 'ci',
    });
    expect(verdict).toMatchObject({ findings: [], brokenLaws: [], errors: [] });
    expect([isCleanOfPools(verdict), verdict.intents, kills]).toEqual([true, INTENTS, KILLS]);
    expect([verdict.trades > INTENTS / 4, met.length > 1]).toEqual([true, true]);
  });
});
