import type { Address, MarketId, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Store } from '../../ports/store.ts';
import { POSITIONS, RESOLUTIONS } from '../books/tables.ts';
import type { Commit } from '../commit.ts';
import type { MoneyContracts } from '../wallets/contracts.ts';
import { bookAdoptedRedemption, wonPositions } from './redemption-booking.ts';

/** What it takes to see shares that were redeemed. */
export interface AdoptedRedemptionsDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly chain: Pick<EvmChain, 'shares'>;
  readonly contracts: Pick<MoneyContracts, 'conditionalTokens'>;
  readonly safeOf: (userId: UserId) => Address;
  /** Wall time. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}

/**
 * Ends positions whose market has paid and of which the user's Safe holds none any more, where the
 * books may lack their redemption; what it brought is booked as what it is, collateral that came.
 * Errors: `chain_unavailable`, `store_unavailable`.
 */
export async function adoptRedemptions(
  deps: AdoptedRedemptionsDeps,
  userId: UserId,
): Promise<void> {
  const { store, commit, chain, contracts, safeOf, clock, marketClock } = deps;
  for (const marketId of endedMarkets(store, userId)) {
    const tokens = wonPositions(store, { userId, marketId }).map(
      ({ position }) => position.tokenId,
    );
    if (tokens.length === 0) continue;
    const held = await chain.shares(safeOf(userId), contracts.conditionalTokens, tokens);
    if (held.some((shares) => shares > 0n)) continue;
    await commit((tx) =>
      bookAdoptedRedemption(tx, {
        userId,
        marketId,
        nowMs: clock.nowMs(),
        bookedAtMs: marketClock.nowMs(),
      }),
    );
  }
}

function endedMarkets(store: Store, userId: UserId): ReadonlySet<MarketId> {
  return new Set(
    store
      .range(POSITIONS, { prefix: [userId] })
      .filter(({ value }) => value.cashAccount === 'usdc:safe' && value.shares !== 0)
      .map(({ value: { marketId } }) => marketId)
      .filter((marketId) => store.get(RESOLUTIONS, [marketId]) !== null),
  );
}
