import { describe, expect, it } from 'vitest';
import { NewestKept } from '../../../src/adapters/memory/newest-kept.ts';

describe('what was asked for last', () => {
  it('tells a thing, one known to be missing and one that was never asked for apart', () => {
    const kept = new NewestKept<string | null>(8);
    kept.keep('a', 'of a');
    kept.keep('b', null);
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['of a', null, undefined]);
  });

  it('keeps what is asked for again, and no more than its bound', () => {
    const kept = new NewestKept<string>(4);
    kept.keep('often', 'often');
    for (let index = 0; index < 100; index += 1) {
      kept.keep(String(index), String(index));
      expect(kept.get('often')).toBe('often');
    }
    const left = Array.from({ length: 100 }, (_, index) => kept.get(String(index))).filter(
      (found) => found !== undefined,
    );
    expect(left.length).toBeLessThanOrEqual(4);
  });

  it('forgets in both generations', () => {
    const kept = new NewestKept<string>(2);
    kept.keep('old', 'old');
    kept.keep('young', 'young');
    for (const name of ['old', 'young']) kept.forget(name);
    expect([kept.get('old'), kept.get('young')]).toEqual([undefined, undefined]);
  });
});
