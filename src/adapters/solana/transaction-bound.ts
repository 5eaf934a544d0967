import { createPublicKey, verify } from 'node:crypto';
import {
  AddressLookupTableAccount,
  PublicKey,
  SystemProgram,
  VersionedTransaction,
} from '@solana/web3.js';
import { SOLANA_SWAP } from '../../../config/limits/tokens.ts';
import type { LossBound, SolanaAccount, SolanaTrials } from '../../ports/solana.ts';

/** What a check comes to: what is wrong with a transaction, or why it would fail. */
export type Checked =
  /** What a payer beside the wallet would lose, lamports; 0 without one. */
  | { readonly kind: 'bounded'; readonly payerLamports: bigint }
  | { readonly kind: 'faulty'; readonly fault: string }
  /** `lacksGiven`: the wallet holds less than it is to give. */
  | { readonly kind: 'failing'; readonly failure: string; readonly lacksGiven: boolean };

export interface TransactionBoundParts {
  readonly trials: SolanaTrials;
  /** Programs the transaction may call, base58. */
  readonly programs: ReadonlySet<string>;
}

/** Programs whose accounts hold tokens (web3.md section 8.2). */
const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
const SYSTEM = SystemProgram.programId.toBase58();
/**
 * Of the system program: a transaction that begins with it is valid for as long as its nonce is,
 * not for a blockhash's life.
 */
