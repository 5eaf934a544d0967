import { createHash } from 'node:crypto';
import { ADOPTION } from '../../config/limits/adoption.ts';
import { SAFE_RAIL } from '../../config/limits/funds.ts';
import type { Endpoints, Profile, VenueAChain } from '../../config/profiles/profile.ts';
import { createEvmRail } from '../adapters/evm/evm-rail.ts';
import { createPermits } from '../adapters/evm/permits.ts';
import { createSafeRail } from '../adapters/safe-relayer/safe-rail.ts';
import { createSafes } from '../adapters/safe-relayer/safes.ts';
import { createSolanaRail } from '../adapters/solana/solana-rail.ts';
import { AppError } from '../domain/errors.ts';
import { asId, type Address, type UserId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Store } from '../ports/store.ts';
import type { Venue } from '../ports/venue.ts';
import { createChainDeposits } from '../services/funding/chain-deposits.ts';
import { createChainExplanations } from '../services/funding/chain-explanations.ts';
import { createDeposits, type Deposits } from '../services/funding/deposit-addresses.ts';
import { createReconciler } from '../services/funding/reconciler.ts';
import { createAddressIndex } from '../services/funding/address-index.ts';
import { assertMaySign } from '../services/funding/stopped-money.ts';
import { createFunds, type Funds } from '../services/funds.ts';
import { RESTORES } from '../services/books/tables.ts';
import { USERS } from '../services/sign-in/tables.ts';
import { followTransactionFigures } from '../services/transactions/transaction-figures.ts';
import type { Trading } from '../services/trading.ts';
import type { Allowance, MoneyContracts } from '../services/wallets/contracts.ts';
import { leasedRail } from './leased.ts';
import type { OpenRuntime } from './runtime.ts';
import { evmNodesOf } from './chains.ts';
import type { ExternalServices } from './external-services.ts';
import type { AdoptingFunds } from './wallet-funds.ts';

/** Money in Safes as the daemon runs it. */
export interface OpenFunds extends Funds {
  /** Money on its way through the bridge. */
  readonly deposits: Deposits;
  /**
   * Books what has arrived in Safes; resolves with how much was new. Errors: `chain_unavailable`,
   * `store_unavailable`.
   */
  scanDeposits(): Promise<number>;
  /** What adopting what a restored store lacks asks of Safes. */
  readonly adopting: AdoptingFunds;
  /** Sets the gauges of what is on its way; called every few seconds. */
  tellFigures(): void;
  close(): Promise<void>;
}

/**
 * Opens the money in Safes: the relayer and the chain behind the services. Nothing is called before
 * `recover`.
 */
