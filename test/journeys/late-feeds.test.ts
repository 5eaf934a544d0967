import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { openMarket, untilFunded } from './support/market-page.ts';
import { sidewaysPixels, violationsOf } from './support/page-checks.ts';

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('where a feed stalls', () => {
  const journey = withJourney();
  const faults = (path: string, call: RequestInit): Promise<Response> =>
    fetch(`${journey().address('control')}/faults${path}`, call);
  const arm = async (name: FaultName): Promise<void> => {
    const armed = await faults('', { method: 'POST', body: JSON.stringify({ name }) });
    expect(armed.status).toBe(200);
  };
  const disarm = async (name: FaultName): Promise<void> => {
    expect((await faults(`/${name}`, { method: 'DELETE' })).status).toBe(200);
  };

  it('a market says how old its book is and sends no order by it, until it is live again', async () => {
    const { page, complaints } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await untilFunded(page);
    const buy = page.getByRole('button', { name: /^Buy .* for \$5/ });
    await expect.poll(() => buy.isEnabled(), { timeout: STEP_AT_MOST_MS }).toBe(true);
    await arm('silent-stall');
    await page.getByText(/, \d+ (s|min) old$/).waitFor();
    await page.getByText('The book is late, so the price is not known.').waitFor();
    // on a busy machine a book may be late, and live again, before the stall is noticed
    await expect.poll(() => buy.isDisabled(), { timeout: STEP_AT_MOST_MS }).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await disarm('silent-stall');
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => buy.isEnabled(), { timeout: STEP_AT_MOST_MS }).toBe(true);
    // estimates and prices of that time were refused, which the browser writes down by itself
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('an agent’s round that is opened without a price says so, and shows the first that comes', async () => {
    // until the newcomer has signed up the price of before is too old
    await arm('feed-stall');
    const { page, complaints } = await journey().newcomer();
    await page.goto(`${journey().url}/btc5min-trading`);
    const noPrice = page.getByText('No price has come yet.', { exact: true });
    await noPrice.waitFor();
    const price = page
      .getByText('BTC now')
      .locator('..')
      .getByText(/^\$[\d,.]+$/);
    expect(await price.count()).toBe(0);
    await disarm('feed-stall');
    await price.waitFor();
    await noPrice.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('an agent’s round says how old its price is, until prices come again', async () => {
    const { page, complaints } = await journey().newcomer(360);
    await page.goto(`${journey().url}/btc5min-trading`);
    await page.getByText('BTC now').waitFor();
    await arm('feed-stall');
    const late = page.getByText(/^The price is late: \d+ (s|min) old\.$/);
    await late.waitFor();
    // it grows while nothing comes
    const before = await late.textContent();
    await expect.poll(() => late.textContent(), { timeout: STEP_AT_MOST_MS }).not.toBe(before);
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await disarm('feed-stall');
    await late.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});
