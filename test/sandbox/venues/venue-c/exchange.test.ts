import { beforeEach, describe, expect, it } from 'vitest';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { createSharedModel, type SharedModel } from '../../../../src/sandbox/shared-model.ts';
import { openRecordStore } from '../../../../src/sandbox/storage/record-store.ts';
import {
  createCatalogue,
  type Catalogue,
} from '../../../../src/sandbox/venues/venue-c/model/catalogue.ts';
import type { ExchangeEvent } from '../../../../src/sandbox/venues/venue-c/model/exchange-state.ts';
import {
  openExchange,
  type BookExchange,
} from '../../../../src/sandbox/venues/venue-c/model/exchange.ts';
import type { VenueMarket } from '../../../../src/sandbox/venues/venue-c/model/market.ts';
import {
  openModelBank,
  type ModelBank,
} from '../../../../src/sandbox/venues/venue-c/model/model-bank.ts';
import type { OrderTerms } from '../../../../src/sandbox/venues/venue-c/model/order.ts';
import { startQuotes } from '../../../../src/sandbox/venues/venue-c/model/quotes.ts';
import { effectiveFeeBps } from '../../../../src/sandbox/venues/venue-c/model/trading.ts';
import { createValues } from '../../../../src/sandbox/venues/venue-c/model/values.ts';

/** Half a minute after windows of five minutes began. */
const START_MS = 1_800_000_030_000;
const [ANA, BEN] = [
  '0xa000000000000000000000000000000000000001',
  '0xb000000000000000000000000000000000000002',
];

