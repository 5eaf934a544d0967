import { describe, expect, it } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { RoundView } from '../../src/domain/signal.ts';
import type { TwapSeconds } from '../../src/ports/price-feed.ts';
import { usd } from '../support/fakes/fake-feeds.ts';
import { aMarketId, T0 } from '../support/builders.ts';
import { startFakeMarketData } from './fake-market-data.ts';

const MINUTE = 60_000;

function setUp({
  startMs = T0 + 4 * MINUTE,
  twap = false,
  ...changes
}: { startMs?: number } & Parameters<typeof startFakeMarketData>[2] = {}) {
  const clock: VirtualClock = createVirtualClock(startMs);
  const data = startFakeMarketData(clock, createSeededRandom(1), { twap, ...changes });
  const views: RoundView[] = [];
  const start = () => data.roundViews.views('BTC', 5).subscribe((view) => views.push(view));
  const kind: TwapSeconds = twap ? 60 : null;
  /** Runs the world a second at a time: oracle and exchange tick at `price`. */
  const run = async (seconds: number, price = 60_000, exchangePrice = price) => {
    for (let second = 0; second < seconds; second += 1) {
      data.oracle.tick('BTC', price, clock.nowMs(), kind);
      data.exchange.tick('BTC', exchangePrice, clock.nowMs());
      await clock.advance(1_000);
    }
  };
  return { clock, data, views, start, run };
}