const ADVANCE_NONCE = 4;
/** DER before the 32 bytes of an Ed25519 key (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads a transaction in base64; null for any other text. */
export function readTransaction(encoded: string): VersionedTransaction | null {
  try {
    return VersionedTransaction.deserialize(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}

/** Returns the programs a transaction calls; null among them for one that a table names. */
function programsOf({ message }: VersionedTransaction): readonly (string | null)[] {
  return message.compiledInstructions.map(
    ({ programIdIndex }) => message.staticAccountKeys[programIdIndex]?.toBase58() ?? null,
  );
}

/**
 * Checks a transaction that a third party has made before its user signs it: the user pays, or
 * whoever the bound names, no other signature is missing, only known programs are called, and what
 * it would do is bounded: of the user's tokens the one that is given loses no more than was agreed,
 * no other token and no right over any is lost, SOL no more than was agreed, and what was promised
 * comes in; a payer beside the user loses SOL alone. What its maker says of it counts for nothing.
 * It is tried again where the accounts have changed meanwhile.
 * Errors: `chain_unavailable`.
 */
export async function checkTransactionBound(
  { trials, programs }: TransactionBoundParts,
  transaction: VersionedTransaction,
  bound: LossBound,
): Promise<Checked> {
  const fault = signersFault(transaction, bound) ?? programsFault(transaction, programs);
  if (fault !== null) return { kind: 'faulty', fault };
  const writable = await writableKeys(trials, transaction);
  if (writable === null)
    return { kind: 'faulty', fault: 'names accounts by a table that is not there' };
  let before = await trials.accounts(writable);
  for (let trial = 1; ; trial += 1) {
    const { failure, after } = await trials.trial(transaction.serialize(), writable);
    const checked: Checked =
      failure === null
        ? judge(writable, { before, after }, bound)
        : { kind: 'failing', failure, lacksGiven: heldOf(before, bound) < bound.amount };
    if (checked.kind === 'bounded' || trial === SOLANA_SWAP.trialsMaximum) return checked;
    // What another transaction of the wallet took between the two looks is not this one's doing.
    const now = await trials.accounts(writable);
    if (areSame(before, now)) return checked;
    before = now;
  }
}

/** The accounts a transaction may change, as they are and as it would leave them. */
interface TrialStates {
  readonly before: readonly (SolanaAccount | null)[];
  readonly after: readonly (SolanaAccount | null)[];
}

function judge(
  writable: readonly string[],
  { before, after }: TrialStates,
  bound: LossBound,
): Checked {
  const changes = writable.map((address, index) => ({
    address,
    before: before[index] ?? null,
    after: after[index] ?? null,
  }));
  const lost = lossOf(changes, bound);
  if (typeof lost === 'string') return { kind: 'faulty', fault: lost };
  const { payer } = bound;
  if (payer === undefined) return { kind: 'bounded', payerLamports: 0n };
  const paid = lossOf(changes, {
    wallet: payer.address,
    mint: null,
    amount: 0n,
    lamports: payer.lamports,
  });
  return typeof paid === 'string'
    ? { kind: 'faulty', fault: `${paid} of who pays for it` }
    : { kind: 'bounded', payerLamports: paid };
}

function signersFault(
  { message, signatures }: VersionedTransaction,
  { wallet, payer }: Pick<LossBound, 'wallet' | 'payer'>,
): string | null {
  const { staticAccountKeys, header } = message;
  const signers = staticAccountKeys.slice(0, header.numRequiredSignatures);
  if (signers[0]?.toBase58() !== (payer?.address ?? wallet))
    return payer === undefined ? 'is not paid for by its user' : 'is not paid for by its sponsor';
  if (!signers.some((key) => key.toBase58() === wallet)) return 'is not signed by its user';
  const signed = message.serialize();
  for (let index = 1; index < header.numRequiredSignatures; index += 1) {
    const key = staticAccountKeys[index];
    const signature = signatures[index];
    if (key?.toBase58() === wallet) continue;
    if (key === undefined || signature === undefined || !isSignedBy(key, signed, signature))
      return 'lacks the signature of another account';
  }
  return null;
}

function isSignedBy(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const spki = Buffer.concat([SPKI_HEAD, key.toBytes()]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, message, publicKey, signature);
}

function programsFault(
  transaction: VersionedTransaction,
  known: ReadonlySet<string>,
): string | null {
  const { compiledInstructions } = transaction.message;
  for (const [index, program] of programsOf(transaction).entries()) {
    if (program === null || !known.has(program))
      return `calls a program that is not known: ${program ?? 'of a table'}`;
    const data = Buffer.from(compiledInstructions[index]?.data ?? []);
    if (program === SYSTEM && (data.length < 4 || data.readUInt32LE(0) === ADVANCE_NONCE))
      return 'would be good for longer than its blockhash';
  }
  return null;
}

/** Accounts it may change, also those it names by tables; null where a table is not there. */
async function writableKeys(
  trials: SolanaTrials,
  { message }: VersionedTransaction,
): Promise<readonly string[] | null> {
  const named = message.addressTableLookups.map(({ accountKey }) => accountKey);
  const found = named.length === 0 ? [] : await trials.accounts(named.map(String));
  if (found.some((table) => table === null)) return null;
  const addressLookupTableAccounts = named.map((key, index) => {
    const state = AddressLookupTableAccount.deserialize(found[index]?.data ?? new Uint8Array());
    return new AddressLookupTableAccount({ key, state });
  });
  const keys = message.getAccountKeys({ addressLookupTableAccounts });
  return Array.from({ length: keys.length }, (_, index) => index)
    .filter((index) => message.isAccountWritable(index))
    .flatMap((index) => keys.get(index)?.toBase58() ?? []);
}

function areSame(
  one: readonly (SolanaAccount | null)[],
  other: readonly (SolanaAccount | null)[],
): boolean {
  return one.every((account, index) => {
    const same = other[index] ?? null;
    if (account === null || same === null) return account === same;
    return (
      account.lamports === same.lamports &&
      account.program === same.program &&
      Buffer.from(account.data).equals(same.data)
    );
  });
}

function heldOf(accounts: readonly (SolanaAccount | null)[], { wallet, mint }: LossBound): bigint {
  return accounts.reduce((sum, account) => {
    const holding = holdingOf(account, wallet);
    return holding?.mint === mint ? sum + holding.amount : sum;
  }, 0n);
}

interface Change {
  readonly address: string;
  readonly before: SolanaAccount | null;
  readonly after: SolanaAccount | null;
}

/** What is wrong with what a wallet would lose; else how much SOL it is, lamports. */
function lossOf(changes: readonly Change[], bound: LossBound): string | bigint {
  let given = 0n;
  let gained = 0n;
  let lamports = 0n;
  for (const { address, before, after } of changes) {
    const isWallet = address === bound.wallet;
    const held = holdingOf(before, bound.wallet);
    const left = holdingOf(after, bound.wallet);
    if (isWallet && (after === null || after.program !== SYSTEM || after.data.length > 0))
      return 'would give its wallet away';
    if (isWallet || held !== null || left !== null)
      lamports += (before?.lamports ?? 0n) - (after?.lamports ?? 0n);
    // a new account is under its owner's rights alone
    if (held === null && left !== null && left.isShared)
      return 'would give away a right over tokens';
    const lost = (held?.amount ?? 0n) - (left?.amount ?? 0n);
    const mint = held?.mint ?? left?.mint ?? null;
    if (mint !== null && mint === bound.least?.mint) gained -= lost;
    if (held === null) continue;
    const isClosed = after === null || after.lamports === 0n;
    if (!isClosed && (left === null || left.rights !== held.rights))
      return 'would give away a right over tokens';
    if (held.mint === bound.mint) given += lost;
    else if (lost > 0n) return 'would take another token than was agreed';
  }
  if (given > bound.amount)
    return `would take ${given} of the token given, ${bound.amount} were agreed`;
  if (lamports > bound.lamports)
    return `would take ${lamports} lamports, ${bound.lamports} at most are agreed`;
  if (bound.least !== undefined && gained < bound.least.amount)
    return `would bring ${gained} of the token bought, ${bound.least.amount} at least are agreed`;
  return lamports;
}

interface Holding {
  readonly mint: string;
  readonly amount: bigint;
  /** Who else may move it, how much, and who may close it, as the account writes it. */
  readonly rights: string;
  /** Another account may move or close it. */
  readonly isShared: boolean;
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
  // what follows an empty option is left over from another time
  const option = (at: number): string => (data.readUInt32LE(at) === 0 ? 'none' : key(at + 4));
  const [delegate, closer] = [option(72), option(129)];
  return {
    mint: key(0),
    amount: data.readBigUInt64LE(64),
    rights: [delegate, delegate === 'none' ? 0n : data.readBigUInt64LE(121), closer].join(' '),
    isShared: delegate !== 'none' || closer !== 'none',
  };
}
