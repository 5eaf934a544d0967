import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import type { EvmClient } from './evm-client.ts';
import type { StateFiles } from './state-files.ts';

/** A process of anvil. */
export interface EvmProcess {
  readonly processId: number | null;
  /** Settles with the exit code, the signal or the failure when the process has ended. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** The end of what it wrote to standard error. */
  lastOutput(): string;
  /** Ends it in order, after a while by force. */
  end(): Promise<void>;
}

/**
 * Becomes the node while a side process waits for the end of standard input, which comes when the
 * parent is gone however it ended, and then asks the node to end: anvil itself does not watch its
 * parent. A line on standard input dismisses it. The node receives nothing any more, so in a
 * second it has made the block it was at (`settleBlocks`).
 */
const WATCHED =
  'exec 3<&0 </dev/null; ( read -r _ <&3 || { sleep 1; kill -TERM $$; } ) & exec 3<&-; exec "$@"';

/** Starts anvil on a port of loopback, with the state in `files` where there is one. */
export function startProcess(chainId: number, port: number, files: StateFiles | null): EvmProcess {
  const anvil = anvilProgram();
  // A group of its own: a terminal's Ctrl-C must not end the chain before the world that is built
  // on it.
  const child = spawn(
    '/bin/sh',
    ['-c', WATCHED, 'sh', anvil, ...settingsOf(chainId, port, files)],
    { detached: true, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  let isOver = false;
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2_000)));
  // The watcher may be gone before it is dismissed.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      isOver = true;
      child.stdin?.end('done\n');
      resolve(how);
    };
    child.once('exit', (code, signal) => finish(String(code ?? signal)));
    child.once('error', (cause) => finish(cause.message));
  });
  return {
    processId: child.pid ?? null,
    ended,
    hasEnded: () => isOver,
    lastOutput: () => words.trim(),
    end: () => end(child, { ended, isOver }),
  };
}

/**
 * Returns the program of this machine, which comes as a package of its own beside
 * `@foundry-rs/anvil`. Errors: `config_invalid` where it was not installed, or does not exist.
 */
function anvilProgram(): string {
  const { arch, platform } = process;
  const name = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  try {
    const { resolve } = createRequire(
      createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'),
    );
    return join(dirname(resolve(`${name}/package.json`)), 'bin', 'anvil');
  } catch (cause) {
    throw new AppError(
      'config_invalid',
      `the sandbox has no EVM chain here: the package ${name} is not installed; run npm ci with optional packages, on Linux or macOS (x64 or arm64).`,
      { cause },
    );
  }
}

function settingsOf(chainId: number, port: number, files: StateFiles | null): readonly string[] {
  return [
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
    // Also keeps it from writing the state of every block into the home folder.
    '--prune-history',
    String(LOCAL_CHAIN.statesKept),
    ...(files === null
      ? []
      : [
          '--dump-state',
          files.parting,
          // Its own dumps while it runs have what a block did without the block.
          '--state-interval',
          String(LOCAL_CHAIN.ownDumpSeconds),
          ...(existsSync(files.current) ? ['--load-state', files.current] : []),
        ]),
  ];
}

async function end(
  child: ChildProcess,
  { ended, isOver }: { readonly ended: Promise<string>; readonly isOver: boolean },
): Promise<void> {
  if (!isOver) child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), LOCAL_CHAIN.stopTimeoutMs);
  await ended;
  clearTimeout(force);
}

/** Waits until the process answers as its chain; false when it does not. */
export async function isUp(run: EvmProcess, client: EvmClient): Promise<boolean> {
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

/** Returns a port of loopback that is free now. */
export function freePort(): Promise<number> {
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
