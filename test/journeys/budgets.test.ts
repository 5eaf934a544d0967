import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { type BusyDaemon, startBusyDaemon } from './support/busy-book.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { openMarket } from './support/market-page.ts';
import { openMetrics, type PageMetrics, slopeOf } from './support/page-metrics.ts';

/** A phone's processor against that of this machine, as the budgets name it. */
const SLOWER = 4;
const UPDATES_PER_SECOND = 60;
/** A full run takes an hour: `JOURNEY_MINUTES=60`. */
const MINUTES = Number(process.env['JOURNEY_MINUTES'] ?? '1.5');
const SAMPLES = 10;

/** When the first field of the page was there, and the last long task before it took a letter. */
const NOTE_FIELD = `
  window.noted = { field: null, busyUntil: 0, largest: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      window.noted.busyUntil = Math.max(window.noted.busyUntil, startTime + duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.noted.largest = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('input[type=tel]') === null) return;
    window.noted.field = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
`;

interface Noted {
  readonly field: number;
  readonly busyUntil: number;
  readonly largest: number;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function share(after: PageMetrics, before: PageMetrics, ofSeconds: number) {
  return (name: 'mainThreadSeconds' | 'scriptSeconds' | 'styleAndLayoutSeconds'): string =>
    `${(((after[name] - before[name]) / ofSeconds) * 100).toFixed(1)} %`;
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('budgets of the pages', () => {
  const journey = withJourney();
  let busy: BusyDaemon | null = null;
  const book = (): BusyDaemon => busy ?? expect.unreachable('no proxy was started');
  beforeAll(async () => {
    busy = await startBusyDaemon(journey().url);
  });
  afterAll(() => busy?.close());

  /** The best prices of the page, once they are those of the last change that was sent. */
  const untilShown = async (page: Page, best: ReturnType<BusyDaemon['end']>): Promise<void> => {
    const inCents = (price: string): string => `${Math.round(Number(price) * 100)}¢`;
    const asks = page.getByRole('group', { name: 'Asks' }).getByRole('button');
    const bids = page.getByRole('group', { name: 'Bids' }).getByRole('button');
    await expect
      .poll(
        async () => [
          (await bids.first().textContent())?.split('¢')[0],
          (await asks.last().textContent())?.split('¢')[0],
        ],
        { timeout: STEP_AT_MOST_MS },
      )
      .toEqual([best.bestBid, best.bestAsk].map((price) => inCents(price).replace('¢', '')));
  };

  it('say how soon a stranger on a phone can type, cold and from what the browser kept', async () => {
    const { page } = await journey().stranger(360);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.addInitScript(NOTE_FIELD);
    for (const kept of [false, true]) {
      const figures: Noted[] = [];
      for (let times = 0; times < 3; times += 1) {
        await session.send('Network.enable');
        await session.send('Network.setCacheDisabled', { cacheDisabled: !kept });
        await page.goto(journey().url);
        await page.getByLabel('Phone number').fill('+1');
        figures.push(await page.evaluate<Noted>('window.noted'));
      }
      const ready = figures
        .map(({ field, busyUntil }) => Math.max(field, busyUntil))
        .toSorted((one, other) => one - other);
      console.log(
        `a stranger can type after ${ready.map(seconds).join(', ')}, largest paint after ${figures.map(({ largest }) => seconds(largest)).join(', ')}: ${kept ? 'warm' : 'cold'}, processor ${SLOWER} times slower (budget: 1 s)`,
      );
      expect(await page.getByLabel('Phone number').inputValue()).toBe('+1');
    }
  });

  it('say what a book of sixty changes a second takes of the main thread, and show its end', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.goto(book().url);
    await page.getByLabel('Phone number').waitFor();
    // its own origin is another one than that of the proxy, which asks for a sign-in of its own
    await signInAt(page);
    await openMarket(page, 'venue_a');
    const metrics = await openMetrics(page);
    await page.evaluate(
      'window.frames = 0; (function next() { window.frames += 1; requestAnimationFrame(next); })()',
    );
    book().begin(UPDATES_PER_SECOND);
    await wait(3_000);
    const [before, framesBefore, beganAtMs] = [
      await metrics.read(),
      await page.evaluate<number>('window.frames'),
      performance.now(),
    ];
    await wait(20_000);
    const after = await metrics.read();
    const tookSeconds = (performance.now() - beganAtMs) / 1_000;
    const frames = (await page.evaluate<number>('window.frames')) - framesBefore;
    const end = book().end();
    const of = share(after, before, tookSeconds);
    console.log(
      `a book of ${UPDATES_PER_SECOND} changes a second: main thread ${of('mainThreadSeconds')} (script ${of('scriptSeconds')}, style and layout ${of('styleAndLayoutSeconds')}; budget: 30 %), ${(frames / tookSeconds).toFixed(0)} frames a second, ${end.sent} changes`,
    );
    await untilShown(page, end);
    expect(complaints).toEqual([]);
  });

  it('say how much a busy market grows the page', { timeout: (MINUTES + 5) * 60_000 }, async () => {
    const { page } = await journey().stranger();
    await page.goto(book().url);
    await signInAt(page);
    await openMarket(page, 'venue_a');
    const metrics = await openMetrics(page);
    book().begin(UPDATES_PER_SECOND);
    await wait(10_000);
    const samples: (PageMetrics & { readonly minute: number })[] = [];
    const beganAtMs = performance.now();
    for (let sample = 0; sample <= SAMPLES; sample += 1) {
      samples.push({
        ...(await metrics.read()),
        minute: (performance.now() - beganAtMs) / 60_000,
      });
      if (sample < SAMPLES) await wait((MINUTES * 60_000) / SAMPLES);
    }
    const end = book().end();
    const heap = slopeOf(samples.map(({ minute, heapBytes }) => ({ x: minute, y: heapBytes })));
    const [first, last] = [
      samples[0] ?? expect.unreachable(),
      samples.at(-1) ?? expect.unreachable(),
    ];
    console.log(
      `a busy market for ${last.minute.toFixed(1)} min: heap ${(first.heapBytes / 1_048_576).toFixed(1)} to ${(last.heapBytes / 1_048_576).toFixed(1)} MB, ${(heap / 1_024).toFixed(0)} KB a minute, ${(heap / (end.sent / last.minute)).toFixed(0)} bytes a change; nodes ${first.nodes} to ${last.nodes}, listeners ${first.listeners} to ${last.listeners}`,
    );
    await untilShown(page, end);
    expect(last.nodes).toBeLessThan(first.nodes * 1.5);
    expect(last.listeners).toBeLessThan(first.listeners * 1.5);
  });

  const signInAt = async (page: Page): Promise<void> => {
    const number = String(7_000 + Math.floor(performance.now() % 1_000));
    await page.getByLabel('Phone number').fill(`+1202555${number}`);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel(/Code sent to/).fill(await journey().codeFor(number));
    await page
      .getByLabel('Username')
      .fill(`budget_${number.replaceAll(/\d/g, (each) => 'abcdefghkm'[Number(each)] ?? 'a')}`);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  };
});
