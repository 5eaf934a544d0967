import { from } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { PriceFeed } from '../../src/ports/price-feed.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { firstReadingAt, lastReadingBefore, repairedAt } from '../../streams/price-at.ts';
import type { PriceReading } from '../../streams/price-readings.ts';
import { usd } from '../support/fakes/fake-feeds.ts';

const AT_MS = 1_000_000;
const MOMENT = { asset: 'BTC', twapSeconds: null, atMs: AT_MS } as const;

/** A reading stamped so many ms after the moment. */
const read = (offsetMs: number, change: Partial<PriceReading> = {}): PriceReading => ({
  asset: 'BTC',
  twapSeconds: null,
  value: usd(1),
  sourceAtMs: AT_MS + offsetMs,
  receivedAtMs: AT_MS + offsetMs,
  source: 'oracle',
  connection: 1,
  ...change,
});
const reconnected = (offsetMs: number) => read(offsetMs, { connection: 2 });

/** Offsets of what a stream of readings is taken for. */
function taken(take: typeof firstReadingAt, readings: readonly PriceReading[]): readonly number[] {
  const offsets: number[] = [];
  take(from(readings), MOMENT).subscribe(({ sourceAtMs }) => offsets.push(sourceAtMs - AT_MS));
  return offsets;
}

describe('the first reading at a moment', () => {
  const step = FEEDS.reportStepMs;
  it.each<[string, readonly PriceReading[], readonly number[]]>([
    ['is the one stamped with it, heard after none', [read(0), read(500)], [0]],
    ['follows one from just before it', [read(-600), read(400), read(900)], [400]],
    ['may follow it by a whole step', [read(-step / 2), read(step / 2)], [step / 2]],
    ['is unknown after a longer hole', [read(-step / 2), read(step / 2 + 1)], []],
    ['is unknown where none was heard before', [read(100), read(600)], []],
    ['is unknown where the connection was lost in between', [read(-600), reconnected(400)], []],
    ['has not come yet', [read(-600), read(-100)], []],
    ['is not one of another asset', [read(-600, { asset: 'ETH' }), read(0, { asset: 'ETH' })], []],
    ['is not one of another kind', [read(-600), read(0, { twapSeconds: 60 }), read(400)], [400]],
  ])('%s', (_, readings, offsets) => {
    expect(taken(firstReadingAt, readings)).toEqual(offsets);
  });
});

describe('the last reading before a moment', () => {
  const oldest = -FEEDS.startPriceAgeMs;
  it.each<[string, readonly PriceReading[], readonly number[]]>([
    ['is known once the one after it has come', [read(-900), read(-100), read(50)], [-100]],
    ['may be stamped with it', [read(-100), read(0), read(50)], [0]],
    ['may be as old as it may be', [read(oldest), read(50)], [oldest]],
    ['is unknown where it was older', [read(oldest - 1), read(50)], []],
    ['is unknown where the connection was lost in between', [read(-100), reconnected(50)], []],
    ['is not one after it', [read(10), read(20)], []],
    ['is not one of another asset', [read(-100, { asset: 'ETH' }), read(50, { asset: 'ETH' })], []],
  ])('%s', (_, readings, offsets) => {
    expect(taken(lastReadingBefore, readings)).toEqual(offsets);
  });
});

describe('the history of a source', () => {
  it('is asked again where it fails', async () => {
    const clock = createVirtualClock(AT_MS);
    let asked = 0;
    const feed: PriceFeed = {
      name: 'oracle',
      watch: () => () => undefined,
      async priceAt(asset, atMs, twapSeconds) {
        asked += 1;
        if (asked < 3) throw new Error('502');
        return { asset, price: usd(7), sourceAtMs: atMs, twapSeconds };
      },
    };
    const prices: number[] = [];
    repairedAt(feed, MOMENT, {
      random: createSeededRandom(1),
      scheduler: clockScheduler(clock),
      report: {},
    }).subscribe(({ price }) => prices.push(price));
    await clock.advance(60_000);
    expect([asked, prices]).toEqual([3, [usd(7)]]);
  });
});