describe('createRoundViews', () => {
  it('shows an open round with all its inputs', async () => {
    const { clock, data, views, start, run } = setUp();
    data.inference.predict(60_100, clock.nowMs());
    start();
    await run(61);
    await run(30, 60_010);
    const view = views.at(-1);
    expect(view).toMatchObject({
      asset: 'BTC',
      minutes: 5,
      startsAtMs: T0 + 5 * MINUTE,
      endsAtMs: T0 + 10 * MINUTE,
      oracle: { value: usd(60_010), source: 'oracle' },
      exchange: { value: usd(60_010) },
      exchangeAtStart: usd(60_000),
      prediction: { value: { price: usd(60_100) } },
      strike: { price: usd(60_000), source: 'captured' },
      books: [
        { value: { bid: { price: 4_800 }, ask: { price: 5_000 } } },
        { value: { bid: { price: 5_000 }, ask: { price: 5_200 } } },
      ],
    });
    expect(view?.volatility).toBeGreaterThan(0);
  });

  it('starts the inputs of a round shortly before its window, and shows it only while it is open', async () => {
    const { clock, data, views, start, run } = setUp();
    start();
    await run(44);
    expect(data.bookSource(T0 + 5 * MINUTE)?.open ?? 0).toBe(0);
    await run(10);
    expect([
      data.bookSource(T0 + 5 * MINUTE)?.open,
      views.filter(({ startsAtMs }) => startsAtMs === T0 + 5 * MINUTE),
    ]).toEqual([1, []]);
    await run(6 * 60);
    expect(data.bookSource(T0 + 5 * MINUTE)?.open).toBe(0);
    const own = views
      .filter(({ startsAtMs }) => startsAtMs === T0 + 5 * MINUTE)
      .map(({ atMs }) => atMs);
    expect([
      own[0],
      (own.at(-1) ?? 0) < T0 + 10 * MINUTE,
      clock.nowMs() > T0 + 10 * MINUTE,
    ]).toEqual([T0 + 5 * MINUTE, true, true]);
  });

  it('L8: shows stale inputs as absent, at every read', async () => {
    const { clock, data, views, start, run } = setUp();
    start();
    await run(90);
    const marketId = views.at(-1)?.market.marketId;
    expect(data.roundViews.roundView(aMarketId(99))).toBeNull();
    await clock.advance(4_000);
    const read = () => (marketId === undefined ? null : data.roundViews.roundView(marketId));
    expect([read()?.oracle?.value, read()?.exchange?.value]).toEqual([usd(60_000), usd(60_000)]);
    await clock.advance(1);
    expect([read()?.oracle, read()?.exchange]).toEqual([null, null]);
    await clock.advance(1_000);
    expect([views.at(-1)?.oracle, views.at(-1)?.exchange]).toEqual([null, null]);
  });

  it('L8: shows neither exchange nor oracle when they are more than half a percent apart, and tells it once', async () => {
    const { data, views, start, run } = setUp();
    start();
    await run(70, 60_000, 60_300);
    expect(views.at(-1)?.oracle?.value).toBe(usd(60_000));
    expect(views.at(-1)).not.toHaveProperty('areFeedsApart');
    await run(5, 60_000, 60_301);
    expect(views.at(-1)?.areFeedsApart).toBe(true);
    expect([
      views.at(-1)?.oracle,
      views.at(-1)?.exchange,
      data.reports.filter((line) => line.startsWith('apart')),
    ]).toEqual([null, null, ['apart true']]);
    await run(5, 60_000, 60_000);
    expect([
      views.at(-1)?.oracle?.value,
      data.reports.filter((line) => line.startsWith('apart')),
    ]).toEqual([usd(60_000), ['apart true', 'apart false']]);
  });

  it('has no price to beat when our capture and the venue contradict each other (late-strike)', async () => {
    const { data, views, start, run } = setUp();
    data.directory.stateStrike(T0 + 5 * MINUTE, usd(59_000));
    start();
    await run(70);
    expect([views.at(-1)?.strike, data.reports]).toEqual([null, ['strike contradicted']]);
  });

  it('takes the price to beat of the venue when the daemon came late and no history is kept', async () => {
    const { data, views, start, run } = setUp({
      startMs: T0 + 6 * MINUTE + 500,
      hasHistory: false,
    });
    data.directory.stateStrike(T0 + 5 * MINUTE, usd(59_990));
    start();
    await run(8);
    expect(views.at(-1)?.strike).toEqual({ price: usd(59_990), source: 'venue' });
  });

  it('takes the price to beat of the venue once it states one (late-strike)', async () => {
    const { data, views, start, run } = setUp({
      startMs: T0 + 6 * MINUTE + 500,
      hasHistory: false,
    });
    start();
    await run(8);
    expect(views.at(-1)?.strike).toBeNull();
    data.directory.stateStrike(T0 + 5 * MINUTE, usd(59_990));
    await run(8);
    expect([views.at(-1)?.strike, views.at(-1)?.market.window?.strike]).toEqual([
      { price: usd(59_990), source: 'venue' },
      usd(59_990),
    ]);
  });

  it('L8: shows the price of the mirror for ten seconds', async () => {
    const { clock, views, start, run } = setUp({ hasOracle: false });
    start();
    await run(70);
    await clock.advance(8_000);
    expect(views.at(-1)?.oracle).toMatchObject({ value: usd(60_000), source: 'venue_oracle' });
    await clock.advance(2_000);
    expect(views.at(-1)?.oracle).toBeNull();
  });

  it('shows the one of exchange and oracle that there is', async () => {
    const { clock, data, views, start } = setUp();
    start();
    await clock.advance(70_000);
    data.oracle.tick('BTC', 60_000, clock.nowMs());
    await clock.advance(1_000);
    expect([views.at(-1)?.oracle?.value, views.at(-1)?.exchange]).toEqual([usd(60_000), null]);
  });

  it('shows a round whose books are refused without them, and tells it', async () => {
    const { data, views, start, run } = setUp({ startMs: T0 + 6 * MINUTE, refusesBooks: true });
    start();
    await run(8);
    expect([views.at(-1)?.oracle?.value, views.at(-1)?.books, data.reports]).toEqual([
      usd(60_000),
      [null, null],
      ['refused AppError: no more'],
    ]);
  });

  it('needs no listener for contradictions and refusals', async () => {
    const { data, views, start, run } = setUp({ isReported: false, refusesBooks: true });
    data.directory.stateStrike(T0 + 5 * MINUTE, usd(59_000));
    start();
    await run(70, 60_000, 60_301);
    expect(views.at(-1)).toMatchObject({ areFeedsApart: true, strike: null });
  });

  it('captures and shows the average where the market settles on it', async () => {
    const { data, views, start, run } = setUp({ twap: true });
    start();
    await run(70);
    expect(views.at(-1)).toMatchObject({
      oracle: { value: usd(60_000), source: 'oracle' },
      strike: { price: usd(60_000), source: 'captured' },
    });
    data.oracle.tick('BTC', 70_000, T0 + 5 * MINUTE + 10_000);
    await run(1);
    expect(views.at(-1)?.oracle?.value).toBe(usd(60_000));
  });

  it('recomputes at most every hundred milliseconds however fast a book is, and once a second in silence', async () => {
    const { clock, data, views, start, run } = setUp();
    start();
    await run(65);
    const source = data.bookSource(T0 + 5 * MINUTE);
    const token = source?.connections.at(-1)?.tokenIds[0];
    const before = views.length;
    for (let count = 0; count < 1_000; count += 1) {
      if (token !== undefined)
        source?.connections.at(-1)?.level(token, 'bid', 4_700, 1_000_000 + count);
      await clock.advance(1);
    }
    expect(views.length - before).toBeLessThanOrEqual(12);
    const busy = views.length;
    await clock.advance(20_000);
    expect(views.length - busy).toBeGreaterThanOrEqual(20);
  });

  it('leaves nothing running behind', async () => {
    const { clock, data, views, start, run } = setUp();
    const reader = start();
    await run(70);
    const { marketId } = views.at(-1)?.market ?? expect.unreachable();
    expect(data.roundViews.roundView(marketId)).not.toBeNull();
    reader.unsubscribe();
    expect(data.roundViews.roundView(marketId)).toBeNull();
    await clock.advance(2_001);
    expect([
      clock.pending,
      data.oracle.running,
      data.exchange.running,
      data.bookSource(T0 + 5 * MINUTE)?.open,
    ]).toEqual([0, 0, 0, 0]);
  });
});
