import { hash } from 'node:crypto';
import type { JournalReader, RawCommit } from '../../adapters/lmdb/journal-reader.ts';
import { recordName } from '../../adapters/memory/record-name.ts';

/** Compares the records that LMDB has with what the log made of them. */
export interface RecordCheck {
  /** A frame of the log, each after the one before. */
  take(commit: RawCommit): void;
  /** Looks at every record, once all frames were taken. */
  finish(lastSeq: number): void;
}

/** What the log says of a record: the first entry of the frame that wrote it last, and a digest. */
interface Stated {
  readonly seq: number;
  readonly digest: string;
}

/**
 * Makes the check; `find` takes what is wrong, under the number of the entry it was written with.
 * Some 200 bytes of memory for each record that is not removed.
 */
export function createRecordCheck(
  reader: JournalReader,
  find: (seq: number, what: string) => void,
): RecordCheck {
  const applied = reader.applied();
  const stated = new Map<string, Stated>();
  let reached = 0;
  return {
    take({ frame, firstSeq, records }) {
      // What LMDB has not taken in yet it cannot have wrong.
      if (frame > applied) return;
      reached = frame;
      for (const [table, key, version, value] of records) {
        const name = recordName(table, key);
        if (version === 0) stated.delete(name);
        else stated.set(name, { seq: firstSeq, digest: digestOf(version, value) });
      }
    },
    finish(lastSeq) {
      // A log that was cut says nothing of what LMDB has beyond it.
      if (reached < applied) return;
      for (const { table, key, version, value } of reader.stored()) {
        const name = recordName(table, key);
        const said = stated.get(name);
        stated.delete(name);
        if (said === undefined)
          find(lastSeq, `is the newest, and LMDB has a record in ${table} that no commit made`);
        else if (said.digest !== digestOf(version, value))
          find(
            at(said, lastSeq),
            `is of a commit of which LMDB has a record in ${table} otherwise`,
          );
      }
      for (const [name, said] of stated)
        find(at(said, lastSeq), `is of a commit of which LMDB has lost the record ${name}`);
    },
  };
}

/** A commit without entries is named by the one before it. */
function at({ seq }: Stated, lastSeq: number): number {
  return Math.max(1, Math.min(seq, lastSeq));
}

function digestOf(version: number | null, value: unknown): string {
  return hash('sha256', `${version}:${JSON.stringify(value)}`, 'base64');
}
