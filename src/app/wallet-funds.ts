import { cashAccountRow } from '../domain/cash.ts';
import { assert, isRetryable } from '../domain/errors.ts';
import type { UserId, VenueId } from '../domain/ids.ts';
import type { OrderIntent } from '../domain/order.ts';
import type { WalletDifference } from '../domain/wallet-mismatch.ts';
import type { Clock } from '../ports/clock.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { Venue } from '../ports/venue.ts';
import type { Unattributed } from '../services/adoption/adoption.ts';
import type { Commit } from '../ports/commit.ts';
import { createChangedTrades, type OrderTerms } from '../services/funding/changed-trades.ts';
import {
  createOrderRedemptions,
  type OrderRedemptions,
} from '../services/funding/order-redemptions.ts';
import {
  createRedemptions,
  type RedeemingAccount,
  type RedemptionDeps,
  type Redemptions,
} from '../services/funding/redemptions.ts';
import { walletRedeeming } from '../services/funding/wallet-redeeming.ts';
import {
  createWalletCash,
  worst,
  type WalletCash,
  type WalletReading,
  type WalletRest,
} from '../services/funding/wallet-cash.ts';
import {
  createUndoneMovements,
  createUndoneSettlements,
} from '../services/funding/undone-bookings.ts';
import type { AskAgain } from '../services/funding/wallet-history.ts';
import { walletDifferences } from '../services/funding/wallet-differences.ts';
import {
  createWalletRounds,
  type ReadWallet,
  type WalletRounds,
} from '../services/funding/wallet-rounds.ts';
import { createWalletShares, type WalletShares } from '../services/funding/wallet-shares.ts';
import type { Orders } from '../services/orders/orders.ts';
import type { Transactions } from '../services/transactions/transactions.ts';
import type { Portfolio } from '../services/portfolio/portfolio.ts';
import type { VenueFunds } from '../services/venues.ts';

type WalletTransactions = RedemptionDeps['transactions'] &
  Pick<Transactions, 'askAgain' | 'watchEnded'>;

export interface WalletFundsParts
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'log' | 'metrics'> {
  /** Looks at what is no venue's: coins that others sent. */
  readonly walletReads: (commit: Commit) => readonly ReadWallet[];
  readonly orders: Pick<Orders, 'place'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  /** Those that are open, by a mechanism's intents. */
  readonly venues: { trading(intent: OrderIntent): OrderTerms };
  /** Asked for once something is redeemed by one, or a wallet differs from the books. */
  readonly transactions?: (() => WalletTransactions) | undefined;
  readonly wallClock: Clock;
}

/** Money in users' own wallets, for venues that are there before the services are. */
export interface LateFunds {
  fundsOf(venue: Venue): VenueFunds;
  /** What adopting asks of users' own wallets. */
  readonly adopting: AdoptingFunds;
  /** What was won at a venue, claimed on request; null where it redeems by no such transaction. */
  claimsAt(venue: VenueId): Redemptions | null;
  /** Names the services; nothing is asked before. Gives the rounds over all wallets, not begun. */
  begin(parts: WalletFundsParts): WalletRounds;
}

/** What adopting what a restored store lacks asks of money. */
export interface AdoptingFunds {
  /**
   * Books what moved, each under its transaction. Errors: `chain_unavailable`, `store_unavailable`.
   */
  bookMovements(userId: UserId): Promise<void>;
  /** What books and chain differ by. Errors: `chain_unavailable`. */
  differences(userId: UserId): Promise<readonly Unattributed[]>;
}

/** Readers of the wallets of one venue's users. */
interface WalletReaders {
  readonly cash: WalletCash;
  readonly shares: WalletShares;
}

interface Begun {
  readonly redemptions: OrderRedemptions;
  /** By transactions of users' own accounts. */
  readonly claims: ReadonlyMap<VenueId, Redemptions>;
  readonly readers: ReadonlyMap<VenueId, WalletReaders>;
  readonly rounds: WalletRounds;
  readonly store: Store;
}

