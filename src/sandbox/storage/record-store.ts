import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { RECORD_FILE } from '../../../config/limits/sandbox.ts';
import { damagedFile, jsonIn, wholeLines } from './append-file.ts';
import { makeFolder } from '../../adapters/files/make-folder.ts';

/** Records by key that outlive the process; plain JSON. */
export interface RecordStore<T> {
  get(key: string): T | null;
  /** Oldest first: a record that is put again keeps its place. */
  all(): readonly T[];
  size(): number;
  /**
   * Hands the record to the operating system before it returns, so that it survives the death of
   * the process.
   */
  put(key: string, record: T): void;
  remove(key: string): void;
  close(): void;
}

const lineSchema = z.object({ key: z.string(), record: z.unknown() });

/**
 * Opens a file of records; null keeps them in memory only. What is read was written by this program
 * from typed values of the same version. Errors: `store_corrupt` when a whole line cannot be read,
 * or the file is of another version.
 */
export function openRecordStore<T>(file: string | null, version: number): RecordStore<T> {
  const records = file === null ? new Map<string, T>() : readRecords<T>(file, version);
  let log: number | null = null;
  let written = 0;
  let rewriteAt: number = RECORD_FILE.rewriteAboveBytes;

  function append(text: string): void {
    if (log === null) return;
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) done += writeSync(log, bytes, done);
    written += bytes.length;
    if (written > rewriteAt) rewrite();
  }

  /**
   * A new file takes the old one's place, so that a process which is still dying writes into the
   * one that is gone.
   */
  function rewrite(): void {
    if (file === null) return;
    if (log !== null) closeSync(log);
    makeFolder(dirname(file));
    const fresh = `${file}.${process.pid}.new`;
    const text = [
      JSON.stringify({ key: 'version', record: version }),
      ...[...records].map(([key, record]) => lineOf(key, record)),
      '',
    ].join('\n');
    writeFileSync(fresh, text);
    log = openSync(fresh, 'a');
    fsyncSync(log);
    renameSync(fresh, file);
    written = Buffer.byteLength(text);
    rewriteAt = Math.max(RECORD_FILE.rewriteAboveBytes, 2 * written);
  }

  rewrite();
  return {
    get: (key) => records.get(key) ?? null,
    all: () => [...records.values()],
    size: () => records.size,
    put(key, record) {
      records.set(key, record);
      append(`${lineOf(key, record)}\n`);
    },
    remove(key) {
      if (records.delete(key)) append(`${lineOf(key, null)}\n`);
    },
    close() {
      if (log !== null) closeSync(log);
      log = null;
    },
  };
}

function lineOf(key: string, record: unknown): string {
  return JSON.stringify({ key: `r:${key}`, record });
}

function readRecords<T>(file: string, version: number): Map<string, T> {
  const records = new Map<string, T>();
  if (!existsSync(file)) return records;
  const [first, ...lines] = wholeLines(file);
  if (first === undefined || parse(file, first).record !== version) throw damagedFile(file);
  for (const line of lines) {
    const { key, record } = parse(file, line);
    if (record === null) records.delete(key.slice(2));
    // written by `put` from a typed value of this version
    else records.set(key.slice(2), record as T);
  }
  return records;
}

function parse(file: string, line: string): z.output<typeof lineSchema> {
  const read = lineSchema.safeParse(jsonIn(file, line));
  if (!read.success) throw damagedFile(file, read.error);
  return read.data;
}
