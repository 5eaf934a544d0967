import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LOADER = fileURLToPath(new URL('../typescript-loader.mjs', import.meta.url));
const CHILD = fileURLToPath(new URL('store-child.ts', import.meta.url));

/** A process that has, or wants, the store of a folder (store-child.ts). */
export interface StoreProcess {
  /** The next line it says; null once it is gone. */
  nextLine(): Promise<string | null>;
  /** Everything it says from here on until it is gone. */
  rest(): Promise<readonly string[]>;
  /** Ends it as a power cut of the process would. */
  kill(): Promise<void>;
}

/** What a store process is short of. */
export interface StoreProcessLimits {
  /** Every file it writes fails beyond so many blocks of 512 bytes, as a full disk does. */
  readonly fileBlocks?: number;
  /** Size of a file of its log. */
  readonly logBytes?: number;
}

/** Starts one. */
export function startStoreProcess(
  path: string,
  mode: 'write' | 'hold' | 'read',
  { fileBlocks, logBytes }: StoreProcessLimits = {},
): StoreProcess {
  const command = `ulimit -f ${fileBlocks ?? 'unlimited'}; exec "$0" --import "$@"`;
  const words = [LOADER, CHILD, path, mode, ...(logBytes === undefined ? [] : [String(logBytes)])];
  const child = spawn('sh', ['-c', command, process.execPath, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string | null> => {
    const { value, done } = await lines.next();
    return done === true ? null : value;
  };
  const rest = async (): Promise<readonly string[]> => {
    const said: string[] = [];
    for (let line = await nextLine(); line !== null; line = await nextLine()) said.push(line);
    await exited;
    return said;
  };
  return {
    nextLine,
    rest,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
