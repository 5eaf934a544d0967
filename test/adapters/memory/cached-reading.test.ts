import { describe, expect, it } from 'vitest';
import { cachedReading } from '../../../src/adapters/memory/cached-reading.ts';

describe('a cached reading', () => {
  it('reads each text once while it is asked for again, and holds no more than it may', () => {
    const read: string[] = [];
    const ask = cachedReading((text) => {
      read.push(text);
      return { text };
    }, 4);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'd', 'e', 'a', 'b'])
      expect(ask(text)).toEqual({ text });
    expect(read).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
  });

  it('does not keep what it refused', () => {
    let asked = 0;
    const ask = cachedReading((text) => {
      asked += 1;
      if (asked === 1) throw new Error(`no ${text}`);
      return { text };
    }, 2);
    expect(() => ask('a')).toThrow('no a');
    expect(ask('a')).toEqual({ text: 'a' });
  });
});
