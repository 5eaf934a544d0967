import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fdatasyncSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DISK_TEST } from '../../../config/limits/doctor.ts';
import { blockAligned } from '../../adapters/lmdb/block-file.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';
import { nearestFolder } from './folder-checks.ts';

/** Times of writes of one kind, ms. */
export interface WriteTimes {
  readonly kind: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly writes: number;
}

/** Measures one kind of write; null where the file system knows none such. */
export type MeasureWrites = (folder: string, kind: WriteKind) => Promise<WriteTimes | null>;

/** A way in which a block gets to the disk. */
export interface WriteKind {
  readonly name: string;
  readonly flags: number;
  /** True where the write itself does not wait for the disk. */
  readonly syncs: boolean;
}

const CREATED = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
/** Only Linux has the flag. */
const PAST_CACHE = (constants.O_DIRECT as number | undefined) ?? null;

const KINDS: readonly WriteKind[] = [
  { name: 'write and fdatasync', flags: CREATED, syncs: true },
  { name: 'O_DSYNC', flags: CREATED | constants.O_DSYNC, syncs: false },
  ...(PAST_CACHE === null
    ? []
    : [{ name: 'O_DIRECT', flags: CREATED | constants.O_DSYNC | PAST_CACHE, syncs: false }]),
];

/** Checks how long the disk of the data folder takes for a commit, one row a kind of write. */
export function diskChecks(
  folder: string,
  measure: MeasureWrites = measureWrites,
): readonly Check[] {
  let before: Promise<unknown> = Promise.resolve();
  // One kind after the other: at once they would measure each other.
  const inTurn: MeasureWrites = (target, kind) => {
    const measured = before.then(() => measure(target, kind));
    before = measured.catch(() => undefined);
    return measured;
  };
  return KINDS.map((kind) =>
    check(
      `disk, ${kind.name}`,
      { level: 'fail', remedy: 'see that the disk is not failing: journalctl -k' },
      async () => {
        const target = nearestFolder(folder);
        if (!isWritable(target))
          return skipped(`${target} cannot be written by this account, so nothing was measured`);
        const times = await inTurn(target, kind);
        return times === null
          ? skipped('this file system knows no such writes; commits go through its cache')
          : findingOf(times);
      },
    ),
  );
}

function findingOf({ p50Ms, p99Ms, writes }: WriteTimes): Finding {
  const text = `${writes} writes of ${DISK_TEST.blockBytes} bytes: half within ${p50Ms.toFixed(3)} ms, 99 of 100 within ${p99Ms.toFixed(1)} ms`;
  if (p50Ms < DISK_TEST.lyingP50Ms)
    return fail(
      `${text}: not a disk, or a cache that says "written" too early`,
      'put PREDICTD_DATA on a disk that keeps what it acknowledged when the power fails',
    );
  return p99Ms > DISK_TEST.slowP99Ms
    ? warn(`${text}: each commit of an order waits for it`, 'use a faster disk, or a quieter one')
    : ok(text);
}

/** Writes blocks into a file of its own, which is removed, and gives the times of the disk. */
export async function measureWrites(folder: string, kind: WriteKind): Promise<WriteTimes | null> {
  const file = join(folder, `.doctor-${randomBytes(8).toString('hex')}`);
  try {
    const handle = openSync(file, kind.flags, 0o600);
    try {
      return await timesOf(handle, kind);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EINVAL') return null;
    throw cause;
  } finally {
    rmSync(file, { force: true });
  }
}

/** In the thread itself: the way to another one takes longer than a write to a disk that lies. */
async function timesOf(handle: number, { name, syncs }: WriteKind): Promise<WriteTimes> {
  const block = blockAligned(DISK_TEST.blockBytes);
  const times: number[] = [];
  const endsAtMs = performance.now() + DISK_TEST.kindMaximumMs;
  while (times.length < DISK_TEST.writes && performance.now() < endsAtMs) {
    const beganAtMs = performance.now();
    writeSync(handle, block, 0, block.length, times.length * block.length);
    if (syncs) fdatasyncSync(handle);
    times.push(performance.now() - beganAtMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { kind: name, p50Ms: at(0.5), p99Ms: at(0.99), writes: sorted.length };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
