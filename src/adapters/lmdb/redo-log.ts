import { createHash } from 'node:crypto';
import { closeSync, ftruncate, readFileSync, readdirSync, rmSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { STORE } from '../../../config/limits/store.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Key } from '../../ports/store.ts';
import { textBytesMaximum } from '../memory/text-bytes.ts';
import { BLOCK_BYTES, blockAligned, makeBlockFile, upToBlock } from './block-file.ts';
import { storeCorrupt } from './store-errors.ts';
import { WritePace } from './write-pace.ts';

/** One record as a commit left it; version 0 when it was taken out. */
export type RedoRecord = readonly [table: string, key: Key, version: number, value: unknown];

/** One commit: all it changed, and the facts it added, the first under number `firstSeq`. */
export interface Redo {
  readonly firstSeq: number;
  /** The journal's link before `firstSeq`. */
  readonly head: string;
  readonly events: readonly DomainEvent[];
  readonly records: readonly RedoRecord[];
}

/** A commit on its way into the log: its facts as the texts that are chained. */
export interface RedoDraft {
  readonly firstSeq: number;
  readonly head: string;
  readonly texts: readonly string[];
  readonly records: readonly RedoRecord[];
}

/**
 * Where the written part of a file of the log ends: `cut` where one commit was half written,
 * `damaged` where more follows.
 */
export interface LogEnd {
  readonly kind: 'whole' | 'cut' | 'damaged';
  readonly byte: number;
}

/** A file of the log that is written no more, and how many bytes were written to it. */
export interface LogFileLeft {
  readonly number: number;
  readonly bytes: number;
}

const NAME = /^redo\.(\d+)\.log$/;
const LENGTH_BYTES = 4;
const DIGEST_BYTES = 8;
const FRAME_BYTES = LENGTH_BYTES + DIGEST_BYTES;
/** What a file without commits begins with. */
const EMPTY_BLOCK = Buffer.alloc(BLOCK_BYTES);

const writeAt = promisify(write);
const cutTo = promisify(ftruncate);

/**
 * A file of the log that is filled with zeros and on disk: writing into it changes no length, which
 * makes a write cheaper.
 */
interface LogFile {
  readonly number: number;
  readonly handle: number;
}

/**
 * The commits since LMDB was last brought up to date, in files `redo.<n>.log`: frames of a length,
 * a digest over the frame's place and its content, the commit as JSON, and zeros up to the next
 * block. A commit is one write that returns when it is on disk; it goes past the page cache where
 * the file system knows how, which saves the disk one of two waits.
 */
export class RedoLog {
  readonly #folder: string;
  readonly #fileBytes: number;
  #current: LogFile;
  #spare: LogFile | null = null;
  #position = 0;
  #failure: Error | null = null;
  readonly #pace = new WritePace();
  /** Frames are made in here, one at a time, but for the largest, which pass through in parts. */
  readonly #frame = blockAligned(STORE.frameBytes);

  private constructor(folder: string, fileBytes: number, current: LogFile) {
    this.#folder = folder;
    this.#fileBytes = fileBytes;
    this.#current = current;
  }

  /** Starts a log behind the files numbered up to `last`. Errors: those of the file system. */
  static async start(folder: string, last: number, fileBytes: number): Promise<RedoLog> {
    return new RedoLog(folder, fileBytes, await makeFile(folder, last + 1, fileBytes));
  }

  /** Number of the current file. */
  get number(): number {
    return this.#current.number;
  }

  /** Bytes in the current file. */
  get size(): number {
    return this.#position;
  }

  /**
   * Puts a commit on disk, without leaving the thread where the disk is quick. Rejects when the
   * disk does not take it; nothing of it is then kept. Not while another is under way.
   */
  async append(redo: RedoDraft): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const frame = this.#frameOf(redo);
    const { handle } = this.#current;
    try {
      const startedMs = performance.now();
      const isHere = this.#pace.isQuick(frame.length);
      for (let done = 0; done < frame.length; ) {
        const part = this.#partOf(frame, done);
        done += isHere
          ? writeSync(handle, part, 0, part.length, this.#position + done)
          : (await writeAt(handle, part, 0, part.length, this.#position + done)).bytesWritten;
      }
      this.#pace.took(performance.now() - startedMs);
    } catch (cause) {
      await this.#takeBack();
      throw cause;
    }
    this.#position += frame.length;
  }

  /** Good until the next one is made. */
  #frameOf({ firstSeq, head, texts, records }: RedoDraft): Buffer {
    // A `Redo` as JSON, around facts that are text already: the very text that is chained.
    const text = `{"firstSeq":${firstSeq},"head":"${head}","events":[${texts.join(',')}],"records":${JSON.stringify(records)}}`;
    const most = upToBlock(FRAME_BYTES + textBytesMaximum(text));
    const frame = most <= this.#frame.length ? this.#frame : Buffer.allocUnsafe(most);
    const end = FRAME_BYTES + frame.write(text, FRAME_BYTES, 'utf8');
    const content = frame.subarray(FRAME_BYTES, end);
    frame.writeUInt32LE(content.length, 0);
    digestOf(content, this.#current.number, this.#position).copy(frame, LENGTH_BYTES);
    return frame.subarray(0, upToBlock(end)).fill(0, end);
  }

  /**
   * What is to be written of a frame next, in memory that begins at a block; `done` bytes, a
   * multiple of what disks write at once, are written.
   */
  #partOf(frame: Buffer, done: number): Buffer {
    if (frame.buffer === this.#frame.buffer) return frame.subarray(done);
    return this.#frame.subarray(0, frame.copy(this.#frame, 0, done));
  }

  /**
   * What was half written must not be read as damage later. A disk that cannot even forget is not
   * written to again.
   */
  async #takeBack(): Promise<void> {
    try {
      await cutTo(this.#current.handle, this.#position);
    } catch (cause) {
      this.#failure = cause instanceof Error ? cause : new Error(String(cause));
    }
  }

  /** Makes the next file ready. Errors: those of the file system. */
  async prepare(): Promise<void> {
    this.#spare ??= await makeFile(this.#folder, this.#current.number + 1, this.#fileBytes);
  }

  /**
   * Goes on in the next file, if it is ready, and says whether it did. Not while a commit is under
   * way.
   */
  goOn(): boolean {
    if (this.#spare === null) return false;
    closeSync(this.#current.handle);
    this.#current = this.#spare;
    this.#spare = null;
    this.#position = 0;
    return true;
  }

  /** Removes the files up to this number: LMDB has what they say. */
  forget(upTo: number): void {
    forgetLogFiles(this.#folder, upTo);
  }

  close(): void {
    closeSync(this.#current.handle);
    if (this.#spare !== null) closeSync(this.#spare.handle);
  }
}

/**
 * Reads what a log left behind in the files numbered above `done`: its commits in order, and the
 * number of its last file. A last frame that was cut short was never acknowledged and is left out.
 * Errors: `store_corrupt` when anything before it is damaged.
 */
export function readRedoLog(
  folder: string,
  done: number,
): { readonly redos: readonly Redo[]; readonly last: number } {
  const files = scanRedoLog(folder).filter(({ number }) => number > done);
  for (const { number, end } of files)
    if (end.kind === 'damaged')
      throw storeCorrupt(folder, `its log redo.${number}.log is damaged at byte ${end.byte}`);
  return { redos: files.flatMap(({ redos }) => redos), last: Math.max(done, ...filesIn(folder)) };
}

/**
 * The commits of a file that was left, some at a time: as many as have `atOnce` bytes, or one.
 * Errors: `store_corrupt`, before the first, when they are not all that was written; those of the
 * file system.
 */
export function* readLogFile(
  folder: string,
  { number, bytes }: LogFileLeft,
  atOnce: number,
): Generator<readonly Redo[], void> {
  const file = readFileSync(fileName(folder, number));
  const frames = [...framesIn(number, file)];
  const end = frames.at(-1)?.end ?? 0;
  if (end !== bytes || !isEmpty(file.subarray(end)))
    throw storeCorrupt(folder, `its log redo.${number}.log is damaged at byte ${end}`);
  let some: Redo[] = [];
  let from = 0;
  for (const { content, end: to } of frames) {
    some.push(redoIn(content));
    if (to - from < atOnce && to < end) continue;
    yield some;
    [some, from] = [[], to];
  }
}

/** Removes the files up to this number: LMDB has what they say. */
export function forgetLogFiles(folder: string, upTo: number): void {
  for (const number of filesIn(folder)) if (number <= upTo) rmSync(fileName(folder, number));
}

/** What the files of a log say, in their order, and how each ends. */
export function scanRedoLog(
  folder: string,
): readonly { readonly number: number; readonly redos: readonly Redo[]; readonly end: LogEnd }[] {
  const files: {
    readonly number: number;
    readonly redos: readonly Redo[];
    readonly end: LogEnd;
  }[] = [];
  // The newest file may be a spare that was never written to: the last with anything in it is the
  // one that may be cut short.
  let isLast = true;
  for (const number of filesIn(folder).toReversed()) {
    const bytes = readFileSync(fileName(folder, number));
    files.unshift({ number, ...readFrames(number, bytes, isLast) });
    isLast &&= isEmpty(bytes);
  }
  return files;
}

function readFrames(
  number: number,
  bytes: Buffer,
  isLast: boolean,
): { readonly redos: readonly Redo[]; readonly end: LogEnd } {
  const redos: Redo[] = [];
  let position = 0;
  for (const { content, end } of framesIn(number, bytes)) {
    redos.push(redoIn(content));
    position = end;
  }
  return { redos, end: { kind: endKind(bytes, { number, position, isLast }), byte: position } };
}

/**
 * Whole frames of a file from its begin on, up to the first place where there is none, each with
 * where the next one begins.
 */
function* framesIn(
  number: number,
  bytes: Buffer,
): Generator<{ readonly content: Buffer; readonly end: number }, void> {
  for (let position = 0; ; ) {
    const content = contentAt(bytes, number, position);
    if (content === null) return;
    const end = position + FRAME_BYTES + content.length;
    const isAlone = isEmpty(bytes.subarray(end, upToBlock(end)));
    // In a log from before frames began at blocks the next one follows at once.
    if (!isAlone && contentAt(bytes, number, end) === null) return;
    position = isAlone ? upToBlock(end) : end;
    yield { content, end: position };
  }
}

function redoIn(content: Buffer): Redo {
  return JSON.parse(content.toString('utf8')) as Redo; // the digest says it is what `append` wrote
}

/** The content of a whole frame; null where there is none. */
function contentAt(bytes: Buffer, file: number, position: number): Buffer | null {
  const from = position + FRAME_BYTES;
  if (from >= bytes.length) return null;
  const content = bytes.subarray(from, from + bytes.readUInt32LE(position));
  return content.length > 0 &&
    digestOf(content, file, position).equals(bytes.subarray(position + LENGTH_BYTES, from))
    ? content
    : null;
}

/**
 * The written part ends where only zeros follow, or, in the last file, one frame that was cut
 * short, whichever of its blocks are missing, and then zeros.
 */
function endKind(
  bytes: Buffer,
  {
    number,
    position,
    isLast,
  }: { readonly number: number; readonly position: number; readonly isLast: boolean },
): LogEnd['kind'] {
  if (isEmpty(bytes.subarray(position))) return 'whole';
  if (!isLast) return 'damaged';
  const length = bytes.length - position < LENGTH_BYTES ? 0 : bytes.readUInt32LE(position);
  // Without its first block nobody knows how long it was; but a commit is only begun when the one
  // before it is on disk.
  if (length === 0) return isFollowed(bytes, number, position) ? 'damaged' : 'cut';
  return isEmpty(bytes.subarray(position + FRAME_BYTES + length)) ? 'cut' : 'damaged';
}

/** True when a whole frame begins at a block behind this place. */
function isFollowed(bytes: Buffer, number: number, position: number): boolean {
  for (let at = upToBlock(position + 1); at < bytes.length; at += BLOCK_BYTES)
    if (contentAt(bytes, number, at) !== null) return true;
  return false;
}

function isEmpty(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const part = bytes.subarray(at, at + BLOCK_BYTES);
    if (!part.equals(EMPTY_BLOCK.subarray(0, part.length))) return false;
  }
  return true;
}

function digestOf(content: Uint8Array, file: number, position: number): Buffer {
  return createHash('sha256')
    .update(`${file}:${position}:${content.length}:`)
    .update(content)
    .digest()
    .subarray(0, DIGEST_BYTES);
}

async function makeFile(folder: string, number: number, bytes: number): Promise<LogFile> {
  return { number, handle: await makeBlockFile(fileName(folder, number), bytes) };
}

function filesIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

function fileName(folder: string, number: number): string {
  return join(folder, `redo.${number}.log`);
}
