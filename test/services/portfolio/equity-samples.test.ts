import { describe, expect, it } from 'vitest';
import { EQUITY } from '../../../config/limits/portfolio.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { BookTop } from '../../../src/domain/book.ts';
import { priceTicks, shareMicros, type PriceTicks } from '../../../src/domain/units.ts';
import { createEquitySamples } from '../../../src/services/portfolio/equity-samples.ts';
import { RESTORES } from '../../../src/services/books/tables.ts';
import { EQUITY_SAMPLES, type EquitySample } from '../../../src/services/portfolio/tables.ts';
import { aMarketBuy, aMarketSell } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';

const STEP_MS = EQUITY.sampleMs;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A user with a hundred dollars, whose equity is kept; prices are what a test says. */
async function aKeptUser() {
  const { world, life, store } = await aFundedLife(100_000_000);
  const prices: {
    top: BookTop | null;
    ask: () => Promise<PriceTicks | null>;
    asked: number;
  } = { top: null, ask: async () => null, asked: 0 };
  const equity = createEquitySamples({
    store,
    commit: life.commit,
    bus: life.bus,
    clock: world.clock,
    log: createKeptLog(),
    topOf: () => prices.top,
    askBid: () => {
      prices.asked += 1;
      return prices.ask();
    },
  });
  const samples = (stepMs: number = STEP_MS): readonly EquitySample[] =>
    store.range(EQUITY_SAMPLES, { prefix: [world.user, stepMs] }).map(({ value }) => value);
  const round = () => during(world, equity.round());
  const day = (userId: UserId, points = 300) => {
    const toMs = world.clock.nowMs();
    return equity.read(userId, { fromMs: toMs - DAY_MS, toMs, points });
  };
  return { world, life, store, prices, equity, samples, round, day };
}

const bid = (ticks: number): BookTop => ({
  bid: { price: priceTicks(ticks), size: shareMicros(1_000_000) },
  ask: null,
});

