import { describe, expect, it } from 'vitest';
import { isCleanOfPools } from './pool-verdict.ts';
import { liveThroughPools } from './pools.ts';

describe('venue_c through the faults of its pools and their chain, and kills', () => {
  it('L1, L2, L4, L9: trades once for each intent, loses and guesses none, and keeps the books of every wallet', async () => {
    const { verdict, kills, met } = await liveThroughPools({
      intents: 60,
      people: 12,
      kills: 2,
      seed: 'ci',
    });
    expect(verdict).toMatchObject({ findings: [], brokenLaws: [], errors: [] });
    expect([isCleanOfPools(verdict), verdict.intents, kills]).toEqual([true, 60, 2]);
    expect([verdict.trades > 10, met.length > 0]).toEqual([true, true]);
  });
});
