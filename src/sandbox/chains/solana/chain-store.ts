import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import { damagedFile, jsonIn, sweepUnfinished, wholeLines } from '../../storage/append-file.ts';
import type { Founding } from './chain-time.ts';
import type { LandedTransaction } from './landed-transaction.ts';
import { makeFolder } from '../../../adapters/files/make-folder.ts';

/** What the last run left. */
interface SavedChain extends Founding {
  /** The newest slot of the state. */
  readonly slot: number;
  /** The machine's own bytes. */
  readonly state: Uint8Array;
  /** Oldest first. */
  readonly transactions: readonly LandedTransaction[];
}

/** A chain's place on disk. */
export interface ChainStore {
  /** Null in a fresh folder. */
  readonly saved: SavedChain | null;
  /**
   * Keeps transactions and the state they led to, all or none: a kill in the middle leads back to
   * the save before.
   */
  save(chain: Omit<SavedChain, 'transactions'>, landed: readonly LandedTransaction[]): void;
  /**
   * Keeps an earlier state and the transactions that led to it alone: the later ones have been
   * dropped.
   */
  rewind(chain: SavedChain): void;
}

const STATE = 'state.bin';
const HISTORY = 'transactions.jsonl';
/** Folders of before the newest signature was noted have a slot alone. */
const headSchema = z.object({
  version: z.literal(1),
  seed: z.int(),
  foundedAtMs: z.int(),
  genesisHash: z.string(),
  slot: z.int().nonnegative(),
  newest: z.string().nullish(),
});

interface SavedState extends Omit<SavedChain, 'transactions'> {
  /** Signature of the newest transaction in it; null for none, undefined where it was not noted. */
  readonly newest: string | null | undefined;
}

/**
 * Opens a chain's folder: the whole state in one file that is replaced at once, and the
 * transactions in a list that grows. Lines newer than the state were written by a run that was
 * killed before it could replace the state: they did not happen. Errors: `store_corrupt` when a
 * file cannot be understood or belongs to a chain of another seed.
 */
export function openChainStore(folder: string, seed: number): ChainStore {
  makeFolder(folder);
  sweepUnfinished(folder);
  const head = readState(join(folder, STATE), seed);
  const history = join(folder, HISTORY);
  const kept =
    head === null
      ? []
      : happened(readHistory(history), head).slice(-SOLANA_SANDBOX.transactionsKeptMaximum);
  let newest = kept.at(-1)?.signature ?? null;
  replace(history, linesOf(kept));
  const write = ({ foundedAtMs, genesisHash, slot, state }: Omit<SavedChain, 'transactions'>) => {
    const text = Buffer.from(
      JSON.stringify({ version: 1, seed, foundedAtMs, genesisHash, slot, newest }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    replace(join(folder, STATE), Buffer.concat([length, text, state]));
  };
  return {
    saved: head === null ? null : { ...head, transactions: kept },
    save(chain, landed) {
      if (landed.length > 0) appendFileSync(history, linesOf(landed));
      newest = landed.at(-1)?.signature ?? newest;
      write(chain);
    },
    rewind({ transactions, ...chain }) {
      // The state first: lines behind its newest transaction are dropped at the next start anyway.
      newest = transactions.at(-1)?.signature ?? null;
      write(chain);
      replace(history, linesOf(transactions));
    },
  };
}

/**
 * Notes that the chain in a folder lives as long as this process. Errors: `config_invalid` where
 * that was so before: what other chains and the daemon remember would not fit a chain that begins
 * anew.
 */
export function noteUnkept(folder: string): void {
  const note = join(folder, 'not-kept');
  if (existsSync(note))
    throw new AppError(
      'config_invalid',
      `the Solana of ${folder} ended with its process, for litesvm has no build on ${process.platform}-${process.arch} that keeps its state; begin anew with another PREDICTD_DATA, or remove the sandbox's folder.`,
    );
  writeFileSync(note, '');
}

function readState(file: string, seed: number): SavedState | null {
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file);
  const textEnd = bytes.length < 4 ? 0 : 4 + bytes.readUInt32LE(0);
  if (textEnd === 0 || textEnd >= bytes.length) throw damagedFile(file);
  const head = headSchema.safeParse(jsonIn(file, bytes.toString('utf8', 4, textEnd)));
  if (!head.success) throw damagedFile(file);
  if (head.data.seed !== seed)
    throw new AppError(
      'store_corrupt',
      `${file} holds the chain of seed ${head.data.seed}, not ${seed}; start with that seed or remove the sandbox's folder.`,
    );
  return {
    foundedAtMs: head.data.foundedAtMs,
    genesisHash: head.data.genesisHash,
    slot: head.data.slot,
    newest: head.data.newest,
    state: bytes.subarray(textEnd),
  };
}

function readHistory(file: string): readonly LandedTransaction[] {
  // written by `save` from typed values
  return wholeLines(file).map((line) => jsonIn(file, line) as LandedTransaction);
}

/**
 * Transactions the state is the state of. Its slot does not say so alone: others may have landed in
 * it after the save.
 */
function happened(
  transactions: readonly LandedTransaction[],
  { newest, slot }: SavedState,
): readonly LandedTransaction[] {
  if (newest === undefined) return transactions.filter((transaction) => transaction.slot <= slot);
  return transactions.slice(
    0,
    transactions.findLastIndex(({ signature }) => signature === newest) + 1,
  );
}

function linesOf(transactions: readonly LandedTransaction[]): string {
  return transactions.map((transaction) => `${JSON.stringify(transaction)}\n`).join('');
}

function replace(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${process.pid}.new`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
