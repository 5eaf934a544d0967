import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readableText, visibleText } from '../../../src/domain/farming/plain-text.ts';

describe('text of strangers', () => {
  it('is shown without what cannot be seen, on one line, cut to size', () => {
    expect(visibleText('Will\u0000 it\r\n\tsnow\u202e?\u200b Yes\u2028No', 100)).toBe('Will it snow? Yes No');
    expect(visibleText('x'.repeat(500), 10)).toBe('x'.repeat(10));
    expect(visibleText('Crème brûlée', 100)).toBe('Crème brûlée');
  });

  it('never keeps a control character, a line end or more than it may, whatever comes', () => {
    assert(property(string({ unit: 'binary', maxLength: 300 }), (text) => {
      const shown = visibleText(text, 40);
      expect(shown.length).toBeLessThanOrEqual(40);
      expect(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(shown)).toBe(false);
      expect(typeof readableText(text)).toBe('string');
    }));
  });
});
