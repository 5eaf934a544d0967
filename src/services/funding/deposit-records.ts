import { DEPOSIT_WATCH } from '../../../config/limits/bridge.ts';
import type { DepositPlace } from '../../../machines/deposit.ts';
import {
  foldCredit,
  foldTime,
  foldTransfer,
  foldUnseen,
  isDepositOver,
  newDeposit,
  type BridgeTransfer,
  type DepositCredit,
  type DepositProblem,
  type DepositRecord,
} from '../../domain/deposit.ts';
import { matchTransfers } from '../../domain/deposit-match.ts';
import type { DepositId } from '../../domain/ids.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { LEDGER_ENTRIES } from '../books/tables.ts';
import { DEPOSIT_CREDITS, DEPOSIT_RECORDS, OPEN_DEPOSITS } from './tables.ts';

/** What was heard of an address. */
export interface DepositNews {
  /** Everything the bridge tells of it, or the newest; null when it did not answer. */
  readonly transfers: readonly BridgeTransfer[] | null;
  /** Why the bridge will not credit a payment; null for none, or as long as it cannot be known. */
  readonly problemOf: (
    transfer: BridgeTransfer,
    before: DepositProblem | null,
  ) => DepositProblem | null;
  /** Wall time. */
  readonly nowMs: number;
  readonly newId: () => DepositId;
}

/** What news change. */
export interface DepositChanges {
  readonly changed: readonly {
    readonly before: DepositRecord | null;
    readonly after: DepositRecord;
  }[];
  /** Records that make room for new ones. */
  readonly removed: readonly DepositRecord[];
  /** Payments there is no room for. */
  readonly dropped: number;
}

/** Deposits of one address, oldest first. */
export function depositsOf(
  reader: StoreReader,
  { userId, address }: DepositPlace,
): readonly DepositRecord[] {
  return reader.range(DEPOSIT_RECORDS, { prefix: [userId, address] }).map(({ value }) => value);
}

/**
 * Works out what news of an address, and what the chain's proof has booked meanwhile, change about
 * its deposits (L3). Writes nothing.
 */
export function changesOf(
  reader: StoreReader,
  place: DepositPlace,
  news: DepositNews,
): DepositChanges {
  const known = depositsOf(reader, place);
  const reported =
    news.transfers === null
      ? {
          records: known.map((record) => ({
            before: record,
            after: foldTime(record, news.nowMs, DEPOSIT_WATCH),
          })),
          fresh: [],
          removed: [],
          dropped: 0,
        }
      : foldReported(known, { place, news, transfers: news.transfers });
  const credited = joinCredits(reader, [...reported.records, ...reported.fresh], news.nowMs);
  return {
    changed: credited.filter(({ before, after }) => before !== after),
    removed: reported.removed,
    dropped: reported.dropped,
  };
}

/** Writes the changes: records, indexes, facts, and a line for what has ended. */
export function putChanges(tx: StoreWriter, { changed, removed }: DepositChanges): void {
  for (const { userId, address, depositId } of removed)
    tx.remove(DEPOSIT_RECORDS, [userId, address, depositId]);
  for (const { before, after } of changed) putDeposit(tx, before, after);
}

interface Pending {
  readonly before: DepositRecord | null;
  readonly after: DepositRecord;
}

interface Folded {
  readonly records: readonly Pending[];
  readonly fresh: readonly Pending[];
  readonly removed: readonly DepositRecord[];
  readonly dropped: number;
}

