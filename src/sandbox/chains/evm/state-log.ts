import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { jsonIn, wholeLines } from '../../storage/append-file.ts';
import { parseState, type NodeState } from './node-state.ts';

/** A whole state, and what has changed since it was written. */
export interface StateLogFiles {
  /** In the node's own format; the next start loads it. */
  readonly current: string;
  /**
   * Its first line names the state it belongs to, each further one holds what a checkpoint found
   * changed.
   */
  readonly log: string;
}

/** Writes checkpoints of one node. */
export interface StateLog {
  /**
   * Writes the node's state (its own format, JSON text): what has changed since the last time, or
   * all of it the first time, when blocks are gone, and when the log has become longer than the
   * state. Returns how many blocks it has. Errors: `store_corrupt` for text that is no state.
   */
  save(text: string): number;
}

const headSchema = z.object({ state: z.string() });

/** Creates the writer of a node's checkpoints; its first one is whole. */
export function openStateLog(files: StateLogFiles): StateLog {
  let known: Entries | null = null;
  let wholeBytes = 0;
  let logBytes = 0;
  return {
    save(text) {
      const state = parseState(files.current, text);
      const entries = entriesOf(state);
      const change =
        known === null || logBytes > Math.max(wholeBytes, LOCAL_CHAIN.stateLogMinimumBytes)
          ? null
          : changeOf(state, entries, known);
      known = null;
      if (change === null) {
        replaceFile(files.current, text);
        writeFileSync(files.log, `${JSON.stringify({ state: digestOf(text) })}\n`);
        [wholeBytes, logBytes] = [text.length, 0];
      } else {
        const line = `${JSON.stringify(change)}\n`;
        appendFileSync(files.log, line);
        logBytes += line.length;
      }
      known = entries;
      return state.blocks.length;
    },
  };
}

/**
 * Returns the current state with what the log holds of later checkpoints; a line that was cut short
 * did not happen. Errors: `store_corrupt`.
 */
export function foldedState(files: StateLogFiles): NodeState {
  const text = readFileSync(files.current, 'utf8');
  const [head, ...changes] = wholeLines(files.log);
  const state = parseState(files.current, text);
  // A kill between the two writes of a whole state leaves the log of the one before.
  if (head === undefined || headSchema.parse(jsonIn(files.log, head)).state !== digestOf(text))
    return state;
  return changes.map((line) => parseState(files.log, line)).reduce(withChange, state);
}

/** Names of everything in a state, and of each account what it is like. */
interface Entries {
  readonly accounts: ReadonlyMap<string, string>;
  readonly blocks: ReadonlySet<string>;
  readonly transactions: ReadonlySet<string>;
}

function entriesOf({ accounts, blocks, transactions }: NodeState): Entries {
  return {
    accounts: new Map(
      Object.entries(accounts).map(([address, account]) => [address, JSON.stringify(account)]),
    ),
    blocks: new Set(blocks.map(blockKey)),
    transactions: new Set(transactions.map(transactionKey)),
  };
}

/**
 * The entries that are new or other than before; null where some are gone, as when blocks are taken
 * back.
 */
function changeOf(
  state: NodeState,
  { accounts, blocks, transactions }: Entries,
  known: Entries,
): NodeState | null {
  if (
    !isPartOf(known.accounts, accounts) ||
    !isPartOf(known.blocks, blocks) ||
    !isPartOf(known.transactions, transactions)
  )
    return null;
  return {
    ...state,
    accounts: Object.fromEntries(
      Object.entries(state.accounts).filter(
        ([address]) => known.accounts.get(address) !== accounts.get(address),
      ),
    ),
    blocks: state.blocks.filter((block) => !known.blocks.has(blockKey(block))),
    transactions: state.transactions.filter(
      (transaction) => !known.transactions.has(transactionKey(transaction)),
    ),
  };
}

function withChange(before: NodeState, change: NodeState): NodeState {
  return {
    ...before,
    ...change,
    accounts: { ...before.accounts, ...change.accounts },
    blocks: [...before.blocks, ...change.blocks],
    transactions: [...before.transactions, ...change.transactions],
  };
}

function isPartOf(
  before: { keys(): Iterable<string> },
  after: { has(key: string): boolean },
): boolean {
  for (const key of before.keys()) if (!after.has(key)) return false;
  return true;
}

function blockKey({
  header: { number, parentHash, stateRoot, transactionsRoot, timestamp },
}: NodeState['blocks'][number]): string {
  return `${number} ${parentHash} ${stateRoot} ${transactionsRoot} ${timestamp}`;
}

function transactionKey({ info, block_hash }: NodeState['transactions'][number]): string {
  return `${info.transaction_hash} ${block_hash}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Puts a text in a file's place as a whole. */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, file);
}
