import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { hexToBytes } from 'viem';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import { createEvmClient, type EvmClient } from './evm-client.ts';
import { claimState, settleState, stateFiles, type StateFiles } from './state-files.ts';
import { openStateLog } from './state-log.ts';
import { makeFolder } from '../../../adapters/files/make-folder.ts';

/** How to run a node. */
export interface EvmNodeOptions {
  readonly chainId: number;
  /** File in which the chain outlives a stop; null keeps nothing. */
  readonly stateFile: string | null;
  /** 0 or absent: any free port. */
  readonly port?: number;
}

/** A local chain, in a process of its own. */
export interface EvmNode {
  readonly chainId: number;
  /** JSON-RPC over HTTP, and over WebSocket with the scheme changed; without a trailing slash. */
  readonly url: string;
  readonly processId: number;
  readonly client: EvmClient;
  /** Settles when the process has ended, wanted or not. */
  readonly ended: Promise<void>;
  /**
   * Writes what of the state is not written yet, now; does nothing without a state file. Errors:
   * `chain_unavailable` where blocks follow on one another all the time.
   */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Becomes the node while a side process waits for the end of standard input, which comes when the
 * parent is gone however it ended, and then asks the node to end: anvil itself does not watch its
 * parent. A line on standard input dismisses it. Nobody sends the node anything any more, so in a
 * second it has made the block it was at (`settleBlocks`).
 */
const WATCHED =
  'exec 3<&0 </dev/null; ( read -r _ <&3 || { sleep 1; kill -TERM $$; } ) & exec 3<&-; exec "$@"';

/**
 * Starts anvil on loopback. With a state file the chain goes on where it was: the node writes its
 * state when it ends in order, also when only its parent was killed, and a checkpoint is taken
 * every few seconds in case the node itself is. Errors: `chain_unavailable`, `store_locked`.
 */
export async function startEvmNode(options: EvmNodeOptions): Promise<EvmNode> {
  const files = options.stateFile === null ? null : stateFiles(options.stateFile);
  if (files !== null) {
    makeFolder(dirname(files.current));
    await settleState(files);
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port !== undefined && options.port !== 0 ? options.port : await freePort();
    const run = launch(options, port, files);
    if (files !== null && run.child.pid !== undefined) claimState(files, run.child.pid);
    const client = createEvmClient(`http://127.0.0.1:${port}`, options.chainId);
    if (await isUp(run, client)) return nodeOf(options, run, client, files);
    await end(run);
    if (attempt >= LOCAL_CHAIN.startAttemptsMaximum) {
      throw new AppError(
        'chain_unavailable',
        `the local chain ${options.chainId} did not start: ${run.lastOutput() || 'it said nothing'}`,
      );
    }
  }
}

interface Run {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  lastOutput(): string;
}

function launch({ chainId }: EvmNodeOptions, port: number, files: StateFiles | null): Run {
  const anvil = join(
    dirname(createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json')),
    'bin',
    'anvil',
  );
  const settings = [
    '--chain-id',
    String(chainId),
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--silent',
    '--hardfork',
    'prague',
    '--accounts',
    '0',
    ...(files === null
      ? []
      : [
          '--dump-state',
          files.parting,
          ...(existsSync(files.current) ? ['--load-state', files.current] : []),
        ]),
  ];
  // A group of its own: a terminal's Ctrl-C must not end the chain before the world that stands on
  // it.
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', anvil, ...settings], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let over = false;
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2_000)));
  // The watcher may be gone before it is dismissed.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    const finish = () => {
      over = true;
      child.stdin?.end('done\n');
      resolve();
    };
    child.once('exit', finish);
    child.once('error', finish);
  });
  return { child, port, ended, hasEnded: () => over, lastOutput: () => words.trim() };
}

async function isUp(run: Run, client: EvmClient): Promise<boolean> {
  for (
    const deadline = Date.now() + LOCAL_CHAIN.startTimeoutMs;
    Date.now() < deadline && !run.hasEnded();
    await delay(LOCAL_CHAIN.pollMs)
  ) {
    try {
      const chainId = await client.getChainId();
      // Another process on a port that was free a moment ago could answer too.
      if (!run.hasEnded() && chainId === client.chain.id) return true;
    } catch {
      // Not listening yet.
    }
  }
  return false;
}

