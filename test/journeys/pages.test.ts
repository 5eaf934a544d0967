import { beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../src/web/routes.ts';
import { sampled } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { type Person, STEP_AT_MOST_MS, type Width, withJourney } from './support/journey.ts';
import { ADDRESSES } from './support/pages.ts';
import { misfitsOf, sidewaysPixels, untilLoaded, violationsOf } from './support/page-checks.ts';

const WIDTHS: readonly Width[] = [360, 1440, 2560];
const THEMES = ['light', 'dark'] as const;

const LOOKS = sampled(
  'looks of pages',
  ADDRESSES.flatMap((path) =>
    WIDTHS.flatMap((width) => THEMES.map((theme) => ({ path, width, theme }))),
  ),
  14,
);

describe.skipIf(NO_BROWSER !== null)('every page', () => {
  const journey = withJourney();
  const people = new Map<Width, Person>();
  beforeAll(async () => {
    for (const width of WIDTHS) people.set(width, await journey().newcomer(width));
  });

  it.each(LOOKS)(
    '$path is accessible at $width px in $theme colours, fits the screen, and complains of nothing',
    async ({ path, width, theme }) => {
      const person = people.get(width) ?? expect.unreachable();
      const { page, complaints } = person;
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.goto(`${journey().url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilLoaded(page);
      expect(await violationsOf(page)).toEqual([]);
      expect(await sidewaysPixels(page)).toBe(0);
      expect(complaints).toEqual([]);
    },
  );

  it.each(sampled('narrow pages', ADDRESSES, 4))(
    '%s has each table within its card, and scrolls sideways on no narrow screen',
    async (path) => {
      const { page } = people.get(1440) ?? expect.unreachable();
      await page.goto(`${journey().url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilLoaded(page);
      expect(await misfitsOf(page)).toEqual([]);
    },
  );

  it.each(WIDTHS)('has a way in that is accessible at %i px', async (width) => {
    const { page, complaints } = await journey().stranger(width);
    await page.getByLabel('Phone number').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(WIDTHS)('of a token is accessible at %i px, with its price drawn', async (width) => {
    const person = people.get(width) ?? expect.unreachable();
    const { page, complaints } = person;
    await page.goto(`${journey().url}${PAGES.tokens}`);
    // impostors have no contract in the sandbox, and lead the list at some hours
    await page.locator('tr a:not([href*="0xBaD"])').first().click();
    await page.getByRole('img', { name: /^Price\. Last / }).waitFor();
    await untilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(WIDTHS)('of a market is accessible at %i px while its book moves', async (width) => {
    const person = people.get(width) ?? expect.unreachable();
    const { page, complaints } = person;
    await page.goto(`${journey().url}${PAGES.markets}`);
    await page.getByRole('row').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Order book' }).waitFor();
    await untilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(await misfitsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each([320, 280])('keeps the stop on a screen of %i px, beside a full bell', async (width) => {
    const { page } = people.get(360) ?? expect.unreachable();
    await page.route('**/api/user/notifications/**', async (route) => {
      const response = await route.fetch();
      const json: unknown = await response.json();
      await route.fulfill({ response, json: { ...Object(json), unread: 12 } });
    });
    await page.setViewportSize({ width, height: 700 });
    await page.goto(journey().url);
    await page.getByRole('link', { name: 'Notifications, 9+ unread' }).waitFor();
    await untilLoaded(page);
    expect(await sidewaysPixels(page)).toBe(0);
    const stop = await page.getByRole('button', { name: 'Stop all' }).boundingBox();
    const last = await page.getByRole('link', { name: 'Activity' }).first().boundingBox();
    for (const box of [stop, last])
      expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    await page.unroute('**/api/user/notifications/**');
    await page.setViewportSize({ width: 360, height: 780 });
  });

  it('of the portfolio says of a gap in its lines from when to when it is, and why', async () => {
    const { page } = people.get(1440) ?? expect.unreachable();
    await page.route('**/api/portfolio/history?**', async (route) => {
      const response = await route.fetch();
      const answer: unknown = await response.json();
      const data = [900, 600, 300].map((secondsAgo) => ({
        sampledAtMs: Date.now() - secondsAgo * 1_000,
        equityUsdc: '1000',
        broughtInUsdc: '1000',
        unvalued: secondsAgo === 600 ? [{ venue: 'venue_a', positions: 1, costUsdc: '5' }] : [],
      }));
      await route.fulfill({ response, json: { ...Object(answer), before: null, data } });
    });
    await page.goto(`${journey().url}${PAGES.portfolio}`);
    await page
      .getByText(/^The line has a gap, where a position had no price: from .+ to .+\.$/)
      .waitFor();
    await page.unroute('**/api/portfolio/history?**');
  });

  it('of a market keeps what is only heard out of sight, and scrolls where the wheel turns over its chart', async () => {
    const { page } = people.get(360) ?? expect.unreachable();
    await page.goto(`${journey().url}${PAGES.markets}`);
    await page.getByRole('row').getByRole('link').first().click();
    await page.getByText('up to here').first().waitFor({ state: 'attached' });
    expect(await page.evaluate(RIGHTMOST_WORD)).toBeLessThan(0);
    await page.getByRole('img', { name: /^Price/ }).hover();
    const before = await page.evaluate<number>('scrollY');
    await page.mouse.wheel(0, 120);
    await expect
      .poll(() => page.evaluate<number>('scrollY'), { timeout: STEP_AT_MOST_MS })
      .toBe(before + 120);
  });
});

/** Where the words of a book's levels end, CSS pixels from the left. */
const RIGHTMOST_WORD = `Math.max(...[...document.querySelectorAll('[role=group] button > span')]
  .filter(({ textContent }) => /^(shares|up to here)$/.test(textContent))
  .map((word) => {
    const text = document.createRange();
    text.selectNodeContents(word);
    return text.getBoundingClientRect().right;
  }))`;
