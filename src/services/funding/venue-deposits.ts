import { SYNC } from '../../../config/limits.ts';
import type { CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import type { VenueAccounts } from '../../ports/venue.ts';
import type { Commit } from '../commit.ts';
import { bookArrival, isDepositBooked } from './movement-booking.ts';

/** Money that comes in from outside. */
export interface Funding {
  /**
   * Books deposits the venue reports and we have not booked, once each (L4); resolves with how many were new.
   * Errors: `venue_unavailable`, `store_unavailable`.
   */
  syncDeposits(userId: UserId): Promise<number>;
}

/** What funding needs. */
export interface FundingDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly accounts: Pick<VenueAccounts, 'deposits'>;
  /** Where the venue's deposits go. */
  readonly cashAccount: CashAccount;
  readonly log: Log;
}

/** Makes the funding service. */
export function createFunding({ store, commit, accounts, cashAccount, log }: FundingDeps): Funding {
  /** Newest deposit booked, by user: reads need not begin at the beginning each time. Lost at a restart, which costs one long read. */
  const newestAtMs = new Map<UserId, number>();

  function remember(userId: UserId, atMs: number): void {
    newestAtMs.delete(userId);
    newestAtMs.set(userId, atMs);
    const oldest =
      newestAtMs.size > SYNC.activeUsersMaximum ? newestAtMs.keys().next().value : undefined;
    if (oldest !== undefined) newestAtMs.delete(oldest);
  }

  return {
    async syncDeposits(userId) {
      const sinceMs = Math.max(0, (newestAtMs.get(userId) ?? 0) - SYNC.overlapMs);
      const deposits = await accounts.deposits(userId, sinceMs);
      const arrivals = deposits.map(({ depositId, usdc, atMs }) => ({
        userId,
        cashAccount,
        transferId: depositId,
        usdc,
        transactionHash: null,
        via: 'venue' as const,
        atMs,
      }));
      const unbooked = arrivals.filter((arrival) => !isDepositBooked(store, arrival));
      // Another sync may have booked them since the read above: the transaction counts what it booked itself.
      const booked =
        unbooked.length === 0
          ? 0
          : await commit(
              (tx) =>
                unbooked.filter((arrival) =>
                  bookArrival(tx, arrival, { nowMs: arrival.atMs, bookedAtMs: arrival.atMs }),
                ).length,
            );
      if (booked > 0) log.info({ userId, deposits: booked }, 'funding.deposits_booked');
      const newest = deposits.at(-1);
      if (newest !== undefined) remember(userId, newest.atMs);
      return booked;
    },
  };
}
