import { createSafeRail } from '../../../src/adapters/safe-relayer/safe-rail.ts';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address, type TradeId, type UserId } from '../../../src/domain/ids.ts';
import { depositEntry, fillEntry, settleEntry } from '../../../src/domain/ledger-entries.ts';
import { foldFill } from '../../../src/domain/position-fold.ts';
import type { Market, OutcomeIndex } from '../../../src/domain/market.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { Permits } from '../../../src/ports/permits.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createChainExplanations } from '../../../src/services/funding/chain-explanations.ts';
import { createReconciler, type Reconciler } from '../../../src/services/funding/reconciler.ts';
import { createFunds, type Funds } from '../../../src/services/funds.ts';
import { createNotificationLog } from '../../../src/services/notifications/notification-log.ts';
import { createPortfolio, type Portfolio } from '../../../src/services/portfolio/portfolio.ts';
import {
  balanceOf,
  postToLedger,
  putPosition,
} from '../../../src/services/books/record-changes.ts';
import { POSITIONS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import type { MoneyContracts } from '../../../src/services/wallets/contracts.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { SAFES } from '../../../src/services/wallets/tables.ts';
import { redeemerOf, type Redeemers } from '../../../src/venues/venue-a/own.ts';
import { aMarket, aUserId, T0 } from '../builders.ts';
import { FakeChain } from '../fakes/fake-chain.ts';
import { EXCHANGE } from '../fakes/fake-chain-logs.ts';
import { FakeSafes } from '../fakes/fake-relayer.ts';
import { aFill } from './money-records.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../quiet.ts';
import { VENUE_A_TERMS } from '../venue-a-terms.ts';

const contract = (byte: string) => asId<Address>(`0x${byte.repeat(20)}`);

/** What redeems on the fake chain. */
export const REDEEMERS: Redeemers = { standard: contract('ad'), negRisk: contract('ae') };
/** Returns what redeems shares of a market on the fake chain. */
export const redeemerHere = (market: Market): Address => redeemerOf(REDEEMERS, market);

/** Contracts of the fake chain. */
export const CONTRACTS: MoneyContracts = {
  chainId: 137,
  collateral: contract('c0'),
  conditionalTokens: contract('4d'),
  exchanges: [EXCHANGE],
  onramp: contract('93'),
  offramp: contract('29'),
  withdrawalToken: { symbol: 'USDC', address: contract('3c') },
  dollars: [
    { symbol: 'pUSD', address: contract('c0') },
    { symbol: 'USDC', address: contract('3c') },
  ],
  allowances: [
    { kind: 'erc20', token: contract('c0'), spender: contract('e1') },
    { kind: 'erc20', token: contract('c0'), spender: contract('ad') },
    { kind: 'erc1155', token: contract('4d'), operator: contract('ad') },
  ],
  allowanceSet: 'set-1',
  confirmations: 3,
};

/** The market of the world's shares. */
export const MARKET = aMarket(1);
/** A ten-dollar holding of its first outcome: twenty shares. */
export const SHARES = 20_000_000;

/**
 * The money services of one process life over a store, with the portfolio that has won shares
 * redeemed.
 */
export interface MoneyLife extends Funds {
  readonly store: Store;
  readonly commit: Commit;
  readonly portfolio: Portfolio;
  readonly log: ReturnType<typeof createKeptLog>;
  readonly metrics: ReturnType<typeof createKeptMetrics>;
  /** Ends the process as a power failure does: nothing it does from now on reaches the relayer. */
  die(): void;
}

/** What outlives a process: clock, chain, relayer. */
export interface MoneyWorld {
  readonly clock: VirtualClock;
  readonly chain: FakeChain;
  readonly safes: FakeSafes;
  readonly user: UserId;
  readonly owner: Address;
  readonly safe: Address;
  /** What the world outside has done: a process that begins anew does not make it happen again. */
  readonly happened: Set<string>;
  live(store: Store, seed?: string): MoneyLife;
}

/** Makes a world with one user; blocks come every two seconds. */
export function aMoneyWorld(contracts: MoneyContracts = CONTRACTS): MoneyWorld {
  const clock = createVirtualClock(T0);
  const chain = new FakeChain(clock, contracts);
  const safes = new FakeSafes(chain);
  chain.start();
  const user = aUserId(1);
  const owner = safes.ownerOf(user);
  return {
    clock,
    chain,
    safes,
    user,
    owner,
    safe: safes.addressOf(owner),
    happened: new Set(),
    live(store, seed = 'life') {
      const bus = createKeptBus();
      const log = createKeptLog();
      const metrics = createKeptMetrics();
      const random = createSeededRandom(seed);
      const commit = createCommit({
        store,
        bus,
        metrics,
        follow: createNotificationLog({ wallClock: clock, log }),
      });
      let isDead = false;
      const identity = {
        ownerOf: (userId: UserId) => safes.ownerOf(userId),
        loadKeys: async () => undefined,
      };
      const rail = createSafeRail({
        safes: leashed(safes, () => isDead),
        chain,
        confirmations: contracts.confirmations,
        ...identity,
      });
      const money = createFunds({
        store,
        commit,
        bus,
        rails: [rail],
        safeOf: (of) => safes.addressOf(of),
        chain,
        contracts,
        redeemerOf: redeemerHere,
        fundsInSafes: true,
        permits: unsignedPermits((userId) => safes.ownerOf(userId)),
        ...identity,
        clock,
        marketClock: clock,
        random,
        log,
        metrics,
      });
      const portfolio = createPortfolio({
        store,
        commit,
        updates: { announce: () => undefined },
        clock,
        log,
        metrics,
        venues: {
          of: () => ({ funds: money }),
          trading: () => VENUE_A_TERMS,
          cashAccountOf: () => 'usdc:safe',
        },
      });
      return { ...money, store, commit, portfolio, log, metrics, die: () => void (isDead = true) };
    },
  };
}

/** Permits that the fake chain takes on trust. */
export function unsignedPermits(ownerOf: (userId: UserId) => Address): Permits {
  return {
    sign: async (userId, terms) => ({
      ...terms,
      owner: ownerOf(userId),
      signature: `0x${'1b'.repeat(65)}`,
    }),
  };
}

/** The reconciler of a life, with all that it may do about a difference. */
export function reconcilerOf(
  { chain, clock, safe }: Pick<MoneyWorld, 'chain' | 'safe'> & { readonly clock: Clock },
  { store, commit, orphans }: Pick<MoneyLife, 'store' | 'commit' | 'orphans'>,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): Reconciler {
  const { contracts } = chain;
  const shared = { store, chain, contracts, safeOf: () => safe, clock, log };
  return createReconciler({
    ...shared,
    metrics,
    orphans,
    explanations: createChainExplanations({ ...shared, commit, marketClock: clock }),
  });
}

/** The relayer as a process reaches it that may be dead. */
function leashed(safes: FakeSafes, isDead: () => boolean): FakeSafes {
  return new Proxy(safes, {
    get(target, name) {
      if (name === 'submit' && isDead()) return () => new Promise(() => undefined);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A process life whose user has a Safe that is ready, and a hundred dollars in it. */
export async function aReadyLife(): Promise<{
  readonly world: MoneyWorld;
  readonly store: MemoryStore;
  readonly life: MoneyLife;
}> {
  const world = aMoneyWorld();
  const store = createMemoryStore();
  const life = world.live(store);
  life.recover([world.user]);
  await fund(world, life, 100_000_000);
  await world.clock.advance(60_000);
  return { world, store, life };
}

/** Credits the Safe on chain and in the books, once. */
export async function fund(
  { chain, safe, user, happened }: MoneyWorld,
  { commit }: MoneyLife,
  micros: number,
): Promise<void> {
  const transferId =
    [...happened].find((what) => what.startsWith('0x')) ??
    chain.mint(chain.contracts.collateral, safe, BigInt(micros));
  happened.add(transferId);
  const entry = depositEntry({
    userId: user,
    cashAccount: 'usdc:safe',
    transferId,
    usdc: usdcMicros(micros),
    atMs: T0,
  });
  await commit((tx) => postToLedger(tx, user, entry));
}

/** A settled purchase of SHARES for ten dollars, on chain and in the books, once an outcome. */
export async function buy(
  { chain, safe, user, happened }: Pick<MoneyWorld, 'chain' | 'safe' | 'user' | 'happened'>,
  { store, commit }: Pick<MoneyLife, 'store' | 'commit'>,
  outcome: OutcomeIndex = 0,
): Promise<void> {
  const what = `buy ${outcome}`;
  const fill = aFill({
    ...(outcome === 0 ? {} : { tradeId: asId<TradeId>('trade of the other outcome') }),
    userId: user,
    marketId: MARKET.marketId,
    tokenId: MARKET.outcomes[outcome].tokenId,
    outcome,
    side: 'buy',
    shares: shareMicros(SHARES),
    usdc: usdcMicros(10_000_000),
    fee: usdcMicros(0),
  });
  if (!happened.has(what))
    chain.trade(safe, { usdc: -10_000_000n, tokenId: fill.tokenId, shares: BigInt(SHARES) });
  happened.add(what);
  if (store.get(POSITIONS, [user, fill.tokenId]) !== null) return;
  await commit((tx) => {
    tx.put(TRADED_MARKETS, [MARKET.marketId], MARKET);
    postToLedger(tx, user, fillEntry(fill, T0));
    postToLedger(tx, user, settleEntry(fill, T0));
    putPosition(tx, null, foldFill(null, fill, { market: MARKET, agentId: null }), T0);
  });
}

/**
 * What is the same in two runs that came to the same end: chain, ledger, Safe, actions without ids
 * and times.
 */
export function moneyEnd({ chain, safe, owner, user }: MoneyWorld, store: Store): unknown {
  return {
    safeRecord: { ...store.get(SAFES, [user])?.value, updatedAtMs: 0 },
    chain: {
      safe: chain.state.tokenOf(chain.contracts.collateral, safe),
      owner: chain.state.tokenOf(chain.contracts.withdrawalToken.address, owner),
      nonce: chain.state.nonces.get(safe.toLowerCase()),
      allowances: [...chain.state.allowances.entries()],
    },
    ledger: balanceOf(store, user, 'usdc:safe'),
    actions: store
      .range(TRANSACTIONS)
      .map(({ value: { purpose, state } }) => `${purpose.kind} ${state}`)
      .sort(),
    positions: store.range(POSITIONS).map(({ value: { tokenId, state, shares, realizedPnl } }) => ({
      tokenId,
      state,
      shares,
      realizedPnl,
    })),
  };
}
