import { describe, expect, it } from 'vitest';
import { createPool } from '../../../src/services/orders/lock-pool.ts';

/** A pool of texts that tell how many were made before. */
function aPool(keptMaximum = 2) {
  let made = 0;
  const make = (name: string) => {
    made += 1;
    return `${name}${made}`;
  };
  const { use, leave } = createPool<string>({ keptMaximum, make });
  const once = (...names: readonly string[]) =>
    names.map((name) => {
      const item = use(name);
      leave(name);
      return item;
    });
  return { use, leave, once };
}

describe('a pool of locks', () => {
  it('gives all who ask for a name the same one, and keeps it for the next', () => {
    const { use, leave } = aPool();
    expect([use('a'), use('a')]).toEqual(['a1', 'a1']);
    leave('a');
    leave('a');
    expect(use('a')).toBe('a1');
  });

  it('keeps as many unused as its bound; the longest unused goes first', () => {
    const { once } = aPool();
    expect(once('a', 'b', 'a', 'b')).toEqual(['a1', 'b2', 'a1', 'b2']);
    expect(once('c', 'b', 'a')).toEqual(['c3', 'b2', 'a4']);
    expect(once('b', 'a', 'c')).toEqual(['b2', 'a4', 'c5']);
  });

  it('L7: never drops one in use, even if others have left it', () => {
    const { use, leave, once } = aPool(1);
    expect([use('a'), use('a'), use('b')]).toEqual(['a1', 'a1', 'b2']);
    leave('a');
    expect(once('c', 'd', 'c')).toEqual(['c3', 'd4', 'c5']);
    expect([use('a'), use('b')]).toEqual(['a1', 'b2']);
  });

  it('does not count what is in use among what it keeps', () => {
    const { use, leave, once } = aPool(1);
    use('a');
    expect(once('b', 'b')).toEqual(['b2', 'b2']);
    leave('a');
    expect(once('a', 'b')).toEqual(['a1', 'b3']);
  });

  it('stops at a leave without a use', () => {
    const { use, leave } = aPool();
    expect(() => leave('a')).toThrow('invariant broken');
    use('a');
    leave('a');
    expect(() => leave('a')).toThrow('invariant broken');
  });
});
