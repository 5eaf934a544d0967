import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Market } from '../../../src/domain/market.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { OrderGas } from '../../../src/ports/venue.ts';
import { estimateOrder } from '../../../src/services/orders/estimate.ts';
import { createVenues } from '../../../src/services/venues.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import {
  aBook,
  aLevel,
  aLimitBuy,
  aMarket,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  aUserId,
  T0,
} from '../../support/builders.ts';
import { aTradedVenue, type TradedParts } from '../../support/traded-venues.ts';
import { KEPT_TERMS } from '../../support/worlds/kept-world.ts';
import {
  aFundedLife,
  brokenLaws,
  during,
  ordersOf,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';

const RESTING_SALE = { kind: 'limit', price: priceTicks(9_000), expiresAtMs: null } as const;

/** A user with 20 shares, and cash. */
async function aHolder(options: Parameters<typeof aFundedLife>[1] = {}) {
  const { world, life, store } = await aFundedLife(undefined, options);
  await during(world, life.orders.place(world.user, aMarketBuy()));
  await world.clock.advance(10_000);
  return { world, life, store };
}

describe('the estimate of an order', () => {
  it.each<[string, PlaceOrder]>([
    ['a purchase for dollars', aMarketBuy()],
    ['a purchase of shares', aMarketBuy({ amount: { unit: 'shares', micros: 12_000_000 } })],
    ['a sale', aMarketSell(7)],
    ['a bid that rests', aLimitBuy()],
    ['an offer that rests', aMarketSell(5, { type: RESTING_SALE })],
  ])('is what placing it then does: %s', async (_what, request) => {
    const { world, life, store } = await aHolder();
    const estimate = await life.orders.estimate(world.user, request);
    expect(estimate.refusal).toBeNull();
    const before = life.portfolio.cash(world.user, 'usdc:safe').available;
    const placing = life.orders.place(world.user, request);
    await Promise.resolve();
    const placed = await during(world, placing);
    const { intentId: _id, createdAtMs, sendUntilMs, ...intent } = placed.intent;
    expect(estimate.intent).toMatchObject({ ...intent, createdAtMs, sendUntilMs });
    expect([estimate.shares, estimate.usdc]).toEqual([placed.filledShares, placed.filledUsdc]);
    expect(placed.feesUsdc).toBeLessThanOrEqual(estimate.worstFee);
    if (placed.state === 'live') {
      expect(placed.reserved).toEqual(estimate.setsAside);
      expect(before - life.portfolio.cash(world.user, 'usdc:safe').available).toBe(
        estimate.setsAside.usdc,
      );
      expect(estimate.shares + estimate.restingShares).toBe(estimate.restingShares);
    } else expect(placed.feesUsdc).toBe(estimate.fee);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('makes nothing: no fact, no record, no word to the venue, and no turn of the lock', async () => {
    const { world, life, store } = await aFundedLife();
    const before = store.readJournal(0, 1_000).length;
    await life.orders.estimate(world.user, aMarketBuy());
    await life.orders.estimate(world.user, aLimitBuy({ idempotencyKey: 'once' }));
    expect([
      store.readJournal(0, 1_000).length - before,
      ordersOf(store),
      world.venue.bodies.size,
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
    ]).toEqual([0, [], 0, 0]);
  });

  it('walks the book: what trades at once, level by level, and what is left to rest', async () => {
    const { world, life } = await aFundedLife();
    const [token] = world.market.outcomes;
    world.books.set(
      token.tokenId,
      aBook(world.market, 0, {
        asks: [aLevel(3_800, 4), aLevel(3_900, 6), aLevel(4_100, 50)],
        receivedAtMs: world.clock.nowMs(),
      }),
    );
    expect(await life.orders.estimate(world.user, aLimitBuy())).toMatchObject({
      shares: 10_000_000,
      usdc: 4 * 380_000 + 6 * 390_000,
      restingShares: 10_000_000,
      intent: { price: 4_000 },
      book: { isTrusted: true, ageMs: 0, bid: { price: 4_800 }, ask: { price: 3_800 } },
    });
  });

  it('L8: of the market is refused like the order where the book cannot be trusted; of a bid it says so', async () => {
    const { world, life } = await aFundedLife();
    const [token] = world.market.outcomes;
    world.books.set(token.tokenId, aBook(world.market, 0, { distrust: 'gap' }));
    const refused = { code: 'book_untrusted', message: expect.stringContaining('missing') };
    await expect(life.orders.estimate(world.user, aMarketBuy())).rejects.toMatchObject(refused);
    await expect(life.orders.place(world.user, aMarketBuy())).rejects.toMatchObject(refused);
    expect(await life.orders.estimate(world.user, aLimitBuy())).toMatchObject({
      shares: 0,
      restingShares: 20_000_000,
      refusal: null,
      book: { isTrusted: false },
    });
  });

  it('says what an order for too little is wrong about, as placing does', async () => {
    const { world, life } = await aFundedLife();
    const small = aLimitBuy({ amount: { unit: 'shares', micros: 1_000_000 } });
    const said = { code: 'size_too_small', fields: [{ path: '/amount' }] };
    await expect(life.orders.estimate(world.user, small)).rejects.toMatchObject(said);
    await expect(life.orders.place(world.user, small)).rejects.toMatchObject(said);
  });
});

describe('what an order would be refused for', () => {
  const stop = (life: Life, world: World) =>
    during(world, life.orders.setStop({ kind: 'all' }, true, 'alarm', 'keep'));
  const large = aMarketBuy({ amount: { unit: 'usdc', micros: 99_900_000 } });
  const caps = { orderUsdc: usdcMicros(50_000_000) };

  it.each<
    [
      code: string,
      request: PlaceOrder,
      options: Parameters<typeof aFundedLife>[1],
      first: (life: Life, world: World) => Promise<unknown>,
    ]
  >([
    ['trading_stopped', aMarketBuy(), {}, stop],
    ['cap_exceeded', large, { caps }, async () => undefined],
    ['insufficient_funds', large, {}, async () => undefined],
    ['insufficient_shares', aMarketSell(50), {}, async () => undefined],
    [
      'market_fenced',
      aMarketBuy(),
      {},
      async (life, world) => {
        world.venue.submitFaults.push({ kind: 'lost-ack' });
        world.venue.isChannelMute = true;
        await during(world, life.orders.place(world.user, aLimitBuy()));
      },
    ],
    [
      'venue_restricted',
      aMarketBuy(),
      {},
      async (life, world) => {
        world.venue.submitFaults.push({ kind: 'restricted', reason: 'region' });
        await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })));
      },
    ],
  ])('%s is stated in the words of placing it', async (code, request, options, first) => {
    const { world, life } = await aHolder(options);
    await first(life, world);
    const { refusal } = await life.orders.estimate(world.user, request);
    const refused = await during(
      world,
      life.orders.place(world.user, request).catch((error: unknown) => error),
    );
    expect(refusal?.code).toBe(code);
    expect(refused).toMatchObject({ code, message: refusal?.message });
  });

  it('wallet_not_ready is stated in the words of placing it, whose book is watched alike', async () => {
    const warmed: string[] = [];
    const { world, life } = await aFundedLife(undefined, {
      venues: (all) =>
        createVenues(
          all.map((venue) => ({
            ...venue,
            warmBook: async ({ marketId }) => void warmed.push(marketId),
            funds: {
              missing: () => ['deployment', 'allowances'],
              redeem: async () => undefined,
              syncDeposits: null,
            },
          })),
        ),
    });
    const { refusal } = await life.orders.estimate(world.user, aMarketBuy());
    expect(refusal).toEqual({
      code: 'wallet_not_ready',
      message: 'your Safe still waits for its deployment and allowances, which come by themselves',
      isRetryable: true,
    });
    await expect(life.orders.place(world.user, aMarketBuy())).rejects.toMatchObject({
      code: 'wallet_not_ready',
      message: refusal?.message,
    });
    expect(warmed).toEqual([world.market.marketId]);
  });

  it('leaves what balances and caps leave before the order, and nothing below zero', async () => {
    const usdc = 1_000_000;
    const { world, life } = await aHolder({
      caps: { exposureUsdc: usdcMicros(11 * usdc), dailyLossUsdc: usdcMicros(90 * usdc) },
    });
    const left = async () => (await life.orders.estimate(world.user, aLimitBuy())).room;
    const before = await left();
    expect(before).toMatchObject({
      usdc: life.portfolio.cash(world.user, 'usdc:safe').available,
      shares: 20 * usdc,
      orderUsdc: null,
      openPositions: null,
    });
    expect((before.dailyLossUsdc ?? 0) - (before.exposureUsdc ?? 0)).toBe(79 * usdc);
    const estimate = await life.orders.estimate(world.user, aLimitBuy());
    expect(estimate.refusal?.code).toBe('cap_exceeded');
    const fitting = aMarketBuy({
      marketId: aMarketId(2),
      amount: { unit: 'usdc', micros: usdc / 2 },
    });
    await expect(life.orders.estimate(world.user, fitting)).rejects.toMatchObject({
      code: 'amount_too_small',
    });
  });
});

