import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BookFold, UNSTATED } from '../../src/domain/book-fold.ts';
import type { BookLevel } from '../../src/domain/book.ts';
import { asId, type MarketId } from '../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';

const level = (price: number, size: number): BookLevel => ({
  price: priceTicks(price),
  size: shareMicros(size),
});
const marketId = asId<MarketId>('0xaa');
const nothingStated = { bid: UNSTATED, ask: UNSTATED };

function aFold(): BookFold {
  return new BookFold(asId('11'));
}

function aTrustedFold(): BookFold {
  const fold = aFold();
  fold.replace(
    {
      marketId,
      bids: [level(4_000, 120), level(4_900, 35)],
      asks: [level(6_000, 80), level(5_100, 20)],
      venueAtMs: 1_000,
    },
    1_010,
  );
  return fold;
}

describe('a folded book', () => {
  it('L8: is not to be trusted before its first snapshot and takes no changes', () => {
    const fold = aFold();
    expect([fold.fault, fold.takes(5_000), fold.epoch, fold.view().distrust]).toEqual([
      'no_snapshot',
      false,
      0,
      'no_snapshot',
    ]);
  });

  it('gives levels best first, whatever order they came in', () => {
    expect(aTrustedFold().view()).toEqual({
      tokenId: '11',
      marketId: '0xaa',
      epoch: 1,
      seq: 1,
      venueAtMs: 1_000,
      receivedAtMs: 1_010,
      distrust: null,
      bids: [level(4_900, 35), level(4_000, 120)],
      asks: [level(5_100, 20), level(6_000, 80)],
    });
  });

  it('takes level changes as whole sizes and finds the next best when the best goes', () => {
    const fold = aTrustedFold();
    fold.setLevel('bid', 4_900, 0);
    fold.setLevel('ask', 5_050, 7);
    fold.finish(1_200, 1_210, { bid: 4_000, ask: 5_050 });
    expect([fold.top(), fold.fault, fold.seq]).toEqual([
      { bid: level(4_000, 120), ask: level(5_050, 7) },
      null,
      2,
    ]);
  });

  it('L8: finds a lost change by the venue word about the best prices, and keeps the doubt until a snapshot', () => {
    const fold = aTrustedFold();
    fold.setLevel('bid', 4_800, 5);
    fold.finish(1_200, 1_210, { bid: 5_000, ask: 5_100 });
    fold.finish(1_300, 1_310, { bid: 4_900, ask: 5_100 });
    expect(fold.fault).toBe('gap');
    fold.replace({ marketId, bids: [level(5_000, 1)], asks: [], venueAtMs: 1_400 }, 1_410);
    expect([fold.fault, fold.epoch, fold.seq, fold.top()]).toEqual([
      null,
      2,
      1,
      { bid: level(5_000, 1), ask: null },
    ]);
  });

  it.each([
    ['bid', { bid: 4_800, ask: UNSTATED }, 'gap'],
    ['ask', { bid: UNSTATED, ask: 5_200 }, 'gap'],
    ['nothing', { bid: 4_900, ask: 5_100 }, null],
  ])('L8: has lost a change where the venue has another best %s', (_, stated, fault) => {
    const fold = aTrustedFold();
    fold.finish(1_200, 1_210, stated);
    expect(fold.fault).toBe(fault);
  });

  it('is as new as the newest frame, though event times step back', () => {
    const fold = aTrustedFold();
    fold.finish(900, 1_210, nothingStated);
    expect(fold.view()).toMatchObject({ venueAtMs: 1_000, receivedAtMs: 1_210 });
    fold.finish(1_300, 1_310, nothingStated);
    expect(fold.view()).toMatchObject({ venueAtMs: 1_300, receivedAtMs: 1_310 });
  });

  it('L8: lacks a snapshot until the first, whatever is doubted before', () => {
    const fold = aFold();
    fold.doubt('gap');
    expect(fold.fault).toBe('no_snapshot');
  });

  it('ends at both ends of the range', () => {
    const fold = aFold();
    const bids = [level(100, 1), level(9_900, 2)];
    fold.replace({ marketId, bids, asks: [], venueAtMs: 1 }, 1);
    expect(fold.view().bids).toEqual([level(9_900, 2), level(100, 1)]);
    fold.setLevel('bid', 9_900, 0);
    expect(fold.bestBid).toBe(100);
    fold.setLevel('bid', 100, 0);
    fold.setLevel('ask', 100, 3);
    fold.setLevel('ask', 9_900, 4);
    fold.finish(2, 2, nothingStated);
    expect(fold.view()).toMatchObject({ bids: [], asks: [level(100, 3), level(9_900, 4)] });
    fold.setLevel('ask', 100, 0);
    expect(fold.bestAsk).toBe(9_900);
    fold.setLevel('ask', 9_900, 0);
    expect([fold.bestBid, fold.bestAsk]).toEqual([0, 0]);
  });

  it('says it is crossed only while it is', () => {
    const fold = aTrustedFold();
    fold.setLevel('bid', 5_100, 5);
    fold.finish(1_200, 1_210, nothingStated);
    expect(fold.fault).toBe('crossed');
    fold.setLevel('ask', 5_100, 0);
    fold.finish(1_300, 1_310, nothingStated);
    expect(fold.fault).toBeNull();
  });

  it('keeps the epoch when a healthy book is sent whole again', () => {
    const fold = aTrustedFold();
    fold.replace({ marketId, bids: [], asks: [], venueAtMs: 1_100 }, 1_110);
    expect([fold.epoch, fold.seq, fold.top()]).toEqual([1, 2, { bid: null, ask: null }]);
  });

  it('ignores changes after a change of tick until the next snapshot', () => {
    const fold = aTrustedFold();
    fold.doubt('tick_changed');
    expect([fold.fault, fold.takes(9_000)]).toEqual(['tick_changed', false]);
  });

  it('takes a fetched book only when it is not older, and then nothing older than it', () => {
    const fold = aTrustedFold();
    const fetched = { marketId, bids: [level(4_500, 9)], asks: [level(5_500, 9)] };
    expect(fold.replaceFetched({ ...fetched, venueAtMs: 999 }, 1_500)).toBe(false);
    expect(fold.replaceFetched({ ...fetched, venueAtMs: 1_400 }, 1_500)).toBe(true);
    expect([fold.takes(1_399), fold.takes(1_400), fold.bestBid, fold.bestAsk]).toEqual([
      false,
      true,
      4_500,
      5_500,
    ]);
    fold.finish(1_400, 1_510, nothingStated);
    expect(fold.takes(1_399)).toBe(true);
    expect(fold.replaceFetched({ ...fetched, venueAtMs: 1_400 }, 1_600)).toBe(true);
  });

  it('takes a whole book of the stream unless it was sent before a fetched one', () => {
    const fold = aTrustedFold();
    const sent = { marketId, bids: [level(4_600, 9)], asks: [level(5_600, 9)] };
    fold.replaceFetched({ marketId, bids: [], asks: [], venueAtMs: 1_400 }, 1_500);
    expect(fold.replace({ ...sent, venueAtMs: 1_399 }, 1_600)).toBe(false);
    expect(fold.bestBid).toBe(0);
    expect(fold.replace({ ...sent, venueAtMs: 1_400 }, 1_700)).toBe(true);
    expect([fold.bestBid, fold.takes(1_399)]).toEqual([4_600, true]);
  });

  it('equals a plain map of levels after any changes, on any ticks', () => {
    const change = fc.record({
      side: fc.constantFrom<'bid' | 'ask'>('bid', 'ask'),
      price: fc.integer({ min: 1, max: 9_999 }),
      size: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000 })),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const fold = aTrustedFold();
        const expected = {
          bid: new Map([
            [4_000, 120],
            [4_900, 35],
          ]),
          ask: new Map([
            [6_000, 80],
            [5_100, 20],
          ]),
        };
        for (const { side, price, size } of changes) {
          fold.setLevel(side, price, size);
          expected[side].set(price, size);
        }
        fold.finish(2_000, 2_000, nothingStated);
        const sorted = (side: 'bid' | 'ask'): BookLevel[] =>
          [...expected[side]]
            .filter(([, size]) => size > 0)
            .sort(([a], [b]) => (side === 'bid' ? b - a : a - b))
            .map(([price, size]) => level(price, size));
        expect([fold.view().bids, fold.view().asks]).toEqual([sorted('bid'), sorted('ask')]);
        expect([fold.bestBid, fold.bestAsk]).toEqual([
          sorted('bid')[0]?.price ?? 0,
          sorted('ask')[0]?.price ?? 0,
        ]);
      }),
    );
  });
});
