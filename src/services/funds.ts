import type { Address, MarketId, UserId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Clock } from '../ports/clock.ts';
import type { EvmChain } from '../ports/evm.ts';
import type { Permits } from '../ports/permits.ts';
import type { Rail } from '../ports/transactions.ts';
import { createRedemptions, type Redemptions } from './funding/redemptions.ts';
import { createSafeTransfers, type SafeTransfers } from './funding/safe-transfers.ts';
import { createOrphanedUsdc, type OrphanedUsdc } from './funding/orphaned-usdc.ts';
import { launchClosings, registryClosings } from './funding/record-closings.ts';
import { safeRedeeming } from './funding/safe-redeeming.ts';
import { createSafeClosings } from './funding/safe-closing.ts';
import { createSendClosings } from './funding/send-closing.ts';
import { createSwapClosings } from './funding/swap-closing.ts';
import { createVenueClosings } from './funding/venue-closing.ts';
import {
  createTransactionBooking,
  type MoneyReceipt,
  type TransactionOwners,
} from './funding/transaction-closing.ts';
import { createWithdrawals, type Withdrawals } from './funding/withdrawals.ts';
import { createTransactions, type Transactions } from './transactions/transactions.ts';
import type { MoneyContracts } from './wallets/contracts.ts';
import { createOnboarding, type Onboarding } from './wallets/onboarding.ts';

/** Money in Safes: made ready, paid out, redeemed. */
export interface Funds {
  readonly transactions: Transactions;
  readonly onboarding: Onboarding;
  readonly withdrawals: Withdrawals;
  readonly redemptions: Redemptions;
  readonly safeTransfers: SafeTransfers;
  readonly orphans: OrphanedUsdc;
  /** For the portfolio: see PortfolioDeps. */
  redeem(userId: UserId, marketId: MarketId): Promise<void>;
  /**
   * The start: asks the chain about all that may have left, and makes ready every Safe that is not
   * (L9).
   */
  recover(users: readonly UserId[]): void;
  stop(): void;
}

/** Puts the money services together. Call `recover` before anything else. */
export function createFunds(
  deps: Pick<Runtime, 'store' | 'commit' | 'bus' | 'random' | 'log' | 'metrics'> & {
    /** What carries transactions, of Safes at least. */
    readonly rails: readonly Rail<MoneyReceipt>[];
    /** The Safe an owner has by the venue's rule, deployed or not. */
    readonly safeOf: (owner: Address) => Address;
    /** The chain the Safes live on. */
    readonly chain: EvmChain;
    readonly permits: Permits;
    readonly contracts: MoneyContracts;
    /**
     * The contract that redeems shares of a market in a Safe. Errors: `venue_unavailable`
     * (retryable) while its venue is not open.
     */
    readonly redeemerOf: (market: Market) => Address;
    /** True where what lies in a Safe is its user's cash at the venue. */
    readonly fundsInSafes: boolean;
    /** The user's EVM address. Errors: `not_found`. */
    readonly ownerOf: (userId: UserId) => Address;
    /** Puts the user's keys into memory. Errors: `not_found`, `master_key_wrong`. */
    readonly loadKeys: (userId: UserId) => Promise<unknown>;
    /** Wall time, which is also the chain's. */
    readonly clock: Clock;
    /** Market time, in which the books are kept. */
    readonly marketClock: Clock;
  },
): Funds {
  const owners: TransactionOwners = {
    safe: createSafeClosings(deps),
    send: createSendClosings(deps.marketClock),
    swaps: createSwapClosings(deps),
    launches: launchClosings,
    registry: registryClosings,
    venue: createVenueClosings(deps),
  };
  const transactions = createTransactions({ ...deps, books: createTransactionBooking(owners) });
  const onboarding = createOnboarding({ ...deps, isFunder: deps.fundsInSafes, transactions });
  const withdrawals = createWithdrawals({ ...deps, transactions, onboarding });
  const redemptions = createRedemptions({
    ...deps,
    transactions,
    account: safeRedeeming({ ...deps, onboarding }),
  });
  const safeTransfers = createSafeTransfers({ ...deps, transactions, onboarding });
  const orphans = createOrphanedUsdc({ ...deps, transactions, onboarding });
  return {
    transactions,
    onboarding,
    withdrawals,
    redemptions,
    safeTransfers,
    orphans,
    redeem: (userId, marketId) => redemptions.redeem(userId, marketId),
    recover(users) {
      const open = transactions.recover();
      const unready = onboarding.recover(users);
      deps.log.info({ open, unready }, 'money.recovered');
    },
    stop() {
      onboarding.stop();
      transactions.stop();
    },
  };
}
