import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import type { EvmClient } from './evm-client.ts';
import type { StateFiles } from './state-files.ts';
import { openStateLog } from './state-log.ts';

/** Writes a node's state while it runs. */
export interface Checkpoints {
  /**
   * Writes what has changed; unless forced, does nothing where no block was made since the last.
   * Errors: `chain_unavailable`.
   */
  take(isForced: boolean): Promise<void>;
  /** Adds an empty block, not while a state is taken. Errors: those of the node. */
  addBlock(): Promise<void>;
  /**
   * Runs something while the node makes no block by itself and is given no empty one; what is sent
   * to it meanwhile is in one block behind it. Errors: those of the node, and what is thrown.
   */
  betweenBlocks<T>(run: () => Promise<T>): Promise<T>;
  /** Blocks in the state that was taken last. */
  blocks(): number;
  /** Begins anew with a whole state: the node was started again. */
  reset(): void;
  /** Resolves when none is being taken. */
  idle(): Promise<void>;
}

/**
 * Takes the state over the wire and writes what has changed: the node's own interval writes all of
 * it, into the file it would load, and what a block did without the block.
 */
export function createCheckpoints(client: EvmClient, files: StateFiles | null): Checkpoints {
  let log = files === null ? null : openStateLog(files);
  let savedBlock = -1n;
  let blocks = 0;
  let queue: Promise<void> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };
  const save = async (isForced: boolean) => {
    if (log === null) return;
    const block = await client.getBlockNumber();
    if (block === savedBlock && !isForced) return;
    const { state, blockNumber } = await stateBetweenBlocks(client);
    blocks = log.save(state);
    savedBlock = blockNumber;
  };
  return {
    take: (isForced) => inTurn(() => save(isForced)),
    addBlock: () => inTurn(() => client.mine({ blocks: 1 })),
    betweenBlocks: (run) => inTurn(() => withoutBlocks(client, run)),
    blocks: () => blocks,
    reset() {
      log = files === null ? null : openStateLog(files);
      savedBlock = -1n;
      blocks = 0;
    },
    idle: () => queue,
  };
}

/**
 * The state as it is while the node makes no block: handed over during one it has what the block
 * did without the block. Errors: `chain_unavailable`.
 */
async function stateBetweenBlocks(
  client: EvmClient,
): Promise<{ readonly state: string; readonly blockNumber: bigint }> {
  const state = await withoutBlocks(client, async () => {
    for (let attempt = 1; attempt <= LOCAL_CHAIN.checkpointAttempts; attempt += 1) {
      await finishBlock(client);
      const blockNumber = await client.getBlockNumber();
      const dumped = await client.dumpState();
      // A caller may have a block made by a call of its own.
      if ((await client.getBlockNumber()) === blockNumber)
        return { state: textOf(dumped), blockNumber };
      await delay(LOCAL_CHAIN.pollMs);
    }
    return null;
  });
  if (state !== null) return state;
  throw new AppError(
    'chain_unavailable',
    `the local chain ${client.chain.id} was never between two blocks`,
    { retryable: true },
  );
}

/** Runs something while the node makes no block of what it is sent, and one of that behind it. */
async function withoutBlocks<T>(client: EvmClient, run: () => Promise<T>): Promise<T> {
  await client.setAutomine(false);
  try {
    await finishBlock(client);
    return await run();
  } finally {
    await client.setAutomine(true);
    // What came meanwhile waits for a block.
    await finishBlock(client);
  }
}

function textOf(state: string): string {
  return gunzipSync(Buffer.from(state.slice(2), 'hex')).toString('utf8');
}

/**
 * A block in the making has its transactions in the pool until it is there; making one more waits
 * for it and takes those that wait.
 */
async function finishBlock(client: EvmClient): Promise<void> {
  const { pending } = await client.getTxpoolStatus();
  if (pending > 0) await client.mine({ blocks: 1 });
}

/**
 * Puts what the node has taken into blocks, two transactions in each or more, and lets it make no
 * further one: a node that is ended while it makes a block writes the state behind it without the
 * block, and no reader ever finds the events of what has happened.
 */
export async function settleBlocks(client: EvmClient): Promise<void> {
  try {
    await client.setAutomine(false);
    let height = await client.getBlockNumber();
    for (let blocks = 0; blocks < LOCAL_CHAIN.partingBlocks; blocks += 1) {
      // Waits for the block in the making.
      await client.mine({ blocks: 1 });
      const { pending } = await client.getTxpoolStatus();
      const before = height;
      height = await client.getBlockNumber();
      // Where another block was made beside ours, the node was not yet through with what it had
      // begun.
      if (pending === 0 && height === before + 1n) return;
    }
  } catch {
    // A node that does not answer has ended or hangs: its end sees to both.
  }
}
