import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { STORE } from '../../../config/limits/store.ts';
import { assert } from '../../domain/errors.ts';
import type { Frame } from '../../ports/commit-log.ts';
import { framesIn, parsed, type StoredFrame } from './frames.ts';
import { storeCorrupt } from './store-errors.ts';
import { syncFolder } from './sync-folder.ts';

/** A file of frames. */
export interface Segment {
  readonly name: string;
  /** Its place among those that were written to, or are; null once it was made small. */
  readonly number: number | null;
  /** Numbers of its frames, known of one that was made small: the last is then in it. */
  readonly first: number;
  readonly last: number;
}

/** A place where frames cannot be read on. */
export interface LogFault {
  readonly file: string;
  readonly byte: number;
  /** `cut`: the log ends in half a frame, as a power failure leaves it. */
  readonly kind: 'cut' | 'damaged';
}

/** A frame and the file it was found in. */
export interface FoundFrame extends StoredFrame {
  readonly segment: Segment;
}

const RUNNING = /^segment\.(\d+)\.log$/;
const PACKED = /^segment\.(\d+)-(\d+)\.gz$/;

/** Name of a file that is written to. */
export function segmentName(number: number): string {
  return `segment.${number}.log`;
}

/** The folder's files in the order of their frames: those made small before the others. */
export function segmentsIn(folder: string): readonly Segment[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name): readonly Segment[] => {
      const [, number] = RUNNING.exec(name) ?? [];
      if (number !== undefined)
        return [{ name, number: Number(number), first: 0, last: Number.POSITIVE_INFINITY }];
      const [, first, last] = PACKED.exec(name) ?? [];
      return first === undefined
        ? []
        : [{ name, number: null, first: Number(first), last: Number(last) }];
    })
    .sort((a, b) => (a.number ?? -1) - (b.number ?? -1) || a.first - b.first);
}

/**
 * Which frames to read: those behind one. Where its hash is not given, nothing is asked of the
 * first.
 */
interface Behind {
  readonly seq: number;
  readonly hash: string | null;
  /** Files to search; all of them where absent. */
  readonly among?: readonly Segment[];
}

/**
 * The log's frames behind one of them, in order. A
 * file that ends in half a frame is no fault where the next one goes on from the frame before: what
 * was half written was never acknowledged. Errors: those of the file system.
 */
export function* scanFrames(
  folder: string,
  { seq, hash, among = segmentsIn(folder) }: Behind,
  found: (fault: LogFault) => void,
): Generator<FoundFrame, void> {
  let last = { seq, hash };
  let open: LogFault | null = null;
  for (const segment of among) {
    if (segment.last <= last.seq) continue;
    const { name: file } = segment;
    const bytes = bytesOf(folder, segment);
    if (bytes === null) {
      yield* scanFrames(folder, last, found);
      return;
    }
    const frames = framesIn(bytes);
    for (let byte = 0; ; ) {
      const next = frames.next();
      if (next.done === true) {
        const { kind } = next.value;
        const isShort = segment.number === null && last.seq !== segment.last;
        if (kind !== 'whole' || isShort)
          open ??= { file, byte, kind: kind === 'cut' && !isShort ? kind : 'damaged' };
        break;
      }
      const frame = next.value;
      if (frame.seq > last.seq) {
        if (frame.seq !== last.seq + 1 || (last.hash ?? frame.previous) !== frame.previous)
          found({ ...(open ?? { file, byte }), kind: 'damaged' });
        open = null;
        last = frame;
        yield { ...frame, segment };
      }
      byte += frame.bytes.length;
    }
  }
  if (open !== null) found(open);
}

/** Empty where it was made small and is damaged; null where that was done since it was listed. */
function bytesOf(folder: string, { name, number }: Segment): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, name));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw cause;
  }
  if (number !== null) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * The log's frames behind one of them, in order; a last one that was cut short was never
 * acknowledged and is left out. Errors: `store_corrupt` where one is missing or damaged.
 */
export function* framesAfter(folder: string, behind: Behind): Generator<FoundFrame, void> {
  yield* scanFrames(folder, behind, ({ kind, file, byte }) => {
    if (kind === 'damaged')
      throw storeCorrupt(folder, `its log ${file} is damaged at byte ${byte}`);
  });
}

