import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VENUE_A_CHAIN } from '../../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { NON_EVM } from '../../../../../src/sandbox/venues/venue-a/bridge/bridge-model.ts';
import {
  bridgeAddresses,
  type BridgeAddresses,
} from '../../../../../src/sandbox/venues/venue-a/bridge/bridge-addresses.ts';
import {
  startBridgeChains,
  startBridgeFixture,
  type BridgeChains,
  type BridgeFixture,
} from '../../../../support/fixtures/bridge-fixture.ts';
import { eventually } from '../../../../support/eventually.ts';

const ALL = ['DEPOSIT_DETECTED', 'PROCESSING', 'ORIGIN_TX_CONFIRMED', 'SUBMITTED', 'COMPLETED'];

/** What the wire says of a transfer. */
interface Row {
  readonly fromChainId: string;
  readonly fromAmountBaseUnit: string;
  readonly toTokenAddress: string;
  readonly status: string;
  readonly txHash?: Hex;
}

/** Local chains take a second to start, and more on a busy machine. */
describe('the bridge of the sandbox', () => {
  let chains: BridgeChains;
  let fixture: BridgeFixture;
  let folder: string;
  let wallets = 0;
  beforeAll(async () => {
    chains = await startBridgeChains();
  });
  afterAll(() => chains.close());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'predictd-bridge-'));
    fixture = await startBridgeFixture(chains, folder);
  });
  afterEach(async () => {
    await fixture.bridge.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const newWallet = (): Hex => {
    wallets += 1;
    return `0x${String(wallets).padStart(40, '5')}`;
  };
  async function call<T = unknown>(
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: T }> {
    const answer = await fetch(
      `${fixture.bridge.url}${path}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    );
    // the caller names what it expects, and looks at it
    return { status: answer.status, body: (await answer.json()) as T };
  }
  const deposit = async (wallet: Hex): Promise<BridgeAddresses> =>
    (await call<{ readonly address: BridgeAddresses }>('/deposit', { address: wallet })).body
      .address;
  const rowsOf = async (address: string): Promise<readonly Row[]> =>
    (await call<{ readonly transactions: readonly Row[] }>(`/status/${address}`)).body.transactions;
  /** Looks and mines until the transfers to an address have ended. */
  const ended = (address: string, count = 1): Promise<readonly Row[]> =>
    eventually(async () => {
      await chains.mine();
      await fixture.bridge.work();
      const rows = await rowsOf(address);
      expect(
        rows.filter(({ status }) => status === 'COMPLETED' || status === 'FAILED'),
      ).toHaveLength(count);
      return rows;
    });
  const statesOf = (): readonly (readonly string[])[] => [...fixture.states.values()];

  it('tells what it takes, and gives a wallet the same addresses each time', async () => {
    const { body } = await call<{
      readonly supportedAssets: readonly { readonly chainName: string }[];
    }>('/supported-assets');
    expect(new Set(body.supportedAssets.map(({ chainName }) => chainName)).size).toBe(9);
    expect(body.supportedAssets[0]).toEqual({
      chainId: '1',
      chainName: 'Ethereum',
      token: {
        name: 'USD Coin',
        symbol: 'USDC',
        address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        decimals: 6,
      },
      minCheckoutUsd: 7,
    });
    const wallet = newWallet();
    const first = await call<{ readonly address: BridgeAddresses }>('/deposit', {
      address: wallet,
    });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      address: bridgeAddresses(7, wallet),
      warning: 'missing_builder_code',
    });
    expect([
      first.body.address.btc[0],
      first.body.address.tvm[0],
      first.body.address.btc.length > 25,
      first.body.address.tvm.length,
    ]).toEqual(['1', 'T', true, 34]);
    expect(await deposit(wallet)).toEqual(first.body.address);
    expect(await call('/deposit', { address: 'unknown' })).toEqual({
      status: 400,
      body: { error: 'invalid address' },
    });
    expect((await call('/status/unknown')).body).toEqual({ transactions: [] });
  });

  it('credits dollars from Base and from Polygon through every status, once each', async () => {
    const wallet = newWallet();
    const { evm } = await deposit(wallet);
    await chains.pay('base', { to: evm, micros: 25_000_000n });
    await chains.pay('polygon', { to: evm, micros: 3_000_000n });
    const transactions = await ended(evm, 2);
    expect(
      transactions
        .map(({ fromChainId, fromAmountBaseUnit, toTokenAddress, status }) => [
          fromChainId,
          fromAmountBaseUnit,
          toTokenAddress,
          status,
        ])
        .sort(),
    ).toEqual([
      ['137', '3000000', VENUE_A_CHAIN.collateral, 'COMPLETED'],
      ['8453', '25000000', VENUE_A_CHAIN.collateral, 'COMPLETED'],
    ]);
    expect(statesOf()).toEqual([ALL, ALL]);
    expect(await chains.collateralOf(wallet)).toBe(28_000_000n);
    const receipt = await chains.polygon.node.client.getTransactionReceipt({
      hash: transactions[0]?.txHash ?? '0x',
    });
    expect(receipt.status).toBe('success');
  });

  it('credits dollars from Solana', async () => {
    const wallet = newWallet();
    const { svm } = await deposit(wallet);
    await chains.solana.give(svm, { usdc: '7.5' });
    await ended(svm);
    await chains.solana.give(svm, { usdc: '2.5' });
    await ended(svm, 2);
    expect(statesOf()).toEqual([ALL, ALL]);
    expect(await chains.collateralOf(wallet)).toBe(10_000_000n);
  });

  it('keeps what is below the least and what it does not take: such a transfer fails', async () => {
    const wallet = newWallet();
    const { evm } = await deposit(wallet);
    await chains.pay('base', { to: evm, micros: 1_999_999n });
    await chains.pay('polygon', { to: evm, micros: 50_000_000n, token: VENUE_A_CHAIN.collateral });
    await ended(evm, 2);
    expect(statesOf()).toEqual([
      ['DEPOSIT_DETECTED', 'PROCESSING', 'FAILED'],
      ['DEPOSIT_DETECTED', 'PROCESSING', 'FAILED'],
    ]);
    expect(await chains.collateralOf(wallet)).toBe(0n);
  });

  it('models chains without a node behind the same wire', async () => {
    const wallet = newWallet();
    const { tvm } = await deposit(wallet);
    const paid = {
      transaction: 'abc',
      chainId: NON_EVM.tron,
      address: tvm,
      token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      amount: '12000000',
    };
    expect(await call('/sandbox/payments', paid)).toEqual({ status: 200, body: { taken: true } });
    expect((await call('/sandbox/payments', paid)).status).toBe(200);
    expect((await call('/sandbox/payments', { ...paid, chainId: NON_EVM.solana })).status).toBe(
      400,
    );
    expect((await call('/sandbox/payments', { ...paid, address: wallet })).status).toBe(404);
    await ended(tvm);
    expect(statesOf()).toEqual([ALL]);
    expect(await chains.collateralOf(wallet)).toBe(12_000_000n);
  });

  it('pays test dollars to an address on a chain with a node, where it then sees them', async () => {
    const wallet = newWallet();
    const { evm } = await deposit(wallet);
    const paid = {
      transaction: 'any',
      chainId: '8453',
      address: evm,
      token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      amount: '5000000',
    };
    expect((await call('/sandbox/payments', paid)).status).toBe(200);
    await ended(evm);
    expect(await chains.collateralOf(wallet)).toBe(5_000_000n);
    expect((await call('/sandbox/payments', { ...paid, token: wallet })).status).toBe(400);
    expect((await call('/sandbox/payments', { ...paid, address: wallet })).status).toBe(404);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'credits once when it is killed after its write number %i',
    async (writes) => {
      await fixture.bridge.close();
      const dying = await startBridgeFixture(chains, folder, { writesLeft: writes });
      fixture = dying;
      const wallet = newWallet();
      const { evm } = bridgeAddresses(7, wallet);
      await deposit(wallet);
      await chains.pay('base', { to: evm, micros: 9_000_000n });
      await eventually(async () => {
        await chains.mine();
        await dying.bridge.work().catch(() => undefined);
        expect(
          dying.power.isOut || (await rowsOf(evm)).some(({ status }) => status === 'COMPLETED'),
        ).toBe(true);
      });
      await dying.bridge.close();
      fixture = await startBridgeFixture(chains, folder);
      await deposit(wallet);
      await ended(evm);
      expect(await chains.collateralOf(wallet)).toBe(9_000_000n);
    },
  );

  it('fails, sticks and falls silent by name', async () => {
    const wallet = newWallet();
    const { evm } = await deposit(wallet);
    fixture.faults.arm('bridge-stuck', {});
    await chains.pay('base', { to: evm, micros: 9_000_000n });
    for (let poll = 0; poll < 3; poll += 1) await fixture.bridge.work();
    expect(statesOf()).toEqual([['DEPOSIT_DETECTED']]);
    fixture.faults.clearAll();
    fixture.faults.arm('bridge-failed', { times: 1 });
    await ended(evm);
    expect(statesOf()).toEqual([['DEPOSIT_DETECTED', 'PROCESSING', 'FAILED']]);
    fixture.faults.arm('bridge-unavailable', { times: 1 });
    expect((await fetch(`${fixture.bridge.url}/supported-assets`)).status).toBe(502);
  });

  // The last one: the accounts of the sandbox do not know of a chain that went back.
  it('forgets a payment that its chain took back before it was credited', async () => {
    const wallet = newWallet();
    const { evm } = await deposit(wallet);
    const snapshot = await chains.base.node.client.snapshot();
    await chains.pay('base', { to: evm, micros: 9_000_000n });
    await fixture.bridge.work();
    expect(await rowsOf(evm)).toHaveLength(1);
    await chains.base.node.client.revert({ id: snapshot });
    await fixture.bridge.work();
    expect(await rowsOf(evm)).toEqual([]);
    expect(await chains.collateralOf(wallet)).toBe(0n);
  });
});
