import type { Page } from 'playwright-core';

/**
 * Where each venue of the sandbox has markets that last, and what to search them by: several, for
 * traders may leave one with a side empty for a while.
 */
const LASTING = {
  venue_a: { search: 'Will', ends: /in \d+ d/ },
  venue_b: { search: 'Miami', ends: /in (\d+ h|[1-9]\d min)/ },
} as const;

/** A chance at which both sides of a book are offered. */
const IS_OPEN = /[2-7]\d(–\d\d)? %/;

/** Opens a market of a venue that does not end meanwhile and has offers. */
export async function openMarket(page: Page, venue: keyof typeof LASTING): Promise<void> {
  const { search, ends } = LASTING[venue];
  await page.getByRole('navigation').getByRole('link', { name: 'Markets' }).click();
  await page.getByLabel('Search', { exact: true }).fill(search);
  await page
    .getByRole('row')
    .filter({ hasText: venue.replace('_', ' ') })
    .filter({ hasText: ends })
    .filter({ hasText: IS_OPEN })
    .first()
    .getByRole('link')
    .click();
  await page.getByRole('heading', { name: 'Order book' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Waits for the money that the sandbox gives to who has just signed up, at both venues. */
export async function untilFunded(page: Page): Promise<void> {
  await page.getByRole('banner').getByText('$2,000.00').waitFor();
}

/** Buys at the market for five dollars, once there is money. */
export async function buyForFive(page: Page): Promise<void> {
  await untilFunded(page);
  await pressUntilFilled(page, /^Buy .* for \$5/);
}

/** Sends an order until one has filled: where price or offers moved away nothing was traded. */
export async function pressUntilFilled(page: Page, button: RegExp): Promise<void> {
  const outcome = page.getByText(/^(Filled|Cancelled)\.|^The price moved|^The book does not offer/);
  do {
    await page.getByRole('button', { name: button }).click();
    await outcome.waitFor();
  } while (!(await outcome.textContent())?.startsWith('Filled'));
}

/** Chooses one of a row of choices, as a click does: the input itself is not seen. */
export async function choose(page: Page, choice: string): Promise<void> {
  await page.locator('label').getByText(choice, { exact: true }).first().click();
}
