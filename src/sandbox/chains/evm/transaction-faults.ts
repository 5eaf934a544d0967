import { TransactionReceiptNotFoundError, type Hex, type TransactionReceipt } from 'viem';
import { CHAIN_GATE } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock, Timer } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import type { EvmClient } from './evm-client.ts';
import type { EvmNode } from './evm-node.ts';
import type { SentTransaction } from './sent-transaction.ts';

/** What meets transactions on their way to a node, by the faults that are armed. */
export interface TransactionFaults {
  /**
   * Gives the node a transaction by `forward`, or does not; the node's answer, or null for one that
   * is lost behind an answer of success. Rejects where the answer is lost.
   */
  send<T>(transaction: SentTransaction, forward: () => Promise<T>): Promise<T | null>;
  stop(): Promise<void>;
}

/** Creates them; blocks are taken back on the chains' time. */
export function createTransactionFaults(
  node: EvmNode,
  faults: FaultBoard,
  clock: Clock,
): TransactionFaults {
  const { client } = node;
  const timers = new Set<Timer>();
  let working: Promise<void> = Promise.resolve();

  function takeBackAfter(delayMs: number, transaction: SentTransaction): void {
    const timer = clock.after(delayMs, () => {
      timers.delete(timer);
      // a node that does not answer keeps its block
      working = working.then(() => takeBack(node, transaction)).catch(() => undefined);
    });
    timers.add(timer);
  }

  return {
    async send(transaction, forward) {
      const subject = { address: transaction.from };
      if (faults.take('nonce-gap', subject) !== null) return null;
      if (faults.take('underpriced-gas', subject) !== null)
        return atBaseFee(client, transaction.feePerGas + 1n, forward);
      const taken = faults.take('block-taken-back', subject);
      const answer = await forward();
      if (taken !== null) takeBackAfter(taken.delayOr(CHAIN_GATE.takenBackAfterMs), transaction);
      if (faults.take('evm-answer-lost', subject) !== null) throw new Error('the answer is lost');
      return answer;
    },
    async stop() {
      for (const timer of timers) timer.cancel();
      await working;
    },
  };
}

/** Has the next block cost so much while `work` runs, and what it would have after that. */
async function atBaseFee<T>(client: EvmClient, wei: bigint, work: () => Promise<T>): Promise<T> {
  const { baseFeePerGas } = await client.getBlock();
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: wei });
  try {
    return await work();
  } finally {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas ?? 0n });
  }
}

/**
 * Takes back the block of a transaction and those on top: blocks of the same heights take their
 * place, with all transactions but this one and later ones of its account. No block is made
 * meanwhile: one more on top would leave the lowest of them where it is.
 */
export async function takeBack(
  node: Pick<EvmNode, 'client' | 'betweenBlocks'>,
  { hash, from }: Pick<SentTransaction, 'hash' | 'from'>,
): Promise<void> {
  const { client } = node;
  await node.betweenBlocks(async () => {
    const receipt = await receiptNow(client, hash);
    if (receipt === null) return;
    const first = receipt.blockNumber;
    const head = await client.getBlockNumber({ cacheTime: 0 });
    const depth = Number(head - first) + 1;
    if (depth > CHAIN_GATE.takenBackMaximumBlocks) return;
    const others: [Hex, number][] = [];
    for (let offset = 0; offset < depth; offset += 1) {
      const block = await client.getBlock({
        blockNumber: first + BigInt(offset),
        includeTransactions: true,
      });
      for (const one of block.transactions)
        if (one.from.toLowerCase() !== from.toLowerCase())
          others.push([await rawOf(client, one.hash), offset]);
    }
    await ask(client, 'anvil_reorg', [depth, others]);
  });
}

async function receiptNow(client: EvmClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (cause) {
    if (cause instanceof TransactionReceiptNotFoundError) return null;
    throw cause;
  }
}

async function rawOf(client: EvmClient, hash: Hex): Promise<Hex> {
  return (await ask(client, 'eth_getRawTransactionByHash', [hash])) as Hex; // the node's bytes
}

function ask(client: EvmClient, method: string, params: readonly unknown[]): Promise<unknown> {
  const request = client.request as unknown as (call: {
    readonly method: string;
    readonly params: readonly unknown[];
  }) => Promise<unknown>; // viem's list of methods leaves these out
  return request({ method, params });
}