/** An estimate for a user without anything, of what a book of the first outcome shows. */
function estimated(
  request: PlaceOrder,
  {
    book = {},
    market = aMarket(1),
    venue = {},
    gas = 'none',
    ethUsd = null,
  }: {
    readonly gas?: OrderGas | 'none' | null;
    /** Null while it has no price. */
    readonly ethUsd?: bigint | null;
    readonly book?: Partial<BookView> | null;
    readonly market?: Market;
    readonly venue?: TradedParts;
  } = {},
) {
  const deps = {
    store: createMemoryStore(),
    caps: {},
    clock: createVirtualClock(T0),
    random: createSeededRandom('any'),
    coinPrice: () => (ethUsd === null ? null : ethUsd * 10n ** 18n),
  };
  const books = () => (book === null ? null : aBook(market, 0, book));
  return estimateOrder(deps, aUserId(1), {
    venue: aTradedVenue({ books, ...venue }),
    market,
    request,
    assertReady: () => undefined,
    gas,
    explain: (error) => error,
  });
}

/** A taker pays 7 % of price times its complement for each share, a maker nothing unless said. */
describe('the fee of an estimate', () => {
  const crossing = { asks: [aLevel(3_800, 4), aLevel(3_900, 6), aLevel(4_100, 50)] };
  const AT_ONCE = 65_970 + 99_920;
  const LATER = 168_000;
  const forMakers = aMarket(1, { fee: { rateMicros: 70_000, exponent: 1, takerOnly: false } });

  it.each<[string, Parameters<typeof estimated>[1], number]>([
    ['that trades at once, level by level', { book: crossing }, AT_ONCE],
    ['and rests, where makers pay', { book: crossing, market: forMakers }, AT_ONCE + LATER],
    ['and is kept until it takes', { book: crossing, venue: KEPT_TERMS }, AT_ONCE + LATER],
    ['that only rests', {}, 0],
    ['that only rests, where makers pay', { market: forMakers }, 2 * LATER],
    ['whose book is not kept', { book: null, market: forMakers }, 2 * LATER],
  ])('is that of a bid %s', (_, meanwhile, fee) => {
    // 8 USDC at most: 7 % of them, and what rounding may add.
    expect(estimated(aLimitBuy(), meanwhile)).toMatchObject({ fee, worstFee: 561_000 });
  });

  it.each<[string, number, readonly ReturnType<typeof aLevel>[], number]>([
    ['at its own price without bids for it', 3_000, [], 147_000],
    ['at the best bid below half a dollar', 3_000, [aLevel(4_800, 50)], 174_720],
    ['at half a dollar where prices around it are bid', 4_500, [aLevel(5_500, 50)], 175_000],
    ['at its own price above half a dollar', 6_000, [aLevel(7_000, 50)], 168_000],
  ])('of a sale is at most that %s', (_, price, bids, worstFee) => {
    const type = { kind: 'limit', price: priceTicks(price), expiresAtMs: null } as const;
    expect(estimated(aMarketSell(10, { type }), { book: { bids } })).toMatchObject({
      worstFee,
    });
  });

  it('is zero for shares that won', () => {
    const { fee, worstFee, intent } = estimated(aMarketSell(10, { type: { kind: 'redemption' } }));
    expect([intent.isRedemption, fee, worstFee]).toEqual([true, 0, 0]);
  });

  it('is kept of the shares where a venue takes it of those', () => {
    const { rules } = aTradedVenue();
    const book = { asks: [aLevel(5_000, 50)] };
    const buy = aMarketBuy();
    const paid = estimated(buy, { book });
    const kept = estimated(buy, {
      book,
      venue: { rules: { ...rules, keepsSharesOfBuyers: true } },
    });
    expect([paid.feeShares, kept.fee]).toEqual([0, paid.fee]);
    expect(kept.feeShares).toBe(Math.floor((kept.fee * kept.shares) / kept.usdc));
    expect(kept.feeShares).toBeGreaterThan(0);
  });

  it('has the cost of the network beside it, where the venue knows it', () => {
    const costOf = (networkCostMicros: number | null) => {
      const { traits } = aTradedVenue();
      const venue = { traits: { ...traits, networkCostMicros } };
      return estimated(aLimitBuy(), { venue }).networkCost;
    };
    expect([costOf(null), costOf(0), costOf(12)]).toEqual([null, 0, 12]);
  });
});

