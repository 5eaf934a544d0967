import { describe, expect, it } from 'vitest';
import { remembered } from '../../../src/venues/venue-a/remembered.ts';

describe('a remembered reading', () => {
  it('reads each text once while it is asked for again, and holds no more than it may', () => {
    const read: string[] = [];
    const ask = remembered((text) => {
      read.push(text);
      return { text };
    }, 4);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'd', 'e', 'a', 'b'])
      expect(ask(text)).toEqual({ text });
    expect(read).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
  });

  it('does not remember what it refused', () => {
    let asked = 0;
    const ask = remembered((text) => {
      asked += 1;
      if (asked === 1) throw new Error(`no ${text}`);
      return { text };
    }, 2);
    expect(() => ask('a')).toThrow('no a');
    expect(ask('a')).toEqual({ text: 'a' });
  });
});
