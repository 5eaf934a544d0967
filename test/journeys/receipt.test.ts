import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { withJourney } from './support/journey.ts';
import { violationsOf } from './support/page-checks.ts';

const INCLUDED = /^Its hash is entry \d+ under the newest anchor over all \d+ entries/;
const CHANGED = /^Its hash is not entry \d+ under the newest anchor/;

/** Has one field of an answer be another on its way to the page. */
async function change(page: Page, path: string, alter: (answer: object) => object): Promise<void> {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const answer: unknown = await response.json();
    await route.fulfill({ response, json: alter(Object(answer)) });
  });
}

/** Another digit in the middle. */
function otherDigit(hex: string): string {
  return `${hex.slice(0, 31)}${hex[31] === '0' ? '1' : '0'}${hex.slice(32)}`;
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('a receipt', () => {
  const journey = withJourney();

  it('is followed to the newest anchor, after a kill too, and turns red with one byte changed', async () => {
    const { page, complaints, forgive } = await journey().newcomer();
    await page.getByRole('navigation').getByRole('link', { name: 'BTC 5-minute' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable on paper' }).click();
    await page
      .locator('details', { hasText: /Skip|Enter|Hold/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'Link to this receipt' }).first().click();
    await page.getByText(INCLUDED).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);

    await journey().kill();
    await journey().restart();
    await page.reload();
    await page.getByText(INCLUDED).waitFor();
    forgive();

    await change(page, '**/proof', (answer) => {
      const { path, ...rest } = answer as { readonly path: readonly string[] };
      return { ...rest, path: path.map((hash, index) => (index === 0 ? otherDigit(hash) : hash)) };
    });
    await page.reload();
    await page.getByText(CHANGED).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute('**/proof');

    await change(page, '**/replay', (answer) => {
      const { text, ...rest } = answer as { readonly text: string };
      return { ...rest, text: text.replace('"atMs":1', '"atMs":2') };
    });
    await page.reload();
    await page.getByText('does not have the hash that its link states: it was changed').waitFor();
    expect(complaints).toEqual([]);
  });
});
