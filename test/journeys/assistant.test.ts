import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { openMarket } from './support/market-page.ts';

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('an assistant', () => {
  const journey = withJourney();

  it('asks before it trades: one order is confirmed on the page and placed, another refused', async () => {
    const { page, complaints } = await journey().newcomer();
    const { url } = journey();
    await openMarket(page, 'venue_a');
    const marketId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');

    await page.goto(`${url}/keys`);
    await page.getByRole('switch', { name: /^Place and cancel orders/ }).check();
    await page.getByRole('button', { name: 'Make a key' }).click();
    const key = (await page.getByText(/^pk_\w{20,}$/).textContent()) ?? '';
    await page.getByRole('button', { name: 'I have kept it' }).click();

    const ask = async (amount: string): Promise<string> => {
      const answer = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'orders_create',
            // far below the book: it rests, whatever the market does meanwhile
            arguments: {
              venue: 'venue_a',
              marketId,
              side: 'yes',
              amount,
              orderType: 'limit',
              price: '0.05',
            },
          },
        }),
      });
      return answer.text();
    };
    // until the Safe of the newcomer has its allowances
    await expect
      .poll(() => ask('5'), { timeout: STEP_AT_MOST_MS })
      .toContain('awaiting_confirmation');
    expect(await ask('6')).toContain('awaiting_confirmation');

    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: 'Assistants ask you to confirm 2 orders' }).click();
    await page.getByRole('button', { name: 'Confirm: buy for $5.00' }).click();
    await page.getByText('confirmed and placed').waitFor();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('refused by you').waitFor();
    await page.getByText('Nothing waits for you.').waitFor();

    await page.goto(`${url}/activity/trades`);
    const orders = page.getByRole('table', { name: 'Orders' });
    await orders.getByText('Buy yes, limit').waitFor();
    expect(await orders.getByRole('row').count()).toBe(2);

    await page.goto(`${url}/keys`);
    await page.getByRole('button', { name: 'Revoke' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => ask('7'), { timeout: STEP_AT_MOST_MS }).toContain('api_key_invalid');
    expect(complaints).toEqual([]);
  });
});
