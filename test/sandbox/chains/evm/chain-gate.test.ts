import { createWalletClient, http, webSocket, type Hex, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import { createWallClock } from '../../../../src/adapters/clock/wall-clock.ts';
import { startChainGate } from '../../../../src/sandbox/chains/evm/chain-gate.ts';
import { createEvmClient, type EvmClient } from '../../../../src/sandbox/chains/evm/evm-client.ts';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import type { SentTransaction } from '../../../../src/sandbox/chains/evm/sent-transaction.ts';
import { createFaultBoard, type FaultBoard } from '../../../../src/sandbox/faults.ts';
import type { Listening } from '../../../../src/sandbox/wire/http-server.ts';
import { createHeldClock, HELD_MS } from '../../../support/clocks/held-clock.ts';
import { eventually } from '../../../support/eventually.ts';

const TO = '0x00000000000000000000000000000000000000aa';

describe('the gate before a node', () => {
  let node: EvmNode;
  let gate: Listening;
  let faults: FaultBoard;
  const clock = createHeldClock(createWallClock());
  let outside: EvmClient;
  let seen: SentTransaction[];
  beforeAll(async () => {
    node = await startEvmNode({ chainId: 8453, stateFile: null });
    faults = createFaultBoard(createSeededRandom('gate'));
    gate = await startChainGate({
      node,
      faults,
      clock,
      before: [async (transaction) => void seen.push(transaction)],
    });
    outside = createEvmClient(gate.url, 8453);
  });
  beforeEach(() => {
    seen = [];
    faults.clearAll();
  });
  afterAll(async () => {
    await gate.close();
    await node.close();
  });

  /** A wallet with coins, which sends through the gate. */
  async function aWallet() {
    const account = privateKeyToAccount(generatePrivateKey());
    await node.client.setBalance({ address: account.address, value: 10n ** 18n });
    const wallet = createWalletClient({ account, chain: base, transport: http(gate.url) });
    return {
      address: account.address,
      send: (more: { readonly nonce?: number } = {}) =>
        wallet.sendTransaction({ to: TO, value: 1n, gas: 21_000n, ...more }),
      again: (raw: Hex) => wallet.sendRawTransaction({ serializedTransaction: raw }),
    };
  }
  const countOf = (address: Hex) => node.client.getTransactionCount({ address });
  const receipts = () => outside as unknown as PublicClient; // the same calls, with fewer types
  const mined = (hash: Hex) => receipts().waitForTransactionReceipt({ hash });

  it('lets every call through as it is, over both wires, and shows transactions beforehand', async () => {
    expect(await outside.getChainId()).toBe(8453);
    await expect(outside.call({ to: TO, data: '0x', value: 10n ** 30n })).rejects.toThrow();
    const wallet = await aWallet();
    const hash = await wallet.send();
    expect((await mined(hash)).status).toBe('success');
    expect(seen).toMatchObject([{ hash, from: wallet.address, nonce: 0 }]);
    const socket = webSocket(gate.url.replace('http', 'ws'))({ chain: base });
    expect(await socket.request({ method: 'eth_chainId' })).toBe('0x2105');
    const { value } = socket;
    (await value?.getRpcClient())?.close();
  });

  it('loses a transaction behind its hash, and those after it wait for its nonce', async () => {
    const wallet = await aWallet();
    faults.arm('nonce-gap', { times: 1, match: { address: wallet.address } });
    const lost = await wallet.send({ nonce: 0 });
    const [first] = seen;
    const later = await wallet.send({ nonce: 1 });
    expect(first?.hash).toBe(lost);
    expect(await countOf(wallet.address)).toBe(0);
    // the same bytes fill the gap, and the one behind it follows
    expect(await wallet.again(first?.raw ?? '0x')).toBe(lost);
    for (const hash of [lost, later]) expect((await mined(hash)).status).toBe('success');
    expect(await countOf(wallet.address)).toBe(2);
  });

  it('refuses a transaction that pays less than the block costs, and takes it when the fee has fallen', async () => {
    const wallet = await aWallet();
    faults.arm('underpriced-gas', { times: 1 });
    await expect(wallet.send()).rejects.toThrow(/fee per gas less than block base fee/);
    expect(await countOf(wallet.address)).toBe(0);
    expect((await mined(await wallet.send())).status).toBe('success');
  });

  it('takes a transaction and cuts the connection, and the same bytes change nothing', async () => {
    const wallet = await aWallet();
    faults.arm('evm-answer-lost', { times: 1 });
    await expect(wallet.send()).rejects.toThrow();
    await eventually(async () => expect(await countOf(wallet.address)).toBe(1));
    await expect(wallet.again(seen[0]?.raw ?? '0x')).rejects.toThrow();
    expect(await countOf(wallet.address)).toBe(1);
  });

  it('takes a block back without the transaction, which the same bytes bring again', async () => {
    const [wallet, other] = [await aWallet(), await aWallet()];
    faults.arm('block-taken-back', { times: 1, delayMs: HELD_MS });
    const hash = await wallet.send();
    const [sent] = seen;
    const kept = await other.send();
    const before = await outside.getBlockNumber();
    clock.letGo();
    await eventually(async () => expect(await countOf(wallet.address)).toBe(0));
    expect(await outside.getBlockNumber()).toBeGreaterThanOrEqual(before);
    await expect(outside.getTransactionReceipt({ hash })).rejects.toThrow();
    expect((await mined(kept)).status).toBe('success');
    expect(await countOf(other.address)).toBe(1);
    expect(await wallet.again(sent?.raw ?? '0x')).toBe(hash);
    expect((await mined(hash)).status).toBe('success');
  });

  it('takes a block back whole though others come on top of it all the while', async () => {
    const wallets = await Promise.all(Array.from({ length: 8 }, aWallet));
    const state = { isOver: false };
    const growing = (async () => {
      while (!state.isOver) await node.addBlock();
    })();
    for (const wallet of wallets) {
      faults.arm('block-taken-back', { times: 1, match: { address: wallet.address }, delayMs: 0 });
      await wallet.send();
    }
    await eventually(async () =>
      expect(await Promise.all(wallets.map(({ address }) => countOf(address)))).toEqual(
        wallets.map(() => 0),
      ),
    );
    state.isOver = true;
    await growing;
  });
});