/** The same, taken apart. */
export function* commitsAfter(folder: string, behind: Behind): Generator<Frame, void> {
  for (const frame of framesAfter(folder, behind)) yield parsed(frame);
}

/**
 * The newest frames of a log: those of the newest file that was made small, and of all that were
 * not. Errors: `store_corrupt`.
 */
export function tailOf(folder: string): readonly FoundFrame[] {
  const packed = segmentsIn(folder).findLast(({ number }) => number === null);
  return [...framesAfter(folder, { seq: (packed?.first ?? 1) - 1, hash: null })];
}

/**
 * Makes files small whose frames are all up to `last`: those before the one that is written to, or
 * all of them without a writer. They become one, which is on disk, read again and found the
 * same, before they go. Errors: `store_corrupt`, those of the file system.
 */
export function packSegments(folder: string, last: number, isWritten: boolean): void {
  const segments = segmentsIn(folder);
  const packed = segments.findLast(({ number }) => number === null)?.last ?? 0;
  const left = segments.filter(({ number }) => number !== null);
  if (isWritten)
    left.splice(
      Math.max(
        0,
        left.findLastIndex(({ name }) => isBegun(folder, name)),
      ),
    );
  const frames = [...framesAfter(folder, { seq: packed, hash: null, among: left })];
  const kept = frames.find(({ seq }) => seq > last)?.segment.number ?? Number.POSITIVE_INFINITY;
  pack(
    folder,
    frames.filter(({ segment }) => Number(segment.number) < kept),
    left.filter(({ number }) => Number(number) < kept),
  );
}

/**
 * Writes what was read of the files that are not small anew, each whole and on disk before it takes
 * its file's place: a write that failed in the last run may have left bytes that are read, and are
 * not on disk. Files without a frame of `tail`, and what follows the last frame of one, go. Gives
 * the newest number in use, 0 without one. Not while anything is written. Errors: those of
 * the file system.
 */
export function rewriteTail(folder: string, tail: readonly FoundFrame[]): number {
  let newest = 0;
  for (const { name, number } of segmentsIn(folder)) {
    if (number === null) continue;
    const bytes = tail.filter(({ segment }) => segment.name === name).map((frame) => frame.bytes);
    if (bytes.length === 0) rmSync(join(folder, name));
    else {
      writeWhole(folder, name, Buffer.concat(bytes));
      newest = number;
    }
  }
  return newest;
}

/**
 * Adds whole frames behind the newest file, on disk before it has its name. Not while anything is
 * written.
 */
export function addSegment(folder: string, bytes: Buffer): void {
  const newest = Math.max(0, ...segmentsIn(folder).map(({ number }) => number ?? 0));
  writeWhole(folder, segmentName(newest + 1), bytes);
}

function pack(folder: string, frames: readonly FoundFrame[], files: readonly Segment[]): void {
  const [first, newest] = [frames[0], frames.at(-1)];
  if (first !== undefined && newest !== undefined) {
    const bytes = Buffer.concat(frames.map((frame) => frame.bytes));
    writeSmall(folder, `segment.${first.seq}-${newest.seq}.gz`, bytes);
  }
  for (const { name } of files) rmSync(join(folder, name));
}

/** True when a frame was written to it: the file that is to be next holds zeros. */
function isBegun(folder: string, name: string): boolean {
  const handle = openSync(join(folder, name), 'r');
  try {
    const length = Buffer.alloc(4);
    readSync(handle, length);
    return length.readUInt32LE(0) > 0;
  } finally {
    closeSync(handle);
  }
}

function writeSmall(folder: string, name: string, bytes: Buffer): void {
  writeWhole(folder, name, gzipSync(bytes, { level: STORE.packLevel }), (stored) =>
    assert(gunzipSync(stored).equals(bytes), `${name} says what was written`),
  );
}

/** Puts a file on disk under a name that it has only once all of it is there. */
function writeWhole(
  folder: string,
  name: string,
  bytes: Buffer,
  check: (stored: Buffer) => void = () => undefined,
): void {
  const fresh = join(folder, 'segment.new');
  const handle = openSync(fresh, 'w', 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  check(readFileSync(fresh));
  renameSync(fresh, join(folder, name));
  syncFolder(folder);
}
