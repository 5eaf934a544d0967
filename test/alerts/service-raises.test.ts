import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { killDaemons, startDaemon, type Daemon } from '../crash/support/daemon.ts';
import { scrapeScenario } from './alert-scenario.ts';
import { sampled } from '../support/sampled.ts';
import { hasPromtool } from './promtool.ts';
import { createScrapes, type Scrapes } from './scrapes.ts';

const canJudge = hasPromtool();
const folder = mkdtempSync(join(tmpdir(), 'predictd-alerts-'));
const PRELOAD = pathToFileURL(fileURLToPath(new URL('./blocked-loop.mjs', import.meta.url))).href;
/** Prometheus' own time-out of a scrape. */
const SCRAPE_TIMEOUT_MS = 10_000;
/** In scrapes: longer than any rule here looks back and waits, and what it takes to begin. */
const LONG = 24;
/** Between two delays that the daemon has counted; the rule looks back over eight. */
const SCRAPES_A_HOLD = 4;
/** Mostly waits for daemons to start. */
const RUN = { timeout: 300_000 };

/** Alerts of real daemons that this run raises. */
const RAISED = sampled('alerts of daemons', ['PredictdCrashLoop', 'PredictdEventLoopBlocked'], 1);

afterAll(async () => {
  await killDaemons();
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

/** Scrapes an address as Prometheus does: null when nothing answers. */
async function scrape(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/metrics`, {
      signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS),
    });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

async function scrapeOften(scrapes: Scrapes, url: string, times: number): Promise<void> {
  for (let left = times; left > 0; left -= 1) scrapes.take(await scrape(url));
}

/**
 * A daemon on the same data as those before it; its markets go at the speed of the clock, so that a
 * loop that is held up holds up nothing else for long.
 */
async function begin(): Promise<{ readonly daemon: Daemon; readonly url: string }> {
  const daemon = startDaemon(
    { PREDICTD_DATA: folder, PREDICTD_SANDBOX_SPEED: '1' },
    { preload: PRELOAD },
  );
  return { daemon, url: await daemon.url() };
}

async function kill({ signal, ended }: Daemon): Promise<void> {
  signal('SIGKILL');
  await ended;
}

/** Times the event loop was held up for longer than the rule allows. */
function heldUp(text: string | null): number {
  const read = (pattern: RegExp) => Number(pattern.exec(text ?? '')?.[1] ?? 0);
  return (
    read(/^predictd_event_loop_delay_seconds_count (\S+)$/m) -
    read(/^predictd_event_loop_delay_seconds_bucket\{le="0\.25"\} (\S+)$/m)
  );
}

describe.skipIf(!canJudge)('the real rules, judging scrapes of real processes,', () => {
  it.runIf(RAISED.includes('PredictdCrashLoop'))(
    'fire PredictdServiceDown for one that was killed, and PredictdCrashLoop beside it for one that is killed over and over',
    RUN,
    async () => {
      const scrapes = createScrapes();
      let life = await begin();
      await scrapeOften(scrapes, life.url, 4);
      expect(scrapes.differsFrom([])).toBeNull();
      await kill(life.daemon);
      await scrapeOften(scrapes, life.url, 6);
      expect(scrapes.differsFrom(['PredictdServiceDown'])).toBeNull();
      for (let starts = 2; starts <= 4; starts += 1) {
        // Two starts after the first are an operator's; the third is a loop.
        expect(scrapes.differsFrom(['PredictdServiceDown'])).toBeNull();
        life = await begin();
        await scrapeOften(scrapes, life.url, 2);
        await kill(life.daemon);
        await scrapeOften(scrapes, life.url, 1);
      }
      expect(scrapes.differsFrom(['PredictdServiceDown', 'PredictdCrashLoop'])).toBeNull();
    },
  );

  it.runIf(RAISED.includes('PredictdEventLoopBlocked'))(
    'fire PredictdEventLoopBlocked for one whose event loop is held up, and nothing else',
    RUN,
    async () => {
      const scrapes = createScrapes();
      const { daemon, url } = await begin();
      await scrapeOften(scrapes, url, 2);
      daemon.signal('SIGUSR2');
      let before = heldUp(await scrape(url));
      for (let left = LONG; left > 0; left -= SCRAPES_A_HOLD) {
        let text = await scrape(url);
        while (heldUp(text) === before) text = await scrape(url);
        before = heldUp(text);
        await scrapeOften(scrapes, url, SCRAPES_A_HOLD);
      }
      // books that a held loop does not read grow old, the sooner the busier the machine is
      expect(
        scrapes.differsFrom(['PredictdEventLoopBlocked'], ['PredictdBooksUntrusted']),
      ).toBeNull();
      await kill(daemon);
    },
  );

  it(
    'fire PredictdMetricSeriesDropped for a metric of a running service that meets more label values than it may',
    RUN,
    async () => {
      const scrapes = await scrapeScenario({
        faults: [],
        books: 'direct',
        begins: ({ clock, metrics }) =>
          void clock.after(60_000, () => {
            for (let reason = 0; reason < 300; reason += 1)
              metrics.count('feed_dropped_total', { feed: 'oracle', reason: `reason ${reason}` });
          }),
      });
      expect(scrapes.differsFrom(['PredictdMetricSeriesDropped'])).toBeNull();
    },
  );
});
