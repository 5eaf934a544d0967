import type { UserId } from '../../domain/ids.ts';
import { cashAccountRow, SAFE_CASH, type CashAccount } from '../../domain/cash.ts';
import { departureEntry, depositEntry, takenBackEntry } from '../../domain/ledger-entries.ts';
import { formatMicros, usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { postToLedger } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { LEDGER_ENTRIES } from '../books/tables.ts';
import { transactionsOf } from '../transactions/stored-transactions.ts';
import type { ProvenMovement } from './deposit-proof.ts';
import {
  ARRIVALS,
  DEPARTURES,
  REDEEMED_TRANSFERS,
  type ArrivalRecord,
  type DepartureRecord,
} from './tables.ts';

/** When a movement is booked. */
export interface BookingTime {
  /** Wall time. */
  readonly nowMs: number;
  /** Market time, in which the books are kept. */
  readonly bookedAtMs: number;
}

/** Money that came in. */
export interface Arrival extends Pick<ArrivalRecord, 'transactionHash' | 'block' | 'via'> {
  readonly userId: UserId;
  readonly cashAccount: CashAccount;
  /** The outside world's name for it: the same one is booked once. */
  readonly transferId: string;
  readonly usdc: UsdcMicros;
  /** True where the end of an own transfer, or of a swap, notifies its user of it. */
  readonly isToldByTransfer?: boolean;
}

/** Money that left by its owner's key. */
export interface Departure
  extends Pick<Arrival, 'userId' | 'cashAccount' | 'transferId' | 'usdc' | 'block'> {
  /** Null for the sum of what no transaction explains. */
  readonly transactionHash: string | null;
}

/**
 * Books money that came in, once, with a line of the user's list of deposits; false when it was
 * booked before (L4).
 */
export function bookArrival(
  tx: StoreWriter,
  {
    userId,
    cashAccount,
    usdc,
    transactionHash,
    block,
    via,
    isToldByTransfer = false,
    ...named
  }: Arrival,
  { nowMs, bookedAtMs }: BookingTime,
): boolean {
  const transferId = freeName(tx, { kind: 'deposit', userId, transferId: named.transferId });
  const entry = depositEntry({ userId, cashAccount, transferId, usdc, atMs: bookedAtMs });
  if (!postToLedger(tx, userId, entry, { isToldByTransfer, transactionHash })) return false;
  tx.put(ARRIVALS, [userId, nowMs, transferId], {
    transferId,
    usdc,
    transactionHash,
    ...(block === undefined ? {} : { block }),
    via,
    arrivedAtMs: nowMs,
  });
  return true;
}

interface MovementName {
  readonly kind: 'deposit' | 'departure';
  readonly userId: UserId;
  readonly transferId: string;
}

/**
 * Returns the name under which what moved is booked: one that was taken back may be carried out
 * again after all.
 */
function freeName(reader: StoreReader, { kind, userId, transferId }: MovementName): string {
  const isTakenBack = reader.get(LEDGER_ENTRIES, [`taken_back:${kind}:${userId}:${transferId}`]);
  return isTakenBack === null
    ? transferId
    : freeName(reader, { kind, userId, transferId: `${transferId}:again` });
}

/** Reports whether what a transaction moved is in the books, as it is named in there. */
export function isMovementBooked(reader: StoreReader, named: MovementName): boolean {
  const { kind, userId } = named;
  return reader.get(LEDGER_ENTRIES, [`${kind}:${userId}:${freeName(reader, named)}`]) !== null;
}

/**
 * Takes a booked deposit back, on the chain's word that its transaction brought nothing after all;
 * false when none is booked, or it was taken back before (L4). What its owner has spent of it
 * meanwhile makes books and wallet differ, and is found and counted as any difference.
 */
export function takeBackArrival(
  tx: StoreWriter,
  { userId, arrival }: { readonly userId: UserId; readonly arrival: ArrivalRecord },
  { nowMs, bookedAtMs }: BookingTime,
): boolean {
  const { transferId, usdc, transactionHash, arrivedAtMs } = arrival;
  const booked = tx.get(LEDGER_ENTRIES, [`deposit:${userId}:${transferId}`])?.value;
  if (booked === undefined) return false;
  if (!postToLedger(tx, userId, takenBackEntry(booked, bookedAtMs), { transactionHash }))
    return false;
  tx.put(ARRIVALS, [userId, arrivedAtMs, transferId], { ...arrival, takenBackAtMs: nowMs });
  audit(tx, {
    userId,
    atMs: nowMs,
    action: 'deposit_taken_back',
    subject: transferId,
    detail: `${formatMicros(usdc)} USDC: the chain took back the block that brought them`,
  });
  return true;
}

/**
 * Puts a booked departure into the books again, as `takeBackArrival` takes a deposit out of them.
 */
export function takeBackDeparture(
  tx: StoreWriter,
  { userId, departure }: { readonly userId: UserId; readonly departure: DepartureRecord },
  { nowMs, bookedAtMs }: BookingTime,
): boolean {
  const { transferId, usdc, transactionHash, departedAtMs } = departure;
  const booked = tx.get(LEDGER_ENTRIES, [`departure:${userId}:${transferId}`])?.value;
  if (booked === undefined) return false;
  if (!postToLedger(tx, userId, takenBackEntry(booked, bookedAtMs), { transactionHash }))
    return false;
  tx.put(DEPARTURES, [userId, departedAtMs, transferId], { ...departure, takenBackAtMs: nowMs });
  audit(tx, {
    userId,
    atMs: nowMs,
    action: 'departure_taken_back',
    subject: transferId,
    detail: `${formatMicros(usdc)} USDC: the chain took back the block in which they left`,
  });
  return true;
}

/**
 * Books a deposit to the Safe that the chain has proven, once; false when it was booked before
 * (L4).
 */
export function bookDeposit(tx: StoreWriter, movement: ProvenMovement, time: BookingTime): boolean {
  const { userId, transferId, transactionHash, micros, beside } = movement;
  return bookArrival(
    tx,
    {
      userId,
      cashAccount: SAFE_CASH,
      transferId,
      usdc: usdcMicros(micros),
      transactionHash,
      via: beside === 'transfer' ? 'safe_transfer' : 'direct',
      isToldByTransfer: isToldByTransfer(tx, movement),
    },
    time,
  );
}

/**
 * A transfer that brought what it was to bring tells so with its end, which may be booked already
 * or be still to come; one that failed does not.
 */
function isToldByTransfer(
  reader: StoreReader,
  { userId, micros, beside }: ProvenMovement,
): boolean {
  if (beside !== 'transfer') return false;
  return transactionsOf(reader, userId).some(
    ({ purpose, state }) =>
      purpose.kind === 'transfer' && purpose.data.amount === micros && state !== 'failed',
  );
}

/**
 * Books money the chain has proven to have left by the owner's own hand, once, with a line in the
 * journal; false when it was booked before (L4).
 */
export function bookDeparture(
  tx: StoreWriter,
  { userId, cashAccount, usdc, transactionHash, block, ...named }: Departure,
  { nowMs, bookedAtMs }: BookingTime,
): boolean {
  const transferId = freeName(tx, { kind: 'departure', userId, transferId: named.transferId });
  const entry = departureEntry({ userId, cashAccount, transferId, usdc, atMs: bookedAtMs });
  // What its user asked of this service before a restore was reported then.
  const isAdopted = isLacking(tx, userId);
  if (!postToLedger(tx, userId, entry, { isToldByTransfer: isAdopted, transactionHash }))
    return false;
  if (transactionHash !== null)
    tx.put(DEPARTURES, [userId, nowMs, transferId], {
      transferId,
      usdc,
      transactionHash,
      ...(block === undefined ? {} : { block }),
      departedAtMs: nowMs,
    });
  const left = `${formatMicros(usdc)} USDC left the ${cashAccountRow(cashAccount).name}`;
  audit(tx, {
    userId,
    atMs: nowMs,
    action: 'money_departed',
    subject: transferId,
    detail: isAdopted
      ? `${left}: adopted after a restore`
      : `${left} by its owner's key, past this service`,
  });
  return true;
}

/** True once a deposit of this name is booked, or what came under it as a market's payout. */
export function isDepositBooked(
  reader: StoreReader,
  { userId, transferId }: Pick<ProvenMovement, 'userId' | 'transferId'>,
): boolean {
  return (
    reader.get(LEDGER_ENTRIES, [`deposit:${userId}:${transferId}`]) !== null ||
    reader.get(REDEEMED_TRANSFERS, [userId, transferId]) !== null
  );
}

/** True once a departure of this name is booked. */
export function isDepartureBooked(
  reader: StoreReader,
  { userId, transferId }: Pick<ProvenMovement, 'userId' | 'transferId'>,
): boolean {
  return reader.get(LEDGER_ENTRIES, [`departure:${userId}:${transferId}`]) !== null;
}
