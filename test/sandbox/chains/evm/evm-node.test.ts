import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import { foldStateLog } from '../../../../src/sandbox/chains/evm/state-log.ts';
import { openLocalChain } from '../../../../src/sandbox/chains/evm/local-chain.ts';
import { eventually } from '../../../support/eventually.ts';

const LOADER = fileURLToPath(new URL('../../../support/typescript-loader.mjs', import.meta.url));
const CHILD = fileURLToPath(
  new URL('../../../support/fixtures/evm-node-child.ts', import.meta.url),
);
const SOMEBODY = '0x1111111111111111111111111111111111111111';

describe('a local EVM node', () => {
  const nodes: EvmNode[] = [];
  const folders: string[] = [];
  const start = async (options: Parameters<typeof startEvmNode>[0]) => {
    const node = await startEvmNode(options);
    nodes.push(node);
    return node;
  };
  const stateFile = () => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-chain-'));
    folders.push(folder);
    return join(folder, 'chain.json');
  };
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it('answers on loopback with its own chain id', async () => {
    const node = await start({ chainId: 8453, stateFile: null });
    expect([new URL(node.url).hostname, await node.client.getChainId()]).toEqual([
      '127.0.0.1',
      8453,
    ]);
  });

  it('goes on where it was after an orderly stop: balances, blocks and receipts', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    const receipt = await (await openLocalChain(first, 7))
      .sender('relayer')
      .send({ to: SOMEBODY, valueWei: 5n });
    await first.close();
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: SOMEBODY })).toBe(5n);
    // Its end put one more block on top, in which whatever it still had would be.
    expect(await second.client.getBlockNumber()).toBe(receipt.blockNumber + 1n);
    expect(
      (await second.client.getTransactionReceipt({ hash: receipt.transactionHash })).status,
    ).toBe('success');
  });

  it('has what it had taken when it was ended, with the block it happened in', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    const sender = (await openLocalChain(first, 7)).sender('relayer');
    // Each takes the node some milliseconds: it runs until its gas is spent.
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => sender.submit({ to: null, data: '0x5b600056' })),
    );
    for (const { receipt } of sent) receipt.catch(() => undefined);
    await first.close();
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getTransactionCount({ address: sender.address })).toBe(8);
    for (const { hash } of sent)
      expect((await second.client.getTransactionReceipt({ hash })).status).toBe('reverted');
  });

  it('has what it had taken when it was ended, though it fits no block together', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    const sender = (await openLocalChain(first, 7)).sender('relayer');
    await first.client.setAutomine(false);
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => sender.submit({ to: null, data: '0x5b600056' })),
    );
    for (const { receipt } of sent) receipt.catch(() => undefined);
    await first.close();
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getTransactionCount({ address: sender.address })).toBe(8);
  });

  it('goes on from the last checkpoint when the node itself is killed', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    await first.client.setBalance({ address: SOMEBODY, value: 1n });
    await first.checkpoint();
    await first.client.setBalance({ address: SOMEBODY, value: 2n });
    process.kill(first.processId, 'SIGKILL');
    await first.ended;
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: SOMEBODY })).toBe(1n);
  });

  it('goes on from its newest checkpoint, of which only what had changed was written, when the node itself is killed', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    const chain = await openLocalChain(first, 7);
    await first.checkpoint();
    const whole = readFileSync(file, 'utf8');
    const receipts = [];
    for (let round = 0; round < 3; round += 1) {
      receipts.push(await chain.sender('relayer').send({ to: SOMEBODY, valueWei: 5n }));
      await first.checkpoint();
    }
    expect(readFileSync(file, 'utf8')).toBe(whole);
    process.kill(first.processId, 'SIGKILL');
    await first.ended;
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: SOMEBODY })).toBe(15n);
    expect(await second.client.getBlockNumber()).toBe(receipts.at(-1)?.blockNumber);
    for (const { transactionHash, blockNumber } of receipts)
      expect(await second.client.getTransactionReceipt({ hash: transactionHash })).toMatchObject({
        status: 'success',
        blockNumber,
      });
    const further = await (await openLocalChain(second, 7))
      .sender('relayer')
      .send({ to: SOMEBODY, valueWei: 5n });
    expect(further.blockNumber).toBe((receipts.at(-1)?.blockNumber ?? 0n) + 1n);
  });

  it('keeps no checkpoint with what a block did and without the block, however many are made meanwhile', async () => {
    const file = stateFile();
    const node = await start({ chainId: 137, stateFile: file });
    const sender = (await openLocalChain(node, 7)).sender('relayer');
    for (let round = 1; round <= 12; round += 1) {
      const sent = await Promise.all(
        Array.from({ length: 3 }, () => sender.submit({ to: null, data: '0x5b600056' })),
      );
      for (const { receipt } of sent) receipt.catch(() => undefined);
      await node.checkpoint();
      // The node's own format, read from a copy, as a start after a kill reads it.
      for (const ending of ['', '.log']) copyFileSync(`${file}${ending}`, `${file}.copy${ending}`);
      foldStateLog({ current: `${file}.copy`, log: `${file}.copy.log` });
      const { transactions, accounts } = JSON.parse(readFileSync(`${file}.copy`, 'utf8')) as {
        readonly transactions: readonly unknown[];
        readonly accounts: Readonly<Record<string, { readonly nonce: number }>>;
      };
      expect(accounts[sender.address.toLowerCase()]?.nonce ?? 0).toBe(transactions.length);
    }
  });

  it('drops a parting state that was cut short and keeps the checkpoint', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    await first.client.setBalance({ address: SOMEBODY, value: 9n });
    await first.checkpoint();
    await first.close();
    writeFileSync(`${file}.parting`, readFileSync(`${file}.parting`, 'utf8').slice(0, -100));
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: SOMEBODY })).toBe(9n);
    expect(existsSync(`${file}.parting`)).toBe(false);
  });

  it('ends when its parent is killed, and loses nothing by it', async () => {
    const file = stateFile();
    const parent = spawn(process.execPath, ['--import', LOADER, CHILD, file, SOMEBODY], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const nodeId = Number((await lines.next()).value);
    const sent = String((await lines.next()).value).split(' ');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    // Waits for the node of the run before by itself.
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: SOMEBODY })).toBe(77n);
    for (const hash of sent)
      expect((await second.client.getTransactionReceipt({ hash: hash as Hex })).status).toBe(
        'reverted',
      ); // the child prints hashes
    await eventually(() => expect(() => process.kill(nodeId, 0)).toThrow());
  });

  it('says why it cannot start', async () => {
    const file = stateFile();
    writeFileSync(file, 'not a state');
    await expect(start({ chainId: 137, stateFile: file })).rejects.toMatchObject({
      code: 'chain_unavailable',
    });
  });
});

describe("an account's one queue", () => {
  it('brings transactions sent at once into blocks, each once and in order', async () => {
    const node = await startEvmNode({ chainId: 137, stateFile: null });
    try {
      const sender = (await openLocalChain(node, 7)).sender('relayer');
      const receipts = await Promise.all(
        Array.from({ length: 30 }, () => sender.send({ to: SOMEBODY, valueWei: 1n })),
      );
      expect(receipts.map(({ blockNumber }) => Number(blockNumber))).toEqual(
        receipts.map((_, index) => Number(receipts[0]?.blockNumber) + index),
      );
      expect(await node.client.getBalance({ address: SOMEBODY })).toBe(30n);
    } finally {
      await node.close();
    }
  });

  it('tells of a revert, and goes on with the next', async () => {
    const node = await startEvmNode({ chainId: 137, stateFile: null });
    try {
      const sender = (await openLocalChain(node, 7)).sender('relayer');
      await expect(sender.send({ to: null, data: '0xfd' })).rejects.toMatchObject({
        code: 'chain_reverted',
      });
      expect((await sender.send({ to: SOMEBODY, valueWei: 1n })).status).toBe('success');
    } finally {
      await node.close();
    }
  });
});
