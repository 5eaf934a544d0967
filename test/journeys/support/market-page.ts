import type { Locator, Page } from 'playwright-core';

/** A chance at which both sides of a book are offered. */
const IS_OPEN = /[2-7]\d(–\d\d)? %/;

/**
 * Where each venue of the sandbox has markets that last, and what to search them by: several, for
 * traders may leave one with a side empty for a while. `pool` is traded with a contract.
 */
const LASTING = {
  venue_a: { venue: 'venue a', search: 'Will', ends: /in \d+ d/, chance: IS_OPEN },
  venue_b: { venue: 'venue b', search: 'Miami', ends: /in (\d+ h|[1-9]\d min)/, chance: IS_OPEN },
  venue_c: { venue: 'venue c', search: 'Will the visitors', ends: /in \d+ d/, chance: IS_OPEN },
  pool: { venue: 'venue c', search: 'Will the tunnel', ends: /in \d+ d/, chance: IS_OPEN },
  /** Ends while a journey waits, and not before it has bought: ten minutes take one. */
  window: {
    venue: 'venue c',
    search: 'BTC Up or Down - 15 Min',
    ends: /in [1-3] min/,
    chance: IS_OPEN,
  },
} as const;

/** Opens a market of a venue that does not end while it is traded and has offers. */
export async function openMarket(page: Page, at: keyof typeof LASTING): Promise<void> {
  const { venue, search, ends, chance } = LASTING[at];
  await page.getByRole('navigation').getByRole('link', { name: 'Markets' }).click();
  await page.getByLabel('Venue', { exact: true }).selectOption(venue.replace(' ', '_'));
  await page.getByLabel('Search', { exact: true }).fill(search);
  await page
    .getByRole('row')
    .filter({ hasText: venue })
    .filter({ hasText: ends })
    .filter({ hasText: chance })
    .first()
    .getByRole('link')
    .click();
  await page.getByRole('heading', { name: at === 'pool' ? 'Pool prices' : 'Order book' }).waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
}

/** Waits on the page of a market for the money that the sandbox gives at its venue. */
export async function untilFunded(page: Page): Promise<void> {
  await figureOf(page, 'Available at').getByText('$1,000.00').waitFor();
}

/** A figure of the ticket, by how its name begins. */
export function figureOf(page: Page, name: string): Locator {
  return page.locator('dt', { hasText: new RegExp(`^${name}`) }).locator('xpath=following::dd[1]');
}

/** Buys at the market for five dollars, once there is money. */
export async function buyForFive(page: Page): Promise<void> {
  await untilFunded(page);
  await pressUntilFilled(page, /^Buy .* for \$5/);
}

/**
 * Sends an order until one has traded, all of it or what was to be had: where price or offers moved
 * away nothing was.
 */
export async function pressUntilFilled(page: Page, button: RegExp): Promise<void> {
  const outcome = page.getByText(
    /^(Filled( in part)?|Cancelled|It did not trade)\.|^The (price moved|book does not offer|venue refused it)/,
  );
  const traded = page.getByText(/^Filled( in part)?\. \d/);
  do {
    await page.getByRole('button', { name: button }).click();
    await outcome.waitFor();
  } while ((await traded.count()) === 0);
}

/** The best offer as the book shows it: its price in cents, and what its shares cost, USD. */
export async function bestAsk(
  page: Page,
): Promise<{ readonly cents: number; readonly usd: number }> {
  const row = page.getByRole('group', { name: 'Asks' }).getByRole('button').last();
  // its bar comes before them
  const [, price = '', size = ''] = await row.locator(':scope > span').allTextContents();
  const cents = Number.parseFloat(price);
  return { cents, usd: (cents / 100) * Number.parseFloat(size.replaceAll(',', '')) };
}

/**
 * Orders more than is offered at a limit, sees the rest in the book, and cancels that, until one
 * has filled in part: where an ask has moved before the order came there, as on a busy machine,
 * nothing of it fills. `priceOf` says what to offer at each try, in cents. Returns false where
 * traders filled all of it before it could be cancelled: its person has the shares, and the money
 * for another try no more.
 */
export async function fillInPart(
  page: Page,
  amount: number,
  {
    priceOf,
    resting = async () => undefined,
  }: {
    readonly priceOf: (tries: number) => Promise<number>;
    readonly resting?: () => Promise<void>;
  },
): Promise<boolean> {
  const filled = page.locator('p', { hasText: /^Filled\./ });
  const end = page.locator('p', { hasText: /^(?:Cancelled|Filled in part)\./ });
  for (let tries = 0; ; tries += 1) {
    await page.getByRole('textbox', { name: 'Price' }).fill((await priceOf(tries)).toFixed(1));
    await page.getByLabel('Amount').fill(String(amount));
    await page.getByRole('button', { name: /^Buy .* for / }).click();
    await page
      .getByText(/^In the book\. .*shares rest at /)
      .or(filled)
      .first()
      .waitFor();
    await resting();
    const cancelled = page.getByRole('button', { name: 'Cancel order' }).click();
    await Promise.any([cancelled, filled.waitFor()]);
    cancelled.catch(() => undefined);
    await end.or(filled).first().waitFor();
    if ((await filled.count()) > 0) return false;
    const words = (await end.textContent()) ?? '';
    if (/^Filled in part\. [\d.,]+ of [\d.,]+ shares .*The rest was cancelled\./.test(words))
      return true;
  }
}

/** Chooses one of a row of choices, as a click does: the input itself is not seen. */
export async function choose(page: Page, choice: string): Promise<void> {
  await page.locator('label').getByText(choice, { exact: true }).first().click();
}
