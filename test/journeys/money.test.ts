import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { withJourney } from './support/journey.ts';

/** USDC on Base (reference: web3.md). */
const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('money', () => {
  const journey = withJourney();

  it('is seen to arrive at the address of a QR code, and to leave for one’s own wallet', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.goto(`${journey().url}/wallet/deposit`);
    await page.getByLabel('From which chain').selectOption('BASE');
    await page.getByLabel('Which token').selectOption('USDC');
    const code = page.getByRole('img', { name: /^QR code of 0x/ });
    const address = ((await code.getAttribute('aria-label')) ?? '').replace('QR code of ', '');
    const deposits = page.getByRole('table', { name: 'Deposits' });
    await deposits.waitFor();
    const before = await deposits.getByRole('row').count();
    const paid = await fetch(`${journey().address('bridge')}/sandbox/payments`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        transaction: 'one',
        chainId: '8453',
        address,
        token: USDC_ON_BASE,
        amount: '25000000',
      }),
    });
    expect(paid.ok).toBe(true);
    const row = deposits.getByRole('row').filter({ hasText: '$25' });
    await row.filter({ hasText: 'arrived' }).waitFor();
    expect(await deposits.getByRole('row').count()).toBe(before + 1);

    await page.goto(`${journey().url}/wallet/withdraw`);
    await page.getByLabel(/^Amount, of/).fill('12.5');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw $12.50' }).click();
    await page.getByText(/\$12\.50 (is set aside and on its way|has arrived)/).waitFor();
    await page.goto(`${journey().url}/wallet`);
    await page
      .getByRole('row')
      .filter({ hasText: 'USDC' })
      .filter({ hasText: '12.5' })
      .first()
      .waitFor();
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
    await page.getByLabel('From', { exact: true }).selectOption('BASE');
    await page.getByLabel('To', { exact: true }).selectOption('POLYGON');
    await page.getByLabel('You sell').fill('USDC');
    await page.getByLabel('You buy').fill('USDC');
    await page.getByLabel('Amount').fill('20');
    await page.getByRole('button', { name: 'Get a quote' }).click();
    await page.getByText('Worst loss, at our prices').waitFor();
    await page.getByRole('button', { name: /^Swap 20 USDC/ }).click();
    await page
      .getByRole('table', { name: 'Swaps and bridges' })
      .getByRole('row')
      .filter({ hasText: 'completed' })
      .waitFor();
    expect(complaints).toEqual([]);
  });
});
