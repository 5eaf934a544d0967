import { assert } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import type { Venue } from '../ports/venue.ts';
import type { Commit } from '../services/commit.ts';
import {
  createOrderRedemptions,
  type OrderRedemptions,
} from '../services/funding/order-redemptions.ts';
import { createWalletCash } from '../services/funding/wallet-cash.ts';
import type { Orders } from '../services/orders/orders.ts';
import type { Portfolio } from '../services/portfolio/portfolio.ts';
import type { VenueFunds } from '../services/venues.ts';

/** What money in users' own wallets is joined from. */
export interface WalletFundsParts {
  readonly store: Store;
  readonly commit: Commit;
  readonly orders: Pick<Orders, 'place'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly log: Log;
}

/** Money in users' own wallets, for venues that are there before the services are. */
export interface LateFunds {
  fundsOf(venue: Venue): VenueFunds;
  /** Names the services; nothing is asked before. */
  begin(parts: WalletFundsParts): void;
}

/** Joins venues that redeem by orders with the services that do so. */
export function createLateFunds(): LateFunds {
  let begun: { readonly parts: WalletFundsParts; readonly redemptions: OrderRedemptions } | null =
    null;
  const running = (): NonNullable<typeof begun> => {
    assert(begun !== null, 'the services run before a venue is asked for its money');
    return begun;
  };
  return {
    begin(parts) {
      begun = { parts, redemptions: createOrderRedemptions(parts) };
    },
    fundsOf: ({ id, cashAccount, accounts }) => ({
      missing: () => [],
      redeem: (userId, marketId) => running().redemptions.redeem(id, userId, marketId),
      syncDeposits(userId) {
        const { parts } = running();
        return createWalletCash({
          ...parts,
          cashAccount,
          chain: 'SOLANA',
          accounts,
          clock: parts.wallClock,
          marketClock: parts.clock,
        }).sync(userId);
      },
    }),
  };
}
