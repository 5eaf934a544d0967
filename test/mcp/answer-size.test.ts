import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/domain/json-value.ts';
import { fitted } from '../../src/mcp/answer-size.ts';

const chars = (value: JsonValue) => JSON.stringify(value).length;
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, at: 'here' }));

describe('an answer that is too long', () => {
  it('loses the ends of its longest lists, and says how much of them is kept', () => {
    const answer = { positions: rows(100), pending: rows(3), note: 'kept' };
    const answered = fitted(answer, 1_000);
    expect(chars(answered)).toBeLessThanOrEqual(1_000);
    expect(answered).toMatchObject({ pending: rows(3), note: 'kept' });
    expect(answered['positions']).toEqual(rows(25));
    expect(answered['cut']).toEqual({ '/positions': 'the first 25 of 100' });
  });

  it('keeps the entries of a page, for its cursor goes on behind them', () => {
    const page = { items: [{ tags: rows(50) }, { tags: rows(2) }], nextCursor: 'x' };
    const answered = fitted(page, 600, true);
    expect(answered).toMatchObject({ items: [{}, { tags: rows(2) }], nextCursor: 'x' });
    expect(answered['cut']).toEqual({ '/items/0/tags': 'the first 12 of 50' });
  });

  it('without lists loses the ends of long texts, and never those of ids', () => {
    const answered = fitted({ id: 'i'.repeat(150), text: 't'.repeat(5_000) }, 1_000);
    expect(answered).toMatchObject({ id: 'i'.repeat(150) });
    expect(chars(answered)).toBeLessThanOrEqual(1_000);
  });

  it('ends, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (answer) => {
        // what fast-check makes of JSON is JSON
        const answered = fitted(answer as Readonly<Record<string, JsonValue>>, 50);
        expect(answered).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });
});
