import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readableText } from '../../../src/domain/farming/readable-text.ts';

describe('text as the eye reads it', () => {
  it('folds accents, lookalikes of other alphabets and what cannot be seen', () => {
    expect(readableText('Вitсоin\u200b — CRÈME  brûlée!')).toBe('bitcoin creme brulee');
  });

  it('holds small words and single blanks alone, whatever comes', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(readableText(text)).toMatch(/^$|^[^\s\p{C}]+( [^\s\p{C}]+)*$/u);
      }),
    );
  });
});
