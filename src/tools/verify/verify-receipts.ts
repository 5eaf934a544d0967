import { isDeepStrictEqual } from 'node:util';
import type { JournalReader, RawRecord } from '../../adapters/lmdb/journal-reader.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Key } from '../../ports/store.ts';
import { SIGNAL_RECEIPTS } from '../../services/execution/tables.ts';
import { DECISIONS } from '../../services/books/tables.ts';

/** Compares receipts as they are listed with what the journal chains. */
export interface ReceiptCheck {
  /** An entry of the journal. */
  take(seq: number, event: DomainEvent): void;
  /** Looks for receipts that no entry up to the last one tells of. */
  finish(lastSeq: number): void;
  count(): number;
}

/**
 * Makes the check; `find` takes what is wrong with the entry of a number. Shared receipts may be
 * gone once they are older than `keptMs`.
 */
export function createReceiptCheck(
  reader: JournalReader,
  find: (seq: number, what: string) => void,
  keptMs: number,
): ReceiptCheck {
  /** Numbers of the entries whose receipt is there and names them. */
  const named = new Set<number>();
  /** Receipts of users that are not there: gone, unless their user went to another shard. */
  const gone: { readonly seq: number; readonly userId: string }[] = [];
  const moved = new Set<string>();
  const missing: { readonly seq: number; readonly atMs: number }[] = [];
  let newestMs = 0;
  let count = 0;

  function compare(seq: number, row: RawRecord, receipt: object): void {
    count += 1;
    const { journalSeq, ...said } = fieldsOf(row.value);
    if (journalSeq === seq) named.add(seq);
    if (row.value === undefined || row.version === null)
      return find(seq, 'has a receipt whose bytes cannot be read');
    if (row.version !== 1 || !isDeepStrictEqual(said, receipt) || journalSeq !== seq)
      find(seq, 'has a receipt that says something else than the journal');
  }

  function finishTable(table: string, lastSeq: number): void {
    for (const row of reader.records(table)) {
      const { journalSeq } = fieldsOf(row.value);
      if (typeof journalSeq !== 'number') {
        find(lastSeq, `is the newest, and a receipt in ${table} has no entry that names it`);
        continue;
      }
      // Written after the moment that is looked at.
      if (journalSeq > lastSeq) continue;
      // A second one that names the same entry is under another key than the entry's.
      if (!named.delete(journalSeq))
        find(
          journalSeq,
          `is not what a receipt in ${table} says it is: the receipt was put there by another hand`,
        );
    }
  }

  return {
    take(seq, event) {
      if (Number.isSafeInteger(event.atMs)) newestMs = Math.max(newestMs, event.atMs);
      if (event.type === 'decision.made') {
        const row = reader.record(DECISIONS.name, decisionKey(event.decision));
        if (row === null) gone.push({ seq, userId: event.userId });
        else compare(seq, row, event.decision);
      } else if (event.type === 'audit.recorded' && event.action === 'user_moved') {
        moved.add(event.userId);
      } else if (event.type === 'signal.judged') {
        const { receipt } = event;
        const key = signalKey(receipt);
        const row = reader.record(SIGNAL_RECEIPTS.name, key);
        if (row !== null) compare(seq, row, receipt);
        else missing.push({ seq, atMs: Number(fieldsOf(receipt)['atMs']) });
      }
    },
    finish(lastSeq) {
      for (const { seq, userId } of gone)
        if (!moved.has(userId)) find(seq, 'has no receipt any more');
      for (const { seq, atMs } of missing)
        if (atMs >= newestMs - keptMs)
          find(seq, 'has no shared receipt any more, before its time was over');
      finishTable(DECISIONS.name, lastSeq);
      finishTable(SIGNAL_RECEIPTS.name, lastSeq);
    },
    count: () => count,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function decisionKey(decision: unknown): Key {
  const { userId, agentId, atMs, decisionId } = fieldsOf(decision);
  return keyOf([userId, agentId, atMs, decisionId]);
}

function signalKey(receipt: unknown): Key {
  const { groupKey, atMs, decisionId } = fieldsOf(receipt);
  return keyOf([groupKey, atMs, decisionId]);
}

/** A damaged entry may have other parts than a key has: they are then found under no key. */
function keyOf(parts: readonly unknown[]): Key {
  return parts.map((part) =>
    typeof part === 'number' && Number.isSafeInteger(part) ? part : String(part),
  );
}
