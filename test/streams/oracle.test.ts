import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { PriceFeed } from '../../src/ports/price-feed.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createOracle, type OracleReading } from '../../streams/oracle.ts';
import type { PriceReport } from '../../streams/price-readings.ts';
import { createFakePriceFeed, type FakePriceFeed } from '../support/fakes/fake-feeds.ts';

const START_MS = 1_000_000;

function setUp({
  primary = createFakePriceFeed('oracle') as FakePriceFeed | null,
  fallback = createFakePriceFeed('venue_oracle') as FakePriceFeed | null,
  report = {} as PriceReport,
} = {}) {
  const clock = createVirtualClock(START_MS);
  const oracle = createOracle({
    primary,
    fallback,
    assets: ['BTC', 'ETH'],
    random: createSeededRandom(1),
    scheduler: clockScheduler(clock),
    report,
  });
  // tests that pass null do not touch that one
  return { clock, oracle, primary: primary as FakePriceFeed, fallback: fallback as FakePriceFeed };
}

const worth = (reading: OracleReading | null) =>
  reading === null ? null : `${reading.source} ${reading.value / 100_000_000}`;

describe('createOracle price', () => {
  it('gives the oracle, and its mirror only while the oracle is stale', async () => {
    const { clock, oracle, primary, fallback } = setUp();
    const seen: (string | null)[] = [];
    oracle.price('BTC', null).subscribe((reading) => seen.push(worth(reading)));
    fallback.tick('BTC', 100, START_MS - 1_400);
    primary.tick('BTC', 101, START_MS);
    await clock.advance(3_000);
    fallback.tick('BTC', 102, START_MS + 2_000);
    await clock.advance(3_000);
    primary.tick('BTC', 103, START_MS + 6_000);
    expect(seen).toEqual([
      null,
      'venue_oracle 100',
      'oracle 101',
      'venue_oracle 102',
      'oracle 103',
    ]);
  });

  it('gives the price of the asset asked for, the newest at once to who comes late', () => {
    const { oracle, primary } = setUp();
    const seen: (string | null)[] = [];
    oracle.price('BTC', null).subscribe();
    primary.tick('ETH', 3, START_MS);
    primary.tick('BTC', 101, START_MS);
    primary.tick('ETH', 4, START_MS + 1);
    oracle.price('BTC', null).subscribe((reading) => seen.push(worth(reading)));
    expect(seen).toEqual(['oracle 101']);
  });

  it('L8: is absent when every source is stale, without a word from them', async () => {
    const { clock, oracle, primary } = setUp();
    const seen: (string | null)[] = [];
    oracle.price('BTC', null).subscribe((reading) => seen.push(worth(reading)));
    primary.tick('BTC', 101, START_MS);
    await clock.advance(5_001);
    expect(seen).toEqual([null, 'oracle 101', null]);
  });

  it('opens one upstream a source however many read, and closes it with the last', () => {
    const { oracle, primary, fallback } = setUp();
    const readers = [
      oracle.price('BTC', null),
      oracle.price('BTC', 60),
      oracle.price('BTC', null),
      oracle.capture({ asset: 'BTC', twapSeconds: null, atMs: START_MS }),
    ].map((stream) => stream.subscribe());
    expect([primary.running, fallback.running]).toEqual([1, 1]);
    for (const reader of readers) reader.unsubscribe();
    expect([primary.running, fallback.running, primary.opened]).toEqual([0, 0, 1]);
  });

  it('comes back after every loss, counts it by source, and lives without a source that broke down', async () => {
    const lost: string[] = [];
    const found: string[] = [];
    const failed: PriceFeed['name'][] = [];
    const { clock, oracle, primary, fallback } = setUp({
      report: {
        reconnecting: (source) => lost.push(source),
        reconnected: (source) => found.push(source),
        failed: (source) => failed.push(source),
      },
    });
    const seen: (string | null)[] = [];
    oracle.price('BTC', null).subscribe((reading) => seen.push(worth(reading)));
    primary.lose();
    await clock.advance(1_000);
    fallback.lose();
    fallback.lose();
    await clock.advance(1_000);
    primary.tick('BTC', 100, clock.nowMs());
    primary.breakDown();
    fallback.tick('BTC', 99, clock.nowMs());
    await clock.advance(6_000);
    expect({ lost, found, failed, seen }).toEqual({
      lost: ['oracle', 'venue_oracle'],
      found: ['oracle', 'venue_oracle'],
      failed: ['oracle'],
      seen: [null, 'oracle 100', 'venue_oracle 99'],
    });
  });

  it('does not believe a price from the future and does not go back in time', async () => {
    const dropped: string[] = [];
    const { oracle, primary } = setUp({
      report: { dropped: (source, reason) => dropped.push(`${source} ${reason}`) },
    });
    const seen: (string | null)[] = [];
    oracle.price('BTC', null).subscribe((reading) => seen.push(worth(reading)));
    primary.tick('BTC', 100, START_MS + 2_000);
    primary.tick('BTC', 101, START_MS + 2_001);
    primary.tick('BTC', 102, START_MS + 1_000);
    primary.tick('BTC', 103, START_MS + 2_000);
    expect({ seen, dropped }).toEqual({ seen: [null, 'oracle 100'], dropped: ['oracle future'] });
  });

  it('averages a minute of spot reports where no average is published, and says that it is an estimate', async () => {
    const { clock, oracle, primary } = setUp({ fallback: null });
    const seen: (string | null)[] = [];
    oracle.price('BTC', 60).subscribe((reading) => seen.push(worth(reading)));
    for (let second = 0; second < 60; second += 1) {
      primary.tick('BTC', 100 + second, clock.nowMs());
      await clock.advance(1_000);
    }
    expect([seen[0], seen.length, seen.at(-1)]).toEqual([null, 7, 'estimate 129.5']);
    await clock.advance(10_000);
    expect(seen.at(-1)).toBeNull();
  });

  it('prefers a published average to an estimate', async () => {
    const { clock, oracle, primary, fallback } = setUp();
    const seen: (string | null)[] = [];
    oracle.price('BTC', 60).subscribe((reading) => seen.push(worth(reading)));
    for (let second = 0; second < 60; second += 1) {
      primary.tick('BTC', 100, clock.nowMs());
      fallback.tick('BTC', 200, clock.nowMs(), 60);
      await clock.advance(1_000);
    }
    expect(seen.at(-1)).toBe('venue_oracle 200');
  });

  it('is absent for ever without a source', () => {
    const { oracle } = setUp({ primary: null, fallback: null });
    const seen: (string | null)[] = [];
    oracle.price('BTC', null).subscribe((reading) => seen.push(worth(reading)));
    expect(seen).toEqual([null]);
  });
});