describe('what the network takes for an order that is a transaction', () => {
  const { traits } = aTradedVenue();
  const venue = { traits: { ...traits, networkCostMicros: null } };
  const gas: OrderGas = {
    chain: 'BASE',
    amount: 10n ** 12n,
    needed: 3n * 10n ** 12n,
    held: 10n ** 18n,
    lacking: null,
  };
  const lacking = { ...gas, held: 1n, lacking: new AppError('wallet_not_ready', 'needs ETH') };

  it('is stated in dollars too, rounded up, where its coin has a price', () => {
    expect(estimated(aLimitBuy(), { venue, gas, ethUsd: 3_500n })).toMatchObject({
      gas,
      networkCost: 3_501,
    });
    expect(estimated(aLimitBuy(), { venue, gas })).toMatchObject({ gas, networkCost: null });
    expect(estimated(aLimitBuy(), { venue })).toMatchObject({ gas: null, networkCost: null });
  });

  it('adds to what an order costs anyway, which is not known while the chain does not tell', () => {
    const costly = { traits: { ...traits, networkCostMicros: 12 } };
    const costOf = (gas: OrderGas | 'none' | null) =>
      estimated(aLimitBuy(), { venue: costly, gas, ethUsd: 3_500n }).networkCost;
    expect([costOf(gas), costOf('none'), costOf(null)]).toEqual([3_513, 12, null]);
  });

  it('refuses the order that the wallet cannot pay it for, and not one that waits for its price', () => {
    const refusal = { code: 'wallet_not_ready', message: 'needs ETH' };
    expect(estimated(aLimitBuy(), { venue, gas: lacking }).refusal).toMatchObject(refusal);
    const kept = { ...KEPT_TERMS, traits: { ...KEPT_TERMS.traits, networkCostMicros: null } };
    expect(estimated(aLimitBuy(), { venue: kept, gas: lacking }).refusal?.code).toBe(
      'insufficient_funds',
    );
  });
});

describe('the book of an estimate', () => {
  it('L8: that is not trusted fills nothing, though its price is there', () => {
    const asks = [aLevel(3_800, 50)];
    expect([
      estimated(aLimitBuy(), { book: { asks } }).shares,
      estimated(aLimitBuy(), { book: { asks, distrust: 'gap' } }),
    ]).toMatchObject([20_000_000, { shares: 0, restingShares: 20_000_000 }]);
  });

  it.each<[string, Partial<BookView> | null, object | null]>([
    ['is not kept', null, null],
    [
      'came a while ago',
      { receivedAtMs: T0 - 300 },
      { ageMs: 300, isTrusted: true, bid: aLevel(4_800, 1_000), ask: aLevel(5_000, 1_000) },
    ],
    ['is empty', { bids: [], asks: [] }, { ageMs: 0, isTrusted: true, bid: null, ask: null }],
    ['came after this moment', { receivedAtMs: T0 + 5 }, expect.objectContaining({ ageMs: 0 })],
  ])('is reported as it is where it %s', (_, book, reported) => {
    expect(estimated(aLimitBuy(), { book }).book).toEqual(reported);
  });
});
