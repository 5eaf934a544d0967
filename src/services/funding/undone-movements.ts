import { TRANSACTION, WALLET } from '../../../config/limits/funds.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { cashAccountRow, type CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter, Table } from '../../ports/store.ts';
import type { WalletReads } from '../../ports/venue.ts';
import { takeBackArrival, takeBackDeparture, type BookingTime } from './movement-booking.ts';
import { ARRIVALS, DEPARTURES, type ArrivalRecord, type DepartureRecord } from './tables.ts';

/**
 * Asks the chain once more about the newest deposits to a user's own wallet, and about what left it
 * by its owner's key, and takes those back whose blocks were taken back: at once where their
 * transaction failed when it was carried out again, after WALLET.absentMs where no block has it,
 * for its sender may send it again, and not at all where it was so long ago that a node may have
 * forgotten it. Resolves with whether any was, or may be. Errors: `chain_unavailable`,
 * `store_unavailable`.
 */
export type UndoneMovements = (userId: UserId) => Promise<boolean>;

/** A booked movement that rests on a block. */
interface Moved {
  readonly transferId: string;
  readonly usdc: UsdcMicros;
  readonly transactionHash: string;
  readonly movedAtMs: number;
  readonly kind: 'deposit' | 'departure';
  /** False where it was taken back before. */
  readonly takeBack: (tx: StoreWriter, time: BookingTime) => boolean;
}

/** Makes the question. */
export function createUndoneMovements(
  deps: Pick<Runtime, 'store' | 'commit' | 'log'> & {
    readonly cashAccount: CashAccount;
    readonly wallet: Pick<WalletReads, 'standing'>;
    /** Wall time, that of the chain too. */
    readonly clock: Clock;
    /** Market time, in which the books are kept. */
    readonly marketClock: Clock;
  },
): UndoneMovements {
  const { store, commit, cashAccount, wallet, clock, marketClock, log } = deps;
  const { chain } = cashAccountRow(cashAccount);
  /** Since when no block has the transaction of a movement. */
  const absentSinceMs = new BoundedMap<string, number>(WALLET.usersRemembered);

  async function stateOf({
    transferId,
    transactionHash,
    movedAtMs,
  }: Moved): Promise<'final' | 'open' | 'gone'> {
    const standing = await wallet.standing?.(transactionHash);
    if (standing !== 'absent') absentSinceMs.delete(transferId);
    if (standing === 'failed') return 'gone';
    if (standing !== 'absent') return standing === 'open' ? 'open' : 'final';
    if (clock.nowMs() - movedAtMs > TRANSACTION.absenceProvesForMs) return 'final';
    const sinceMs = absentSinceMs.get(transferId) ?? clock.nowMs();
    absentSinceMs.set(transferId, sinceMs);
    return clock.nowMs() - sinceMs >= WALLET.absentMs ? 'gone' : 'open';
  }

  return async (userId) => {
    if (wallet.standing === undefined) return false;
    const gone: Moved[] = [];
    let isOpen = false;
    const sinceMs = clock.nowMs() - TRANSACTION.askedAgainMs;
    for (const moved of [...arrivalsOf(store, userId), ...departuresOf(store, userId)]) {
      if (moved.movedAtMs < sinceMs || !moved.transferId.startsWith(`${chain}:`)) continue;
      const state = await stateOf(moved);
      if (state === 'gone') gone.push(moved);
      isOpen ||= state === 'open';
    }
    if (gone.length === 0) return isOpen;
    const taken = await commit((tx) => {
      const time = { nowMs: clock.nowMs(), bookedAtMs: marketClock.nowMs() };
      return gone.filter(({ takeBack }) => takeBack(tx, time));
    });
    for (const { kind, transactionHash, usdc } of taken)
      if (kind === 'deposit')
        log.error({ userId, usdc, transactionHash }, 'money.deposit_taken_back');
      else log.error({ userId, usdc, transactionHash }, 'money.departure_taken_back');
    return isOpen || taken.length > 0;
  };
}

function arrivalsOf(reader: StoreReader, userId: UserId): readonly Moved[] {
  return newest(reader, ARRIVALS, userId).map((arrival: ArrivalRecord & InBlock) => ({
    ...arrival,
    movedAtMs: arrival.arrivedAtMs,
    kind: 'deposit',
    takeBack: (tx, time) => takeBackArrival(tx, { userId, arrival }, time),
  }));
}

function departuresOf(reader: StoreReader, userId: UserId): readonly Moved[] {
  return newest(reader, DEPARTURES, userId).map((departure: DepartureRecord) => ({
    ...departure,
    movedAtMs: departure.departedAtMs,
    kind: 'departure',
    takeBack: (tx, time) => takeBackDeparture(tx, { userId, departure }, time),
  }));
}

interface InBlock {
  readonly transactionHash: string;
}

/** Those that have a transaction and were not taken back, newest first. */
function newest<Row extends Pick<ArrivalRecord, 'transactionHash' | 'takenBackAtMs'>>(
  reader: StoreReader,
  table: Table<Row>,
  userId: UserId,
): readonly (Row & InBlock)[] {
  return reader
    .range(table, { prefix: [userId], reverse: true, limit: WALLET.movementsAskedAgainMaximum })
    .flatMap(({ value }) => {
      const { transactionHash, takenBackAtMs } = value;
      return transactionHash === null || takenBackAtMs !== undefined
        ? []
        : [{ ...value, transactionHash }];
    });
}
