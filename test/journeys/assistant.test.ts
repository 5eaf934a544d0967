import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { openMarket } from './support/market-page.ts';
import { sidewaysPixels, untilLoaded, violationsOf } from './support/page-checks.ts';

/** Makes a key in the app that asks before each order; returns how an assistant orders with it. */
async function assistantOf(
  page: Page,
  { url, marketId }: { readonly url: string; readonly marketId: string },
): Promise<(amount: string) => Promise<string>> {
  await page.goto(`${url}/keys`);
  await page.getByRole('switch', { name: /^Place and cancel orders/ }).check();
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = (await page.getByText(/^pk_\w{20,}$/).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have kept it' }).click();
  return async (amount) => {
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
}

/** Puts an order forward once the account is ready; returns the address its person answers at. */
async function putForward(
  ask: (amount: string) => Promise<string>,
  amount: string,
): Promise<string> {
  let answer = '';
  await expect
    .poll(async () => (answer = await ask(amount)), { timeout: STEP_AT_MOST_MS })
    .toContain('awaiting_confirmation');
  return /"confirmUrl":"([^"]+)"/.exec(answer.replaceAll('\\"', '"'))?.[1] ?? '';
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('an assistant', () => {
  const journey = withJourney();

  it('asks before it trades: one order is confirmed on the page and placed, another refused', async () => {
    const { page, complaints } = await journey().newcomer();
    const { url } = journey();
    await openMarket(page, 'venue_a');
    const marketId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');

    const ask = await assistantOf(page, { url, marketId });
    await putForward(ask, '5');
    await putForward(ask, '6');

    await page.getByRole('link', { name: 'Home, 2 to confirm' }).click();
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

  it('leads to one order by its link: after a sign-in there, in words once it has ended, and not to another account', async () => {
    const person = await journey().newcomer();
    const { url } = journey();
    await openMarket(person.page, 'venue_a');
    const marketId = decodeURIComponent(
      new URL(person.page.url()).pathname.split('/').at(-1) ?? '',
    );
    const ask = await assistantOf(person.page, { url, marketId });
    const [link, other] = [await putForward(ask, '5'), await putForward(ask, '6')];

    // in a browser without a session
    const { page, complaints } = await journey().stranger(360);
    const opened = await page.goto(link);
    expect(opened?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
    await page.getByText('Sign in to see what it asks.').waitFor();
    await page.getByLabel('Phone number').fill(person.phone);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel(/Code sent to/).fill(await journey().codeFor(person.phone.slice(-4), 2));
    const confirm = page.getByRole('button', { name: 'Confirm: buy for $5.00' });
    await confirm.waitFor();
    expect(page.url()).toBe(link);
    await untilLoaded(page);
    expect([await violationsOf(page), await sidewaysPixels(page)]).toEqual([[], 0]);
    expect(await page.getByRole('button', { name: 'Confirm: buy for $6.00' }).count()).toBe(0);
    await confirm.click();
    await page.getByText('You confirmed this order, and it was placed once.').waitFor();
    await page.reload();
    await page.getByText('You confirmed this order, and it was placed once.').waitFor();
    expect(await confirm.count()).toBe(0);

    // a notification leads to the other one
    await page.goto(`${url}/activity/notifications`);
    await page
      .getByRole('link', { name: /^Confirm or refuse/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('You refused this order.').waitFor();
    expect(page.url()).toBe(other);

    // another account, and one that there never was
    const guest = await journey().newcomer();
    for (const address of [link, `${url}/confirm?order=%22%3E%3Cscript%3E`]) {
      await guest.page.goto(address);
      await guest.page.getByText('This account has no such order to confirm').waitFor();
      expect(await guest.page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
    }
    await guest.page.goto(link);
    await guest.page.getByRole('button', { name: 'Sign in as someone else' }).click();
    await guest.page.getByLabel('Phone number').waitFor();
    expect(guest.page.url()).toBe(link);
    expect([complaints, person.complaints, guest.complaints]).toEqual([[], [], []]);
  });
});
