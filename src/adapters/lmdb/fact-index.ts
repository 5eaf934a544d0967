import type { Database, RootDatabase } from 'lmdb';
import { MISSED_EVENTS } from '../../../config/limits/missed-events.ts';
import type { DomainEvent, JournalEntry } from '../../domain/events.ts';
import type { FactReader } from '../../domain/user-topic.ts';

/** A fact that a user's topic tells, as it goes into the index. */
export interface ReadFact {
  readonly reader: FactReader;
  readonly seq: number;
  /** As the fact is stamped. */
  readonly atMs: number;
  /** Its text in the journal. */
  readonly text: string;
}

/** Where META has the number of the newest fact that was forgotten. */
const FORGOTTEN = 'facts.forgotten';

/**
 * The newest facts by who reads them, for `MISSED_EVENTS.keptMs`: a copy that is made of the log
 * with everything else in LMDB, by the thread that lets it catch up.
 */
export class FactIndex {
  readonly #meta: Database;
  readonly #facts: Database<string, [FactReader, number]>;
  readonly #order: Database<readonly [FactReader, number], number>;
  /** Of a store that had no index before: it begins behind the facts LMDB has then. */
  readonly #beginsBehind: number;

  constructor(root: RootDatabase, meta: Database, beginsBehind: number) {
    this.#meta = meta;
    this.#facts = root.openDB({ name: 'facts', encoding: 'string' });
    this.#order = root.openDB({ name: 'facts.order' });
    this.#beginsBehind = beginsBehind;
  }

  /** Facts up to this number are not found by their reader. */
  forgottenUpTo(): number {
    const stored: unknown = this.#meta.get(FORGOTTEN);
    return typeof stored === 'number' ? stored : this.#beginsBehind;
  }

  /** Facts of a reader behind a number, in order, at most `limit`. */
  read(reader: FactReader, afterSeq: number, limit: number): readonly JournalEntry[] {
    if (limit <= 0) return [];
    const start: [FactReader, number] = [reader, afterSeq + 1];
    const end: [FactReader, number] = [reader, Number.MAX_SAFE_INTEGER];
    return [...this.#facts.getRange({ start, end, limit })].map(({ key: [, seq], value }) => ({
      seq,
      // The text of a fact, which `write` put there.
      event: JSON.parse(value) as DomainEvent,
    }));
  }

  /** Takes facts in and forgets the oldest, inside a transaction of LMDB; `newest` is the log's. */
  write(facts: readonly ReadFact[], newest: number): void {
    for (const { reader, seq, atMs, text } of facts) {
      this.#facts.putSync([reader, seq], text);
      this.#order.putSync(seq, [reader, atMs]);
    }
    const newestMs = facts.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
    this.#forget(newestMs - MISSED_EVENTS.keptMs, newest - MISSED_EVENTS.keptMaximum);
  }

  #forget(beforeMs: number, upTo: number): void {
    let forgotten = this.forgottenUpTo();
    // read first: what is removed must not move what is being read
    const oldest = [...this.#order.getRange({ limit: MISSED_EVENTS.forgottenAtOnce })];
    for (const { key: seq, value } of oldest) {
      const [reader, atMs] = value;
      if (atMs >= beforeMs && seq > upTo) break;
      this.#facts.removeSync([reader, seq]);
      this.#order.removeSync(seq);
      forgotten = seq;
    }
    this.#meta.putSync(FORGOTTEN, forgotten);
  }
}
