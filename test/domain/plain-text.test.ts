import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainParagraphs, plainText } from '../../src/domain/plain-text.ts';

const BIDI = String.fromCodePoint(0x202e, 0x2066, 0x200f);
const UNSEEN = String.fromCodePoint(0x200b, 0x200d, 0xfeff, 0x2060, 0x00ad, 0xe0041, 0xfe0f);

describe('plain text', () => {
  it.each([
    [
      'leaves a usual title as it is',
      'Bitcoin Up or Down - July 24, 2:15AM-2:20AM ET',
      'Bitcoin Up or Down - July 24, 2:15AM-2:20AM ET',
    ],
    ['keeps other scripts and composes them', 'Zu\u0308rich — 東京 — שלום', 'Zürich — 東京 — שלום'],
    [
      'makes one line of many',
      'one\r\n\ttwo\u2028three\u2029four\u0085five',
      'one two three four five',
    ],
    ['drops what turns text around', `safe${BIDI}evil`, 'safeevil'],
    ['drops what cannot be seen', `a${UNSEEN}b\u3164c\u2800`, 'abc'],
    ['drops lone surrogates, private and unassigned characters', 'a\ud800b\ue000c\u0378d', 'abcd'],
    [
      'drops escape sequences of a terminal but for their harmless letters',
      '\u001b[31mred\u0007',
      '[31mred',
    ],
    ['leaves two marks on a letter, not twenty', `x${'\u0316\u0301'.repeat(10)}`, 'x\u0316\u0301'],
  ])('%s', (_what, text, expected) => {
    expect(plainText(text, 80).normalize('NFC')).toBe(expected.normalize('NFC'));
  });

  it('is cut by code points, with a sign of it', () => {
    expect([
      plainText('😀'.repeat(81), 80),
      plainText('x'.repeat(80), 80),
      plainText(`${'x'.repeat(10)} ${'y'.repeat(1_000_000)}`, 12),
    ]).toEqual([`${'😀'.repeat(79)}…`, 'x'.repeat(80), 'xxxxxxxxxx…']);
  });

  it('looks at no more than the beginning of what is mostly unseen', () => {
    expect(plainText(`${'\u200b'.repeat(79)}x`, 5)).toBe('x');
    expect(plainText(`${'\u200b'.repeat(80)}x`, 5)).toBe('');
  });

  it('is one well-formed line within its length of whatever it is made, and stays itself when made again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.string({ unit: 'grapheme', maxLength: 200 }),
        ),
        fc.integer({ min: 1, max: 60 }),
        (text, maximum) => {
          const plain = plainText(text, maximum);
          expect([...plain].length).toBeLessThanOrEqual(maximum);
          expect(plain).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*$/u);
          expect(() => encodeURIComponent(plain)).not.toThrow();
          expect(plainText(plain, maximum)).toBe(plain);
        },
      ),
    );
  });
});

describe('plain paragraphs', () => {
  it.each<[string, string, number, string]>([
    ['keep one a line', 'one\r\ntwo\u2028three\u2029four', 80, 'one\ntwo\nthree\nfour'],
    ['leave out empty ones', '\n\n one \n \u200b \n\ttwo\n', 80, 'one\ntwo'],
    ['are plain each', `safe${BIDI}evil  text\nsecond`, 80, 'safeevil text\nsecond'],
    ['have their length in all', 'one\ntwo', 7, 'one\ntwo'],
    ['are cut with a sign of it', 'one\ntwo', 6, 'one\nt…'],
    ['are cut by code points', 'a\n😀😀😀', 4, 'a\n😀…'],
    ['end with no empty line where they are cut', 'one\ntwo', 5, 'one…'],
    ['are looked at no further than one line is', `${'\n'.repeat(80)}x`, 5, ''],
  ])('%s', (_what, text, maximum, expected) => {
    expect(plainParagraphs(text, maximum)).toBe(expected);
  });
});