function foldReported(
  known: readonly DepositRecord[],
  {
    place,
    news,
    transfers,
  }: {
    readonly place: DepositPlace;
    readonly news: DepositNews;
    readonly transfers: readonly BridgeTransfer[];
  },
): Folded {
  const { nowMs, problemOf, newId } = news;
  const { pairs, fresh, unseen } = matchTransfers(known, transfers.map(withPlainHash));
  // Of an address with more payments than are listed, those left out may be the ones that are not
  // seen.
  const isWhole = transfers.length < DEPOSIT_WATCH.wholeBelow;
  const spare = unseen.filter(({ state }) => isDepositOver(state));
  const removed = spare.slice(
    0,
    Math.max(0, known.length + fresh.length - DEPOSIT_WATCH.recordsMaximum),
  );
  const room = DEPOSIT_WATCH.recordsMaximum - (known.length - removed.length);
  return {
    records: [
      ...pairs.map(({ record, transfer }) => ({
        before: record,
        after: foldTransfer(
          record,
          { transfer, problem: problemOf(transfer, record.problem), nowMs },
          DEPOSIT_WATCH,
        ),
      })),
      ...unseen
        .filter((record) => !removed.includes(record))
        .map((record) => ({
          before: record,
          after:
            isWhole && !isDepositOver(record.state)
              ? foldUnseen(record, nowMs, DEPOSIT_WATCH)
              : foldTime(record, nowMs, DEPOSIT_WATCH),
        })),
    ],
    fresh: fresh.slice(0, room).map((transfer) => ({
      before: null,
      after: newDeposit(
        transfer,
        { ...place, depositId: newId(), problem: problemOf(transfer, null) },
        nowMs,
      ),
    })),
    removed,
    dropped: Math.max(0, fresh.length - room),
  };
}

/**
 * Gives each deposit the booking of its own credit: a transaction that pays several has one for
 * each (deposit-proof.ts).
 */
function joinCredits(
  reader: StoreReader,
  pending: readonly Pending[],
  nowMs: number,
): readonly Pending[] {
  const taken = new Set<string>();
  return pending.map(({ before, after }) => {
    const credit = after.credit === null ? creditOf(reader, after, taken) : null;
    if (credit === null) return { before, after };
    taken.add(credit.transferId);
    return { before, after: foldCredit(after, credit, nowMs, DEPOSIT_WATCH) };
  });
}

function creditOf(
  reader: StoreReader,
  { userId, depositId, transfer: { transactionHash } }: DepositRecord,
  taken: ReadonlySet<string>,
): DepositCredit | null {
  if (transactionHash === null) return null;
  for (let nth = 1; nth <= DEPOSIT_WATCH.recordsMaximum; nth += 1) {
    const transferId = nth === 1 ? transactionHash : `${transactionHash}#${nth}`;
    const booked = reader.get(LEDGER_ENTRIES, [`deposit:${userId}:${transferId}`])?.value;
    if (booked === undefined) return null;
    const claimedBy = reader.get(DEPOSIT_CREDITS, [userId, transferId])?.value;
    if (taken.has(transferId) || (claimedBy !== undefined && claimedBy !== depositId)) continue;
    const micros = booked.postings.find(({ owner }) => owner === userId)?.micros ?? 0;
    return { transferId, usdc: usdcMicros(micros) };
  }
  return null;
}

function putDeposit(tx: StoreWriter, before: DepositRecord | null, after: DepositRecord): void {
  const { userId, address, depositId, state, credit, seenAtMs, updatedAtMs } = after;
  const key = [userId, address, depositId];
  tx.put(DEPOSIT_RECORDS, key, after);
  if (isDepositOver(state)) tx.remove(OPEN_DEPOSITS, key);
  else tx.put(OPEN_DEPOSITS, key, { sinceMs: seenAtMs, isUnproven: state === 'unproven' });
  if (credit !== null) tx.put(DEPOSIT_CREDITS, [userId, credit.transferId], depositId);
  if (before?.state === state) return;
  tx.append({
    type: 'deposit.changed',
    userId,
    atMs: updatedAtMs,
    from: before?.state ?? null,
    deposit: after,
  });
  if (isDepositOver(state) || state === 'unproven')
    audit(tx, {
      userId,
      atMs: updatedAtMs,
      action: state === 'unproven' ? 'deposit_unproven' : 'deposit_ended',
      subject: depositId,
      detail: detailOf(after),
    });
}

function detailOf({
  state,
  problem,
  transfer: { chainId, tokenAddress, amount, transactionHash },
}: DepositRecord): string {
  return [
    `${state}: ${amount} of ${tokenAddress} on chain ${chainId}`,
    ...(problem === null ? [] : [problem]),
    ...(transactionHash === null ? [] : [`credit ${transactionHash}`]),
  ].join(', ');
}

/** The ledger names transactions in small letters, as nodes do. */
function withPlainHash(transfer: BridgeTransfer): BridgeTransfer {
  return transfer.transactionHash === null
    ? transfer
    : { ...transfer, transactionHash: transfer.transactionHash.toLowerCase() };
}
