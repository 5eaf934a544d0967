import { isActionOver } from '../../domain/safe-action.ts';
import type { SafeActionRecord, StoredSafeSignature } from '../../domain/safe-action.ts';
import type { RelayOutcome } from '../../ports/safe.ts';

/** The bytes that are to be executed now: those of the action, or of the call that takes its place. */
export function bytesToSend({
  signed,
  cancel,
}: Pick<SafeActionRecord, 'signed' | 'cancel'>): StoredSafeSignature | null {
  return cancel ?? signed;
}

/** Notes the first signature, or one after the chain proved that the older bytes can never be executed. */
export function foldSigned(
  record: SafeActionRecord,
  signing: {
    readonly signed: StoredSafeSignature;
    readonly sinceBlock: number;
    readonly giveUpAtMs: number;
  },
  nowMs: number,
): SafeActionRecord {
  return {
    ...record,
    ...signing,
    state: 'signed',
    reason: null,
    relayId: null,
    updatedAtMs: nowMs,
  };
}

/** Notes the signature of the call that takes the action's place. */
export function foldCancel(
  record: SafeActionRecord,
  cancel: StoredSafeSignature,
  nowMs: number,
): SafeActionRecord {
  return {
    ...record,
    cancel,
    relayId: null,
    reason: `given up: ${record.reason ?? 'not executed in time'}`,
    updatedAtMs: nowMs,
  };
}

/** Folds the relayer's answer to a sending. It says where to look, never what became of the action (L2). */
export function foldSent(
  record: SafeActionRecord,
  sent: {
    readonly outcome: RelayOutcome;
    readonly bytes: StoredSafeSignature;
    readonly atMs: number;
  },
  nowMs: number,
): SafeActionRecord {
  if (isActionOver(record.state) || record.signed === null) return record;
  const { outcome, bytes, atMs } = sent;
  const stamped: SafeActionRecord = {
    ...record,
    sends: record.sends + 1,
    lastSentAtMs: atMs,
    updatedAtMs: nowMs,
  };
  // An answer about bytes that are no longer the ones to send names the wrong copy.
  const isCurrent = bytesToSend(record)?.signature === bytes.signature;
  switch (outcome.kind) {
    case 'accepted':
      return {
        ...stamped,
        state: record.state === 'mined' ? 'mined' : 'submitted',
        relayId: isCurrent ? outcome.relayId : record.relayId,
      };
    case 'unknown':
      return {
        ...stamped,
        state: record.state === 'signed' ? 'unknown' : record.state,
        reason: record.cancel === null ? outcome.cause : record.reason,
      };
    case 'refused':
      return {
        ...stamped,
        refusals: record.refusals + 1,
        reason: record.cancel === null ? outcome.reason : record.reason,
      };
    case 'busy':
    case 'stale_nonce':
      return record.cancel === null ? { ...stamped, reason: outcome.reason } : stamped;
  }
}

/** Notes that the relayer could not execute the copy it took; another copy of the same bytes may still be executed. */
export function foldRelayFailure(
  record: SafeActionRecord,
  relayId: string,
  reason: string,
  nowMs: number,
): SafeActionRecord {
  if (record.relayId !== relayId) return record;
  return {
    ...record,
    relayId: null,
    refusals: record.refusals + 1,
    reason: record.cancel === null ? reason : record.reason,
    updatedAtMs: nowMs,
  };
}

/** Notes that the relayer no longer knows the copy it took. */
export function foldForgotten(
  record: SafeActionRecord,
  relayId: string,
  nowMs: number,
): SafeActionRecord {
  return record.relayId === relayId ? { ...record, relayId: null, updatedAtMs: nowMs } : record;
}

/** Notes that a block has it, not yet deep enough to be final. */
export function foldMined(
  record: SafeActionRecord,
  transactionHash: string,
  nowMs: number,
): SafeActionRecord {
  if (record.state === 'mined' && record.transactionHash === transactionHash) return record;
  return { ...record, state: 'mined', transactionHash, updatedAtMs: nowMs };
}

/** Notes that no block has it: it never was mined, or a reorganisation took its block back. */
export function foldUnmined(record: SafeActionRecord, nowMs: number): SafeActionRecord {
  if (record.state !== 'mined') return record;
  return {
    ...record,
    state: 'unknown',
    transactionHash: null,
    relayId: null,
    reason: 'its block was taken back',
    updatedAtMs: nowMs,
  };
}

/** Takes back a signature whose bytes the chain will never execute, because somebody else used their nonce: it may be signed anew. */
export function foldSuperseded(
  record: SafeActionRecord,
  reason: string,
  nowMs: number,
): SafeActionRecord {
  return {
    ...record,
    state: 'intended',
    signed: null,
    relayId: null,
    refusals: 0,
    giveUpAtMs: null,
    transactionHash: null,
    reason,
    updatedAtMs: nowMs,
  };
}

/** Ends an action on proof. */
export function foldEnd(
  record: SafeActionRecord,
  end: {
    readonly state: 'done' | 'failed';
    readonly reason: string | null;
    readonly transactionHash: string | null;
  },
  nowMs: number,
): SafeActionRecord {
  return { ...record, ...end, updatedAtMs: nowMs };
}
