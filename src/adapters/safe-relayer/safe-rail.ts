import { SAFE_RAIL } from '../../../config/limits/funds.ts';
import { assert } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import { isGivenUp, type Attempt, type TransactionRecord } from '../../domain/transaction.ts';
import type { EvmCall, EvmChain, EvmReceipt, Hex } from '../../ports/evm.ts';
import type {
  CopyStatus,
  Preparation,
  PreparationRequest,
  Rail,
  TransactionStatus,
} from '../../ports/transactions.ts';
import type {
  SafeTransactionStatus,
  SafeTransactionName,
  Safes,
  SignedSafeTransaction,
} from './safe-transaction.ts';

/**
 * Creates the rail of Safes: gasless through the relayer, the nonce and the truth from the chain.
 * What is not executed in time, or refused too often, is replaced by a call without effect under
 * its nonce; the making of a Safe never is, for nothing else can be done without it.
 */
export function createSafeRail({
  safes,
  chain,
  confirmations,
  ownerOf,
  loadKeys,
}: {
  readonly safes: Omit<Safes, 'addressOf'>;
  /** The chain the Safes live on. */
  readonly chain: EvmChain;
  /** Blocks on top of an event, its own included, after which it is final. */
  readonly confirmations: number;
  /** The user's own account, which owns the Safe. Errors: `not_found`. */
  readonly ownerOf: (userId: UserId) => Address;
  /** Puts the user's keys into memory. Errors: `not_found`, `master_key_wrong`. */
  readonly loadKeys: (userId: UserId) => Promise<unknown>;
}): Rail<EvmReceipt> {
  /**
   * The block in which an attempt was first seen dead: a reorganisation could revive it until
   * enough stand on that.
   */
  const deadSince = new Map<string, number>();
  /** An attempt is dead when the chain says so for as many blocks as make anything final. */
  const isDead = async (id: string): Promise<boolean> => {
    const { blockNumber } = await chain.head();
    const since = deadSince.get(id) ?? blockNumber;
    deadSince.set(id, since);
    return blockNumber - since + 1 >= confirmations;
  };
  return {
    chain: 'POLYGON',
    kind: 'safe',
    pace: SAFE_RAIL,
    async prepare(record, request) {
      await loadKeys(record.userId);
      switch (record.body.kind) {
        case 'create_account':
          return prepareCreation(safes, chain, record);
        case 'calls':
          return request.replacement === null
            ? prepareCalls({ safes, chain }, record, request)
            : prepareCancel(safes, ownerOf(record.userId), record);
        case 'message':
          return { kind: 'refused', reason: 'a Safe carries calls' };
      }
    },
    send: ({ bytes }) => safes.submit(bytes),
    async status(record) {
      const [first] = record.attempts;
      assert(first !== undefined, `${record.transactionId} is signed before the chain is asked`);
      // All attempts of a record share a nonce: what became of the first says whether another one
      // used it.
      const status = await safes.status(nameOf(record, first), first.sinceHeight);
      if (status.kind !== 'failed') deadSince.delete(first.id);
      switch (status.kind) {
        case 'open':
          return { kind: 'pending', copy: await copyOf(safes, record) };
        case 'done_earlier':
          return { kind: 'confirmed', receipt: null };
        case 'done':
          return statusOfDone(chain, confirmations, status);
        case 'failed':
          if (!(await isDead(first.id))) return { kind: 'unknown' };
          deadSince.delete(first.id);
          return failureOf(first, status);
      }
    },
    replacementFor(record, nowMs) {
      const [first] = record.attempts;
      if (first === undefined || record.body.kind !== 'calls' || isGivenUp(record)) return null;
      return record.refusals >= SAFE_RAIL.refusalsMaximum ||
        nowMs >= first.signedAtMs + SAFE_RAIL.giveUpMs
        ? 'cancel'
        : null;
    },
  };
}

async function prepareCreation(
  safes: Pick<Safes, 'isDeployed' | 'signCreate' | 'bodyOf'>,
  chain: Pick<EvmChain, 'head'>,
  record: TransactionRecord,
): Promise<Preparation> {
  if (await safes.isDeployed(safeOf(record))) return { kind: 'done_before' };
  const { blockNumber } = await chain.head();
  return {
    kind: 'ready',
    sign: () => attemptOf(safes, safes.signCreate(record.userId), { sinceHeight: blockNumber }),
  };
}

