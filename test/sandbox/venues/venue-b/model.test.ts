import { describe, expect, it } from 'vitest';
import { candlesOf } from '../../../../src/sandbox/venues/venue-b/model/candles.ts';
import {
  feeMicros,
  planPurchase,
  planSale,
} from '../../../../src/sandbox/venues/venue-b/model/fill-plan.ts';
import {
  PRICE_RANGES,
  priceAtMost,
} from '../../../../src/sandbox/venues/venue-b/model/price-grid.ts';
import {
  dateCode,
  isMaintenance,
  shownDate,
} from '../../../../src/sandbox/venues/venue-b/model/tickers.ts';
import { walkAt, walkChance } from '../../../../src/sandbox/venues/venue-b/model/walk.ts';
import { aModel, marketsIn, NOON_MS } from './a-model.ts';

const openAll = () => {
  const world = aModel();
  return { ...world, active: marketsIn(world.model, 'active') };
};

describe('the listings of the contract venue', () => {
  it('hold recurring, long, settled and coming markets, under tickers that are their own', () => {
    const { model, active } = openAll();
    const all = model.events().flatMap(({ markets }) => markets);
    expect(new Set(all.map(({ ticker }) => ticker)).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(255);
    expect(active.map(({ ticker }) => ticker)).toEqual(
      expect.arrayContaining(['KXBTC15M-26NOV251215-15', 'KXTEMPNYCH-26NOV2513-T56']),
    );
    for (const status of ['initialized', 'closed', 'determined', 'finalized'])
      expect([
        status,
        marketsIn(
          aModel({ atMs: NOON_MS + 8 * 60_000 + (status === 'determined' ? 25_000 : 5_000) }).model,
          status,
        ).length > 0,
      ]).toEqual([status, true]);
  });

  it('are the same again for the same seed and time, and differ for another seed', () => {
    const booksOf = (seed: number) => {
      const { model } = aModel({ seed });
      return marketsIn(model, 'active').map((listing) => [listing.ticker, model.book(listing)]);
    };
    expect(booksOf(7)).toEqual(booksOf(7));
    expect(booksOf(7)).not.toEqual(booksOf(8));
  });

  it('end as the settlement price ends, determined, then redeemable, then final', async () => {
    const { model, clock, shared } = openAll();
    const listing = model.market('KXBTC15M-26NOV251215-15');
    if (listing === null || listing.process.kind !== 'price') throw new Error('not listed');
    const seen: unknown[] = [];
    for (const afterMs of [-1, 1, 21_000, 31_000, 90_000]) {
      await clock.advance(listing.closeMs + afterMs - clock.nowMs());
      const { status, redemption } = model.state(listing);
      seen.push([status, redemption]);
    }
    expect(seen).toEqual([
      ['active', null],
      ['closed', null],
      ['determined', 'pending'],
      ['determined', 'open'],
      ['finalized', 'open'],
    ]);
    const [from, to] = [listing.openMs, listing.closeMs].map(
      (atMs) => shared.prices.at('BTC', atMs / 1_000) ?? 0n,
    );
    expect(model.state(listing).result).toBe((to ?? 0n) >= (from ?? 0n) ? 'yes' : 'no');
  });

  it('are written with the hour of the East, and know when clearing is closed there', () => {
    expect(dateCode(Date.UTC(2026, 10, 23, 20, 45), 'minute')).toBe('26NOV231545');
    expect(dateCode(Date.UTC(2028, 1, 29, 5), 'day')).toBe('28FEB29');
    expect([
      shownDate(Date.UTC(2026, 10, 23, 20, 45), 'minute'),
      shownDate(Date.UTC(2026, 10, 23, 17), 'hour'),
      shownDate(Date.UTC(2028, 1, 29, 5), 'day'),
    ]).toEqual([
      'On Nov 23, 2026 at 3:45 PM EST',
      'On Nov 23, 2026 at 12 PM EST',
      'On Feb 29, 2028',
    ]);
    expect([7, 8, 9, 10].map((hour) => isMaintenance(Date.UTC(2026, 10, 26, hour, 30)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('the walk behind a market', () => {
  it('is the same at a moment whoever asks first, and goes from nothing to where it ends', () => {
    const at = (part: number) => walkAt({ seed: 1, stream: 9, part });
    expect([at(0), at(0.5), at(0.5)]).toEqual([0, at(0.5), at(0.5)]);
    expect(Math.abs(at(1) - at(0.9999))).toBeLessThan(0.1);
  });

  it('comes true as often as its chance says', () => {
    const rows = Array.from({ length: 4_000 }, (_, stream) => {
      const process = { kind: 'walk', stream, low: -0.8, high: null } as const;
      const chance = walkChance(process, { seed: 3, stream, part: 0.5 });
      return { chance, isYes: walkAt({ seed: 3, stream, part: 1 }) >= -0.8 };
    });
    const sure = rows.filter(({ chance }) => chance > 0.9 && chance < 0.99);
    const said = sure.reduce((sum, { chance }) => sum + chance, 0) / sure.length;
    const came = sure.filter(({ isYes }) => isYes).length / sure.length;
    expect(sure.length).toBeGreaterThan(300);
    expect(Math.abs(said - came)).toBeLessThan(0.03);
  });

  it('gives the markets of an event that exclude each other chances that add up to one', () => {
    const sum = [
      [null, -0.9],
      [-0.9, 1.3],
      [1.3, null],
    ].reduce(
      (total, [low, high]) =>
        total +
        walkChance(
          { kind: 'walk', stream: 5, low: low ?? null, high: high ?? null },
          { seed: 2, stream: 5, part: 0.7 },
        ),
      0,
    );
    expect(sum).toBeCloseTo(1, 9);
  });
});

describe('the books of the contract venue', () => {
  it('hold bids alone, on prices of their market, best first, and never cross', () => {
    const { model, active } = openAll();
    for (const listing of active) {
      const book = model.book(listing);
      if (book === null) throw new Error(`${listing.ticker} has no book`);
      for (const bids of [book.yes, book.no]) {
        const prices = [...bids.keys()];
        expect(prices).toEqual([...prices].sort((one, other) => other - one));
        for (const price of prices) expect(priceAtMost(listing.structure, price)).toBe(price);
      }
      const [yes, no] = [book.yes.keys().next().value ?? 0, book.no.keys().next().value ?? 0];
      expect(yes + no).toBeLessThan(10_000);
    }
  });

  it('now and then lack a side, so that there is no ask', () => {
    const { model, active } = openAll();
    const lacking = active.filter((listing) => {
      const book = model.book(listing);
      return book?.yes.size === 0 || book?.no.size === 0;
    });
    expect(lacking.length).toBeGreaterThan(0);
    expect(lacking.length).toBeLessThan(active.length / 3);
  });

  it('have tenths of a cent near both ends of a tapered market alone', () => {
    expect(PRICE_RANGES.tapered_deci_cent.map(({ step }) => step)).toEqual([10, 100, 10]);
    expect([
      priceAtMost('tapered_deci_cent', 987),
      priceAtMost('tapered_deci_cent', 4_567),
      priceAtMost('tapered_deci_cent', 9_876),
    ]).toEqual([980, 4_500, 9_870]);
  });

  it('give up what a user takes, and tell their watchers', () => {
    const { model, active } = openAll();
    const listing = active.find((each) => (model.book(each)?.no.size ?? 0) > 3);
    if (listing === undefined) throw new Error('no book');
    const before = model.book(listing);
    const [[bid = 0, size = 0] = []] = [...(before?.no ?? [])];
    const seen: unknown[] = [];
    const stop = model.books.watch(listing.ticker, (book) => seen.push(book?.no.get(bid) ?? 0));
    const plan = planPurchase(before?.no ?? new Map(), {
      budgetMicros: 1e12,
      capTicks: 10_000 - bid,
      feeMultiplier: 1,
    });
    expect(plan.contracts).toBe(size);
    model.bookFill({ listing, side: 'yes', action: 'buy', plan });
    expect(seen).toEqual([0]);
    stop();
    expect(
      model.trades(listing, model.clock.nowMs(), model.clock.nowMs() + 1).at(-1),
    ).toMatchObject({ count: size, takerSide: 'yes', yesTicks: 10_000 - bid });
  });

  it('stand as a script says until they are taken', () => {
    const { model, active } = openAll();
    const [listing] = active;
    if (listing === undefined) throw new Error('nothing is listed');
    model.script(listing, { book: { yes: { 9_500: 10 }, no: { 400: 5, 300: 5 } } });
    const plan = planPurchase(model.book(listing)?.no ?? new Map(), {
      budgetMicros: 100_000_000,
      capTicks: 9_600,
      feeMultiplier: 0,
    });
    expect([plan.contracts, plan.costMicros, plan.worstTicks]).toEqual([5, 4_800_000, 9_600]);
    model.bookFill({ listing, side: 'yes', action: 'buy', plan });
    expect([...(model.book(listing)?.no ?? [])]).toEqual([[300, 5]]);
  });
});

describe('a plan of a fill', () => {
  const bids = new Map([
    [400, 3],
    [300, 10],
  ]);

  it('buys whole contracts for what the money pays, fee included, and no dearer than its cap', () => {
    const plan = planPurchase(bids, { budgetMicros: 4_840_000, capTicks: 9_700, feeMultiplier: 1 });
    const weight = 3 * 9_600 * 400 + 1 * 9_700 * 300;
    expect(plan).toEqual({
      contracts: 4,
      costMicros: 3 * 960_000 + 970_000,
      feeMicros: feeMicros(weight, 1),
      worstTicks: 9_700,
      taken: new Map([
        [400, 3],
        [300, 1],
      ]),
    });
    expect(
      planPurchase(bids, { budgetMicros: 900_000, capTicks: 9_700, feeMultiplier: 1 }).contracts,
    ).toBe(0);
    expect(
      planPurchase(bids, { budgetMicros: 9_000_000, capTicks: 9_600, feeMultiplier: 1 }).contracts,
    ).toBe(3);
  });

  it('charges the exchange fee up to the next cent and a hundredth of p times 1 minus p', () => {
    expect(feeMicros(5 * 9_600 * 400, 1)).toBe(20_000 + 1_920);
    expect(feeMicros(100 * 5_000 * 5_000, 1)).toBe(1_750_000 + 250_000);
  });

  it('sells down to its floor, and not what is not worth its fee', () => {
    expect(planSale(bids, { contracts: 5, floorTicks: 300, feeMultiplier: 1 })).toMatchObject({
      contracts: 5,
      costMicros: 3 * 40_000 + 2 * 30_000,
      worstTicks: 300,
    });
    expect(planSale(bids, { contracts: 5, floorTicks: 350, feeMultiplier: 1 }).contracts).toBe(3);
    expect(
      planSale(new Map([[10, 5]]), { contracts: 5, floorTicks: 1, feeMultiplier: 1 }).contracts,
    ).toBe(0);
  });
});

describe('candles of the contract venue', () => {
  it('have their prices between the lowest bid and the highest offer of their period', () => {
    const { model, active } = openAll();
    const outside = active.flatMap((listing) =>
      candlesOf(model, listing, {
        fromMs: NOON_MS - 6 * 3_600_000,
        toMs: NOON_MS,
        periodMs: 3_600_000,
      }).filter(
        ({ traded, yesBid, yesAsk }) =>
          traded !== null &&
          !((yesBid?.low ?? 0) <= traded.low && traded.high <= (yesAsk?.high ?? 10_000)),
      ),
    );
    expect(outside).toEqual([]);
  });

  it('tell of trades and quotes of their period, and hold no price where there was no trade', () => {
    const { model, active } = openAll();
    const slow = active.find(({ seriesTicker }) => seriesTicker === 'KXHIGHNY');
    if (slow === undefined) throw new Error('not listed');
    const span = { fromMs: NOON_MS - 3_600_000, toMs: NOON_MS, periodMs: 60_000 };
    const candles = candlesOf(model, slow, span);
    expect(candles).toHaveLength(60);
    expect(candles.filter(({ traded }) => traded === null).length).toBeGreaterThan(40);
    for (const { traded, contracts } of candles) expect(contracts > 0).toBe(traded !== null);
    const quick = model.market('KXBTC15M-26NOV251215-15');
    if (quick === null) throw new Error('not listed');
    const [first] = candlesOf(model, quick, { ...span, fromMs: quick.openMs });
    expect(first?.contracts).toBe(
      model
        .trades(quick, quick.openMs, quick.openMs + 60_000)
        .reduce((sum, { count }) => sum + count, 0),
    );
  });
});
