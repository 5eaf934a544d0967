import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { SOCIAL_MODEL } from '../../config/limits/sandbox.ts';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { withJourney } from './support/journey.ts';
import { sidewaysPixels, violationsOf } from './support/page-checks.ts';

/** The text of the QR code on a page, which is the link that a phone opens. */
async function linkOf(page: Page): Promise<string> {
  const label = await page
    .getByRole('img', { name: /^QR code of http/ })
    .getAttribute('aria-label');
  const link = (label ?? '').replace('QR code of ', '');
  expect(
    await page.getByRole('link', { name: 'Open it on this device' }).getAttribute('href'),
  ).toBe(link);
  return link;
}

async function begin(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Continue with Farcaster' }).click();
  await page.getByText('Waiting for your phone.').waitFor();
  return linkOf(page);
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('signing in without a phone number', () => {
  const journey = withJourney();

  it('is done by a code that a phone scans and approves', async () => {
    const { page, complaints } = await journey().stranger();
    const link = await begin(page);
    expect(new URL(page.url()).pathname).toBe('/sign-in/social');
    expect(await violationsOf(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    expect((await fetch(`${link}&fid=4711&by=authAddress`)).status).toBe(200);
    await page.getByLabel('Username').fill('caster_one');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(`${journey().url}/settings/security`);
    await page.getByText('fid 4711').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says that a code is over, and shows another, which works', async () => {
    const { page, forgive } = await journey().stranger(360);
    await begin(page);
    // the relay forgets its oldest channels beyond so many
    for (let opened = 0; opened < SOCIAL_MODEL.channelsMaximum; opened += 1)
      await fetch(`${journey().address('social')}/v1/channel`, {
        method: 'POST',
        body: JSON.stringify({ siweUri: 'https://a.example/', domain: 'a.example' }),
      });
    await page.getByText('This code is over').waitFor();
    forgive();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show a new code' }).click();
    await page.getByText('Waiting for your phone.').waitFor();
    expect((await fetch(`${await linkOf(page)}&fid=4712`)).status).toBe(200);
    await page.getByLabel('Username').waitFor();
  });

  it('is refused where the key is of no account, and can be begun again', async () => {
    const { page } = await journey().stranger();
    const link = await begin(page);
    expect((await fetch(`${link}&fid=4713&by=unregistered`)).status).toBe(200);
    await page.getByText('its address does not speak for the fid').waitFor();
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByText('Waiting for your phone.').waitFor();
    expect((await fetch(`${await linkOf(page)}&fid=4713`)).status).toBe(200);
    await page.getByLabel('Username').waitFor();
  });

  it('is done by going to Google and coming back to a clean address', async () => {
    const { page, complaints } = await journey().stranger();
    await page.getByRole('button', { name: 'Continue with Google' }).click();
    await page.getByLabel('Username').fill('googler_one');
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(`${journey().url}/settings/security`);
    await page.getByText('a•••@example.org').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is added to an account that has another', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.goto(`${journey().url}/settings/security`);
    await page.getByRole('button', { name: 'Add a Farcaster account' }).click();
    await page.getByText('Waiting for your phone.').waitFor();
    expect((await fetch(`${await linkOf(page)}&fid=4714`)).status).toBe(200);
    await page.getByText('It is added.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByText('fid 4714').waitFor();
    expect(complaints).toEqual([]);
  });

  it('leads back to the page it began at, in either way', async () => {
    const { page, complaints } = await journey().stranger();
    await page.goto(`${journey().url}/confirm?order=cnf_none`);
    const link = page.url();
    expect((await fetch(`${await begin(page)}&fid=4715`)).status).toBe(200);
    await page.getByLabel('Username').fill('caster_two');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('you are signed in as caster_two').waitFor();
    expect(page.url()).toBe(link);

    await page.getByRole('button', { name: 'Sign in as someone else' }).click();
    await page.getByRole('button', { name: 'Continue with Google' }).click();
    await page.getByText('you are signed in as googler_one').waitFor();
    expect([page.url(), complaints]).toEqual([link, []]);
  });

  it('is done again by the phone of the account alone, and goes on with what was asked', async () => {
    const { page, phone, forgive } = await journey().newcomer();
    const lastDigits = phone.slice(-4);
    await page.goto(`${journey().url}/keys`);
    // the first sign-in is fresh for a while: the daemon's refusal after it, as it gives it
    await page.route('**/api/user/keys/', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 403,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              code: 'fresh_sign_in_required',
              title: 'Sign in again for this.',
              detail: 'sign in again, then ask once more',
            }),
          })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByRole('button', { name: 'Sign in again, and stay here' }).click();
    await page.unroute('**/api/user/keys/');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`•${lastDigits}$`)).waitFor();
    expect(await dialog.getByLabel('Phone number').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Send me a code' }).click();
    const code = await journey().codeFor(lastDigits, 2);
    await dialog.getByLabel('Code from your phone').fill(code);
    await page.getByRole('heading', { name: 'Your new key, shown this once' }).waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    expect(await page.getByText('Sign in again for this.').count()).toBe(0);
    forgive();
    await page.goto(`${journey().url}/settings/security`);
    const sessions = page.getByRole('table', { name: 'Where you are signed in' });
    await sessions.getByText('this one').waitFor();
    // its head, and the fresh one in the place of the other
    expect(await sessions.getByRole('row').count()).toBe(2);
  });
});
