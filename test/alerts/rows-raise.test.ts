import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { tellClockStep } from '../../src/app/clock-steps.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { createKeptLog } from '../support/quiet.ts';
import { scrapeScenario, type AlertScenario } from './alert-scenario.ts';
import { hasPromtool } from './promtool.ts';
import { ROW_ALERTS } from './row-alerts.ts';
import { handBuys, loseHeartbeat } from './manual-trader.ts';
import { scrapeReconciler } from './reconciler-scenario.ts';
import { createScrapes } from './scrapes.ts';
import { sampled } from '../support/sampled.ts';

const canJudge = hasPromtool();
const AFTER_MS = 60_000;
/** Longer than the rules wait: what ends before an alert's time is nothing to tell. */
const WINDOW_MS = 200_000;

/** A row's fault, armed after a minute of a healthy day. */
function armed(name: FaultName, rule: AlertScenario['faults'][number]['rule'] = {}): AlertScenario {
  return { faults: [{ name, afterMs: AFTER_MS, rule }] };
}

/** A fault that lasts for a time, as the row says, and ends. */
function lasting(name: FaultName): AlertScenario {
  return {
    ...armed(name),
    begins: ({ clock, model }) =>
      void clock.after(AFTER_MS + WINDOW_MS, () => model.faults.clear(name)),
  };
}

const SCENARIOS: Readonly<Record<string, AlertScenario>> = {
  'engine-restart': lasting('engine-restart'),
  'post-only-window': lasting('post-only-window'),
  'cancel-only': lasting('cancel-only'),
  'rate-limited': lasting('rate-limited'),
  geoblocked: lasting('geoblocked'),
  'phantom-reservation': {
    ...armed('phantom-reservation', { delayMs: 300_000 }),
    begins: (parts) => handBuys(parts, { fromMs: AFTER_MS + 5_000, usdc: 25, times: 8 }),
  },
  'order-version-mismatch': armed('order-version-mismatch', { times: 1 }),
  'reverted-35-percent': armed('reverted-35-percent'),
  'heartbeat-lost': {
    faults: [],
    begins: (parts) =>
      loseHeartbeat(parts, { atMs: AFTER_MS, orders: 4, price: priceTicks(1_000) }),
  },
  'silent-stall': { ...armed('silent-stall'), books: 'channel' },
  'mirror-broken': { ...armed('mirror-broken', { times: 40 }), books: 'channel' },
  'schema-drift': { ...armed('schema-drift', { times: 1 }), books: 'channel' },
  // The venue states another price than its settlement feed had: the part of the row that nothing
  // heals.
  'late-strike': {
    faults: [],
    found: ({ rounds }) => {
      const { strikeE18 } = rounds;
      Object.assign(rounds, {
        strikeE18: (...asked: Parameters<typeof strikeE18>) => {
          const price = strikeE18(...asked);
          return price === null ? null : price + 100n * 10n ** 18n;
        },
      });
    },
  },
};

const JUMPS: readonly (readonly [string, number])[] = [
  ['ahead', 3_600_000],
  ['back', -3_600_000],
];

/** Rows not worth an alert. */
const SILENT = [
  {
    about: 'lost, late and doubled answers',
    books: 'direct',
    names: [
      'late-ack',
      'lost-ack',
      'late-book',
      'refused-silently',
      'retry-duplicated',
      'success-without-id',
      'fok-stuck-live',
      'delayed-then-matched',
      'delayed-then-dead',
      'trade-before-response',
    ],
  },
  {
    about: 'odd fills and early ends',
    books: 'direct',
    names: [
      'ghost-fill',
      'retrying-then-confirmed',
      'confirmed-then-replayed-matched',
      'duplicate-trade',
      'several-fills-one-tx',
      'split-match',
      'overfill-dust',
      'underfill-dust',
      'fill-races-cancel',
      'cancel-already-gone',
      'reason-suffix',
      'gtd-early',
    ],
  },
  {
    about: 'odd frames and late listings',
    books: 'channel',
    names: [
      'zero-price-level',
      'market-resolved-silently',
      'no-snapshot',
      'gap',
      'crossed',
      'tick-announced-twice',
      'non-json-frame',
      'object-or-array',
      'time-backwards',
      'late-hydration',
      'stale-listing',
    ],
  },
] as const;

describe.skipIf(!canJudge)(
  'the real rules, judging what the real service counts under the fault of a row,',
  () => {
    it.each(sampled('rows', Object.entries(SCENARIOS), 3))(
      'fire for %s its one alert, and no other',
      async (row, scenario) => {
        const expected = ROW_ALERTS[row];
        if (expected === undefined || !('alert' in expected))
          throw new Error(`${row} has an alert`);
        const scrapes = await scrapeScenario({ books: 'direct', ...scenario });
        expect(scrapes.differsFrom([expected.alert])).toBeNull();
      },
    );

    it('fire for disk-full its one alert, and no other', async () => {
      let fullCommits = 0;
      const store = createMemoryStore({
        beforeCommit() {
          if (fullCommits === 0) return;
          fullCommits -= 1;
          throw new Error('no space left on device');
        },
      });
      const scrapes = await scrapeScenario({
        faults: [],
        books: 'direct',
        store,
        begins: ({ clock }) => void clock.after(AFTER_MS, () => (fullCommits = 3)),
      });
      expect(scrapes.differsFrom(['PredictdStoreUnavailable'])).toBeNull();
    });

    it('fire for balance-drops-elsewhere its one alert: money that left the Safe without us', async () => {
      expect(
        (await scrapeReconciler('drained')).differsFrom(['PredictdMoneyMismatched']),
      ).toBeNull();
      expect((await scrapeReconciler('untouched')).differsFrom([])).toBeNull();
    });

    it.each(sampled('clock jumps', JUMPS, 1))(
      'fire for clock-jump its one alert when the clock is set %s by an hour, and none while it is corrected slowly',
      async (_, jumpMs) => {
        const metrics = createPromMetrics();
        const scrapes = createScrapes();
        let steadyMs = 0;
        let offMs = 0;
        const clock = createWallClock({
          wallMs: () => 1_780_876_800_000 + steadyMs + offMs,
          steadyMs: () => steadyMs,
          stepped: (stepMs) => tellClockStep(stepMs, { log: createKeptLog(), metrics }),
        });
        const pass = async (scrapesLeft: number): Promise<void> => {
          for (let left = scrapesLeft * 15; left > 0; left -= 1) {
            steadyMs += 1_000;
            offMs += 1;
            clock.nowMs();
            if (left % 15 === 0) scrapes.take(await metrics.renderMetrics());
          }
        };
        await pass(20);
        expect(scrapes.differsFrom([])).toBeNull();
        offMs += jumpMs;
        await pass(10);
        expect(scrapes.differsFrom(['PredictdClockStepped'])).toBeNull();
      },
    );

    it.each(sampled('silent rows', SILENT, 1))(
      'stay silent through rows not worth an alert: $about',
      async ({ books, names }) => {
        expect(names.filter((name) => 'alert' in (ROW_ALERTS[name] ?? {}))).toEqual([]);
        const scrapes = await scrapeScenario({
          books,
          faults: names.map((name, index) => ({
            name,
            afterMs: AFTER_MS + index * 15_000,
            rule: { times: 1 },
          })),
        });
        expect(scrapes.differsFrom([])).toBeNull();
      },
    );
  },
);
