import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { MACHINE } from '../../../config/limits/doctor.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';

/** What the system gives a process; null where it does not say. */
export interface MachineFacts {
  /** Files and sockets that may be open; infinite where there is no bound. */
  readonly openFiles: number | null;
  /** Whose bounds those are. */
  readonly of: string;
  readonly memoryBytes: number;
  /** The bound of the control group, as of a container or a unit; null without one. */
  readonly groupBytes: number | null;
  /** Most that the heap may take, by `--max-old-space-size`. */
  readonly heapBytes: number;
  readonly swapBytes: number | null;
  readonly cores: number;
}

/** Reads them: of a running daemon where one is given, whose bounds are what counts. */
export function machineFacts(daemonPid: number | null): MachineFacts {
  const ofDaemon = daemonPid === null ? null : openFilesOf(String(daemonPid));
  return {
    openFiles: ofDaemon ?? openFilesOf('self'),
    of: ofDaemon === null ? 'this shell' : `the daemon (pid ${daemonPid})`,
    memoryBytes: totalmem(),
    groupBytes: groupBytes(),
    heapBytes: getHeapStatistics().heap_size_limit,
    swapBytes: swapBytes(),
    cores: availableParallelism(),
  };
}

const RAISE = 'raise it with LimitNOFILE= in the unit, or with ulimit -n';
const MORE_MEMORY =
  'give the machine or the unit more memory, or Node a smaller --max-old-space-size';

/** Checks of open files, memory, swap and cores. */
export function machineChecks(facts: MachineFacts): readonly Check[] {
  const row = (name: string, finding: () => Finding): Check =>
    check(name, { level: 'warn', remedy: 'run doctor again' }, async () => finding());
  return [
    row('open files', () => openFilesFinding(facts)),
    row('memory', () => memoryFinding(facts)),
    row('swap', () => swapFinding(facts)),
    row('cores', () =>
      facts.cores >= MACHINE.coresLeast
        ? ok(`${facts.cores} cores`)
        : warn(
            `${facts.cores} core, which the daemon shares with the thread that follows its log`,
            `give the machine ${MACHINE.coresLeast}`,
          ),
    ),
  ];
}

function openFilesFinding({ openFiles, of }: MachineFacts): Finding {
  if (openFiles === null) return skipped('this system does not say how many files may be open');
  return openFiles >= MACHINE.openFilesLeast
    ? ok(`${of} may open ${openFiles} files`)
    : warn(`${of} may open ${openFiles} files, and ${MACHINE.openFilesLeast} are wanted`, RAISE);
}

function memoryFinding({ memoryBytes, groupBytes, heapBytes }: MachineFacts): Finding {
  const there = Math.min(memoryBytes, groupBytes ?? Number.POSITIVE_INFINITY);
  const text = `${mib(there)} MiB for a heap of up to ${mib(heapBytes)} MiB`;
  if (there <= heapBytes)
    return fail(`${text}: the system ends the process before its heap is full`, MORE_MEMORY);
  return there >= heapBytes + MACHINE.memoryBesideHeapBytes
    ? ok(text)
    : warn(`${text} leave little for what is beside the heap`, MORE_MEMORY);
}

function swapFinding({ swapBytes: bytes }: MachineFacts): Finding {
  if (bytes === null) return skipped('this system does not say whether it swaps');
  return bytes === 0
    ? ok('off')
    : ok(`${mib(bytes)} MiB: a daemon that is swapped out is late; swapoff -a, or vm.swappiness=1`);
}

function mib(bytes: number): number {
  return Math.round(bytes / (1 << 20));
}

function openFilesOf(pid: string): number | null {
  const text = textOf(`/proc/${pid}/limits`);
  const soft = /^Max open files\s+(\S+)/m.exec(text ?? '')?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function swapBytes(): number | null {
  const kib = /^SwapTotal:\s+(\d+) kB/m.exec(textOf('/proc/meminfo') ?? '')?.[1];
  return kib === undefined ? null : Number(kib) * 1_024;
}

/**
 * The memory bound of the control group (version 2, then 1); null where it is beyond the
 * machine's.
 */
function groupBytes(): number | null {
  const text =
    textOf('/sys/fs/cgroup/memory.max') ??
    textOf('/sys/fs/cgroup/memory/memory.limit_in_bytes') ??
    'max';
  const bytes = Number(text.trim());
  return Number.isFinite(bytes) && bytes < totalmem() ? bytes : null;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
