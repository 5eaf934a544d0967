import type { Page, WebSocketRoute } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../src/web/routes.ts';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { type Person, STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { ADDRESSES } from './support/pages.ts';
import { sidewaysPixels, untilLoaded, violationsOf } from './support/page-checks.ts';

/** Pages that read nothing of their own: their words are there at once. */
const WITHOUT_READS: readonly string[] = [PAGES.about];

/** Has no read of the interface answered, or each refused; sign-in goes on. */
async function readsAre(page: Page, answer: 'unanswered' | 'refused'): Promise<void> {
  await page.route('**/api/**', (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    if (answer === 'unanswered') return undefined;
    return route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      headers: { 'x-request-id': 'req_of_the_test' },
      body: JSON.stringify({
        title: 'The store does not answer',
        status: 503,
        code: 'store_unavailable',
        detail: 'try again in a while',
        retryable: true,
        requestId: 'req_of_the_test',
      }),
    });
  });
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('a page', () => {
  const journey = withJourney();
  let person: Person | null = null;
  const someone = (): Person => person ?? expect.unreachable();
  beforeAll(async () => {
    person = await journey().newcomer(360);
  });

  it.each(ADDRESSES)('%s that waits for its answers is accessible, and says so', async (path) => {
    const { page, complaints } = someone();
    await readsAre(page, 'unanswered');
    await page.goto(`${journey().url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (!WITHOUT_READS.includes(path)) {
      await page.locator('main [aria-busy=true]').first().waitFor();
      // whoever wants nothing to move is shown them too
      const opacity = (): Promise<string> =>
        page.evaluate<string>(
          "getComputedStyle(document.querySelector('main [aria-busy=true] > :last-child')).opacity",
        );
      await expect.poll(opacity, { timeout: STEP_AT_MOST_MS }).toBe('1');
    }
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(complaints).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it.each(ADDRESSES)('%s that is refused says why, with what to ask support by', async (path) => {
    const { page, complaints, forgive } = someone();
    await readsAre(page, 'refused');
    await page.goto(`${journey().url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await untilLoaded(page);
    if (!WITHOUT_READS.includes(path)) {
      await page.locator('main').getByText('The store does not answer').first().waitFor();
      await page.locator('main').getByText('Request req_of_the_test').first().waitFor();
    }
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    forgive();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('that is cut off says so in words, goes on by itself, and asks to sign in once signed out', async () => {
    const { page, forgive } = someone();
    const sockets: WebSocketRoute[] = [];
    let isCut = false;
    await page.routeWebSocket('**/ws', (socket) => {
      if (isCut) return void socket.close();
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.goto(`${journey().url}${PAGES.portfolio}`);
    await untilLoaded(page);
    const lost = page.getByRole('status').filter({ hasText: 'Connection lost' });
    isCut = true;
    for (const socket of sockets) await socket.close();
    await lost.waitFor();
    // no figure keeps the colour of one that moves on, a profit's neither
    const colours = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('[data-figure], [data-figure] *')].map((figure) => getComputedStyle(figure).color)`,
    );
    expect([colours.length > 5, new Set(colours).size]).toEqual([true, 1]);
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    isCut = false;
    await lost.waitFor({ state: 'detached' });
    forgive();
    await page.goto(`${journey().url}${PAGES.settings}`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Phone number').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
  });
});
