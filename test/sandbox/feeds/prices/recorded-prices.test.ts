import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECORDING } from '../../../../config/limits/recording.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import {
  createRecordedPrices,
  parseRecordedTicks,
  shiftFor,
} from '../../../../src/sandbox/feeds/prices/recorded-prices.ts';
import { openWorldPrices } from '../../../../src/sandbox/feeds/world-prices.ts';
import { gzipLines } from '../../../support/recordings/recorded-figures.ts';
import { sharedData } from '../../../support/recordings/shared-data.ts';
import { startWorldModel } from '../../../../src/sandbox/venues/venue-a/world-model.ts';

const ticks = sharedData(
  'data/venue_a-btc5m-settlement/chainlink-btcusd-2026-07-24-0000-0800.csv.gz',
);
const markets = sharedData('data/venue_a-btc5m-settlement/markets-2026-07-24-0000-0800.jsonl.gz');

const TEXT = 'feed_ts_ms,value_e18\n1780876800000,100\n1780876801000,101\n1780876803000,103\n';
const NOTHING = { at: () => null, valueAt: () => null };

describe('recorded prices', () => {
  it("give each second's tick to the last digit, and leave holes as holes", () => {
    const prices = createRecordedPrices(parseRecordedTicks('BTC', TEXT), 900, NOTHING);
    expect([0, 1, 2, 3, 4].map((second) => prices.at('BTC', 1_780_876_800 + 900 + second))).toEqual(
      [100n, 101n, null, 103n, null],
    );
    expect(prices.valueAt('BTC', 1_780_876_800 + 902)).toBe(101e-18);
    expect(prices.valueAt('BTC', 1_780_876_799)).toBeNull();
  });

  it('are shifted by whole quarters of an hour, and not at all when they are running', () => {
    const recording = parseRecordedTicks('BTC', TEXT);
    expect(shiftFor(recording, 1_780_876_802)).toBe(0);
    const now = 1_800_000_123;
    const shift = shiftFor(recording, now);
    expect(shift % 900).toBe(0);
    expect(now - (recording.firstSecond + shift)).toBeLessThan(900);
    expect(now - (recording.firstSecond + shift)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['', 'holds no tick'],
    ['h\n12,5\n', 'line 2'],
    ['h\n1780876800000,1e5\n', 'line 2'],
  ])('are refused when %j is what was recorded', (text, reason) => {
    expect(() => parseRecordedTicks('BTC', text)).toThrow(reason);
  });

  it('are not read from a file larger than a recording may be', () => {
    const folder = mkdtempSync(join(tmpdir(), 'prices-'));
    const file = join(folder, 'holes.csv');
    writeFileSync(file, '');
    truncateSync(file, RECORDING.fileMaximumBytes + 1);
    const open = () => openWorldPrices(1, { kind: 'recorded', file }, { nowMs: 0, saved: null });
    expect(open).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringMatching(/larger than .* PREDICTD_SANDBOX_PRICES/),
      }),
    );
    rmSync(folder, { recursive: true });
  });
});

describe.runIf(ticks !== null && markets !== null)('rounds on recorded prices', () => {
  it("end as the venue's own did, in every window whose start and end were recorded", async () => {
    const startMs = 1_784_851_200_000;
    const clock = createVirtualClock(startMs);
    const { settlement } = openWorldPrices(
      1,
      { kind: 'recorded', file: ticks ?? '' },
      { nowMs: startMs, saved: null },
    );
    const world = await startWorldModel({
      seed: 1,
      clock,
      prices: settlement,
      foundedAtMs: startMs,
      makers: false,
    });
    await clock.advanceTo(startMs + 8 * 3_600_000);
    const official = gzipLines(markets ?? '')
      .map(
        (line) =>
          JSON.parse(line) as {
            slug: string;
            start_sec: number;
            end_sec: number;
            resolved: boolean;
            outcome_prices: readonly string[];
          },
      ) // rows of the recording's own format
      .filter(
        ({ resolved, start_sec: start, end_sec: end }) =>
          resolved &&
          settlement.at('BTC', start) !== null &&
          settlement.at('BTC', end) !== null &&
          start * 1000 >= startMs &&
          end * 1000 < clock.nowMs() - 120_000,
      );
    const ours = new Map(
      world.rounds
        .listings()
        .map(({ market, ending }) => [
          market.slug,
          ending?.payoutTicks.map((payout) => String(payout / 10_000)),
        ]),
    );
    world.stop();
    expect(official.length).toBeGreaterThan(60);
    expect(official.map(({ slug }) => [slug, ours.get(slug)])).toEqual(
      official.map(({ slug, outcome_prices: prices }) => [slug, prices]),
    );
  });
});