export function openFunds(
  runtime: OpenRuntime,
  profile: Profile,
  {
    endpoints,
    external,
    trading,
    fundsInSafes,
  }: {
    readonly endpoints: Endpoints;
    readonly external: ExternalServices;
    readonly trading: Trading;
    /**
     * True where orders move the funds of Safes and the venue settles on their chain: ledger and
     * chain then say the same.
     */
    readonly fundsInSafes: boolean;
  },
): OpenFunds {
  const {
    store,
    bus,
    vault,
    wallets,
    random,
    log,
    lease,
    metrics,
    wallClock,
    clock: marketClock,
  } = runtime;
  const { chain: venue, credentials } = profile;
  const chain = external.chains.evm.POLYGON;
  const contracts = moneyContracts(venue, profile.money);
  const safes = createSafes({
    relayerUrl: profile.safeServices(endpoints).relayer,
    contracts: {
      chainId: venue.chainId,
      factory: asId<Address>(venue.wallets.safe.factory),
      multisend: asId<Address>(profile.money.multisend),
    },
    builder: credentials.relayer,
    chain,
    vault,
    clock: wallClock,
    metrics,
    addressOf: wallets.safeOf,
  });
  const identity = {
    ownerOf: (userId: UserId) => ownerOf(store, userId),
    loadKeys: (userId: UserId) => vault.load(userId),
  };
  const { confirmations } = contracts;
  const money = createFunds({
    store,
    commit: trading.commit,
    bus,
    rails: [
      createSafeRail({ safes, chain, confirmations, ...identity }),
      createSolanaRail({
        solana: external.chains.solana,
        vault,
        loadKeys: identity.loadKeys,
        assertMaySign: (record) => assertMaySign(store, record),
      }),
      ...evmNodesOf(external.chains).map((node) =>
        createEvmRail({
          ...node,
          vault,
          loadKeys: identity.loadKeys,
          assertMaySign: (record) => assertMaySign(store, record),
          metrics,
        }),
      ),
    ].map((rail) => leasedRail(rail, lease)),
    safeOf: wallets.safeOf,
    chain,
    random,
    log,
    metrics,
    marketClock,
    clock: wallClock,
    contracts,
    fundsInSafes,
    redeemerOf: (market) => safeRedeemer(external.venues, market),
    permits: createPermits({ chain, vault }),
    ...identity,
  });
  const { safeOf } = money.onboarding;
  const explanations = createChainExplanations({
    store,
    commit: trading.commit,
    chain,
    contracts,
    safeOf,
    clock: wallClock,
    marketClock,
    log,
  });
  const reconciler = fundsInSafes
    ? createReconciler({
        store,
        chain,
        contracts,
        safeOf,
        explanations,
        orphans: money.orphans,
        clock: wallClock,
        log,
        metrics,
      })
    : null;
  const deposits = createDeposits({
    store,
    commit: trading.commit,
    bus,
    bridge: external.bridge,
    safeOf,
    clock: wallClock,
    random,
    log,
    metrics,
  });
  const arrivals = createChainDeposits({
    store,
    commit: trading.commit,
    chain,
    contracts,
    log,
    marketClock,
    clock: wallClock,
    safes: createAddressIndex({
      bus,
      clock: wallClock,
      addressOf: safeOf,
      users: (after, limit) =>
        store
          .range(USERS, { limit, ...(after === null ? {} : { after: [after] }) })
          .map(({ value: { userId, safe } }) => ({ userId, address: safe })),
    }),
  });
  const transactionFigures = followTransactionFigures({ store, bus, clock: wallClock, metrics });
  return {
    ...money,
    deposits,
    adopting: {
      async bookMovements(userId) {
        if (reconciler === null) return;
        const madeAtMs = store.get(RESTORES, ['newest'])?.value.madeAtMs;
        await explanations.explain(
          userId,
          madeAtMs === undefined ? madeAtMs : madeAtMs - ADOPTION.overlapMs,
        );
      },
      async differences(userId) {
        const found = (await reconciler?.compare(userId)) ?? [];
        return found.map(({ asset, range, onChain }) => ({
          asset,
          onChain,
          booked: onChain < range.low ? range.low : range.high,
        }));
      },
    },
    tellFigures() {
      transactionFigures.tell();
      deposits.tellAge();
    },
    scanDeposits: () => arrivals.scan(),
    recover(users) {
      transactionFigures.recover();
      money.recover(users);
      if (fundsInSafes) arrivals.start();
      deposits.recover();
      reconciler?.start();
    },
    async close() {
      await arrivals.stop();
      deposits.stop();
      reconciler?.stop();
      transactionFigures.stop();
      money.stop();
      await safes.close();
    },
  };
}

/**
 * The contracts of a profile, with every right a Safe gives before it trades (venue_a.md section
 * 14.4).
 */
export function moneyContracts(
  { chainId, exchange, negRiskExchange }: VenueAChain,
  venue: Profile['money'],
): MoneyContracts {
  const {
    collateral,
    conditionalTokens,
    collateralAdapter,
    negRiskCollateralAdapter,
    negRiskAdapter,
    onramp,
    offramp,
    withdrawalToken,
  } = venue;
  const counterparts = [
    exchange,
    negRiskExchange,
    collateralAdapter,
    negRiskCollateralAdapter,
    negRiskAdapter,
  ].map((address) => asId<Address>(address));
  const money = asId<Address>(collateral);
  const shares = asId<Address>(conditionalTokens);
  const allowances: readonly Allowance[] = [
    ...counterparts.map((spender) => ({ kind: 'erc20' as const, token: money, spender })),
    ...counterparts.map((operator) => ({ kind: 'erc1155' as const, token: shares, operator })),
  ];
  return {
    chainId,
    collateral: money,
    conditionalTokens: shares,
    exchanges: [asId<Address>(exchange), asId<Address>(negRiskExchange)],
    onramp: asId<Address>(onramp),
    offramp: asId<Address>(offramp),
    withdrawalToken: {
      symbol: withdrawalToken,
      address: asId<Address>(venue.dollars[withdrawalToken]),
    },
    dollars: Object.entries(venue.dollars).map(([symbol, address]) => ({
      symbol,
      address: asId<Address>(address),
    })),
    allowances,
    allowanceSet: createHash('sha256')
      .update(JSON.stringify(allowances))
      .digest('hex')
      .slice(0, 16),
    confirmations: SAFE_RAIL.confirmations,
  };
}

function safeRedeemer(venues: readonly Venue[], market: Market): Address {
  const redeemer = venues.find(({ id }) => id === market.venue)?.safeRedeemer?.(market);
  if (redeemer !== undefined) return redeemer;
  throw new AppError('venue_unavailable', `${market.venue} names no contract that redeems now`, {
    retryable: true,
  });
}

function ownerOf(store: Store, userId: UserId): Address {
  const user = store.get(USERS, [userId])?.value;
  if (user === undefined) throw new AppError('not_found', `there is no user ${userId}`);
  return user.address;
}
