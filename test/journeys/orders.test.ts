import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { API } from '../../config/limits/api.ts';
import { PAGES } from '../../src/web/routes.ts';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { misfitsOf, untilLoaded } from './support/page-checks.ts';
import { bestAsk, choose, fillInPart, openMarket, untilFunded } from './support/market-page.ts';

/** Orders that one page of a list does not hold. */
const MORE_THAN_A_PAGE = API.pageDefault + 3;

/** Nearly all that a newcomer has at a venue, USD. */
const ALL_USD = 950;

/** Offers all the money for what is offered best, once less than an eighth of it buys that up. */
async function buyMoreThanOffered(page: Page): Promise<boolean> {
  await openMarket(page, 'venue_a');
  await untilFunded(page);
  await choose(page, 'Limit');
  return fillInPart(page, ALL_USD, {
    async priceOf() {
      let cents = 0;
      await expect
        .poll(
          async () => {
            const best = await bestAsk(page);
            cents = best.cents;
            return best.usd;
          },
          { timeout: STEP_AT_MOST_MS },
        )
        .toBeLessThan(ALL_USD / 8);
      return cents;
    },
  });
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('an order', () => {
  const journey = withJourney();

  it('that is larger than what is offered fills in part, rests with the rest, and is cancelled', async () => {
    let person = await journey().newcomer();
    while (!(await buyMoreThanOffered(person.page))) person = await journey().newcomer();
    const { page, complaints } = person;
    const held = page.getByRole('table', { name: 'Your positions in this market' });
    await held.getByRole('row').nth(1).waitFor();
    for (const path of [PAGES.portfolio, PAGES.trades, PAGES.home]) {
      await page.goto(`${journey().url}${path}`);
      await page.getByRole('row').getByRole('link').first().waitFor();
      await untilLoaded(page);
      expect(await misfitsOf(page)).toEqual([]);
    }
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('that rests is in the portfolio and on the page of its market, and is cancelled there', async () => {
    const { page } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await untilFunded(page);
    await choose(page, 'Limit');
    // far below every bid, so that it rests
    await page.getByRole('textbox', { name: 'Price' }).fill('5');
    await page.getByLabel('Amount').fill('10');
    const rests = page.getByText('Shares that rest').locator('xpath=following::dd[1]');
    await rests.getByText('200 at 5¢').waitFor();
    await page.getByRole('button', { name: /^Buy .* for / }).click();
    await page.getByText('In the book. 200 shares rest at 5¢.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Portfolio' }).first().click();
    const open = page.getByRole('table', { name: 'Open orders' });
    await open.getByText('$10.00').waitFor();
    expect(await misfitsOf(page)).toEqual([]);
    await open.getByRole('link', { name: /^Buy .*, limit/ }).click();
    await page.getByRole('heading', { name: 'Your open orders here' }).waitFor();
    expect(await misfitsOf(page)).toEqual([]);
    await open.getByText('200').waitFor();
    await open.getByRole('button', { name: 'Cancel' }).click();
    await open.waitFor({ state: 'detached' });
  });

  it('beyond the first page of the list is shown after the others, and none twice, though one came meanwhile', async () => {
    const { page } = await journey().newcomer();
    const reading = page.waitForRequest('**/api/portfolio/');
    await page.reload();
    const authorization = (await reading).headers()['authorization'] ?? '';
    await openMarket(page, 'venue_a');
    await untilFunded(page);
    const marketId = new URL(page.url()).pathname.split('/').at(-1);
    const body = { marketId, side: 'yes', amount: 1, orderType: 'limit', price: 0.01 };
    const place = async (): Promise<number> => {
      const answer = await fetch(`${journey().url}/api/venue_a/order/`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answer.status;
    };
    // the first waits until the wallet has given its rights, and is refused until then
    await expect.poll(place, { timeout: STEP_AT_MOST_MS }).toBe(201);
    for (let each = 1; each < MORE_THAN_A_PAGE; each += 1) expect(await place()).toBe(201);
    await page.goto(`${journey().url}${PAGES.trades}`);
    const rows = page.getByRole('table', { name: 'Orders' }).locator('tbody').getByRole('row');
    await rows.nth(API.pageDefault - 1).waitFor();
    // an order that comes while the older page is on its way has the list read anew, without it
    const isOfOrders = (url: string): boolean => new URL(url).pathname === '/api/portfolio/orders';
    const isOlder = (url: string): boolean => new URL(url).searchParams.has('cursor');
    await page.route(
      ({ href }) => isOfOrders(href) && isOlder(href),
      async (route) => {
        const anew = page.waitForRequest(
          (request) => isOfOrders(request.url()) && !isOlder(request.url()),
        );
        expect(await place()).toBe(201);
        await anew;
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await rows.nth(MORE_THAN_A_PAGE).waitFor();
    expect(await rows.count()).toBe(MORE_THAN_A_PAGE + 1);
    expect(await page.getByRole('button', { name: 'Show older ones' }).count()).toBe(0);
  });
});