describe('createOracle capture', () => {
  const at = START_MS + 10_000;
  const capture = (oracle: ReturnType<typeof setUp>['oracle'], twapSeconds: 60 | null = null) => {
    const seen: string[] = [];
    oracle.capture({ asset: 'BTC', twapSeconds, atMs: at }).subscribe({
      next: (reading) => seen.push(`${worth(reading)} at ${reading.sourceAtMs - at}`),
      complete: () => seen.push('end'),
    });
    return seen;
  };

  it('takes the report stamped with the boundary itself, at once', async () => {
    const { clock, oracle, primary } = setUp();
    const seen = capture(oracle);
    for (let second = 8; second <= 11; second += 1) {
      await clock.advanceTo(START_MS + second * 1_000);
      primary.tick('BTC', 100 + second, START_MS + second * 1_000);
    }
    expect({ seen, asked: primary.asked }).toEqual({ seen: ['oracle 110 at 0', 'end'], asked: [] });
  });

  it('takes the first report after the boundary when the one before it was heard on the same connection', async () => {
    const { clock, oracle, primary } = setUp();
    const seen = capture(oracle);
    await clock.advanceTo(at - 600);
    primary.tick('BTC', 100, at - 600);
    await clock.advanceTo(at + 400);
    primary.tick('BTC', 101, at + 400);
    expect(seen).toEqual(['oracle 101 at 400', 'end']);
  });

  it('repairs a boundary that was missed, by asking the history', async () => {
    const { clock, oracle, primary } = setUp();
    const seen = capture(oracle);
    await clock.advanceTo(at - 600);
    primary.tick('BTC', 100, at - 600);
    primary.lose();
    primary.note('BTC', 101, at);
    await clock.advanceTo(at + 1_500);
    primary.tick('BTC', 102, at + 1_000);
    expect(seen).toEqual([]);
    await clock.advance(1_500);
    expect({ seen, asked: primary.asked }).toEqual({
      seen: ['oracle 101 at 0', 'end'],
      asked: [at],
    });
  });

  it('captures the boundary of a window that runs already', async () => {
    const { clock, oracle, primary } = setUp();
    primary.note('BTC', 101, at);
    await clock.advanceTo(at + 120_000);
    const seen = capture(oracle);
    await clock.advance(1);
    expect(seen).toEqual(['oracle 101 at 0', 'end']);
  });

  it('takes the price of the mirror only after the oracle had its time', async () => {
    const { clock, oracle, fallback } = setUp({
      primary: createFakePriceFeed('oracle', { hasHistory: false }),
    });
    const seen = capture(oracle);
    await clock.advanceTo(at + 1_400);
    fallback.tick('BTC', 101, at);
    await clock.advanceTo(at + 4_999);
    expect(seen).toEqual([]);
    await clock.advanceTo(at + 5_000);
    expect(seen).toEqual(['venue_oracle 101 at 0', 'end']);
  });

  it('asks again a bounded number of times and gives nothing when no source knows the moment', async () => {
    const { clock, oracle, primary } = setUp({
      primary: createFakePriceFeed('oracle', { hasHistory: false }),
      fallback: null,
    });
    const seen = capture(oracle);
    await clock.advance(300_000);
    expect({ seen, asked: primary.asked.length }).toEqual({ seen: [], asked: 8 });
  });

  it('waits longer after every question to a history that has no answer, up to the longest', async () => {
    const { clock, oracle, primary } = setUp({ fallback: null });
    await clock.advanceTo(at);
    capture(oracle);
    const askedAtMs: number[] = [];
    while (askedAtMs.length < 8) {
      await clock.advanceUntil(() => primary.asked.length > askedAtMs.length, 60_000);
      askedAtMs.push(clock.nowMs());
    }
    const waits = askedAtMs.slice(1).map((atMs, index) => atMs - (askedAtMs[index] ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  });

  it('knows no moment without a source, and says so at once', () => {
    expect(capture(setUp({ primary: null, fallback: null }).oracle)).toEqual(['end']);
  });

  it('never takes an estimate or another kind of price', async () => {
    const { clock, oracle, primary } = setUp({ fallback: null });
    const seen = capture(oracle, 60);
    for (let second = 0; second < 100; second += 1) {
      primary.tick('BTC', 100, clock.nowMs());
      await clock.advance(1_000);
    }
    expect(seen).toEqual([]);
  });
});
