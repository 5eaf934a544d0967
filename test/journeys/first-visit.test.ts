import { describe, expect, it } from 'vitest';
import { NO_BROWSER } from './support/browser.ts';
import { withJourney } from './support/journey.ts';
import { violationsOf } from './support/page-checks.ts';
import { buyForFive, choose, openMarket, pressUntilFilled } from './support/market-page.ts';

describe.skipIf(NO_BROWSER !== null)('on a first visit', () => {
  const journey = withJourney();

  it('a stranger signs up by a code, sets an agent to work on paper, sees why it decides, and stops all', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.getByRole('navigation').getByRole('link', { name: 'BTC 5-minute' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Enable on paper' }).click();
    await page.getByRole('button', { name: 'Stop agent' }).waitFor();
    await page
      .locator('details', { hasText: /Skip|Enter|Hold/ })
      .first()
      .click();
    // one that was held back by a missing input has no criteria, but its inputs
    await page.getByRole('columnheader', { name: 'Input' }).first().waitFor();
    await page.getByRole('link', { name: 'Link to this receipt' }).first().click();
    await page.getByText('The entry of the journal has the hash that its link states.').waitFor();
    await page.getByText('comes to the same decision').waitFor();
    await page.getByText(/under the newest anchor over all|^Not anchored yet:/).waitFor();
    await page.getByRole('heading', { name: 'What if it had seen something else?' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goBack();

    await page.getByRole('button', { name: 'Stop all' }).click();
    await dialog.getByRole('button', { name: 'Stop all' }).click();
    await dialog.getByText('Everything is stopped').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('All your trading is stopped').first().waitFor();
    await page.getByRole('button', { name: 'Enable' }).waitFor();

    await page.getByRole('button', { name: 'Resume trading' }).click();
    await page.getByText('Switched off by the stop, and still off: BTC 5-minute.').waitFor();
    await page.getByRole('link', { name: 'Enable them again' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('a code that was sent is asked for again after a reload, and another one not at once', async () => {
    const { page } = await journey().stranger();
    await page.getByLabel('Phone number').fill('+12025550199');
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel('Code sent to +12025550199').waitFor();
    await page.getByRole('button', { name: 'Use another number' }).click();
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByText(/can be asked again in \d:\d\d\./).waitFor();
    await page.getByLabel('Phone number').fill('+12025550198');
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel('Code sent to +12025550198').waitFor();
    await page.reload();
    await page.getByLabel('Code sent to +12025550198').fill(await journey().codeFor('0198'));
    await page.getByLabel('Username').waitFor();
  });

  it.each(['venue_a', 'venue_b', 'venue_c'] as const)(
    'a person at %s buys, sells all of it, and cancels what rests',
    async (venue) => {
      const { page, complaints } = await journey().newcomer();
      await openMarket(page, venue);
      await buyForFive(page);
      await page.getByText(/shares .* settled\./).waitFor();
      await page.getByRole('heading', { name: 'Yours here' }).waitFor();

      await choose(page, 'Sell');
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await pressUntilFilled(page, /^Sell [\d.]+ of/);

      await choose(page, 'Buy');
      await choose(page, 'Limit');
      await page.getByLabel('Amount').fill('2');
      await page.getByRole('textbox', { name: 'Price' }).fill('2');
      await page.getByRole('button', { name: /^Buy .* for \$2/ }).click();
      await page.getByText('In the book.').waitFor();
      await page.getByRole('button', { name: 'Cancel order' }).click();
      await page.getByText('Cancelled.').waitFor();
      // an estimate of the sale that comes after it is refused, and an order whose price moved
      // away, which the browser writes down
      expect(complaints.filter((text) => !/status of (?:409|422)/.test(text))).toEqual([]);
    },
  );
});
