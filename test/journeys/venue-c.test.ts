import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import {
  bestAsk,
  buyForFive,
  choose,
  fillInPart,
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

/** What the portfolio says of the cash at venue_c, to the millionth. */
async function cashAt(page: Page): Promise<number> {
  const row = page.getByRole('table', { name: 'By venue' }).getByRole('row');
  const exact = row.filter({ hasText: 'venue c' }).getByTitle(/^[\d.]+ USDC$/);
  return Number.parseFloat((await exact.first().getAttribute('title')) ?? '');
}

const PATIENT = { timeout: STEP_AT_MOST_MS } as const;
/** Longer than a window of 15 minutes is open, of which the sandbox plays ten in one. */
const WINDOW_AT_MOST_MS = 300_000;

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

      // all of the cash: the fee is in the pool's prices, and gas is another coin
      await choose(page, 'Market');
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.getByRole('button', { name: 'Buy Yes for $995.00' }).waitFor();
      await expect.poll(() => page.getByLabel('Amount').inputValue()).toBe('995');

      await openPortfolio(page);
      const held = page.getByRole('table', { name: 'Open positions' });
      await held.getByText('venue c').waitFor();
      await isWellMade(page);
      await held.getByRole('link').click();

      await choose(page, 'Sell');
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await pressUntilFilled(page, /^Sell [\d.]+ of/);
      await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
      await page.getByRole('link', { name: 'All fills' }).click();
      await page
        .getByText(/^gas 0\.0\d+ ETH/)
        .first()
        .waitFor();
      await isWellMade(page);
      expect(complaints.filter((text) => !isCaused(text))).toEqual([]);
    },
  );

  it('an order for more than the book offers fills in part, rests with the rest, and is cancelled', async () => {
    const { page, complaints } = await journey().newcomer(360);
    await openMarket(page, 'venue_c');
    await untilFunded(page);
    await choose(page, 'Limit');
    await fillInPart(page, 900, {
      priceOf: async (tries) => (await bestAsk(page)).cents + tries,
      resting: () => isWellMade(page),
    });
    await openPortfolio(page);
    await page.getByRole('table', { name: 'Open positions' }).getByText('venue c').waitFor();
    expect(complaints.filter((text) => !isCaused(text))).toEqual([]);
  });

  it('a person holds what wins, claims it while it is being paid out, and is paid once', async () => {
    const { page, complaints } = await journey().newcomer();
    await openMarket(page, 'window');
    await buyForFive(page);
    await choose(page, 'No');
    await page.getByLabel('Amount').fill('5');
    await pressUntilFilled(page, /^Buy No for \$5/);
    await openPortfolio(page);
    const held = page.getByRole('table', { name: 'Open positions' }).getByRole('row');
    await expect.poll(() => held.filter({ hasText: 'venue c' }).count(), PATIENT).toBe(2);
    await expect.poll(() => held.filter({ hasText: 'settling' }).count(), PATIENT).toBe(0);
    const before = await cashAt(page);

    // the transaction that pays is lost on its way, and sent again a quarter of a minute later
    await fetch(`${journey().address('control')}/faults`, {
      method: 'POST',
      body: JSON.stringify({ name: 'nonce-gap', times: 1 }),
    });
    const claim = page.getByRole('button', { name: /^Claim \$/ });
    await claim.waitFor({ timeout: WINDOW_AT_MOST_MS });
    await held.getByText('won, being paid out').waitFor();
    await isWellMade(page);
    const sent = page.waitForRequest((request) => request.url().endsWith('/claim-position'));
    await claim.click();
    const { authorization = '', 'idempotency-key': key = '' } = (await sent).headers();
    await page.getByText(/^\$[\d.]+ of “BTC Up or Down.* is on its way/).waitFor();
    await page.getByText(/^\$[\d.]+ of “BTC Up or Down.* was paid out/).waitFor();
    await isWellMade(page);
    const words = await page.getByText(/ was paid out, and is in your cash/).textContent();
    const won = Number(/^\$([\d.]+)/.exec(words ?? '')?.[1]);
    await expect
      .poll(async () => Math.abs((await cashAt(page)) - before - won), PATIENT)
      .toBeLessThan(0.01);

    // asked for again, by the same request or another, it is no second time
    const paid = await cashAt(page);
    const again = (idempotencyKey: string) =>
      page.request.post(`${journey().url}/api/venue_c/portfolio/claim-position`, {
        headers: { authorization, 'idempotency-key': idempotencyKey },
        data: {},
      });
    const [repeated, another] = [await again(key), await again(crypto.randomUUID())];
    expect(repeated.headers()['idempotency-replayed']).toBe('true');
    expect((await another.json()).data).toEqual([]);
    await page.reload();
    await page.getByRole('table', { name: 'By venue' }).waitFor();
    expect(await cashAt(page)).toBe(paid);
    const closed = page.getByRole('table', { name: 'Closed positions' }).getByRole('row');
    await closed.filter({ hasText: 'redeemed' }).getByRole('link').first().click();
    const past = page.getByRole('table', { name: 'What you held in this market' });
    await past.getByText('Won, paid out').waitFor();
    await past.getByText('Lost, paid nothing').waitFor();
    await isWellMade(page);
    expect(complaints.filter((text) => !isCaused(text))).toEqual([]);
  });
});
