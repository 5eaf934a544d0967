import { TRANSACTION, WALLET } from '../../../config/limits/funds.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { cashAccountRow, type CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import type { WalletReads } from '../../ports/venue.ts';
import type { Commit } from '../commit.ts';
import { takeBackArrival } from './movement-booking.ts';
import { ARRIVALS, type ArrivalRecord } from './tables.ts';

export interface UndoneDepositsDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly cashAccount: CashAccount;
  readonly wallet: Pick<WalletReads, 'standing'>;
  /** Wall time, that of the chain too. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly log: Log;
}

/**
 * Asks the chain once more about the newest deposits to a user's own wallet, and takes those back
 * whose blocks were taken back: at once where their transaction failed when it was carried out
 * again, after WALLET.absentMs where no block has it, for its sender may send it again, and not at
 * all where it came so long ago that a node may have forgotten it. Resolves with whether any was,
 * or may be. Errors: `chain_unavailable`, `store_unavailable`.
 */
export type UndoneDeposits = (userId: UserId) => Promise<boolean>;

/** Makes the question. */
export function createUndoneDeposits(deps: UndoneDepositsDeps): UndoneDeposits {
  const { store, commit, cashAccount, wallet, clock, marketClock, log } = deps;
  const { chain } = cashAccountRow(cashAccount);
  /** Since when no block has the transaction of a deposit. */
  const absentSinceMs = new BoundedMap<string, number>(WALLET.usersRemembered);

  async function stateOf(
    { transferId, arrivedAtMs }: ArrivalRecord,
    transactionHash: string,
  ): Promise<'final' | 'open' | 'gone'> {
    const standing = await wallet.standing?.(transactionHash);
    if (standing !== 'absent') absentSinceMs.delete(transferId);
    if (standing === 'failed') return 'gone';
    if (standing !== 'absent') return standing === 'open' ? 'open' : 'final';
    if (clock.nowMs() - arrivedAtMs > TRANSACTION.absenceProvesForMs) return 'final';
    const sinceMs = absentSinceMs.get(transferId) ?? clock.nowMs();
    absentSinceMs.set(transferId, sinceMs);
    return clock.nowMs() - sinceMs >= WALLET.absentMs ? 'gone' : 'open';
  }

  return async (userId) => {
    if (wallet.standing === undefined) return false;
    const gone: ArrivalRecord[] = [];
    let isOpen = false;
    const sinceMs = clock.nowMs() - TRANSACTION.askedAgainMs;
    for (const arrival of arrivalsSince(store, userId, sinceMs)) {
      const { transactionHash, transferId, takenBackAtMs } = arrival;
      const isHere = transferId.startsWith(`${chain}:`) && takenBackAtMs === undefined;
      if (!isHere || transactionHash === null) continue;
      const state = await stateOf(arrival, transactionHash);
      if (state === 'gone') gone.push(arrival);
      isOpen ||= state === 'open';
    }
    if (gone.length === 0) return isOpen;
    const taken = await commit((tx) => {
      const time = { nowMs: clock.nowMs(), bookedAtMs: marketClock.nowMs() };
      return gone.filter((arrival) => takeBackArrival(tx, { userId, arrival }, time));
    });
    for (const { transactionHash, usdc } of taken)
      log.error({ userId, usdc, transactionHash }, 'money.deposit_taken_back');
    return isOpen || taken.length > 0;
  };
}

/** Newest first. */
function arrivalsSince(
  reader: StoreReader,
  userId: UserId,
  sinceMs: number,
): readonly ArrivalRecord[] {
  return reader
    .range(ARRIVALS, {
      prefix: [userId],
      reverse: true,
      limit: WALLET.arrivalsAskedAgainMaximum,
    })
    .map(({ value }) => value)
    .filter(({ arrivedAtMs }) => arrivedAtMs >= sinceMs);
}
