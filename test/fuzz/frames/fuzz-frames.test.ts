import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { sampled } from '../../support/sampled.ts';
import { createReaders } from './compare-readings.ts';
import { makeFrame, WATCHED } from './frame-source.ts';
import { FRAMES_PER_SLICE, fuzzSlice } from './fuzz-frames.ts';

const SLICES = Array.from({ length: 12 }, (_, slice) => slice);

const change = (figures: Readonly<Record<string, string>>) => ({
  asset_id: WATCHED[0],
  price: '0.47',
  size: '120',
  side: 'BUY',
  hash: 'a',
  best_bid: '0.47',
  best_ask: '0.48',
  ...figures,
});
const frameOf = (figures: Readonly<Record<string, string>>) =>
  Buffer.from(
    JSON.stringify({
      market: '0x5f',
      price_changes: [change(figures)],
      timestamp: '1760000000000',
      event_type: 'price_change',
    }),
  );

describe('the frame scanner beside JSON.parse and the schema', () => {
  it.each(sampled('slices', SLICES, 4))(
    'reads every frame of slice %i alike, or leaves it',
    (slice) => {
      const { counts, differing } = fuzzSlice('ci', slice);
      expect(differing.map((frame) => frame.toString('latin1'))).toEqual([]);
      expect(counts.same + counts.refused + counts.left).toBe(FRAMES_PER_SLICE);
      // The frames are worth comparing: both readers take many of them, and leave many.
      for (const verdict of ['same', 'refused', 'left'] as const)
        expect(counts[verdict]).toBeGreaterThan(FRAMES_PER_SLICE / 20);
    },
  );

  it('gives the same frames for the same seed and slice, others for another', () => {
    const drawn = (seed: string) =>
      Array.from(
        { length: 20 },
        (
          (random) => () =>
            makeFrame(random).toString()
        )(createSeededRandom(seed)),
      );
    expect(drawn('one')).toEqual(drawn('one'));
    expect(drawn('one')).not.toEqual(drawn('other'));
    expect(fuzzSlice('ci', 0, 500)).toEqual(fuzzSlice('ci', 0, 500));
  });

  it.each([
    ['a price with a fifth decimal that is not zero', { price: '0.47001' }, 'refused'],
    ['a price with a fifth decimal of zero', { price: '0.47000' }, 'left'],
    ['a price without its zero', { price: '.47' }, 'same'],
    ['a price of nothing', { price: '0' }, 'left'],
    ['sizes beyond nine digits', { size: '1000000000' }, 'left'],
    ['sizes beyond what a number counts', { size: '9007199254.740993' }, 'refused'],
    ['an invalid side', { side: 'buy' }, 'refused'],
    ['an unwatched outcome', { asset_id: '1' }, 'same'],
    ['an outcome that is no number', { asset_id: '1a' }, 'refused'],
    ['no best price', { best_bid: '' }, 'same'],
  ] as const)('agrees on %s', (_, figures, verdict) => {
    expect(createReaders().verdictOn(frameOf(figures))).toBe(verdict);
  });
});
