import { modeOf, type AgentRecord, type AgentMode } from '../../domain/agent.ts';
import { assert } from '../../domain/errors.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { isShadow } from '../../domain/shadow-account.ts';
import type { Key, Store, StoreReader, StoreWriter, Table, Versioned } from '../../ports/store.ts';
import { AGENTS, DECISIONS, paperTable, STOPS, USER_CAPS } from '../books/tables.ts';

/**
 * What paper trading reads of the real tables: who is enabled, what is stopped, which caps a user
 * chose. It writes none of them.
 */
const READ_ONLY: ReadonlySet<string> = new Set([AGENTS, STOPS, USER_CAPS].map(({ name }) => name));

/** Records of agents that are in no table: those of shadow runs. */
export type VirtualAgents = (userId: string, agentId: string) => AgentRecord | null;

/** What agents of a mode read; with paper money none of their records are virtual. */
export function readerOf(mode: AgentMode, reader: StoreReader): StoreReader {
  return mode === 'paper' ? readerOver(reader, () => null) : reader;
}

/**
 * The store as paper trading sees it: every table of orders, fills, ledger, positions and risk has
 * one of its own name with `paper.` before it, so that the same services keep paper accounts
 * without touching a record of real money. An agent enabled on paper is to them what a live one is
 * to the others, and a live one is not enabled. Facts go into the one journal, and so into its
 * chain, as `paper.recorded`. Receipts of users' agents lie among the other receipts; those of
 * shadow runs, which have no owner, do not.
 */
export function createPaperStore(store: Store, virtual: VirtualAgents): Store {
  const reader = readerOver(store, virtual);
  return {
    ...reader,
    write: (change) => store.write((tx) => change(writerOver(tx, virtual))),
    readJournal: (afterSeq, limit) => store.readJournal(afterSeq, limit),
    readFacts: (reader, afterSeq, limit) => store.readFacts(reader, afterSeq, limit),
    newestFact: () => store.newestFact(),
    readChain: (afterSeq, limit) => store.readChain(afterSeq, limit),
    anchorChain: () => store.anchorChain(),
    flushed: () => store.flushed(),
    // The store is not ours to close.
    close: async () => undefined,
  };
}

function readerOver(store: StoreReader, virtual: VirtualAgents): StoreReader {
  return {
    get<T>(table: Table<T>, key: Key): Versioned<T> | null {
      if (table.name !== AGENTS.name) return store.get(tableAt(table, key), key);
      const record = virtual(String(key[0]), String(key[1])) ?? store.get(AGENTS, key)?.value;
      // The table of agents holds agent records.
      return record === undefined ? null : { key, value: seenOnPaper(record) as T, version: 1 };
    },
    range: (table, range) => store.range(tableAt(table, range?.prefix ?? []), range),
  };
}

function writerOver(tx: StoreWriter, virtual: VirtualAgents): StoreWriter {
  return {
    ...readerOver(tx, virtual),
    put(table, key, value, expectedVersion) {
      assert(!READ_ONLY.has(table.name), `paper trading writes no ${table.name}`);
      tx.put(tableAt(table, key), key, value, expectedVersion);
    },
    remove(table, key) {
      assert(!READ_ONLY.has(table.name), `paper trading removes no ${table.name}`);
      tx.remove(tableAt(table, key), key);
    },
    append: (event: DomainEvent) => tx.append(recordedOnPaper(event)),
  };
}

/** Returns the fact that the journal has of what happened on paper. */
export function recordedOnPaper(event: DomainEvent): DomainEvent {
  return event.type === 'decision.made' && !isShadow(event.userId)
    ? event
    : { type: 'paper.recorded', atMs: event.atMs, fact: event };
}

function tableAt<T>(table: Table<T>, key: Key): Table<T> {
  if (READ_ONLY.has(table.name)) return table;
  return table.name === DECISIONS.name && !isShadow(String(key[0])) ? table : paperTable(table);
}

function seenOnPaper(record: AgentRecord): AgentRecord {
  return modeOf(record) === 'paper' ? { ...record, mode: 'live' } : { ...record, enabled: false };
}
