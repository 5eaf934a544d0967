import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import { foldedState } from '../../../../src/sandbox/chains/evm/state-log.ts';
import { openLocalChain } from '../../../../src/sandbox/chains/evm/local-chain.ts';
import { eventually } from '../../../support/eventually.ts';

const LOADER = fileURLToPath(new URL('../../../support/typescript-loader.mjs', import.meta.url));
const CHILD = fileURLToPath(
  new URL('../../../support/fixtures/evm-node-child.ts', import.meta.url),
);
const RECEIVER = '0x1111111111111111111111111111111111111111';

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
      .send({ to: RECEIVER, valueWei: 5n });
    await first.close();
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: RECEIVER })).toBe(5n);
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

  it('is started again by itself from the last checkpoint when it is killed, and says so once', async () => {
    const said: string[] = [];
    const node = await start({
      chainId: 137,
      stateFile: stateFile(),
      report: (sentence) => said.push(sentence),
    });
    await node.client.setBalance({ address: RECEIVER, value: 1n });
    await node.checkpoint();
    await node.client.setBalance({ address: RECEIVER, value: 2n });
    const killed = node.processId;
    process.kill(killed, 'SIGKILL');
    await eventually(() => expect(said).toHaveLength(2));
    expect(await node.client.getBalance({ address: RECEIVER })).toBe(1n);
    expect(node.processId).not.toBe(killed);
    expect(said).toEqual([
      'the node of chain 137 ended by itself (SIGKILL); it is started again from its last checkpoint',
      'chain 137 is there again, at block 0',
    ]);
  });

  it('is given up when it ends time and again', async () => {
    const said: string[] = [];
    const node = await start({
      chainId: 137,
      stateFile: stateFile(),
      report: (sentence) => said.push(sentence),
    });
    for (let again = 1; again <= LOCAL_CHAIN.restartsMaximum; again += 1) {
      process.kill(node.processId, 'SIGKILL');
      await eventually(() => expect(said).toHaveLength(2 * again));
    }
    process.kill(node.processId, 'SIGKILL');
    await node.ended;
    expect(said.at(-1)).toBe('the node of chain 137 ended by itself (SIGKILL)');
  });

  it('takes a checkpoint of a state above 10 MiB on the wire, while transactions come', async () => {
    const file = stateFile();
    const node = await start({ chainId: 137, stateFile: file });
    // Code of unused accounts that does not compress.
    for (let account = 1; account <= 12; account += 1)
      await node.client.setCode({
        address: `0x${account.toString(16).padStart(40, '0')}`,
        bytecode: `0x${randomBytes(1 << 19).toString('hex')}`,
      });
    const state = await node.client.dumpState();
    expect(state.length).toBeGreaterThan(10 << 20);
    const sender = (await openLocalChain(node, 7)).sender('relayer');
    const [receipt] = await Promise.all([
      sender.send({ to: RECEIVER, valueWei: 5n }),
      node.checkpoint(),
    ]);
    await node.checkpoint();
    process.kill(node.processId, 'SIGKILL');
    await eventually(async () =>
      expect(
        await node.client.getTransactionReceipt({ hash: receipt.transactionHash }),
      ).toMatchObject({ status: 'success' }),
    );
    expect(await node.client.getCode({ address: `0x${'1'.padStart(40, '0')}` })).toHaveLength(
      (1 << 20) + 2,
    );
  });

  it('starts again without its old blocks, and has what happened in the others', async () => {
    const node = await start({ chainId: 137, stateFile: stateFile() });
    const sender = (await openLocalChain(node, 7)).sender('relayer');
    const old = await sender.send({ to: RECEIVER, valueWei: 5n });
    await node.client.mine({ blocks: LOCAL_CHAIN.blocksKept });
    const late = await sender.send({ to: RECEIVER, valueWei: 5n });
    const before = node.processId;
    const [, balance] = await Promise.all([
      node.renew(),
      // A call meanwhile waits.
      node.client.getBalance({ address: RECEIVER }),
    ]);
    expect([balance, node.processId === before]).toEqual([10n, false]);
    const newest = await node.client.getBlock();
    expect(await node.client.getBlock({ blockNumber: late.blockNumber })).toMatchObject({
      hash: late.blockHash,
    });
    await expect(node.client.getBlock({ blockNumber: old.blockNumber })).rejects.toThrow(
      'could not be found',
    );
    expect(await node.client.getTransactionReceipt({ hash: late.transactionHash })).toMatchObject({
      status: 'success',
      blockNumber: late.blockNumber,
    });
    expect((await sender.send({ to: RECEIVER, valueWei: 5n })).blockNumber).toBe(
      (newest.number ?? 0n) + 1n,
    );
  });

  it('goes on from its newest checkpoint, of which only what had changed was written, when the node itself is killed', async () => {
    const file = stateFile();
    const first = await start({ chainId: 137, stateFile: file });
    const chain = await openLocalChain(first, 7);
    await first.checkpoint();
    const whole = readFileSync(file, 'utf8');
    const receipts = [];
    for (let round = 0; round < 3; round += 1) {
      receipts.push(await chain.sender('relayer').send({ to: RECEIVER, valueWei: 5n }));
      await first.checkpoint();
    }
    expect(readFileSync(file, 'utf8')).toBe(whole);
    const killed = first.processId;
    process.kill(killed, 'SIGKILL');
    await eventually(() => expect(first.processId).not.toBe(killed));
    expect(await first.client.getBalance({ address: RECEIVER })).toBe(15n);
    expect(await first.client.getBlockNumber()).toBe(receipts.at(-1)?.blockNumber);
    for (const { transactionHash, blockNumber } of receipts)
      expect(await first.client.getTransactionReceipt({ hash: transactionHash })).toMatchObject({
        status: 'success',
        blockNumber,
      });
    const further = await (await openLocalChain(first, 7))
      .sender('relayer')
      .send({ to: RECEIVER, valueWei: 5n });
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
      const { transactions, accounts } = foldedState({
        current: `${file}.copy`,
        log: `${file}.copy.log`,
      });
      expect(accounts[sender.address.toLowerCase()]).toMatchObject({ nonce: transactions.length });
    }
  });

  it.each([
    ['the state of its end', '.parting', ''],
    ['the checkpoint', '', '.parting'],
  ])(
    'goes on from the other of both when %s was cut short, and says so',
    async (_, broken, other) => {
      const file = stateFile();
      const said: string[] = [];
      const first = await start({ chainId: 137, stateFile: file });
      await first.client.setBalance({ address: RECEIVER, value: 9n });
      await first.checkpoint();
      await first.close();
      writeFileSync(`${file}${broken}`, readFileSync(`${file}${broken}`, 'utf8').slice(0, -100));
      // The newest is read first, and files written within one tick of the system are of one time.
      const later = Date.now() / 1_000 + 1;
      utimesSync(`${file}${broken}`, later, later);
      const second = await start({
        chainId: 137,
        stateFile: file,
        report: (sentence) => said.push(sentence),
      });
      expect(await second.client.getBalance({ address: RECEIVER })).toBe(9n);
      expect(said).toEqual([
        `${file}${broken} cannot be read; the chain goes on from ${file}${other}.`,
      ]);
    },
  );

  it('goes on from the checkpoint of the start before when nothing newer can be read', async () => {
    const file = stateFile();
    for (const value of [9n, 8n]) {
      const node = await start({ chainId: 137, stateFile: file });
      await node.client.setBalance({ address: RECEIVER, value });
      await node.checkpoint();
      await node.close();
    }
    for (const broken of ['', '.parting']) writeFileSync(`${file}${broken}`, '{"accounts":');
    const last = await start({ chainId: 137, stateFile: file, report: () => undefined });
    expect(await last.client.getBalance({ address: RECEIVER })).toBe(9n);
  });

  it('ends when its parent is killed, and loses nothing by it', async () => {
    const file = stateFile();
    const parent = spawn(process.execPath, ['--import', LOADER, CHILD, file, RECEIVER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const nodeId = Number((await lines.next()).value);
    const sent = String((await lines.next()).value).split(' ');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    // Waits for the node of the run before by itself.
    const second = await start({ chainId: 137, stateFile: file });
    expect(await second.client.getBalance({ address: RECEIVER })).toBe(77n);
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
      code: 'store_corrupt',
    });
  });
});

describe("an account's one queue", () => {
  it('brings transactions sent at once into blocks, each once and in order', async () => {
    const node = await startEvmNode({ chainId: 137, stateFile: null });
    try {
      const sender = (await openLocalChain(node, 7)).sender('relayer');
      const receipts = await Promise.all(
        Array.from({ length: 30 }, () => sender.send({ to: RECEIVER, valueWei: 1n })),
      );
      expect(receipts.map(({ blockNumber }) => Number(blockNumber))).toEqual(
        receipts.map((_, index) => Number(receipts[0]?.blockNumber) + index),
      );
      expect(await node.client.getBalance({ address: RECEIVER })).toBe(30n);
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
      expect((await sender.send({ to: RECEIVER, valueWei: 1n })).status).toBe('success');
    } finally {
      await node.close();
    }
  });
});
