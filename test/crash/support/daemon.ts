import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Settings of a child; every PREDICTD_ variable of this process is left behind. */
export type Settings = Readonly<Record<string, string>>;

/** How a child is run. */
export interface DaemonOptions {
  /** A module that Node loads before the daemon. */
  readonly preload?: string;
  /** Runs this instead of the compiled daemon, in the repository's root. */
  readonly command?: readonly [string, ...string[]];
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A daemon in a process group of its own. */
export interface Daemon {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** All it has printed so far. */
  printed(): string;
  complained(): string;
  /** Resolves with the match once it has been printed; rejects when the process ends without. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  /** Base URL, once it answers. */
  url(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** As a terminal's Ctrl-C: to every process of the group. */
  signalGroup(name: NodeJS.Signals): void;
}

const running = new Set<Daemon>();

/** Starts the compiled daemon (`npm test` compiles before it runs) on a free port. */
export function startDaemon(settings: Settings, { preload, command }: DaemonOptions = {}): Daemon {
  const [program, ...args] = command ?? [
    process.execPath,
    ...(preload === undefined ? [] : ['--import', preload]),
    join(ROOT, 'dist/src/main.js'),
  ];
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PREDICTD_'));
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), PREDICTD_PORT: '0', ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const said = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const hear =
    (which: 'out' | 'err') =>
    (chunk: Buffer): void => {
      said[which] += chunk.toString('utf8');
      for (const check of waiting) check();
    };
  child.stdout.on('data', hear('out'));
  child.stderr.on('data', hear('err'));
  const ended = new Promise<Ending>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const daemon: Daemon = {
    pid: child.pid ?? 0,
    ended,
    printed: () => said.out,
    complained: () => said.err,
    saw: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const match = pattern.exec(said.out);
          if (match === null) return;
          waiting.delete(check);
          resolve(match);
        };
        waiting.add(check);
        check();
        void ended.then(({ code, signal }) =>
          reject(
            new Error(`ended with ${code ?? signal} before it printed ${pattern}: ${said.err}`),
          ),
        );
      }),
    url: async () => (await daemon.saw(/answers at (http:\S+)/))[1] ?? '',
    signal: (name) => void child.kill(name),
    signalGroup: (name) => void process.kill(-daemon.pid, name),
  };
  running.add(daemon);
  void ended.then(() => running.delete(daemon));
  return daemon;
}

/** Kills what a test left running, by the group each child leads. */
export async function killDaemons(): Promise<void> {
  const left = [...running];
  for (const daemon of left) if (membersOf(daemon.pid).length > 0) daemon.signalGroup('SIGKILL');
  await Promise.all(left.map(({ ended }) => ended));
}

/** Waits until no process of the daemon's group is alive. */
export async function untilGroupGone({ pid }: Daemon): Promise<void> {
  while (membersOf(pid).length > 0) await turn();
}

/** Waits until something is so, looking once a turn. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/**
 * A process and all it has started, and what these have, by /proc: also those that lead groups of
 * their own.
 */
export function familyOf(pid: number): readonly number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(statOf(name)[1])]),
  );
  const childrenOf = (parent: number): readonly number[] =>
    [...parents].filter(([, of]) => of === parent).map(([child]) => child);
  const family = [pid];
  for (const member of family) family.push(...childrenOf(member));
  return family;
}

/** Waits until none of these processes is alive. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => isAlive(statOf(String(pid))))) await turn();
}

/**
 * Live processes of a group, by /proc: dead ones whose parent has not collected them do not count.
 */
export function membersOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = statOf(name);
      return isAlive(fields) && Number(fields[2]) === group ? [Number(name)] : [];
    });
}

function isAlive([state]: readonly string[]): boolean {
  return state !== undefined && state !== 'Z';
}

/**
 * Fields of /proc/<pid>/stat from the state on (proc(5)): the name before them may hold anything.
 */
function statOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 5));
}
