import { BoundedMap } from '../../domain/bounded-map.ts';
import { SYNC } from '../../../config/limits.ts';
import type { UserId, VenueId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { OpenVenue, Venues } from '../venues.ts';
import { bookArrival, isDepositBooked } from './movement-booking.ts';

/** Money that comes in from outside. */
export interface Funding {
  /**
   * Books deposits a venue reports, or the chain of its money, and we have not booked, once each
   * (L4); every open venue's where none is named. Resolves with how many were new. Errors:
   * `venue_unavailable`, `chain_unavailable`, `store_unavailable`.
   */
  syncDeposits(userId: UserId, venue?: VenueId): Promise<number>;
}

/** Makes the funding service. */
export function createFunding({
  store,
  commit,
  venues,
  log,
}: Pick<Runtime, 'store' | 'commit' | 'log'> & {
  readonly venues: Pick<Venues, 'open' | 'of'>;
}): Funding {
  /**
   * Newest deposit booked, by user and venue: reads need not begin at the beginning each time. Lost
   * at a restart, which costs one long read.
   */
  const newestAtMs = new BoundedMap<string, number>(SYNC.activeUsersMaximum);

  async function syncAt(
    userId: UserId,
    { id, cashAccount, accounts, funds }: OpenVenue,
  ): Promise<number> {
    if (funds !== null && funds.syncDeposits !== null) return funds.syncDeposits(userId);
    const name = `${userId} ${id}`;
    const sinceMs = Math.max(0, (newestAtMs.get(name) ?? 0) - SYNC.overlapMs);
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
    // Another sync may have booked them since the read above: the transaction counts what it booked
    // itself.
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
    if (newest !== undefined) newestAtMs.set(name, newest.atMs);
    return booked;
  }

  return {
    async syncDeposits(userId, venue) {
      const asked = venue === undefined ? venues.open : [venues.of(venue)];
      const booked = await Promise.all(asked.map((one) => syncAt(userId, one)));
      return booked.reduce((sum, count) => sum + count, 0);
    },
  };
}
