import { assert as hold, constantFrom, integer, property, string as anyText } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from 'node:zlib';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { freshKeyText, isKeyText, keyPrefix } from '../../../src/services/api-keys/key-text.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('the text of a key', () => {
  it('is pk_, 43 characters of chance and a checksum others can compute', () => {
    const key = freshKeyText(createSeededRandom(1), null);
    const check = Array.from(key.slice(-6)).reduce(
      (sum, digit) => sum * 62 + DIGITS.indexOf(digit),
      0,
    );
    expect([/^pk_[0-9A-Za-z]{49}$/.test(key), check, keyPrefix(key)]).toEqual([
      true,
      crc32(key.slice(0, -6)),
      key.slice(0, 11),
    ]);
  });

  it('differs from every text with one character changed', () => {
    hold(
      property(
        integer(),
        integer({ min: 3, max: 51 }),
        constantFrom(...DIGITS),
        (seed, at, digit) => {
          const key = freshKeyText(createSeededRandom(seed), null);
          const other = `${key.slice(0, at)}${digit}${key.slice(at + 1)}`;
          expect([isKeyText(key), isKeyText(other)]).toEqual([true, other === key]);
        },
      ),
    );
  });

  it('is not what another service calls a key', () => {
    hold(property(anyText(), (text) => !isKeyText(text)));
    expect(['', 'pk_', `pk_${'a'.repeat(49)}`, `sk_${'a'.repeat(49)}`].map(isKeyText)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