/** Joins venues that are paid out of users' own wallets with the services that move their money. */
export function createLateFunds(): LateFunds {
  const venues: Venue[] = [];
  let begun: Begun | null = null;
  const running = (): Begun => {
    assert(begun !== null, 'the services run before a venue is asked for its money');
    return begun;
  };
  async function readWallet(
    userId: UserId,
    { cash, shares }: WalletReaders,
  ): Promise<WalletReading> {
    const { arrived, rest } = await cash.read(userId);
    return { arrived, rest: worst(new Set([rest, await shares.read(userId)])) };
  }
  const adopting: AdoptingFunds = {
    async bookMovements(userId) {
      for (const { cash, shares } of running().readers.values()) {
        await cash.read(userId, 'adopting');
        await shares.read(userId, 'adopting');
      }
    },
    differences,
  };
  async function differences(userId: UserId): Promise<readonly WalletDifference[]> {
    const { store } = running();
    const found = venues.map(({ cashAccount, accounts: { wallet } }) =>
      wallet === undefined ? [] : walletDifferences(store, { cashAccount, wallet }, userId),
    );
    return (await Promise.all(found)).flat();
  }
  return {
    adopting,
    claimsAt: (venue) => running().claims.get(venue) ?? null,
    begin(parts) {
      const readers = new Map(
        venues.flatMap((venue) => {
          const made = readersOf(venue, parts);
          return made === null ? [] : [[venue.id, made] as const];
        }),
      );
      const others = parts.walletReads(parts.commit);
      const rounds = createWalletRounds({
        ...parts,
        clock: parts.wallClock,
        differences,
        async read(userId) {
          const rests = new Set<WalletRest>([await restOfEnded(parts, userId)]);
          for (const one of readers.values()) rests.add((await readWallet(userId, one)).rest);
          for (const other of others) rests.add(await other(userId));
          return worst(rests);
        },
      });
      const claims = new Map(
        venues.flatMap((venue) => {
          const account = walletRedeeming(venue);
          return account === null
            ? []
            : [[venue.id, createWalletRedemptions(account, parts)] as const];
        }),
      );
      const redemptions = createOrderRedemptions(parts);
      begun = { redemptions, claims, readers, rounds, store: parts.store };
      return rounds;
    },
    fundsOf(venue) {
      venues.push(venue);
      return {
        missing: () => [],
        async redeem(userId, marketId) {
          const { claims, redemptions } = running();
          const own = claims.get(venue.id);
          if (own === undefined) await redemptions.redeem(venue.id, userId, marketId);
          else await own.redeem(userId, marketId);
        },
        async syncDeposits(userId) {
          const { readers, rounds } = running();
          const reader = readers.get(venue.id);
          if (reader === undefined) return 0;
          const { arrived, rest } = await readWallet(userId, reader);
          if (rest === 'unsettled') rounds.again(userId);
          return arrived;
        },
      };
    },
  };
}

/** A chain that does not answer keeps no wallet from being read. */
async function restOfEnded(
  { transactions, log }: WalletFundsParts,
  userId: UserId,
): Promise<WalletRest> {
  if (transactions === undefined) return 'nothing';
  try {
    const { moving, changed } = await transactions().watchEnded(userId);
    return moving + changed > 0 ? 'unsettled' : 'nothing';
  } catch (cause) {
    if (!isRetryable(cause)) throw cause;
    log.info({ userId, cause }, 'money.ended_unread');
    return 'nothing';
  }
}

function createWalletRedemptions(
  account: RedeemingAccount,
  { transactions, clock: marketClock, wallClock: clock, ...parts }: WalletFundsParts,
): Redemptions {
  const queues = (): RedemptionDeps['transactions'] => {
    assert(transactions !== undefined, 'transactions are carried where a venue redeems by them');
    return transactions();
  };
  return createRedemptions({
    ...parts,
    account,
    clock,
    marketClock,
    transactions: {
      intend: (...draft) => queues().intend(...draft),
      settled: (...record) => queues().settled(...record),
      wake: (userId) => queues().wake(userId),
    },
  });
}

/** Null where the venue keeps its users' accounts. */
function readersOf(
  { cashAccount, accounts: { wallet }, catalogue }: Venue,
  { clock: marketClock, wallClock: clock, transactions, venues, ...parts }: WalletFundsParts,
): WalletReaders | null {
  if (wallet === undefined) return null;
  const { chain, rail } = cashAccountRow(cashAccount);
  const booked = { ...parts, clock, marketClock, cashAccount, wallet };
  const movements = createUndoneMovements(booked);
  const settlements = createUndoneSettlements(booked);
  const trades = createChangedTrades({
    ...parts,
    termsOf: (intent) => venues.trading(intent),
    marketClock,
  });
  const askAgain: AskAgain = async (userId, changed) => {
    const found = [
      await movements(userId),
      await settlements(userId),
      await trades(userId, changed),
    ].includes(true);
    // those of other accounts are not sent again: no nonce bounds them
    if (transactions === undefined || rail !== 'evm') return found;
    const { moving, changed: ended } = await transactions().askAgain(userId, chain);
    return found || moving + ended > 0;
  };
  const deps = { ...booked, askAgain };
  return { cash: createWalletCash(deps), shares: createWalletShares({ ...deps, catalogue }) };
}
