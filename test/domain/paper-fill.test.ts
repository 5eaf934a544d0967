import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookLevel } from '../../src/domain/book.ts';
import {
  onBook,
  onTrade,
  rest,
  sharesWanted,
  takeVisible,
  type PaperBook,
  type PaperResting,
  type PaperRequest,
} from '../../src/domain/paper-fill.ts';
import { mulDiv, priceTicks, shareMicros } from '../../src/domain/units.ts';

const level = (price: number, shares: number): BookLevel => ({
  price: priceTicks(price),
  size: shareMicros(shares),
});
const NONE = shareMicros(0);
const BOOK: PaperBook = {
  bids: [level(4_800, 30_000_000), level(4_700, 50_000_000)],
  asks: [level(5_000, 10_000_000), level(5_100, 20_000_000)],
};

const marketBuy = (usdc: number, price: number): PaperRequest => ({
  side: 'buy',
  life: 'all_now',
  price: priceTicks(price),
  spendMicros: usdc,
  receiveMicros: 1,
  exact: 'spend',
});
const bid = (shares: number, price: number): PaperRequest => ({
  side: 'buy',
  life: 'rests',
  price: priceTicks(price),
  spendMicros: mulDiv(shares, price, 10_000, 'floor'),
  receiveMicros: shares,
  exact: 'receive',
});
const sale = (
  shares: number,
  price: number,
  life: 'part_now' | 'rests' = 'part_now',
): PaperRequest => ({
  side: 'sell',
  life,
  price: priceTicks(price),
  spendMicros: shares,
  receiveMicros: 1,
  exact: 'spend',
});

