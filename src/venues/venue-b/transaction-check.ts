import { createPublicKey, verify } from 'node:crypto';
import {
  AddressLookupTableAccount,
  PublicKey,
  SystemProgram,
  VersionedTransaction,
} from '@solana/web3.js';
import { AppError } from '../../domain/errors.ts';
import type { SolanaAccount, SolanaTrials } from '../../ports/solana.ts';

/** What a transaction of the venue's may do to its user, at most. */
export interface LossBound {
  readonly wallet: string;
  /** The token that is given, what of the books it is, and how much of it. */
  readonly mint: string;
  readonly gives: 'cash' | 'shares';
  readonly amount: bigint;
  /** Fee, rents and what making a market costs. */
  readonly lamports: bigint;
}

/** What the check works with. */
export interface TransactionCheckParts {
  readonly trials: SolanaTrials;
  /** Programs an order may call, base58. */
  readonly programs: ReadonlySet<string>;
}

/** Programs whose accounts hold tokens (web3.md section 8.2). */
const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
const SYSTEM = SystemProgram.programId.toBase58();
/**
 * Of the system program: a transaction that begins with it is good for as long as its nonce stands,
 * not for a blockhash's life.
 */
const ADVANCE_NONCE = 4;
/** DER before the 32 bytes of an Ed25519 key (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Checks a transaction that somebody else has made before its user signs it: the user pays and is
 * the only one whose signature is missing, only known programs are called, and what it would do is
 * bounded (venue_b.md section 21): of the user's tokens the one that is given loses no more than
 * was agreed, no other token and no right over any is lost, and SOL no more than fees and rents.
 * What the venue says of its own transaction counts for nothing. Errors: `venue_protocol` for one
 * that is not signed; those of `trialError` for one that would fail; `chain_unavailable`.
 */
export async function checkTransaction(
  { trials, programs }: TransactionCheckParts,
  encoded: string,
  bound: LossBound,
): Promise<VersionedTransaction> {
  const transaction = read(encoded);
  assertSigners(transaction, bound.wallet);
  assertPrograms(transaction, programs);
  const writable = await writableKeys(trials, transaction);
  const before = await trials.accounts(writable);
  const { failure, after } = await trials.trial(transaction.serialize(), writable);
  if (failure !== null) throw trialError(failure, before, bound);
  assertBounded(
    writable.map((address, index) => ({
      address,
      before: before[index] ?? null,
      after: after[index] ?? null,
    })),
    bound,
  );
  return transaction;
}

function read(encoded: string): VersionedTransaction {
  try {
    return VersionedTransaction.deserialize(Buffer.from(encoded, 'base64'));
  } catch {
    throw refused('cannot be read');
  }
}

function assertSigners({ message, signatures }: VersionedTransaction, wallet: string): void {
  const { staticAccountKeys, header } = message;
  if (staticAccountKeys[0]?.toBase58() !== wallet) throw refused('is not paid for by its user');
  const signed = message.serialize();
  for (let index = 1; index < header.numRequiredSignatures; index += 1) {
    const key = staticAccountKeys[index];
    const signature = signatures[index];
    if (key === undefined || signature === undefined || !isSignedBy(key, signed, signature))
      throw refused('lacks the signature of somebody else');
  }
}

function isSignedBy(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const spki = Buffer.concat([SPKI_HEAD, key.toBytes()]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, message, publicKey, signature);
}

function assertPrograms({ message }: VersionedTransaction, known: ReadonlySet<string>): void {
  for (const { programIdIndex, data } of message.compiledInstructions) {
    const program = message.staticAccountKeys[programIdIndex]?.toBase58();
    if (program === undefined || !known.has(program))
      throw refused(`calls a program that is not known: ${program ?? 'of a table'}`);
    if (program === SYSTEM && Buffer.from(data).readUInt32LE(0) === ADVANCE_NONCE)
      throw refused('would be good for longer than its blockhash');
  }
}

/** Accounts it may change, also those it names by tables. */
async function writableKeys(
  trials: SolanaTrials,
  { message }: VersionedTransaction,
): Promise<readonly string[]> {
  const named = message.addressTableLookups.map(({ accountKey }) => accountKey);
  const found = named.length === 0 ? [] : await trials.accounts(named.map(String));
  const addressLookupTableAccounts = named.map((key, index) => {
    const table = found[index];
    if (table === null || table === undefined)
      throw refused('names accounts by a table that is not there');
    const state = AddressLookupTableAccount.deserialize(table.data);
    return new AddressLookupTableAccount({ key, state });
  });
  const keys = message.getAccountKeys({ addressLookupTableAccounts });
  return Array.from({ length: keys.length }, (_, index) => index)
    .filter((index) => message.isAccountWritable(index))
    .flatMap((index) => keys.get(index)?.toBase58() ?? []);
}

