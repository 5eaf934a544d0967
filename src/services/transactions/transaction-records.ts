import { TRANSACTION } from '../../../config/limits/funds.ts';
import { AppError, assert } from '../../domain/errors.ts';
import { asId, type TransactionId, type UserId } from '../../domain/ids.ts';
import {
  isTransactionOver,
  type ChainAccount,
  type TransactionBody,
  type TransactionRecord,
  type WalletReserve,
} from '../../domain/transaction.ts';
import type { PurposeKind, TransactionPurpose } from '../../domain/transaction-purpose.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Key, StoreReader, StoreWriter } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { newIdBody } from '../new-id.ts';
import { invalidCursor } from '../newest-page.ts';
import { markPayment } from './payments.ts';
import {
  newestTransactions,
  readTransaction,
  transactionAt,
  transactionsOf,
} from './stored-transactions.ts';
import { OPEN_TRANSACTIONS, TRANSACTION_KEYS, TRANSACTIONS } from './tables.ts';

/** Something an account is to do. */
export interface TransactionDraft {
  readonly userId: UserId;
  readonly account: ChainAccount;
  readonly purpose: TransactionPurpose;
  readonly body: TransactionBody;
  readonly reserves?: readonly WalletReserve[];
  /** The caller's key: the same key gives the same transaction. */
  readonly key?: string | undefined;
}

/** What an own transaction was for; `cancel` is the call without effect that takes its place. */
export type OwnPurpose = PurposeKind | 'cancel';

/** Returns a new id of a transaction. */
export function newTransactionId(deps: {
  readonly clock: Clock;
  readonly random: Random;
}): TransactionId {
  return asId<TransactionId>(`txn_${newIdBody(deps)}`);
}

/**
 * Returns the record of a new transaction at the end of its account's queue. Nothing is signed yet:
 * it gets its nonce or blockhash when it is first. Errors: `limit_reached`.
 */
export function newTransaction(
  reader: StoreReader,
  draft: TransactionDraft,
  made: { readonly transactionId: TransactionId; readonly nowMs: number },
): TransactionRecord {
  const { userId, account } = draft;
  assertQueueRoom(reader, { userId, account }, 1);
  const last = queueOf(reader, userId, account).at(-1);
  return intended(draft, { ...made, place: (last?.place ?? 0) + 1 });
}

/**
 * Puts a transaction into the place another leaves with its end, in the change that writes the end:
 * it goes before whatever waits behind that one, and takes its room in the queue.
 */
export function putSuccessor(
  tx: StoreWriter,
  ended: TransactionRecord,
  {
    transactionId,
    nowMs,
    ...next
  }: Pick<TransactionDraft, 'purpose' | 'body'> & {
    readonly transactionId: TransactionId;
    readonly nowMs: number;
  },
): void {
  assert(isTransactionOver(ended.state), `transaction ${ended.transactionId} has ended`);
  const { userId, account, place } = ended;
  const after = intended({ userId, account, ...next }, { transactionId, nowMs, place });
  putTransaction(tx, { before: null, after });
}