function nodeOf(
  { chainId }: EvmNodeOptions,
  run: Run,
  client: EvmClient,
  files: StateFiles | null,
): EvmNode {
  const checkpoint = checkpointer(client, files);
  const stop = repeat(() => checkpoint.take(false), LOCAL_CHAIN.checkpointMs);
  void run.ended.then(stop);
  return {
    chainId,
    url: `http://127.0.0.1:${run.port}`,
    processId: run.child.pid ?? 0,
    client,
    ended: run.ended,
    checkpoint: () => checkpoint.take(true),
    async close() {
      stop();
      // One that is written behind the node's own last state would pass for the newer of the two.
      await checkpoint.idle();
      if (files !== null && !run.hasEnded()) await settleBlocks(client);
      await end(run);
    },
  };
}

/**
 * Does something every `everyMs`, and less often where it takes long. A node that cannot answer has
 * ended or is about to; its own last state, or the last checkpoint, stands.
 */
function repeat(work: () => Promise<void>, everyMs: number): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (delayMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      const beganMs = Date.now();
      void work()
        .catch(() => undefined)
        .then(() =>
          schedule(Math.max(everyMs, (Date.now() - beganMs) * LOCAL_CHAIN.checkpointRest)),
        );
    }, delayMs);
    timer.unref();
  };
  schedule(everyMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/**
 * Puts what the node has taken into blocks, two transactions in each or more, and lets it make no
 * further one: a node that is ended while it makes a block writes the state behind it without the
 * block, and nobody ever finds the events of what has happened.
 */
async function settleBlocks(client: EvmClient): Promise<void> {
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

interface Checkpointer {
  /** Unless forced, does nothing where no block was made since the last. */
  take(isForced: boolean): Promise<void>;
  /** Resolves when none is being written. */
  idle(): Promise<void>;
}

/**
 * Takes the state over the wire and writes what has changed: the node's own interval writes all of
 * it, into the file it would load.
 */
function checkpointer(client: EvmClient, files: StateFiles | null): Checkpointer {
  const log = files === null ? null : openStateLog(files);
  let savedBlock = -1n;
  let queue: Promise<void> = Promise.resolve();
  const save = async (isForced: boolean) => {
    if (log === null) return;
    const block = await client.getBlockNumber();
    if (block === savedBlock && !isForced) return;
    const { state, blockNumber } = await stateBetweenBlocks(client);
    log.save(state);
    savedBlock = blockNumber;
  };
  return {
    take(isForced) {
      const saved = queue.then(() => save(isForced));
      queue = saved.catch(() => undefined);
      return saved;
    },
    idle: () => queue,
  };
}

/**
 * The state as it is while no block is made: handed over during one it has what the block did
 * without the block. A block in the making has its transactions in the pool until it is there to be
 * counted, so they are looked for first. Errors: `chain_unavailable`.
 */
async function stateBetweenBlocks(
  client: EvmClient,
): Promise<{ readonly state: string; readonly blockNumber: bigint }> {
  for (let attempt = 1; attempt <= LOCAL_CHAIN.checkpointAttempts; attempt += 1) {
    const blockNumber = await client.getBlockNumber();
    const state = await client.dumpState();
    const { pending } = await client.getTxpoolStatus();
    if (pending === 0 && (await client.getBlockNumber()) === blockNumber)
      return { state: gunzipSync(hexToBytes(state)).toString('utf8'), blockNumber };
    await delay(LOCAL_CHAIN.pollMs);
  }
  throw new AppError(
    'chain_unavailable',
    `the local chain ${client.chain.id} was never between two blocks`,
    { retryable: true },
  );
}

async function end(run: Run): Promise<void> {
  if (!run.hasEnded()) run.child.kill('SIGTERM');
  const force = setTimeout(() => run.child.kill('SIGKILL'), LOCAL_CHAIN.stopTimeoutMs);
  await run.ended;
  clearTimeout(force);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port was given')),
      );
    });
  });
}
