import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { SLOTS, slotOf, slotOfDigest, slotText } from '../../src/domain/slot.ts';
import { freshId } from '../../src/services/fresh-id.ts';

describe('the slot of an id', () => {
  it('is written in two characters, each slot its own', () => {
    const texts = Array.from({ length: SLOTS }, (_, slot) => slotText(slot));
    expect(new Set(texts).size).toBe(SLOTS);
    expect(texts.map((text) => slotOf(`usr_${text}rest`))).toEqual(texts.map((_, slot) => slot));
  });

  it('is named by the ids that are made for it', () => {
    const random = createSeededRandom(1);
    expect([0, 33, 1_023].map((slot) => slotOf(freshId(random, 'ses_', slot)))).toEqual([
      0, 33, 1_023,
    ]);
    expect(freshId(random, 'usr_')).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it.each(['usr_', 'usr_1', 'no id', 'usr_u0', 'pk_Ab', ''])('is not in %j', (id) => {
    expect(slotOf(id)).toBeNull();
  });

  it('of a digest is the same each time and within bounds', () => {
    const digests = Array.from({ length: 200 }, (_, at) =>
      Buffer.from([at, at * 7, 3]).toString('base64url'),
    );
    const slots = digests.map(slotOfDigest);
    expect(digests.map(slotOfDigest)).toEqual(slots);
    expect(Math.max(...slots)).toBeLessThan(SLOTS);
    expect(new Set(slots).size).toBeGreaterThan(100);
  });
});