describe('an order that arrives on paper', () => {
  it.each<[string, PaperRequest, readonly (readonly [price: number, shares: number])[]]>([
    [
      'takes the shares it wants and no more, however cheap',
      { ...bid(2_000_000, 9_000), life: 'part_now' },
      [[5_000, 2_000_000]],
    ],
    ['pays a sum within the first level', marketBuy(3_000_000, 5_100), [[5_000, 6_000_000]]],
    [
      'pays a sum across levels, shares rounded down',
      marketBuy(5_000_001, 5_100),
      [
        [5_000, 10_000_000],
        [5_100, 1],
      ],
    ],
    [
      'pays what is to be had of a sum for FAK',
      { ...marketBuy(16_000_000, 5_100), life: 'part_now' },
      [
        [5_000, 10_000_000],
        [5_100, 20_000_000],
      ],
    ],
    [
      'is killed when a FOK sale finds too few bids',
      { ...sale(100_000_000, 4_700), life: 'all_now' },
      [],
    ],
    [
      'sells all of it at once for FOK where the bids are just enough',
      { ...sale(80_000_000, 4_700), life: 'all_now' },
      [
        [4_800, 30_000_000],
        [4_700, 50_000_000],
      ],
    ],
    ['is killed when the sum asks for more than is shown', marketBuy(16_000_000, 5_100), []],
    ['is killed when the rest is beyond its price', marketBuy(6_000_000, 5_050), []],
    [
      'takes what a bid that crosses may take, and no more',
      bid(25_000_000, 5_000),
      [[5_000, 10_000_000]],
    ],
    ['takes nothing where it does not cross', bid(25_000_000, 4_900), []],
    ['sells what it gets', sale(100_000_000, 4_750), [[4_800, 30_000_000]]],
    [
      'sells best first',
      sale(40_000_000, 4_700),
      [
        [4_800, 30_000_000],
        [4_700, 10_000_000],
      ],
    ],
  ])('%s', (_, request, legs) => {
    expect(takeVisible(request, BOOK, 1).legs.map(({ price, shares }) => [price, shares])).toEqual(
      legs,
    );
  });

  it('takes whole steps alone where fills come in them, and leaves the rest where it is worst', () => {
    const legs = (request: PaperRequest) =>
      takeVisible(request, BOOK, 1_000_000).legs.map(({ price, shares }) => [price, shares]);
    expect(legs({ ...marketBuy(5_600_000, 5_100), life: 'part_now' })).toEqual([
      [5_000, 10_000_000],
      [5_100, 1_000_000],
    ]);
    expect(legs({ ...marketBuy(5_400_000, 5_100), life: 'part_now' })).toEqual([
      [5_000, 10_000_000],
    ]);
    expect(legs({ ...marketBuy(400_000, 5_100), life: 'part_now' })).toEqual([]);
    expect(
      takeVisible({ ...marketBuy(5_600_000, 5_100), life: 'part_now' }, BOOK, 1_000_000),
    ).toMatchObject({ shares: 11_000_000, isWhole: true });
  });

  it('takes no more of a level than it shows, however its cost is rounded', () => {
    const book: PaperBook = { bids: [], asks: [level(5_000, 1), level(5_100, 7)] };
    expect(takeVisible(marketBuy(1, 5_100), book, 1)).toEqual({
      legs: [{ price: 5_000, shares: 1 }],
      shares: 1,
      isWhole: true,
    });
  });

  const anyLevels = (bids: boolean) =>
    fc
      .uniqueArray(
        fc.record({
          price: fc.integer({ min: 1, max: 9_999 }),
          size: fc.integer({ min: 1, max: 500_000_000 }),
        }),
        { selector: ({ price }) => price, maxLength: 8 },
      )
      .map((levels) =>
        levels
          .sort((one, other) => (bids ? other.price - one.price : one.price - other.price))
          .map(({ price, size }) => level(price, size)),
      );
  const anyBook = fc.record({ bids: anyLevels(true), asks: anyLevels(false) });
  const anyRequest = fc.oneof(
    fc
      .tuple(fc.integer({ min: 1, max: 200_000_000 }), fc.integer({ min: 1, max: 9_999 }))
      .map(([usdc, price]) => marketBuy(usdc, price)),
    fc
      .tuple(fc.integer({ min: 1, max: 500_000_000 }), fc.integer({ min: 1, max: 9_999 }))
      .map(([shares, price]) => bid(shares, price)),
    fc
      .tuple(
        fc.integer({ min: 1, max: 500_000_000 }),
        fc.integer({ min: 1, max: 9_999 }),
        fc.constantFrom('part_now' as const, 'rests' as const),
      )
      .map(([shares, price, life]) => sale(shares, price, life)),
  );

  it('never does better than the visible book: each level once, none beyond its price, and no money too little', () => {
    fc.assert(
      fc.property(anyRequest, anyBook, (request, book) => {
        const { legs, shares } = takeVisible(request, book, 1);
        const side = request.side === 'buy' ? book.asks : book.bids;
        expect(new Set(legs.map(({ price }) => price)).size).toBe(legs.length);
        for (const leg of legs) {
          expect(side.find(({ price }) => price === leg.price)?.size ?? 0).toBeGreaterThanOrEqual(
            leg.shares,
          );
          expect(
            request.side === 'buy' ? leg.price <= request.price : leg.price >= request.price,
          ).toBe(true);
        }
        // Nothing better is passed over.
        for (const [index, leg] of legs.entries())
          if (index < legs.length - 1) expect(leg.shares).toBe(side[index]?.size);
        if (request.side === 'sell') expect(shares).toBeLessThanOrEqual(request.spendMicros);
        else if (request.life === 'rests')
          expect(shares).toBeLessThanOrEqual(request.receiveMicros);
        else
          expect(
            legs.reduce((sum, leg) => sum + mulDiv(leg.shares, leg.price, 10_000, 'floor'), 0),
          ).toBeLessThanOrEqual(request.spendMicros);
      }),
    );
  });
});

