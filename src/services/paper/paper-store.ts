import type { AgentRecord } from '../../domain/agent.ts';
import { assert } from '../../domain/errors.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Key, Store, StoreReader, StoreWriter, Table, Versioned } from '../../ports/store.ts';
import { AGENTS, DECISIONS, STOPS, USER_CAPS, WIND_UPS } from '../tables.ts';

/** What paper trading reads of the real tables: who is enabled, what is stopped, which caps a user chose. It writes none of them. */
const READ_ONLY: ReadonlySet<string> = new Set([AGENTS, STOPS, USER_CAPS, WIND_UPS].map(({ name }) => name));
/** Receipts of paper decisions lie beside the others and are listed with them. */
const SHARED: ReadonlySet<string> = new Set([...READ_ONLY, DECISIONS.name]);
const PREFIX = 'paper.';

/** Records of agents that are in no table: those of twins. */
export type VirtualAgents = (userId: string, agentId: string) => AgentRecord | null;

/** A table as paper trading has it. */
export function paperTable<T>(table: Table<T>): Table<T> {
  return SHARED.has(table.name) || table.name.startsWith(PREFIX) ? table : { name: `${PREFIX}${table.name}` };
}

/**
 * The store as paper trading sees it: every table of orders, fills, ledger, positions and risk has a twin of its own name with `paper.`
 * before it, so that the same services keep paper accounts without touching a record of real money. Facts go into the one journal, and so
 * into its chain, as `paper.recorded`; receipts as what they are.
 */
export function createPaperStore(store: Store, virtual: VirtualAgents): Store {
  const reader = readerOver(store, virtual);
  return {
    ...reader,
    write: (change) => store.write((tx) => change(writerOver(tx, virtual))),
    readJournal: (afterSeq, limit) => store.readJournal(afterSeq, limit),
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
      const agent = table.name === AGENTS.name ? virtual(String(key[0]), String(key[1])) : null;
      // The table of agents holds agent records.
      return agent === null ? store.get(paperTable(table), key) : { key, value: agent as T, version: 1 };
    },
    range: (table, range) => store.range(paperTable(table), range),
  };
}

function writerOver(tx: StoreWriter, virtual: VirtualAgents): StoreWriter {
  return {
    ...readerOver(tx, virtual),
    put(table, key, value, expectedVersion) {
      assert(!READ_ONLY.has(table.name), `paper trading writes no ${table.name}`);
      tx.put(paperTable(table), key, value, expectedVersion);
    },
    remove(table, key) {
      assert(!READ_ONLY.has(table.name), `paper trading removes no ${table.name}`);
      tx.remove(paperTable(table), key);
    },
    append: (event: DomainEvent) => tx.append(event.type === 'decision.made' ? event : { type: 'paper.recorded', atMs: event.atMs, fact: event }),
  };
}
