import { isRetryable } from '../../domain/errors.ts';
import type { MarketId, UserId, VenueId } from '../../domain/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { Orders } from '../orders/orders.ts';
import { hasWon, isInMotion } from '../books/payout-booking.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import type { StoreReader } from '../../ports/store.ts';

/** Won shares into USDC, at venues that pay by orders. */
export interface OrderRedemptions {
  /**
   * Redeems what a user won in a market, once everything about it is final; asked again and again
   * until it is paid. Never rejects: what fails is tried again.
   */
  redeem(venue: VenueId, userId: UserId, marketId: MarketId): Promise<void>;
}

/**
 * Makes the service. An order that redeems is one as any other: reserved, signed and stored in one
 * commit, then sent, and booked by its fills.
 */
export function createOrderRedemptions({
  store,
  orders,
  portfolio,
  log,
}: {
  readonly store: StoreReader;
  readonly orders: Pick<Orders, 'place'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  readonly log: Log;
}): OrderRedemptions {
  /** Shares on their way to an order: two who ask at once are distinguished before it is stored. */
  const asked = new Set<string>();
  return {
    async redeem(venue, userId, marketId) {
      for (const holding of portfolio.holdings(userId, { type: 'open', marketId })) {
        const { position, resolution, settledShares } = holding;
        if (resolution === null || !hasWon(position, resolution) || settledShares <= 0) continue;
        const name = `${userId} ${position.tokenId}`;
        if (isInMotion(store, position) || asked.has(name)) continue;
        asked.add(name);
        try {
          await orders.place(userId, {
            venue,
            marketId,
            outcome: position.outcome,
            side: 'sell',
            amount: { unit: 'shares', micros: settledShares },
            type: { kind: 'redemption' },
            origin: { kind: 'manual' },
          });
        } catch (cause) {
          // Its rail opens a little after the result.
          const level = isRetryable(cause) ? 'info' : 'warn';
          log[level]({ userId, marketId, cause }, 'redemption.not_started');
        } finally {
          asked.delete(name);
        }
      }
    },
  };
}
