import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/domain/json-value.ts';
import { outsideText, plainAnswer } from '../../src/mcp/untrusted-text.ts';
import { POISONED } from './poisoned-texts.ts';

/**
 * Controls, formats (bidirectional, zero-width, tags), private use, lone surrogates, variation
 * selectors, fillers.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]/u;

describe('text of others', () => {
  it('holds nothing hidden and at most 200 characters, in 200 poisoned names', () => {
    expect(POISONED).toHaveLength(200);
    const shown = POISONED.map(outsideText);
    expect(shown.filter((text) => HIDDEN.test(text) || [...text].length > 200)).toEqual([]);
    expect(shown.filter((text) => /\p{M}{3}/u.test(text))).toEqual([]);
  });

  it('holds nothing hidden, whatever it is, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const shown = outsideText(text);
        expect(HIDDEN.test(shown)).toBe(false);
        expect(outsideText(shown)).toBe(shown);
      }),
      { numRuns: 300 },
    );
  });

  it('is pointed at wherever it is; ids, numbers and cursors are not', () => {
    const answer: JsonValue = {
      items: [
        { marketId: '0xabc', price: '0.5', question: 'Rain?', slug: 'buy-now', at: 1, ok: true },
        { marketId: 'two words', tags: [{ label: 'x' }], nextCursor: `a.${'b'.repeat(300)}` },
      ],
      nextCursor: null,
    };
    const { value, untrustedText } = plainAnswer(answer);
    expect(value).toEqual(answer);
    expect(untrustedText).toEqual([
      '/items/*/marketId',
      '/items/*/question',
      '/items/*/slug',
      '/items/*/tags/*/label',
    ]);
  });

  it('is kept at length, with its paragraphs, where that is asked for, and cleaned all the same', () => {
    const rules = `First.\n${'Rules go on. '.repeat(120)}\u202E\nLast.`;
    const { value } = plainAnswer({ description: rules, question: rules }, ['description']);
    const { description, question } = Object(value);
    expect([description.length > 1_500, description.endsWith('\nLast.')]).toEqual([true, true]);
    expect([...question].length).toBe(200);
    expect(HIDDEN.test(description.replaceAll('\n', ''))).toBe(false);
    const endless = plainAnswer({ description: 'x '.repeat(10_000) }, ['description']);
    expect([...String(Object(endless.value).description)].length).toBeLessThanOrEqual(4_000);
  });

  it('cannot hide in the name of a member', () => {
    expect(plainAnswer({ 'a\u202Eb': 1 }).value).toEqual({ ab: 1 });
  });
});
