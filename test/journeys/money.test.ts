import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { type Journey, STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { sidewaysPixels, violationsOf } from './support/page-checks.ts';

/** USDC on Base (reference: web3.md). */
const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** The deposit address that a page shows. */
async function addressOn(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: /^QR code of 0x/ });
  return ((await code.getAttribute('aria-label')) ?? '').replace('QR code of ', '');
}

/** Pays USDC on Base, in millionths, to a deposit address. */
async function pay(journey: Journey, address: string, amount: string): Promise<void> {
  const paid = await fetch(`${journey.address('venues', 'venue_a', 'bridge')}/sandbox/payments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      transaction: amount,
      chainId: '8453',
      address,
      token: USDC_ON_BASE,
      amount,
    }),
  });
  expect(paid.ok).toBe(true);
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('money', () => {
  const journey = withJourney();

  it('is seen to arrive at the address of a QR code, and to leave for one’s own wallet', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.goto(`${journey().url}/wallet/deposit`);
    await page.getByLabel('From which chain').selectOption('BASE');
    await page.getByLabel('Which token').selectOption('USDC');
    const address = await addressOn(page);
    const deposits = page.getByRole('table', { name: 'Deposits' });
    await deposits.waitFor();
    await pay(journey(), address, '25000000');
    const row = deposits.getByRole('row').filter({ hasText: '$25' });
    await row.filter({ hasText: 'arrived' }).waitFor();
    await row.getByText('arrived', { exact: true }).click();
    expect(await row.getByRole('listitem').count()).toBe(4);
    expect(await row.count()).toBe(1);

    await page.goto(`${journey().url}/wallet/withdraw`);
    await page.getByLabel(/^Amount, of/).fill('12.5');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw $12.50' }).click();
    await page
      .getByText(/\$12\.50 as USDC (is set aside; the list below follows it|has arrived)/)
      .waitFor();
    await page.goto(`${journey().url}/wallet`);
    await page
      .getByRole('row')
      .filter({ hasText: 'USDC' })
      .filter({ hasText: '12.5' })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows by steps how far it has come, and where it ended if it did not arrive', async () => {
    const { page, complaints } = await journey().newcomer(360);
    await page.goto(`${journey().url}/wallet/deposit`);
    await page.getByLabel('From which chain').selectOption('BASE');
    await page.getByLabel('Which token').selectOption('USDC');
    const address = await addressOn(page);
    // it is under way for as long as it takes to be seen there
    const faults = `${journey().address('control')}/faults`;
    const armed = { method: 'POST', body: JSON.stringify({ name: 'bridge-stuck' }) };
    expect((await fetch(faults, armed)).status).toBe(200);
    await pay(journey(), address, '25000000');
    const awaited = page.locator('li[aria-current=step]');
    await awaited.waitFor();
    await page.getByText(/^Under way for/).waitFor();
    expect((await fetch(`${faults}/bridge-stuck`, { method: 'DELETE' })).status).toBe(200);
    await page.getByText('arrived', { exact: true }).first().waitFor();
    await awaited.waitFor({ state: 'detached' });

    await pay(journey(), address, '10000');
    await page.getByText('It is less than the least the bridge takes of this token.').waitFor();
    expect(await awaited.count()).toBe(0);
    expect([await violationsOf(page), await sidewaysPixels(page)]).toEqual([[], 0]);
    expect(complaints).toEqual([]);
  });

  it('is swapped from one chain to another, by a quote that says the worst', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.goto(`${journey().url}/settings`);
    const facts = page.locator('dl, div').filter({ hasText: 'EVM wallet' }).last();
    await facts.waitFor();
    const wallet = await page.evaluate<string>(
      "fetch('/api/auth/refresh', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).then((answer) => answer.json()).then(({ user }) => user.wallets.evm)",
    );
    const faucet = new URL(
      'sandbox/faucet',
      journey()
        .address('router')
        .replace(/\/v1\/?$/, '/'),
    );
    const given = await fetch(faucet, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ chain: 'BASE', address: wallet, coins: 1, dollars: 100 }),
    });
    expect(await given.text()).not.toContain('error');
    await page.goto(`${journey().url}/wallet/swap`);
    // what is held of most worth
    const sold = page.getByLabel('You sell');
    await expect.poll(() => sold.inputValue(), { timeout: STEP_AT_MOST_MS }).toBe('ETH');
    await page.getByText(/^You hold [\d.]+ ETH on Base\.$/).waitFor();
    await page.getByLabel('From', { exact: true }).selectOption('BASE');
    await page.getByLabel('To', { exact: true }).selectOption('POLYGON');
    await page.getByLabel('You sell').fill('USDC');
    await page.getByLabel('You buy').fill('USDC');
    const amount = page.getByLabel('Amount');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    expect(await amount.inputValue()).toBe('1100');
    await amount.fill('20');
    await page.getByRole('button', { name: 'Get a quote' }).click();
    await page.getByText('Worst loss, at our prices').waitFor();
    await page.getByRole('button', { name: /^Swap 20 USDC/ }).click();
    await page
      .getByRole('table', { name: 'Swaps and bridges' })
      .getByRole('row')
      .filter({ hasText: 'completed' })
      .waitFor();

    // of the coin what its own sale takes stays, and no more than that
    await page.getByLabel('You sell').fill('ETH');
    await page.getByRole('button', { name: 'All but gas' }).click();
    await expect
      .poll(() => amount.inputValue(), { timeout: STEP_AT_MOST_MS })
      .toMatch(/^1\.99\d+$/);
    await page.getByRole('button', { name: 'Get a quote' }).click();
    await page.getByRole('button', { name: /^Swap 1\.99\d* ETH/ }).click();
    await page
      .getByRole('row')
      .filter({ hasText: 'ETH to USDC' })
      .filter({ hasText: 'completed' })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('that the registry of agents takes is asked for by a form that names each fault at its field', async () => {
    const { page, complaints } = await journey().newcomer(360);
    await page.goto(`${journey().url}/wallet/registry`);
    await page.getByLabel('Name', { exact: true }).fill('BTC five minutes');
    await page.getByLabel('How others reach it (optional)').selectOption('MCP');
    await page.getByLabel('Its address there').fill('https://agents.example.com/mcp');
    await page.getByLabel('Skills (optional)').fill('planning/trading, Not A Slug!');
    await page.getByLabel('Where its skills and fields').fill('https://agents.example.com/oasf');
    const skills = page.getByLabel('Skills (optional)');
    await expect
      .poll(() => skills.getAttribute('aria-invalid'), { timeout: STEP_AT_MOST_MS })
      .toBe('true');
    const note = page.locator(`[id="${await skills.getAttribute('aria-describedby')}"]`);
    expect(await note.textContent()).toMatch(/is not a skill of the OASF taxonomy/);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    // nothing was asked of the service, and nothing is confirmed
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
