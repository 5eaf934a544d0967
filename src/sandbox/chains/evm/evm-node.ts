import { dirname } from 'node:path';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { makeFolder } from '../../../adapters/files/make-folder.ts';
import { AppError } from '../../../domain/errors.ts';
import { createEvmClient, type EvmClient } from './evm-client.ts';
import { freePort, isUp, startProcess, type EvmProcess } from './evm-process.ts';
import { createCheckpoints, settleBlocks, type Checkpoints } from './node-checkpoints.ts';
import { claimState, settleState, stateFiles, type StateFiles } from './state-files.ts';

/** A local chain, in a process of its own. */
export interface EvmNode {
  readonly chainId: number;
  /** JSON-RPC over HTTP, and over WebSocket with the scheme changed; without a trailing slash. */
  readonly url: string;
  /** Of the process that runs now. */
  readonly processId: number;
  /** Its calls wait while the node starts again. */
  readonly client: EvmClient;
  /** Settles when the chain was closed, or its node ended and does not start again. */
  readonly ended: Promise<void>;
  /**
   * Writes what of the state is not written yet, now; does nothing without a state file. Errors:
   * `chain_unavailable` where blocks follow on one another all the time.
   */
  checkpoint(): Promise<void>;
  /** Adds an empty block. Errors: those of the node. */
  addBlock(): Promise<void>;
  /**
   * Runs something while no block is made: empty ones wait for its end, and what is sent to the
   * node meanwhile is in one block behind it. Errors: those of the node, and what is thrown.
   */
  betweenBlocks<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Starts the process again from its state, without the blocks that are too old to be asked for;
   * does nothing without a state file. Happens by itself when there are many of them.
   */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts anvil on loopback. With a state file the chain goes on where it was: the node writes its
 * state when it ends in order, also when only its parent was killed, and a checkpoint is taken
 * every few seconds in case the node itself is. One that ends by itself is started again from the
 * last of them: who sent it what is lost by that sends it again, as after a reorganisation. Errors:
 * `chain_unavailable`, `store_locked`, `store_corrupt`.
 */
export async function startEvmNode(options: {
  readonly chainId: number;
  /** File in which the chain outlives a stop; null keeps nothing. */
  readonly stateFile: string | null;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Given a sentence when something is wrong with the node or its files, and when it is over. */
  readonly report?: (sentence: string) => void;
}): Promise<EvmNode> {
  const files = options.stateFile === null ? null : stateFiles(options.stateFile);
  const report =
    options.report ?? ((sentence: string) => void process.stderr.write(`sandbox: ${sentence}\n`));
  if (files !== null) {
    makeFolder(dirname(files.current));
    await settleState(files, report);
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port !== undefined && options.port !== 0 ? options.port : await freePort();
    const run = launch(options.chainId, port, files);
    if (await isUp(run, createEvmClient(urlOf(port), options.chainId)))
      return new RunningNode({ chainId: options.chainId, port, files, report }, run);
    await run.end();
    if (attempt >= LOCAL_CHAIN.startAttemptsMaximum)
      throw notStarted(options.chainId, run.lastOutput());
  }
}

function launch(chainId: number, port: number, files: StateFiles | null): EvmProcess {
  const run = startProcess(chainId, port, files);
  if (files !== null && run.processId !== null) claimState(files, run.processId);
  return run;
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function notStarted(chainId: number, said: string): AppError {
  return new AppError(
    'chain_unavailable',
    `the local chain ${chainId} did not start: ${said || 'it said nothing'}`,
  );
}

class RunningNode implements EvmNode {
  readonly chainId: number;
  readonly url: string;
  readonly client: EvmClient;
  readonly ended: Promise<void>;
  readonly #port: number;
  readonly #files: StateFiles | null;
  readonly #report: (sentence: string) => void;
  /** Does not wait while the process starts again. */
  readonly #direct: EvmClient;
  readonly #checkpoints: Checkpoints;
  readonly #stopTimer: () => void;
  readonly #restartedAtMs: number[] = [];
  #run: EvmProcess;
  #starting: Promise<void> | null = null;
  #isClosing = false;
  #finish: () => void = () => undefined;

  constructor(
    {
      chainId,
      port,
      files,
      report,
    }: {
      readonly chainId: number;
      readonly port: number;
      readonly files: StateFiles | null;
      readonly report: (sentence: string) => void;
    },
    run: EvmProcess,
  ) {
    this.#port = port;
    this.#files = files;
    this.#report = report;
    this.#run = run;
    this.chainId = chainId;
    this.url = urlOf(port);
    this.client = createEvmClient(this.url, chainId, () => this.#starting ?? Promise.resolve());
    this.#direct = createEvmClient(this.url, chainId);
    this.#checkpoints = createCheckpoints(this.#direct, files);
    this.ended = new Promise((resolve) => (this.#finish = resolve));
    this.#stopTimer = repeat(() => this.#keep(), LOCAL_CHAIN.checkpointMs);
    this.#watch(run);
  }

  get processId(): number {
    return this.#run.processId ?? 0;
  }

  checkpoint(): Promise<void> {
    return this.#checkpoints.take(true);
  }

  async addBlock(): Promise<void> {
    await this.#starting;
    await this.#checkpoints.addBlock();
  }

  async betweenBlocks<T>(run: () => Promise<T>): Promise<T> {
    await this.#starting;
    return this.#checkpoints.betweenBlocks(run);
  }

  async renew(): Promise<void> {
    if (this.#files === null || this.#isClosing) return;
    await (this.#starting ??
      this.#startAgain(async (run) => {
        await settleBlocks(this.#direct);
        await run.end();
      }));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopTimer();
    await this.#starting;
    // One that is written behind the node's own last state would pass for the newer of the two.
    await this.#checkpoints.idle();
    if (this.#files !== null && !this.#run.hasEnded()) await settleBlocks(this.#direct);
    await this.#run.end();
    this.#finish();
  }

  async #keep(): Promise<void> {
    if (this.#starting !== null) return;
    await this.#checkpoints.take(false);
    if (this.#checkpoints.blocks() > LOCAL_CHAIN.blocksMaximum) await this.renew();
  }

  #watch(run: EvmProcess): void {
    void run.ended.then((how) => {
      if (run !== this.#run || this.#isClosing || this.#starting !== null) return;
      void this.#recover(run, how);
    });
  }

  /** Starts a process again that ended by itself, unless it does so time and again. */
  async #recover(run: EvmProcess, how: string): Promise<void> {
    const said = run.lastOutput() === '' ? '' : `: ${run.lastOutput()}`;
    const sinceMs = Date.now() - LOCAL_CHAIN.restartWindowMs;
    const recent = this.#restartedAtMs.filter((atMs) => atMs > sinceMs).length;
    if (this.#files === null || recent >= LOCAL_CHAIN.restartsMaximum) {
      this.#report(`the node of chain ${this.chainId} ended by itself (${how})${said}`);
      this.#finish();
      return;
    }
    this.#restartedAtMs.push(Date.now());
    this.#report(
      `the node of chain ${this.chainId} ended by itself (${how})${said}; it is started again from its last checkpoint`,
    );
    await this.#startAgain(() => Promise.resolve());
    if (!this.#run.hasEnded())
      this.#report(
        `chain ${this.chainId} is there again, at block ${await this.#direct.getBlockNumber()}`,
      );
  }

  #startAgain(endOf: (run: EvmProcess) => Promise<void>): Promise<void> {
    this.#starting = this.#restart(endOf).then(
      () => void (this.#starting = null),
      (cause: unknown) => {
        this.#starting = null;
        this.#report(cause instanceof Error ? cause.message : String(cause));
        this.#finish();
      },
    );
    return this.#starting;
  }

  async #restart(endOf: (run: EvmProcess) => Promise<void>): Promise<void> {
    await this.#checkpoints.idle();
    await endOf(this.#run);
    if (this.#files !== null) await settleState(this.#files, this.#report);
    this.#checkpoints.reset();
    for (let attempt = 1; !this.#isClosing; attempt += 1) {
      const run = launch(this.chainId, this.#port, this.#files);
      this.#run = run;
      if (await isUp(run, this.#direct)) return this.#watch(run);
      await run.end();
      if (attempt >= LOCAL_CHAIN.startAttemptsMaximum)
        throw notStarted(this.chainId, run.lastOutput());
    }
  }
}

/**
 * Does something every `everyMs`, and less often where it takes long. A node that cannot answer has
 * ended or is about to; its own last state, or the last checkpoint, remains.
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