describe('the exchange of the venue of books and pools', () => {
  let clock: VirtualClock;
  let shared: SharedModel;
  let catalogue: Catalogue;
  let bank: ModelBank;
  let exchange: BookExchange;
  let events: ExchangeEvent[];
  beforeEach(() => {
    clock = createVirtualClock(START_MS);
    const prices = createPriceProcess(5, startingPrices(START_MS / 1_000 - 36_000));
    shared = createSharedModel({ clock, seed: 5, prices });
    catalogue = createCatalogue({ seed: 5, foundedAtMs: START_MS, hasPools: false });
    bank = openModelBank(
      clock,
      (slug) => catalogue.find(slug, clock.nowMs()),
      openRecordStore(null, 1),
    );
    exchange = openExchange({
      clock,
      random: createSeededRandom('exchange'),
      faults: shared.faults,
      catalogue,
      values: createValues(shared, 5, catalogue),
      bank,
      records: {
        orders: openRecordStore(null, 1),
        trades: openRecordStore(null, 1),
        endings: openRecordStore(null, 1),
      },
      elsewhere: () => [],
    });
    events = [];
    exchange.subscribe((event) => events.push(event));
    for (const account of [ANA, BEN]) bank.give(account, 100_000_000);
  });

  const window = (): VenueMarket => {
    const found = exchange.markets().find(({ slug }) => slug.startsWith('btc-up-or-down-15-min'));
    if (found === undefined) throw new Error('no window is listed');
    return found;
  };
  const terms = (market: VenueMarket, changes: Partial<OrderTerms>): OrderTerms => ({
    clientOrderId: null,
    ownerId: 1,
    account: ANA,
    slug: market.slug,
    outcome: 0,
    side: 'buy',
    type: 'GTC',
    price: 4_000,
    originalMicros: 10_000_000,
    postOnly: false,
    selfTrade: 'cancel_maker',
    signed: null,
    ...changes,
  });
  const cashOf = async (account: string, market: VenueMarket) =>
    (await exchange.holdings(account, market)).usdc;

  it('ends a window by the prices of its two ends, cancels what rests and pays the winner a dollar', async () => {
    const market = window();
    await exchange.place(market, terms(market, {}));
    await exchange.place(
      market,
      terms(market, { ownerId: 2, account: BEN, outcome: 1, price: 6_000, type: 'FAK' }),
    );
    const rest = await exchange.place(market, terms(market, { price: 100 }));
    await clock.advance(market.endsAtMs - clock.nowMs() + 10_000);
    const [open, close] = [market.startsAtMs, market.endsAtMs].map((ms) =>
      shared.prices.at('BTC', ms / 1_000),
    );
    const isUp = (close ?? 0n) >= (open ?? 0n);
    expect(exchange.ending(market)).toMatchObject({ slug: market.slug, winner: isUp ? 0 : 1 });
    expect(await cashOf(ANA, market)).toBe(isUp ? 106_000_000 : 96_000_000);
    expect(await cashOf(BEN, market)).toBe(isUp ? 94_000_000 : 104_000_000);
    expect(rest.kind === 'taken' && rest.order.status).toBe('CANCELED');
    expect(
      events.filter((event) => event.kind === 'resolved' && event.market.slug === market.slug),
    ).toHaveLength(1);
    expect(await exchange.place(market, terms(market, {}))).toMatchObject({
      kind: 'refused',
      message: 'Market is not active',
    });
  });

  it('voids the next market to end where that is armed, and no other: each share pays a half', async () => {
    const market = window();
    shared.faults.arm('market-voided', { times: 1, match: { marketId: market.slug } });
    await exchange.place(market, terms(market, {}));
    await exchange.place(
      market,
      terms(market, { ownerId: 2, account: BEN, outcome: 1, price: 6_000, type: 'FAK' }),
    );
    await clock.advance(market.endsAtMs - clock.nowMs() + 10_000);
    expect(exchange.ending(market)).toMatchObject({ winner: null });
    // ten shares each, for 4 dollars and for 6
    expect([await cashOf(ANA, market), await cashOf(BEN, market)]).toEqual([
      101_000_000, 99_000_000,
    ]);
    const other = window();
    await clock.advance(other.endsAtMs - clock.nowMs() + 10_000);
    expect(exchange.ending(other)?.winner).not.toBeNull();
  });

  it('keeps the result of a window for two days, and knows none from before the founding', async () => {
    const market = window();
    await clock.advance(market.endsAtMs - clock.nowMs() + 10_000);
    const ending = exchange.ending(market);
    await clock.advance(47 * 3_600_000);
    const found = exchange.market(market.slug);
    expect(found === null ? null : exchange.ending(found)).toEqual(ending);
    await clock.advance(3_600_000);
    expect(exchange.market(market.slug)).toBeNull();
    const before = Math.floor(START_MS / 900_000) * 900_000 - 900_000;
    expect(catalogue.find(`btc-up-or-down-15-min-${before}`, START_MS)).toBeNull();
    expect(catalogue.find(`btc-up-or-down-15-min-${before + 1}`, START_MS)).toBeNull();
  });

  it('meets orders of both outcomes by price, then by time, and gives the taker what is better', async () => {
    const market = window();
    const made: string[] = [];
    for (const price of [5_000, 5_200, 5_200]) {
      const placed = await exchange.place(market, terms(market, { price }));
      if (placed.kind === 'taken') made.push(placed.order.orderId);
    }
    // a buy of NO at 0.49 takes YES from 0.51 upwards: the two at 0.52 meet it, the older first
    const met = await exchange.place(
      market,
      terms(market, {
        ownerId: 2,
        account: BEN,
        outcome: 1,
        price: 4_900,
        originalMicros: 15_000_000,
      }),
    );
    if (met.kind !== 'taken' || met.trade === null) throw new Error('it met nothing');
    expect(met.trade.makers.map(({ orderId, shares }) => [orderId, shares])).toEqual([
      [made[1], 10_000_000],
      [made[2], 5_000_000],
    ]);
    // 15 shares at 0.48
    expect([met.trade.taker.usdc, met.trade.taker.price]).toEqual([7_200_000, 4_800]);
    expect(
      exchange
        .book(market)
        .book.view(0)
        .bids.map(({ price, size }) => [price, size]),
    ).toEqual([
      [5_200, 5_000_000],
      [5_000, 10_000_000],
    ]);
  });

  it('spends the money of a FOK whole or not at all', async () => {
    const market = window();
    await exchange.place(market, terms(market, { outcome: 1, price: 5_000 }));
    const fok = (originalMicros: number) =>
      exchange.place(
        market,
        terms(market, { ownerId: 2, account: BEN, type: 'FOK', price: 9_990, originalMicros }),
      );
    const tooMuch = await fok(5_000_500);
    expect(tooMuch.kind === 'taken' && [tooMuch.order.status, tooMuch.trade]).toEqual([
      'KILLED',
      null,
    ]);
    const whole = await fok(5_000_000);
    expect(whole.kind === 'taken' && whole.trade?.taker).toMatchObject({
      shares: 10_000_000,
      usdc: 5_000_000,
    });
  });

  it('counts what trades under way will take, so that a dollar is promised once', async () => {
    const market = window();
    await exchange.place(
      market,
      terms(market, { outcome: 1, price: 5_000, originalMicros: 180_000_000 }),
    );
    const all = { ownerId: 2, account: BEN, price: 5_000, originalMicros: 180_000_000 } as const;
    const first = await exchange.place(market, terms(market, all));
    expect(first.kind === 'taken' && first.trade?.status).toBe('MATCHED');
    // the books of the bank still say 100: ninety of them are spoken for
    expect(await cashOf(BEN, market)).toBe(100_000_000);
    expect(
      await exchange.place(market, terms(market, { ...all, originalMicros: 30_000_000 })),
    ).toMatchObject({ kind: 'refused', message: 'Insufficient collateral balance' });
    await clock.advance(2_000);
    expect(await cashOf(BEN, market)).toBe(10_000_000);
  });

  it('refuses an order by name as if its allowance were missing, once', async () => {
    const market = window();
    shared.faults.arm('allowance-missing', { times: 1, match: { address: ANA } });
    expect(await exchange.place(market, terms(market, {}))).toMatchObject({
      kind: 'refused',
      message: 'Insufficient collateral allowance',
    });
    expect((await exchange.place(market, terms(market, {}))).kind).toBe('taken');
  });

  it('quotes a book from its first reading, uncrossed, until two minutes after the last', async () => {
    const market = window();
    const quotes = startQuotes(exchange, 'maker', 5);
    await clock.advance(5_000);
    const { book } = exchange.book(market);
    expect([book.best('bid'), book.best('ask')]).toEqual([null, null]);
    quotes.read(market);
    for (let second = 0; second < 60; second += 1) {
      const [bid, ask] = [book.best('bid') ?? 0, book.best('ask') ?? 10_000];
      expect(bid).toBeLessThan(ask);
      await clock.advance(1_000);
    }
    expect(exchange.book(market).trades.length).toBeGreaterThan(0);
    await clock.advance(130_000);
    expect([book.best('bid'), book.best('ask')]).toEqual([null, null]);
    quotes.stop();
  });

  it('has the two effective fees that are known of the venue', () => {
    expect(effectiveFeeBps(300, 930_000, 1_000_000)).toBe(59);
    expect(effectiveFeeBps(300, 5_000_000, 10_000_000)).toBe(225);
  });
});