async function prepareCalls(
  {
    safes,
    chain,
  }: {
    readonly safes: Pick<Safes, 'nonce' | 'signExecute' | 'bodyOf'>;
    readonly chain: Pick<EvmChain, 'head'>;
  },
  record: TransactionRecord,
  { usedNonce }: PreparationRequest,
): Promise<Preparation> {
  const { blockNumber } = await chain.head();
  const nonce = await safes.nonce(safeOf(record));
  // Bytes under a nonce that is used were executed in no block since they were signed, and nothing
  // would ever be known of them.
  if (usedNonce !== null && nonce <= usedNonce) return { kind: 'behind', nonce };
  const { userId, transactionId, purpose } = record;
  const request = { calls: callsOf(record), nonce, note: `${purpose.kind} ${transactionId}` };
  return {
    kind: 'ready',
    sign: () => attemptOf(safes, safes.signExecute(userId, request), { sinceHeight: blockNumber }),
  };
}

async function prepareCancel(
  safes: Pick<Safes, 'signExecute' | 'bodyOf'>,
  owner: Address,
  { userId, attempts }: TransactionRecord,
): Promise<Preparation> {
  const [first] = attempts;
  assert(first?.bound.kind === 'nonce', 'what is replaced has a nonce');
  const { bound, sinceHeight } = first;
  const request = {
    calls: [{ to: owner, data: '0x' as const, valueWei: 0n }],
    nonce: bound.nonce,
    note: 'nothing, in place of a transaction that was given up',
  };
  return {
    kind: 'ready',
    sign: () =>
      attemptOf(safes, safes.signExecute(userId, request), { sinceHeight, isCancel: true }),
  };
}

function attemptOf(
  safes: Pick<Safes, 'bodyOf'>,
  signed: SignedSafeTransaction,
  { sinceHeight, isCancel = false }: { readonly sinceHeight: number; readonly isCancel?: boolean },
): Omit<Attempt, 'signedAtMs'> {
  return {
    id: signed.kind === 'create' ? signed.safe : signed.safeTxHash,
    bytes: safes.bodyOf(signed),
    bound: signed.kind === 'create' ? { kind: 'creation' } : { kind: 'nonce', nonce: signed.nonce },
    isCancel,
    sinceHeight,
  };
}

function failureOf(
  { bound }: Attempt,
  { cause, reason }: Extract<SafeTransactionStatus, { kind: 'failed' }>,
): TransactionStatus<EvmReceipt> {
  return cause === 'superseded' && bound.kind === 'nonce'
    ? { kind: 'never', proof: { kind: 'nonce_used', nonce: bound.nonce }, reason }
    : { kind: 'failed', reason };
}

/** Executed counts once enough blocks stand on it, and its transaction still shows it. */
async function statusOfDone(
  chain: Pick<EvmChain, 'receipt'>,
  confirmations: number,
  { transactionHash, ...status }: Extract<SafeTransactionStatus, { kind: 'done' }>,
): Promise<TransactionStatus<EvmReceipt>> {
  if (status.confirmations < confirmations) return { kind: 'mined', transactionHash };
  const receipt = await chain.receipt(transactionHash);
  return receipt === null || !receipt.succeeded || receipt.confirmations < confirmations
    ? { kind: 'mined', transactionHash }
    : { kind: 'confirmed', receipt };
}

/**
 * The relayer's word decides no more than when to send again. What a block had goes out again
 * without asking.
 */
async function copyOf(
  safes: Pick<Safes, 'lookup'>,
  { handle, state }: TransactionRecord,
): Promise<CopyStatus> {
  if (handle === null || state === 'mined') return { kind: 'absent' };
  const word = await safes.lookup(handle);
  if (word.kind === 'failed') return { kind: 'refused', reason: word.reason };
  return { kind: word.kind === 'absent' ? 'absent' : 'held' };
}

function nameOf(record: TransactionRecord, { id, bound }: Attempt): SafeTransactionName {
  const safe = safeOf(record);
  return bound.kind === 'nonce'
    ? { kind: 'execute', safe, nonce: bound.nonce, safeTxHash: id as Hex } // written by attemptOf
    : { kind: 'create', safe };
}

function callsOf({ body }: TransactionRecord): readonly EvmCall[] {
  if (body.kind !== 'calls') return [];
  return body.calls.map(({ to, data, valueWei }) => ({ to, data, valueWei: BigInt(valueWei) }));
}

function safeOf({ account }: TransactionRecord): Address {
  return asId<Address>(account.address);
}