function intended(
  { userId, account, purpose, body, reserves }: TransactionDraft,
  {
    transactionId,
    nowMs,
    place,
  }: Pick<TransactionRecord, 'transactionId' | 'place'> & { readonly nowMs: number },
): TransactionRecord {
  return {
    transactionId,
    userId,
    account,
    place,
    purpose,
    body,
    ...(reserves === undefined || reserves.length === 0 ? {} : { reserves }),
    state: 'intended',
    reason: null,
    attempts: [],
    dead: [],
    handle: null,
    sends: 0,
    lastSentAtMs: null,
    refusals: 0,
    transactionHash: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Refuses more transactions than an account's queue takes. Errors: `limit_reached`. */
export function assertQueueRoom(
  reader: StoreReader,
  { userId, account }: Pick<TransactionDraft, 'userId' | 'account'>,
  more: number,
): void {
  if (queueOf(reader, userId, account).length + more <= TRANSACTION.queueMaximum) return;
  throw new AppError(
    'limit_reached',
    `${TRANSACTION.queueMaximum} transactions wait for this account already`,
    { retryable: true },
  );
}

/** Returns the transaction made before under a caller's key; null without one, or a key. */
export function transactionByKey(
  reader: StoreReader,
  userId: UserId,
  key: string | undefined,
): TransactionRecord | null {
  const ref = key === undefined ? undefined : reader.get(TRANSACTION_KEYS, [userId, key])?.value;
  return ref === undefined ? null : readTransaction(reader, ref);
}

/** Returns a user's transactions that have not ended, each account's in the order of its queue. */
export function openTransactions(
  reader: StoreReader,
  userId: UserId,
): readonly TransactionRecord[] {
  return openUnder(reader, [userId]);
}

/** Returns the transactions of one account that have not ended, in order. */
function queueOf(
  reader: StoreReader,
  userId: UserId,
  { chain, rail, address }: ChainAccount,
): readonly TransactionRecord[] {
  return openUnder(reader, [userId, chain, rail, address]);
}

function openUnder(reader: StoreReader, prefix: Key): readonly TransactionRecord[] {
  return reader.range(OPEN_TRANSACTIONS, { prefix }).flatMap(({ key }) => {
    const found = transactionAt(reader, transactionKey(key));
    return found === null ? [] : [found];
  });
}

/**
 * Writes a transaction, null before its first record, with all that follows it: its queue, its
 * recipient, and the fact when its state changed.
 */
export function putTransaction(
  tx: StoreWriter,
  {
    before,
    after,
  }: { readonly before: TransactionRecord | null; readonly after: TransactionRecord },
): void {
  const { userId, transactionId, account, place } = after;
  assert(
    before === null || !isTransactionOver(before.state) || isEndedAgain(before, after),
    `transaction ${transactionId} has not ended`,
  );
  tx.put(TRANSACTIONS, [userId, transactionId], after);
  const key = [userId, account.chain, account.rail, account.address, place, transactionId];
  if (isTransactionOver(after.state)) tx.remove(OPEN_TRANSACTIONS, key);
  else if (before === null) tx.put(OPEN_TRANSACTIONS, key, { sinceMs: after.createdAtMs });
  markPayment(tx, after);
  if (before?.state !== after.state)
    tx.append({
      type: 'transaction.changed',
      userId,
      atMs: after.updatedAtMs,
      from: before?.state ?? null,
      transaction: after,
    });
}

/** A block that was taken back may have had it. */
function isEndedAgain(before: TransactionRecord, after: TransactionRecord): boolean {
  return isTransactionOver(after.state) && before.state !== after.state;
}

/**
 * Returns what the own transaction was for that has an attempt of this id on chain, `cancel`
 * for the call in one's place; null for none.
 */
export function ownPurposeOf(
  reader: StoreReader,
  userId: UserId,
  attemptId: string,
): OwnPurpose | null {
  for (const { attempts, purpose } of transactionsOf(reader, userId)) {
    const own = attempts.find(({ id }) => id.toLowerCase() === attemptId.toLowerCase());
    if (own !== undefined) return own.isCancel ? 'cancel' : purpose.kind;
  }
  return null;
}

/**
 * Returns one page of a user's transactions for one purpose, newest first; a cursor is the id of
 * the last one of the page before. Errors: `invalid_request` for an invalid cursor.
 */
export function pageOfTransactions(
  reader: StoreReader,
  userId: UserId,
  { kind, limit, cursor }: PageQuery & { readonly kind: PurposeKind },
): Page<TransactionRecord> {
  if (cursor !== null && transactionAt(reader, [userId, cursor])?.purpose.kind !== kind)
    throw invalidCursor();
  const found: TransactionRecord[] = [];
  for (const record of newestTransactions(reader, userId, cursor)) {
    if (record.purpose.kind === kind) found.push(record);
    if (found.length > limit) break;
  }
  const data = found.slice(0, limit);
  return { data, nextCursor: found.length > limit ? (data.at(-1)?.transactionId ?? null) : null };
}

/**
 * Returns the highest nonce of an account that the chain has proven to be used, of those we signed
 * under; null when none is.
 */
export function usedNonce(
  reader: StoreReader,
  { userId, account }: Pick<TransactionRecord, 'userId' | 'account'>,
): number | null {
  const used = transactionsOf(reader, userId)
    .filter((one) => isSameAccount(one.account, account))
    .flatMap(({ state, attempts, dead }) => [
      ...dead.flatMap(({ proof }) => (proof.kind === 'nonce_used' ? [proof.nonce] : [])),
      ...attempts.flatMap(({ bound }) =>
        isTransactionOver(state) && bound.kind === 'nonce' ? [bound.nonce] : [],
      ),
    ]);
  return used.reduce<number | null>((highest, nonce) => Math.max(highest ?? nonce, nonce), null);
}

function transactionKey(place: Key): Key {
  return [place[0] ?? '', place.at(-1) ?? ''];
}

/** Reports whether two names are of one account on one chain, carried by one rail. */
export function isSameAccount(one: ChainAccount, other: ChainAccount): boolean {
  return one.chain === other.chain && one.rail === other.rail && one.address === other.address;
}
