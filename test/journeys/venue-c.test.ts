import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { withJourney } from './support/journey.ts';
import {
  buyForFive,
  choose,
  figureOf,
  openMarket,
  pressUntilFilled,
  untilFunded,
} from './support/market-page.ts';
import { sidewaysPixels, untilLoaded, violationsOf } from './support/page-checks.ts';

/** An order whose price moved away, and a sale of what is sold already, which browsers note. */
const isCaused = (text: string): boolean => /status of (?:409|422)/.test(text);

async function isWellMade(page: Page): Promise<void> {
  await untilLoaded(page);
  expect(await violationsOf(page)).toEqual([]);
  expect(await sidewaysPixels(page)).toBe(0);
}

async function openPortfolio(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Portfolio' }).first().click();
  await page.getByRole('heading', { name: 'Portfolio', level: 1 }).waitFor();
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('at venue_c', () => {
  const journey = withJourney();

  it.each([360, 1440] as const)(
    'a person buys from a pool at %i px, sees it in the portfolio, sells all, and takes back what waits',
    async (width) => {
      const { page, complaints } = await journey().newcomer(width);
      await openMarket(page, 'pool');
      await buyForFive(page);
      await page.getByText(/shares .* settled\./).waitFor();
      await isWellMade(page);

      await choose(page, 'Limit');
      await page.getByRole('textbox', { name: 'Price' }).fill('5');
      await page.getByLabel('Amount').fill('5');
      await figureOf(page, 'Shares that rest').getByText('100 at 5¢').waitFor();
      await page.getByRole('button', { name: /^Buy .* for \$5/ }).click();
      await page.getByText('Waiting for its price. 100 shares rest at 5¢.').waitFor();
      await page.getByRole('button', { name: 'Cancel order' }).click();
      await page.getByText('Cancelled.').waitFor();

      await openPortfolio(page);
      const held = page.getByRole('table', { name: 'Open positions' });
      await held.getByText('venue c').waitFor();
      await isWellMade(page);
      await held.getByRole('link').click();

      await choose(page, 'Sell');
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await pressUntilFilled(page, /^Sell [\d.]+ of/);
      expect(complaints.filter((text) => !isCaused(text))).toEqual([]);
    },
  );

  it('an order for more than the book offers fills in part, rests with the rest, and is cancelled', async () => {
    const { page, complaints } = await journey().newcomer(360);
    await openMarket(page, 'venue_c');
    await untilFunded(page);
    await choose(page, 'Limit');
    const best = page.getByRole('group', { name: 'Asks' }).getByRole('button').last();
    const [, price = ''] = await best.locator(':scope > span').allTextContents();
    await page.getByRole('textbox', { name: 'Price' }).fill(price.replace('¢', ''));
    await page.getByLabel('Amount').fill('900');
    await page.getByRole('button', { name: /^Buy .* for / }).click();
    await page.getByText(/^In the book\. [\d.,]+ shares .*rest at /).waitFor();
    await isWellMade(page);
    await page.getByRole('button', { name: 'Cancel order' }).click();
    await page
      .getByText(/^Filled in part\. [\d.,]+ of [\d.,]+ shares .*The rest was cancelled\./)
      .waitFor();
    await openPortfolio(page);
    await page.getByRole('table', { name: 'Open positions' }).getByText('venue c').waitFor();
    expect(complaints.filter((text) => !isCaused(text))).toEqual([]);
  });
});
