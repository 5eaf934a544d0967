import { closeSync, fdatasyncSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP } from '../../../config/limits/backup.ts';
import { STORE } from '../../../config/limits/store.ts';
import { copyOnDisk } from '../files/copy-file.ts';
import { makeFolder } from '../files/make-folder.ts';
import { assertFormatKnown, readAnchor, writeAnchor } from './chain-anchor.ts';
import { checkLog, endOf, NO_END, type LogEnd } from './log-check.ts';
import { logFolder } from './segment-log.ts';
import { framesAfter, packSegments, segmentName, segmentsIn, type FoundFrame } from './segments.ts';
import { storeCorrupt } from './store-errors.ts';
import { syncFolder } from './sync-folder.ts';

/** A file of the copy that is written to. */
interface OpenFile {
  readonly handle: number;
  /** Where what is on disk ends: a part that failed is written again from here. */
  readonly bytes: number;
}

/**
 * A copy of a store's log, which may be written to meanwhile: of the same format and without LMDB,
 * which a start makes anew. It begins with the files that were made small, byte for byte, and goes
 * on frame by frame, each only once it is whole and follows the one before, in files of its own.
 */
export class LogCopy {
  readonly #source: string;
  readonly #target: string;
  #end: LogEnd = NO_END;
  #file: OpenFile | null = null;
  #files = 0;

  private constructor(source: string, target: string) {
    this.#source = source;
    this.#target = target;
  }

  /**
   * Begins a copy of the store in `source` in the folder `target`, which has no log yet. Errors:
   * `store_corrupt`, `store_unavailable` for a log of a newer format, those of the file system.
   */
  static begin(source: string, target: string): LogCopy {
    assertFormatKnown(source);
    makeFolder(logFolder(target), 0o700);
    const copy = new LogCopy(source, target);
    for (let listing = 1; !copy.#copySmall(); listing += 1)
      if (listing === BACKUP.listingsMaximum)
        throw storeCorrupt(source, 'its files vanish while they are copied');
    return copy;
  }

  /** Where the copy ends, on disk. */
  end(): LogEnd {
    return this.#end;
  }

  /**
   * Takes over by how much the log has grown, and puts it on disk. Gives how many frames that were.
   * Asked again after an error it goes on where it was. Errors: `store_corrupt` where the log does
   * not go on from the copy's end, those of the file system.
   */
  async takeOver(): Promise<number> {
    this.#assertThere();
    this.#endFullFile();
    // Noted before the log is read: it has to reach this.
    const noted = readAnchor(this.#source);
    const began = this.#end.frame.seq;
    let last: FoundFrame | null = null;
    let file = this.#file;
    for (const frame of framesAfter(logFolder(this.#source), this.#end.frame)) {
      file = append((file ??= this.#file = this.#begin()), frame);
      last = frame;
    }
    if (file !== null && last !== null) {
      fdatasyncSync(file.handle);
      this.#file = file;
      this.#end = endOf(last);
    }
    const { frame, link } = this.#end;
    if (noted !== null && noted !== 'damaged' && noted.seq > link.seq)
      throw storeCorrupt(this.#source, `it has lost what follows entry ${link.seq}`);
    if (frame.seq > began || readAnchor(this.#target) === null)
      await writeAnchor(this.#target, link);
    return frame.seq - began;
  }

  /** Reads all of the copy again, and compares its end. Errors: `store_corrupt`. */
  check(): void {
    const found = checkLog(this.#target);
    if (found.frame.hash !== this.#end.frame.hash || found.link.hash !== this.#end.link.hash)
      throw storeCorrupt(this.#target, `the copy does not end at entry ${this.#end.link.seq}`);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file.handle);
    this.#file = null;
  }

  /** False where a file has vanished since it was listed. */
  #copySmall(): boolean {
    const [from, to] = [logFolder(this.#source), logFolder(this.#target)];
    const there = new Set(segmentsIn(to).map(({ name }) => name));
    for (const { name, number } of segmentsIn(from)) {
      if (number !== null || there.has(name)) continue;
      const fresh = join(to, 'segment.new');
      try {
        copyOnDisk(join(from, name), fresh);
      } catch (cause) {
        if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false;
        throw cause;
      }
      renameSync(fresh, join(to, name));
    }
    syncFolder(to);
    let last: FoundFrame | null = null;
    for (const frame of framesAfter(to, NO_END.frame)) last = frame;
    if (last !== null) this.#end = endOf(last);
    return true;
  }

  #begin(): OpenFile {
    this.#files += 1;
    const folder = logFolder(this.#target);
    const handle = openSync(join(folder, segmentName(this.#files)), 'w', 0o600);
    syncFolder(folder);
    return { handle, bytes: 0 };
  }

  /** What is written into a file that was taken away is lost, and no error says so. */
  #assertThere(): void {
    if (this.#file !== null && fstatSync(this.#file.handle).nlink === 0)
      throw storeCorrupt(this.#target, 'the copy was taken away');
  }

  /** A file that is full is made small, and found the same, as the log's own are. */
  #endFullFile(): void {
    if (this.#file === null || this.#file.bytes < STORE.logFileBytes) return;
    closeSync(this.#file.handle);
    this.#file = null;
    packSegments(logFolder(this.#target), this.#end.frame.seq, false);
  }
}

function append(file: OpenFile, { bytes }: FoundFrame): OpenFile {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file.handle, bytes, done, bytes.length - done, file.bytes + done);
  return { ...file, bytes: file.bytes + bytes.length };
}