describe('equity by time', () => {
  it('has of a user without positions a sample when their cash has changed, and else none', async () => {
    const { world, store, samples, round, day } = await aKeptUser();
    await round();
    expect(samples()).toEqual([]);
    // whoever looks and has none is taken next time
    expect(day(world.user).points).toEqual([]);
    await round();
    expect(samples()).toEqual([
      {
        atMs: world.clock.nowMs(),
        cashUsdc: 100_000_000,
        positionsUsdc: 0,
        openPositions: 0,
        unvalued: [],
        broughtInUsdc: 100_000_000,
      },
    ]);
    await world.clock.advance(STEP_MS);
    const before = store.commits;
    await round();
    expect([samples().length, store.commits]).toEqual([1, before]);
  });

  it('takes cash and positions of one moment, though both change while prices are asked for', async () => {
    const { world, life, prices, equity, samples } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    let answer: (ticks: PriceTicks) => void = () => undefined;
    const answered = new Promise<PriceTicks>((resolve) => (answer = resolve));
    prices.ask = () => answered;
    const round = equity.round();
    await world.clock.advance(1);
    await during(world, life.orders.place(world.user, aMarketSell(10)));
    await during(world, life.orders.place(world.user, aMarketBuy({ outcome: 1 })));
    answer(priceTicks(9_000));
    await during(world, round);
    expect(samples()).toMatchObject([{ broughtInUsdc: 100_000_000, openPositions: 2 }]);
  });

  it('tells what was brought in from what was made, whatever was traded', async () => {
    const { world, life, prices, samples, round } = await aKeptUser();
    prices.top = bid(9_000);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(STEP_MS);
    await round();
    const [first] = samples();
    expect(first?.positionsUsdc).toBeGreaterThan(0);
    expect(first?.broughtInUsdc).toBe(100_000_000);
    await during(world, life.orders.place(world.user, aMarketSell(5)));
    await world.clock.advance(STEP_MS);
    await round();
    expect(samples().at(-1)?.cashUsdc).not.toBe(first?.cashUsdc);
    expect(samples().at(-1)?.broughtInUsdc).toBe(100_000_000);
  });

  it('keeps none while a restored store may lack what the user did since', async () => {
    const { store, samples, round, day, world } = await aKeptUser();
    const put = (adoptedAtMs: number | null) =>
      store.write((tx) => tx.put(RESTORES, ['newest'], { upToMs: 1, madeAtMs: 1, adoptedAtMs }));
    const looked = async () => {
      day(world.user);
      await round();
      return samples().length;
    };
    await put(null);
    expect(await looked()).toBe(0);
    await put(2);
    expect(await looked()).toBe(1);
  });

  it('values what is held at the best bid, and says what has none', async () => {
    const { world, life, prices, samples, round } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(STEP_MS);
    const [held] = life.portfolio.holdings(world.user, { type: 'open' });
    const shares = held?.position.shares ?? 0;
    const cash = life.portfolio.cash(world.user, 'usdc:safe').settled;
    prices.top = bid(6_000);
    await round();
    await world.clock.advance(STEP_MS);
    prices.top = { bid: null, ask: null };
    await round();
    expect(prices.asked).toBe(0);
    const unvalued = [{ venue: VENUE_A, positions: 1, costUsdc: held?.position.costUsdc }];
    expect(samples()).toEqual([
      {
        atMs: expect.any(Number),
        cashUsdc: cash,
        positionsUsdc: Math.floor((shares * 6_000) / 10_000),
        openPositions: 1,
        unvalued: [],
        broughtInUsdc: 100_000_000,
      },
      {
        atMs: expect.any(Number),
        cashUsdc: cash,
        positionsUsdc: 0,
        openPositions: 1,
        unvalued,
        broughtInUsdc: 100_000_000,
      },
    ]);
  });

  it('counts what shares cost as they count themselves, before their trade is final', async () => {
    const { world, life, prices, samples, round } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    const [held] = life.portfolio.holdings(world.user, { type: 'open' });
    const cash = life.portfolio.cash(world.user, 'usdc:safe');
    expect(held?.provisionalShares).toBe(held?.position.shares);
    expect([cash.settled, cash.provisional < 0]).toEqual([100_000_000, true]);
    prices.top = bid(6_000);
    await round();
    expect(samples().map(({ cashUsdc }) => cashUsdc)).toEqual([cash.settled + cash.provisional]);
  });

  it('asks the venue where the book is not followed, and stays where it does not answer', async () => {
    const { world, life, prices, samples, round } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(STEP_MS);
    prices.ask = async () => priceTicks(5_000);
    await round();
    await world.clock.advance(STEP_MS);
    prices.ask = () => Promise.reject(new AppError('venue_unavailable', 'away'));
    await round();
    expect(prices.asked).toBe(2);
    expect(
      samples().map(({ unvalued, positionsUsdc }) => [unvalued.length, positionsUsdc > 0]),
    ).toEqual([
      [0, true],
      [1, false],
    ]);
  });

  it('values what an ended market pays, whatever is bid', async () => {
    const { world, life, prices, samples, round } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(STEP_MS);
    const [held] = life.portfolio.holdings(world.user, { type: 'open' });
    await during(
      world,
      life.portfolio.recordResolution({
        marketId: world.market.marketId,
        payoutTicks: [10_000, 0],
        resolvedAtMs: world.clock.nowMs(),
      }),
    );
    prices.top = bid(100);
    await round();
    expect(samples()[0]?.positionsUsdc).toBe(held?.position.shares);
  });

  it('runs by itself at each full step of the clock until it is stopped', async () => {
    const { world, life, prices, equity, samples } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    prices.top = bid(5_000);
    equity.start();
    await world.clock.advance(STEP_MS * 3);
    const kept = samples().map(({ atMs }) => atMs % STEP_MS);
    expect([kept.length, Math.max(...kept) < 1_000]).toEqual([3, true]);
    equity.stop();
    await world.clock.advance(STEP_MS * 3);
    expect(samples().length).toBe(3);
  });

  it('keeps coarser steps for longer', async () => {
    const { world, life, prices, equity, samples } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    prices.top = bid(5_000);
    equity.start();
    await world.clock.advance(4 * DAY_MS);
    const nowMs = world.clock.nowMs();
    const [fine, hours, days] = EQUITY.steps.map(({ stepMs }) => samples(stepMs));
    expect([fine?.length, hours?.length, days?.length]).toEqual([
      (2 * DAY_MS) / STEP_MS + 1,
      (4 * DAY_MS) / HOUR_MS + 1,
      5,
    ]);
    expect((fine?.[0]?.atMs ?? 0) >= nowMs - 2 * DAY_MS - STEP_MS).toBe(true);
    equity.stop();
  });

  it('is read in as many points as are asked for, the newest of each step, with what was before', async () => {
    const { world, life, prices, equity, samples, day } = await aKeptUser();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    prices.top = bid(5_000);
    equity.start();
    await world.clock.advance(3 * DAY_MS);
    const all = day(world.user);
    expect([all.stepMs, all.points.length, all.before !== null]).toEqual([STEP_MS, 288, true]);
    const few = day(world.user, 24);
    expect([few.stepMs, few.points.length]).toEqual([HOUR_MS, 24]);
    expect(few.points.at(-1)).toEqual(samples().at(-1));
    const nowMs = world.clock.nowMs();
    const long = equity.read(world.user, { fromMs: nowMs - 3 * DAY_MS, toMs: nowMs, points: 300 });
    expect([long.stepMs, long.points.at(-1)]).toEqual([HOUR_MS, samples().at(-1)]);
    const past = equity.read(world.user, {
      fromMs: nowMs - DAY_MS,
      toMs: nowMs - DAY_MS / 2,
      points: 300,
    });
    expect(past.points.every(({ atMs }) => atMs <= nowMs - DAY_MS / 2)).toBe(true);
    equity.stop();
  });
});
