import type { DepositId, UserId } from './ids.ts';
import type { UsdcMicros } from './units.ts';

/**
 * How far a transfer has come by the bridge's word; `failed` stays with the bridge (venue_a.md
 * section 13).
 */
export type BridgeTransferStatus =
  | 'detected'
  | 'processing'
  | 'origin_confirmed'
  | 'submitted'
  | 'completed'
  | 'failed';

/**
 * A transfer to a deposit address, as the bridge reports it: a hint where to search, since only the
 * chain's answer books money.
 */
export interface BridgeTransfer {
  readonly chainId: string;
  readonly tokenAddress: string;
  /** In the token's smallest unit, decimal text. */
  readonly amount: string;
  readonly status: BridgeTransferStatus;
  /** Of the credit on Polygon once there is one. */
  readonly transactionHash: string | null;
  readonly createdAtMs: number | null;
}

/**
 * The state of a deposit. Up to `submitted` and in `failed` it is the bridge's report. `arriving`:
 * the bridge says it has paid and the chain has not shown it; `unproven`: it has not for too long.
 * `completed`: the chain's proof is booked. `vanished`: the bridge no longer tells of it, because
 * its own chain took the payment back.
 */
export type DepositState =
  | Exclude<BridgeTransferStatus, 'completed'>
  | 'arriving'
  | 'unproven'
  | 'completed'
  | 'vanished';

/**
 * Why a payment will not be credited: the bridge does not take the token, or takes no amount that
 * small.
 */
export type DepositProblem = 'token_not_taken' | 'below_minimum';

/** The chain's booked proof that a deposit came to the Safe. */
export interface DepositCredit {
  /** The ledger's name of the transfer. */
  readonly transferId: string;
  readonly usdc: UsdcMicros;
}

/** One payment to a deposit address, kept from the moment the bridge first reported it. */
export interface DepositRecord {
  readonly depositId: DepositId;
  readonly userId: UserId;
  readonly address: string;
  /** The bridge's newest word. */
  readonly transfer: BridgeTransfer;
  readonly state: DepositState;
  readonly problem: DepositProblem | null;
  readonly credit: DepositCredit | null;
  /**
   * When the bridge first said it had paid; null before. Epoch ms of wall time, as all times
   * here.
   */
  readonly paidAtMs: number | null;
  /** Since when the bridge has not reported it; null while it does. */
  readonly unseenSinceMs: number | null;
  /** States it went through, oldest first: the newest of them when there were too many. */
  readonly history: readonly { readonly state: DepositState; readonly atMs: number }[];
  readonly seenAtMs: number;
  readonly updatedAtMs: number;
}

/** What folding a deposit goes by. */
export interface DepositTerms {
  /** How long the chain may take to show what the bridge says it has paid, ms. */
  readonly unprovenAfterMs: number;
  /** How long the bridge may be silent about a payment before that counts as its word, ms. */
  readonly vanishedAfterMs: number;
  /** States remembered. */
  readonly historyMaximum: number;
}

/**
 * True once a deposit is not expected to change: the chain's proof may still complete a failed one.
 */
export function isDepositOver(state: DepositState): boolean {
  return state === 'completed' || state === 'failed' || state === 'vanished';
}

/** A payment the bridge tells of for the first time. */
export function newDeposit(
  transfer: BridgeTransfer,
  about: Pick<DepositRecord, 'depositId' | 'userId' | 'address' | 'problem'>,
  nowMs: number,
): DepositRecord {
  const state = transfer.status === 'completed' ? 'arriving' : transfer.status;
  return {
    ...about,
    transfer,
    state,
    problem: isRefusable(state) ? about.problem : null,
    credit: null,
    paidAtMs: transfer.status === 'completed' ? nowMs : null,
    unseenSinceMs: null,
    history: [{ state, atMs: nowMs }],
    seenAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/**
 * Folds the bridge's newest word into a deposit; the same record when nothing changes. What it said
 * of hash and time stays when it says less.
 */
export function foldTransfer(
  record: DepositRecord,
  {
    transfer,
    problem,
    nowMs,
  }: {
    readonly transfer: BridgeTransfer;
    readonly problem: DepositProblem | null;
    readonly nowMs: number;
  },
  terms: DepositTerms,
): DepositRecord {
  const newest: BridgeTransfer = {
    ...transfer,
    transactionHash: transfer.transactionHash ?? record.transfer.transactionHash,
    createdAtMs: transfer.createdAtMs ?? record.transfer.createdAtMs,
  };
  const paidAtMs = newest.status === 'completed' ? (record.paidAtMs ?? nowMs) : null;
  return settled(
    record,
    { transfer: newest, paidAtMs, unseenSinceMs: null, problem },
    { nowMs, terms },
  );
}

/** Notes that the bridge tells of an address and not of this deposit. */
export function foldUnseen(
  record: DepositRecord,
  nowMs: number,
  terms: DepositTerms,
): DepositRecord {
  return settled(record, { unseenSinceMs: record.unseenSinceMs ?? nowMs }, { nowMs, terms });
}

/** Notes the chain's proof of one that had none: whatever the bridge says, the money is there. */
export function foldCredit(
  record: DepositRecord,
  credit: DepositCredit,
  nowMs: number,
  terms: DepositTerms,
): DepositRecord {
  return settled(record, { credit }, { nowMs, terms });
}

/** Lets time pass over a deposit of which nothing was heard. */
export function foldTime(record: DepositRecord, nowMs: number, terms: DepositTerms): DepositRecord {
  return settled(record, {}, { nowMs, terms });
}

function settled(
  before: DepositRecord,
  change: Partial<DepositRecord>,
  { nowMs, terms }: { readonly nowMs: number; readonly terms: DepositTerms },
): DepositRecord {
  const changed = { ...before, ...change };
  const state = stateOf(changed, nowMs, terms);
  const problem = isRefusable(state) ? changed.problem : null;
  const isMoved = state !== before.state;
  if (!isMoved && problem === before.problem && saysTheSame(before, changed)) return before;
  return {
    ...changed,
    state,
    problem,
    updatedAtMs: nowMs,
    history: isMoved
      ? [...before.history, { state, atMs: nowMs }].slice(-terms.historyMaximum)
      : before.history,
  };
}

function stateOf(
  { transfer, credit, paidAtMs, unseenSinceMs }: DepositRecord,
  nowMs: number,
  terms: DepositTerms,
): DepositState {
  if (credit !== null) return 'completed';
  if (transfer.status === 'completed')
    return paidAtMs !== null && nowMs - paidAtMs >= terms.unprovenAfterMs ? 'unproven' : 'arriving';
  // Once the bridge counted the payment as final its silence says nothing about it.
  const canVanish = transfer.status === 'detected' || transfer.status === 'processing';
  return canVanish && unseenSinceMs !== null && nowMs - unseenSinceMs >= terms.vanishedAfterMs
    ? 'vanished'
    : transfer.status;
}

/** What the bridge went on with is no longer a payment it will not take. */
function isRefusable(state: DepositState): boolean {
  return state === 'detected' || state === 'processing' || state === 'failed';
}

/** Of two in the same state: a credit changes it, and when it was paid goes by the status. */
function saysTheSame(one: DepositRecord, other: DepositRecord): boolean {
  return (
    one.unseenSinceMs === other.unseenSinceMs &&
    one.transfer.status === other.transfer.status &&
    one.transfer.transactionHash === other.transfer.transactionHash &&
    one.transfer.createdAtMs === other.transfer.createdAtMs
  );
}
