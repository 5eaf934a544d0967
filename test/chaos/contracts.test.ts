import { describe, expect, it } from 'vitest';
import { isCleanOfContracts } from './contract-verdict.ts';
import { liveThroughContracts } from './contracts.ts';

describe('venue_b through its faults, those of its chain and kills', () => {
  it('L1, L2, L4, L9: makes one order of each intent, loses and guesses none, and keeps the books of the chain', async () => {
    const { verdict, kills, met } = await liveThroughContracts({
      intents: 60,
      people: 6,
      kills: 2,
      seed: 'ci',
    });
    expect(verdict).toMatchObject({ findings: [], brokenLaws: [], errors: [] });
    expect([isCleanOfContracts(verdict), verdict.intents, kills]).toEqual([true, 60, 2]);
    expect([verdict.filled > 20, met.length > 10]).toEqual([true, true]);
  });
});
