import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { LOG } from '../../../config/limits/log.ts';
import { makeFolder } from '../files/make-folder.ts';

/** Where the lines of the log go. */
export interface LineSink {
  /**
   * Writes a line before it returns, behind those that wait. Never throws: a full disk, or a reader
   * that is gone, is no failure of whatever the line tells of. It waits for the next line then, or
   * is lost where LOG.waitingMaximumBytes wait.
   */
  write(line: string): void;
  /** Lines lost so far. */
  readonly lost: number;
  /** True while lines wait. */
  readonly isWaiting: boolean;
}

/** A sink whose file may be another one from now on. */
export interface OpenLineSink extends LineSink {
  /**
   * Opens the file of that name anew, since the old one may have been moved away; nothing where
   * lines go to a standard stream. Errors: those of the file system, and the old file is kept.
   */
  reopen(): void;
}

/** Standard streams by their descriptor. */
const STREAMS = { output: 1, error: 2 } as const;
/** The standard stream that takes lines where no file is named. */
export type StandardStream = keyof typeof STREAMS;

/**
 * Opens a file to append to, made when missing, or a standard stream where none is named. Errors:
 * those of the file system.
 */
export function openLineSink(
  file: string | undefined,
  stream: StandardStream = 'error',
): OpenLineSink {
  if (file !== undefined) makeFolder(dirname(file));
  let target = file === undefined ? STREAMS[stream] : openSync(file, 'a+');
  const sink = createLineSink((bytes) => writeSync(target, bytes));
  // A full disk, or a kill, cut the last one of an earlier process.
  if (file !== undefined && !endsWithLine(target)) sink.write('\n');
  return {
    write: (line) => sink.write(line),
    get lost() {
      return sink.lost;
    },
    get isWaiting() {
      return sink.isWaiting;
    },
    reopen() {
      if (file === undefined) return;
      const former = target;
      target = openSync(file, 'a+');
      closeSync(former);
    },
  };
}

/**
 * Reports whether a standard stream is the journal of systemd, which names it in JOURNAL_STREAM as
 * device and inode; a program started by a service's shell may have the name and another stream.
 */
export function isJournal(stream: StandardStream, journalStream: string | null): boolean {
  if (journalStream === null) return false;
  const { dev, ino } = fstatSync(STREAMS[stream], { bigint: true });
  return `${dev}:${ino}` === journalStream;
}

function endsWithLine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last.toString() === '\n');
}

/**
 * Makes a sink over a way to write, which gives how many of the bytes it took, and throws where it
 * takes none.
 */
export function createLineSink(put: (bytes: Uint8Array) => number): LineSink {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let lost = 0;

  function writeWaiting(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const taken = put(first);
      waitingBytes -= taken;
      if (taken < first.length) waiting[0] = first.subarray(taken);
      else waiting.shift();
    }
  }

  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (waitingBytes + bytes.length > LOG.waitingMaximumBytes) lost += 1;
      else {
        waiting.push(bytes);
        waitingBytes += bytes.length;
      }
      try {
        writeWaiting();
      } catch {
        // What is left waits.
      }
    },
    get lost() {
      return lost;
    },
    get isWaiting() {
      return waiting.length > 0;
    },
  };
}