interface Change {
  readonly address: string;
  readonly before: SolanaAccount | null;
  readonly after: SolanaAccount | null;
}

function assertBounded(changes: readonly Change[], bound: LossBound): void {
  let given = 0n;
  let lamports = 0n;
  for (const change of changes) {
    const { address, before, after } = change;
    const isWallet = address === bound.wallet;
    const held = holdingOf(before, bound.wallet);
    const left = holdingOf(after, bound.wallet);
    if (isWallet && (after === null || after.program !== SYSTEM || after.data.length > 0))
      throw refused('would give its wallet away');
    if (isWallet || held !== null || left !== null)
      lamports += (before?.lamports ?? 0n) - (after?.lamports ?? 0n);
    if (held === null) continue;
    const isClosed = after === null || after.lamports === 0n;
    if (!isClosed && (left === null || left.rights !== held.rights))
      throw refused('would give away a right over tokens');
    const lost = held.amount - (left?.amount ?? 0n);
    if (held.mint === bound.mint) given += lost;
    else if (lost > 0n) throw refused('would take another token than was agreed');
  }
  if (given > bound.amount)
    throw refused(`would take ${given} of the token given, ${bound.amount} were agreed`);
  if (lamports > bound.lamports)
    throw refused(`would take ${lamports} lamports, ${bound.lamports} at most are agreed`);
}

interface Holding {
  readonly mint: string;
  readonly amount: bigint;
  /** Who else may move it, how much, and who may close it, as the account writes it. */
  readonly rights: string;
}

/**
 * What a token account of the wallet holds; null for any other account. Layout: mint, owner,
 * amount, delegate, state, native, delegated, closer.
 */
function holdingOf(account: SolanaAccount | null, wallet: string): Holding | null {
  if (account === null || !TOKEN_PROGRAMS.has(account.program) || account.data.length < 165)
    return null;
  const data = Buffer.from(account.data);
  const key = (at: number): string => new PublicKey(data.subarray(at, at + 32)).toBase58();
  if (key(32) !== wallet) return null;
  return {
    mint: key(0),
    amount: data.readBigUInt64LE(64),
    rights: `${data.toString('hex', 72, 108)} ${data.toString('hex', 121, 165)}`,
  };
}

/** Errors of the outcome program (venue_b.md section 13). */
const CUSTOM: Readonly<Record<string, readonly ['market_closed' | 'no_liquidity', string]>> = {
  16: ['market_closed', 'the market is not open'],
  17: ['market_closed', 'the market is decided'],
  64: ['no_liquidity', 'the size is not one it trades'],
  83: ['no_liquidity', 'the price has moved'],
  84: ['no_liquidity', 'the price has moved'],
};

/**
 * Returns what it means that a transaction would fail: too little SOL or tokens, a blockhash that
 * has passed, the venue's own reasons.
 */
function trialError(
  failure: string,
  before: readonly (SolanaAccount | null)[],
  bound: LossBound,
): AppError {
  if (/blockhash ?not ?found/i.test(failure))
    return new AppError('preparation_timeout', 'the quote was too old when it came; try again', {
      retryable: true,
    });
  if (/InsufficientFundsFor(Fee|Rent)|AccountNotFound/.test(failure)) return lacksSol();
  const [, custom = ''] = /"Custom":(\d+)/.exec(failure) ?? [];
  // The token programs and that of SOL have one number for too little.
  if (custom === '1') return lacksGiven(before, bound) ?? lacksSol();
  const known = CUSTOM[custom];
  if (known !== undefined) return new AppError(known[0], known[1], { retryable: true });
  return new AppError('venue_protocol', `the order's transaction would fail: ${failure}`, {
    retryable: true,
  });
}

/** The refusal of an order whose wallet holds less than it is to give; null where it does not. */
function lacksGiven(
  before: readonly (SolanaAccount | null)[],
  { wallet, mint, gives, amount }: LossBound,
): AppError | null {
  const held = before.reduce((sum, account) => {
    const holding = holdingOf(account, wallet);
    return holding?.mint === mint ? sum + holding.amount : sum;
  }, 0n);
  if (held >= amount) return null;
  const [code, what] =
    gives === 'cash'
      ? (['insufficient_funds', 'USDC'] as const)
      : (['insufficient_shares', 'contracts'] as const);
  return new AppError(code, `the wallet has less ${what} just now than the order gives`, {
    retryable: true,
  });
}

/** Returns the refusal of an order whose wallet cannot pay the network. */
export function lacksSol(): AppError {
  return new AppError(
    'insufficient_funds',
    'not enough SOL for fees: the network takes its fee, and the rent of new token accounts, in SOL; send some to the Solana wallet',
  );
}

function refused(why: string): AppError {
  return new AppError('venue_protocol', `the order's transaction ${why}; it was not signed`);
}
