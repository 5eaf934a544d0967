import { closeSync, fdatasync, ftruncate, write, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { STORE } from '../../../config/limits/store.ts';
import {
  AppendError,
  type CommitLog,
  type Frame,
  type FrameDraft,
  type LogHead,
} from '../../ports/commit-log.ts';
import { makeFolder } from '../files/make-folder.ts';
import { blockAligned, makeBlockFile } from './block-file.ts';
import { frameOf, NO_FRAME } from './frames.ts';
import { commitsAfter, rewriteTail, segmentName, type FoundFrame } from './segments.ts';
import { syncFolder } from './sync-folder.ts';
import { WritePace } from './write-pace.ts';

const writeAt = promisify(write);
const cutTo = promisify(ftruncate);
const sync = promisify(fdatasync);

/**
 * A file that is filled with zeros and on disk: writing into it changes no length, which makes a
 * write cheaper.
 */
interface RunningFile {
  readonly number: number;
  readonly handle: number;
}

/** Where a log lies. */
export interface SegmentLogOptions {
  readonly folder: string;
  /** Size of a file that is written to. */
  readonly fileBytes: number;
  /** Where the next file could not be made it is tried again after this. */
  readonly againMs: number;
}

/** How the log fares in making its next file. */
export interface LogFailures {
  /** Attempts that failed one after another; 0 while it goes well. */
  readonly failedInARow: number;
  readonly cause: unknown;
}

/**
 * The log of one machine: frames in files `segment.<n>.log`, one write each that returns when it is
 * on disk; it goes past the page cache where the file system knows how, which saves the disk one of
 * two waits. Files that are full are kept, and made small by whoever follows the log
 * (`packSegments`).
 */
export class SegmentLog implements CommitLog {
  readonly #folder: string;
  readonly #fileBytes: number;
  readonly #againMs: number;
  #current: RunningFile;
  #head: LogHead;
  #spare: RunningFile | null = null;
  #position = 0;
  /** The next file, while it is being made. */
  #preparing: Promise<void> | null = null;
  #failures: LogFailures = { failedInARow: 0, cause: null };
  #later: NodeJS.Timeout | null = null;
  #lost: AppendError | null = null;
  readonly #pace = new WritePace();
  /** Frames are made in here, one at a time, but for the largest, which pass through in parts. */
  readonly #memory = blockAligned(STORE.frameBytes);

  private constructor(
    { folder, fileBytes, againMs }: SegmentLogOptions,
    head: LogHead,
    current: RunningFile,
  ) {
    this.#folder = folder;
    this.#fileBytes = fileBytes;
    this.#againMs = againMs;
    this.#head = head;
    this.#current = current;
  }

  /**
   * Goes on behind the newest frame of a folder, the last of `tail` (`tailOf`): what the last run
   * left is put on disk anew, and a file is begun. Errors: those of the file system.
   */
  static async open(options: SegmentLogOptions, tail: readonly FoundFrame[]): Promise<SegmentLog> {
    const { folder, fileBytes } = options;
    makeFolder(folder, 0o700);
    syncFolder(dirname(folder));
    const number = rewriteTail(folder, tail) + 1;
    const { seq, hash } = tail.at(-1) ?? NO_FRAME;
    return new SegmentLog(options, { seq, hash }, await makeFile(folder, number, fileBytes));
  }

  head(): LogHead {
    return this.#head;
  }

  failures(): LogFailures {
    return this.#failures;
  }

  async append(draft: FrameDraft): Promise<number> {
    if (this.#lost !== null) throw this.#lost;
    const { seq, previous } = draft;
    if (seq !== this.#head.seq + 1 || previous !== this.#head.hash)
      throw new AppendError('refused', `frame ${seq} does not follow ${this.#head.seq}`);
    await this.#makeRoom();
    const { frame, hash } = frameOf(draft, this.#memory);
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
      throw await this.#takeBack(cause);
    }
    this.#position += frame.length;
    this.#head = { seq, hash };
    // The next file is made ready while this one fills.
    if (this.#position * 2 >= this.#fileBytes && this.#spare === null && this.#later === null)
      this.#preparing ??= this.#prepare();
    return frame.length;
  }

  /**
   * Goes on in the next file once the current one is full. Without room on the disk that grows as
   * far as it may.
   */
  async #makeRoom(): Promise<void> {
    if (this.#position < this.#fileBytes) return;
    if (this.#position >= this.#fileBytes * 2) await this.#preparing;
    if (this.#spare === null) {
      if (this.#position < this.#fileBytes * STORE.logGrowthMaximum) return;
      const { cause } = this.#failures;
      const why = cause instanceof Error ? cause.message : String(cause);
      const what = `its log has grown to ${this.#position} bytes, because ${why}`;
      throw new AppendError('refused', what, { cause });
    }
    closeSync(this.#current.handle);
    this.#current = this.#spare;
    this.#spare = null;
    this.#position = 0;
  }

  async #prepare(): Promise<void> {
    try {
      this.#spare = await makeFile(this.#folder, this.#current.number + 1, this.#fileBytes);
      this.#failures = { failedInARow: 0, cause: null };
    } catch (cause) {
      this.#failures = { failedInARow: this.#failures.failedInARow + 1, cause };
      // Tried again without a write too, so that the failures end when their cause does.
      this.#later = setTimeout(() => {
        this.#later = null;
        this.#preparing ??= this.#prepare();
      }, this.#againMs).unref();
    }
    this.#preparing = null;
  }

  /**
   * What is to be written of a frame next, in memory that begins at a block; `done` bytes, a
   * multiple of what disks write at once, are written.
   */
  #partOf(frame: Buffer, done: number): Buffer {
    if (frame.buffer === this.#memory.buffer) return frame.subarray(done);
    return this.#memory.subarray(0, frame.copy(this.#memory, 0, done));
  }

  /**
   * What was half written must be found neither as damage nor as a commit. Where that cannot be
   * made sure, on disk too, it is unknown what the log holds: nothing more is written.
   */
  async #takeBack(cause: unknown): Promise<AppendError> {
    const why = cause instanceof Error ? cause.message : String(cause);
    try {
      await cutTo(this.#current.handle, this.#position);
      await sync(this.#current.handle);
      return new AppendError('refused', why, { cause });
    } catch {
      this.#lost = new AppendError('undecided', why, { cause });
      return this.#lost;
    }
  }

  *read(afterSeq: number): Generator<Frame, void> {
    if (afterSeq >= this.#head.seq) return;
    for (const frame of commitsAfter(this.#folder, { seq: afterSeq, hash: null })) {
      if (frame.seq > this.#head.seq) return;
      yield frame;
      if (frame.seq === this.#head.seq) return;
    }
  }

  /** Not while a frame is on its way. */
  async close(): Promise<void> {
    clearTimeout(this.#later ?? undefined);
    await this.#preparing;
    clearTimeout(this.#later ?? undefined);
    closeSync(this.#current.handle);
    if (this.#spare !== null) closeSync(this.#spare.handle);
  }
}

/** The folder of a store's log. */
export function logFolder(path: string): string {
  return join(path, 'journal');
}

async function makeFile(folder: string, number: number, bytes: number): Promise<RunningFile> {
  return { number, handle: await makeBlockFile(join(folder, segmentName(number)), bytes) };
}
