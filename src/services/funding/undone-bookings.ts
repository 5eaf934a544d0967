import { TRANSACTION, WALLET } from '../../../config/limits/funds.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { cashAccountRow, type CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter, Table } from '../../ports/store.ts';
import type { TransactionStanding, WalletReads } from '../../ports/venue.ts';
import { takeBackSettled } from '../books/fill-reversals.ts';
import { FILLS, USER_FILLS } from '../books/tables.ts';
import { takeBackArrival, takeBackDeparture, type BookingTime } from './movement-booking.ts';
import { ARRIVALS, DEPARTURES, type ArrivalRecord, type DepartureRecord } from './tables.ts';

export interface UndoneDeps extends Pick<Runtime, 'store' | 'commit' | 'log'> {
  readonly cashAccount: CashAccount;
  readonly wallet: Pick<WalletReads, 'standing'>;
  /** Wall time, that of the chain too. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}

/**
 * Asks the chain once more about what is booked of a user's and rests on a block, and takes back in
 * one commit what the chain did not carry out after all. Resolves with whether any was, or may be.
 * Errors: `chain_unavailable`, `store_unavailable`.
 */
export type Undone = (userId: UserId) => Promise<boolean>;

/** Something booked that rests on a block. */
interface Booked {
  readonly transactionHash: string;
  /** The one it rests on, where that is known. */
  readonly block?: number;
  /** False where it is not booked so any more. */
  readonly takeBack: (tx: StoreWriter, time: BookingTime) => boolean;
  readonly report: () => void;
}

interface Moved extends Booked {
  readonly transferId: string;
  readonly movedAtMs: number;
}

/**
 * Makes the question about the newest deposits to a user's own wallet, and about what left it by
 * its owner's key: one is taken back at once where its transaction failed when it was carried out
 * again, after WALLET.absentMs where no block has it, for its sender may send it again, and not at
 * all where its block is pruned, or where it was so long ago that a node may have forgotten it.
 */
export function createUndoneMovements(deps: UndoneDeps): Undone {
  const { cashAccount, clock } = deps;
  const { chain } = cashAccountRow(cashAccount);
  /** Since when no block has the transaction of a movement. */
  const absentSinceMs = new BoundedMap<string, number>(WALLET.usersRemembered);

  function stateOf(
    { transferId, movedAtMs }: Moved,
    standing: TransactionStanding,
  ): 'final' | 'open' | 'gone' {
    if (standing !== 'absent') absentSinceMs.delete(transferId);
    if (standing === 'failed') return 'gone';
    if (standing !== 'absent') return standing === 'open' ? 'open' : 'final';
    if (clock.nowMs() - movedAtMs > TRANSACTION.absenceProvesForMs) return 'final';
    const sinceMs = absentSinceMs.get(transferId) ?? clock.nowMs();
    absentSinceMs.set(transferId, sinceMs);
    return clock.nowMs() - sinceMs >= WALLET.absentMs ? 'gone' : 'open';
  }

  return (userId) => {
    const sinceMs = clock.nowMs() - TRANSACTION.askedAgainMs;
    const moved = [...arrivalsOf(deps, userId), ...departuresOf(deps, userId)].filter(
      ({ movedAtMs, transferId }) => movedAtMs >= sinceMs && transferId.startsWith(`${chain}:`),
    );
    return takeBackUndone(deps, moved, stateOf);
  };
}

/**
 * Makes the question about the transactions by which a venue settled a user's newest trades: one is
 * taken back where its transaction failed when it was carried out again after a reorganisation, for
 * the venue does not say so of what it had called final.
 */
export function createUndoneSettlements(deps: UndoneDeps): Undone {
  return (userId) =>
    takeBackUndone(deps, settledOf(deps, userId), (_fill, standing) =>
      standing === 'failed' ? 'gone' : 'final',
    );
}

async function takeBackUndone<B extends Booked>(
  { commit, wallet, clock, marketClock }: UndoneDeps,
  booked: readonly B[],
  stateOf: (one: B, standing: TransactionStanding) => 'final' | 'open' | 'gone',
): Promise<boolean> {
  if (wallet.standing === undefined) return false;
  /** What one transaction did is taken back as a whole. */
  const standings = new Map<string, TransactionStanding>();
  const gone: B[] = [];
  let isOpen = false;
  for (const one of booked) {
    const { transactionHash, block = null } = one;
    const standing =
      standings.get(transactionHash) ?? (await wallet.standing(transactionHash, block));
    standings.set(transactionHash, standing);
    const state = stateOf(one, standing);
    if (state === 'gone') gone.push(one);
    isOpen ||= state === 'open';
  }
  if (gone.length === 0) return isOpen;
  const taken = await commit((tx) => {
    const time = { nowMs: clock.nowMs(), bookedAtMs: marketClock.nowMs() };
    return gone.filter(({ takeBack }) => takeBack(tx, time));
  });
  for (const { report } of taken) report();
  return isOpen || taken.length > 0;
}

function arrivalsOf({ store, log }: UndoneDeps, userId: UserId): readonly Moved[] {
  return newest(store, ARRIVALS, userId).map((arrival: ArrivalRecord & InBlock) => {
    const { usdc, transactionHash, arrivedAtMs: movedAtMs } = arrival;
    return {
      ...arrival,
      movedAtMs,
      takeBack: (tx, time) => takeBackArrival(tx, { userId, arrival }, time),
      report: () => log.error({ userId, usdc, transactionHash }, 'money.deposit_taken_back'),
    };
  });
}

function departuresOf({ store, log }: UndoneDeps, userId: UserId): readonly Moved[] {
  return newest(store, DEPARTURES, userId).map((departure: DepartureRecord) => {
    const { usdc, transactionHash, departedAtMs: movedAtMs } = departure;
    return {
      ...departure,
      movedAtMs,
      takeBack: (tx, time) => takeBackDeparture(tx, { userId, departure }, time),
      report: () => log.error({ userId, usdc, transactionHash }, 'money.departure_taken_back'),
    };
  });
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

/** Newest first. */
function settledOf(
  { store, cashAccount, marketClock, log }: UndoneDeps,
  userId: UserId,
): readonly Booked[] {
  const sinceMs = marketClock.nowMs() - TRANSACTION.askedAgainMs;
  return store
    .range(USER_FILLS, { prefix: [userId], reverse: true, limit: WALLET.fillsAskedAgainMaximum })
    .flatMap(({ value: { orderId, tradeId } }) => {
      const key = [userId, orderId, tradeId];
      const fill = store.get(FILLS, key)?.value;
      if (fill === undefined || fill.transactionHash === null) return [];
      const { transactionHash } = fill;
      const isMeant =
        fill.settlement === 'settled' &&
        fill.cashAccount === cashAccount &&
        fill.recordedAtMs >= sinceMs;
      const takeBack: Booked['takeBack'] = (tx, { bookedAtMs }) => {
        const now = tx.get(FILLS, key)?.value;
        if (now?.settlement !== 'settled' || now.transactionHash !== transactionHash) return false;
        takeBackSettled(tx, now, bookedAtMs);
        return true;
      };
      const report = () =>
        log.error({ userId, orderId, tradeId, transactionHash }, 'money.trade_taken_back');
      return isMeant ? [{ transactionHash, takeBack, report }] : [];
    });
}
