import { describe, expect, it } from 'vitest';
import { isCleanOfBooks } from './book-verdict.ts';
import { liveThroughBooks } from './books.ts';

describe('venue_c through the faults of its order books and kills', () => {
  it('L1, L2, L4, L9: makes one order of each intent, loses and guesses none, and keeps the books of the venue', async () => {
    const { verdict, kills, met } = await liveThroughBooks({
      intents: 60,
      people: 6,
      kills: 2,
      seed: 'ci',
    });
    expect(verdict).toMatchObject({ findings: [], brokenLaws: [], errors: [] });
    expect([isCleanOfBooks(verdict), verdict.intents, kills]).toEqual([true, 60, 2]);
    expect([verdict.filled > 20, met.length > 8]).toEqual([true, true]);
  });
});
