import { assert } from '../../domain/errors.ts';
import {
  attemptToSend,
  isGivenUp,
  isTransactionOver,
  type Attempt,
  type DeadAttempt,
  type NeverProof,
  type TransactionRecord,
} from '../../domain/transaction.ts';
import type { CopyStatus, Replacement, SendOutcome } from '../../ports/transactions.ts';

/**
 * Notes an attempt: the first, one after proof that none before it can ever land, or, by the rail's
 * rule, one in the place of those out, under their nonce (L1).
 */
export function foldSigned(
  record: TransactionRecord,
  attempt: Attempt,
  { replacement, nowMs }: { readonly replacement: Replacement | null; readonly nowMs: number },
): TransactionRecord {
  const { transactionId, attempts, reason } = record;
  const signed = {
    ...record,
    attempts: [...attempts, attempt],
    handle: null,
    updatedAtMs: nowMs,
  };
  if (replacement === null) {
    assert(attempts.length === 0, `${transactionId} has nothing out that may land`);
    return { ...signed, state: 'signed', reason: null };
  }
  const nonce = nonceOf(attempt);
  assert(
    nonce !== null && attempts.every((out) => nonceOf(out) === nonce),
    `${transactionId} is replaced under its own nonce`,
  );
  if (replacement === 'speed_up') return signed;
  return { ...signed, reason: `given up: ${reason ?? 'not executed in time'}` };
}

/**
 * Folds the answer to a sending. It says where to search, never what became of the transaction
 * (L2).
 */
export function foldSent(
  record: TransactionRecord,
  sent: { readonly outcome: SendOutcome; readonly attempt: Attempt; readonly atMs: number },
  nowMs: number,
): TransactionRecord {
  if (isTransactionOver(record.state) || record.attempts.length === 0) return record;
  const { outcome, attempt, atMs } = sent;
  const stamped: TransactionRecord = {
    ...record,
    sends: record.sends + 1,
    lastSentAtMs: atMs,
    updatedAtMs: nowMs,
  };
  switch (outcome.kind) {
    case 'accepted':
      return {
        ...stamped,
        state: record.state === 'mined' ? 'mined' : 'submitted',
        // An answer about bytes that are no longer the ones to send names the wrong copy.
        handle: attemptToSend(record)?.id === attempt.id ? outcome.handle : record.handle,
      };
    case 'unknown':
      return withReason(
        { ...stamped, state: record.state === 'signed' ? 'unknown' : record.state },
        outcome.reason,
      );
    case 'refused':
      return withReason({ ...stamped, refusals: record.refusals + 1 }, outcome.reason);
    case 'busy':
    case 'stale':
      return withReason(stamped, outcome.reason);
  }
}

/**
 * Notes what became of the copy that was taken: gone, or refused after all; other copies of the
 * same bytes may still land.
 */
export function foldCopy(
  record: TransactionRecord,
  handle: string,
  { copy, nowMs }: { readonly copy: CopyStatus; readonly nowMs: number },
): TransactionRecord {
  if (record.handle !== handle || copy.kind === 'held') return record;
  const without: TransactionRecord = { ...record, handle: null, updatedAtMs: nowMs };
  return copy.kind === 'absent'
    ? without
    : withReason({ ...without, refusals: record.refusals + 1 }, copy.reason);
}

/** Notes why nothing of it has left yet. */
export function foldWaiting(
  record: TransactionRecord,
  reason: string,
  nowMs: number,
): TransactionRecord {
  if (record.attempts.length > 0 || record.reason === reason) return record;
  return { ...record, reason, updatedAtMs: nowMs };
}

/** Notes that a block has it, not yet deep enough to be final. */
export function foldMined(
  record: TransactionRecord,
  transactionHash: string,
  nowMs: number,
): TransactionRecord {
  if (record.state === 'mined' && record.transactionHash === transactionHash) return record;
  return { ...record, state: 'mined', transactionHash, updatedAtMs: nowMs };
}

/** Notes that no block has it: it never was mined, or a reorganisation took its block back. */
export function foldUnmined(record: TransactionRecord, nowMs: number): TransactionRecord {
  if (record.state !== 'mined') return record;
  return {
    ...record,
    state: 'unknown',
    transactionHash: null,
    handle: null,
    reason: 'its block was taken back',
    updatedAtMs: nowMs,
  };
}

/**
 * Takes back what is out, on proof that none of it can ever land: another attempt may be signed.
 */
export function foldNever(
  record: TransactionRecord,
  { proof, reason }: { readonly proof: NeverProof; readonly reason: string },
  nowMs: number,
): TransactionRecord {
  return {
    ...record,
    state: 'intended',
    attempts: [],
    dead: [...record.dead, ...deadOf(record, proof)],
    handle: null,
    refusals: 0,
    transactionHash: null,
    reason,
    updatedAtMs: nowMs,
  };
}

/** Ends a transaction that a final block shows, by what it came to. */
export function foldExecuted(
  record: TransactionRecord,
  end: {
    readonly state: 'done' | 'failed';
    readonly reason: string | null;
    readonly transactionHash: string | null;
    readonly fee: bigint | undefined;
  },
  nowMs: number,
): TransactionRecord {
  const { fee, ...outcome } = end;
  return { ...withFee(record, fee), ...outcome, updatedAtMs: nowMs };
}

/**
 * Ends a transaction that did nothing: it failed inside, could not be signed, or none of its
 * attempts can land, with the proof.
 */
export function foldNotExecuted(
  record: TransactionRecord,
  {
    reason,
    proof,
    fee,
  }: {
    readonly reason: string;
    readonly proof?: NeverProof | undefined;
    readonly fee?: bigint | undefined;
  },
  nowMs: number,
): TransactionRecord {
  return {
    ...withFee(record, fee),
    state: 'failed',
    reason,
    dead: proof === undefined ? record.dead : [...record.dead, ...deadOf(record, proof)],
    updatedAtMs: nowMs,
  };
}

/** What the account itself paid the network; a Safe's transactions are paid by the relayer. */
function withFee(
  { fee: _before, ...record }: TransactionRecord,
  fee: bigint | undefined,
): TransactionRecord {
  return record.account.rail === 'safe' || fee === undefined
    ? record
    : { ...record, fee: String(fee) };
}

/** Why one is given up stays its reason. */
function withReason(record: TransactionRecord, reason: string): TransactionRecord {
  return isGivenUp(record) ? record : { ...record, reason };
}

function nonceOf({ bound }: Attempt): number | null {
  return bound.kind === 'nonce' ? bound.nonce : null;
}

/** The call in one's place may be what used the nonce: it is not one of the dead. */
function deadOf({ attempts }: TransactionRecord, proof: NeverProof): readonly DeadAttempt[] {
  return attempts.filter(({ isCancel }) => !isCancel).map(({ id }) => ({ id, proof }));
}