describe('an order that rests on paper', () => {
  const request = bid(20_000_000, 4_800);
  const start = rest(request, BOOK, NONE);

  it('queues behind all that is shown at its price', () => {
    expect(start).toEqual({ remaining: 20_000_000, ahead: 30_000_000, seen: 0, spent: 0 });
    expect(rest(bid(20_000_000, 4_700), BOOK, NONE).ahead).toBe(50_000_000);
    expect(rest(bid(20_000_000, 4_750), BOOK, NONE).ahead).toBe(0);
  });

  it.each<[string, number, number, { readonly filled: number; readonly ahead: number }]>([
    [
      'a trade at its price is the queue’s first',
      4_800,
      12_000_000,
      { filled: 0, ahead: 18_000_000 },
    ],
    ['what is left of one is its own', 4_800, 35_000_000, { filled: 5_000_000, ahead: 0 }],
    [
      'a trade through its price has passed the queue',
      4_700,
      8_000_000,
      { filled: 8_000_000, ahead: 0 },
    ],
    [
      'a trade at a worse price for the other side is another user’s',
      4_900,
      99_000_000,
      { filled: 0, ahead: 30_000_000 },
    ],
  ])('%s', (_, price, shares, wanted) => {
    const { filled, resting } = onTrade(request, start, { price: priceTicks(price), shares });
    expect({ filled, ahead: resting.ahead }).toEqual(wanted);
    expect(resting.remaining + filled).toBe(20_000_000);
  });

  it('a sale waits for trades at its price or above', () => {
    const asked = sale(5_000_000, 5_000, 'rests');
    const resting = rest(asked, BOOK, NONE);
    expect(resting.ahead).toBe(10_000_000);
    expect(onTrade(asked, resting, { price: priceTicks(4_900), shares: 99 }).filled).toBe(0);
    expect(onTrade(asked, resting, { price: priceTicks(5_000), shares: 12_000_000 }).filled).toBe(
      2_000_000,
    );
    expect(onTrade(asked, resting, { price: priceTicks(5_100), shares: 2_000_000 }).filled).toBe(
      2_000_000,
    );
  });

  it('is filled by a book that crosses it, each share shown there once, however often it is looked at', () => {
    const crossed: PaperBook = { bids: [], asks: [level(4_750, 6_000_000)] };
    const first = onBook(request, start, crossed);
    expect(first.filled).toBe(6_000_000);
    const again = onBook(request, first.resting, crossed);
    expect(again.filled).toBe(0);
    expect(
      onBook(request, again.resting, { bids: [], asks: [level(4_800, 9_000_000)] }).filled,
    ).toBe(3_000_000);
  });

  it('does not take again what it took on arrival', () => {
    const crossing = bid(25_000_000, 5_000);
    const { shares } = takeVisible(crossing, BOOK, 1);
    const resting = rest(crossing, BOOK, shares);
    expect(resting).toMatchObject({ remaining: 15_000_000, ahead: 0 });
    expect(onBook(crossing, resting, BOOK).filled).toBe(0);
  });

  it('joins the end of the queue when a book can be trusted again, and gets nothing before', () => {
    const blind = rest(request, null, NONE);
    expect(onTrade(request, blind, { price: priceTicks(4_000), shares: 99_000_000 })).toEqual({
      resting: blind,
      filled: 0,
    });
    expect(onBook(request, blind, BOOK)).toEqual({ resting: start, filled: 0 });
  });

  it('never gets more than was traded or shown, and never before its turn, whatever happens', () => {
    const happening = fc.oneof(
      fc.record({
        kind: fc.constant('trade' as const),
        price: fc.integer({ min: 4_600, max: 5_000 }).map((price) => price - (price % 100)),
        shares: fc.integer({ min: 1, max: 30_000_000 }),
      }),
      fc.record({
        kind: fc.constant('book' as const),
        price: fc.integer({ min: 4_600, max: 5_000 }).map((price) => price - (price % 100)),
        shares: fc.integer({ min: 1, max: 30_000_000 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
        let resting: PaperResting = start;
        let filled = 0;
        let through = 0;
        let atPrice = 0;
        let shown = 0;
        for (const { kind, price, shares } of happenings) {
          const next =
            kind === 'trade'
              ? onTrade(request, resting, { price: priceTicks(price), shares })
              : onBook(request, resting, { bids: [], asks: [level(price, shares)] });
          resting = next.resting;
          filled += next.filled;
          if (kind === 'trade' && price < 4_800) through += shares;
          if (kind === 'trade' && price === 4_800) atPrice += shares;
          if (kind === 'book' && price <= 4_800) shown = Math.max(shown, shares);
          expect(filled + resting.remaining).toBe(sharesWanted(request));
        }
        expect(filled).toBeLessThanOrEqual(
          through + shown + (through > 0 ? atPrice : Math.max(0, atPrice - 30_000_000)),
        );
      }),
    );
  });
});
