import { createSafeRail } from '../../../src/adapters/safe-relayer/safe-rail.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import {
  createChainDeposits,
  type ChainDeposits,
} from '../../../src/services/funding/chain-deposits.ts';
import { createDeposits, type Deposits } from '../../../src/services/funding/deposit-addresses.ts';
import type { Reconciler } from '../../../src/services/funding/reconciler.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import {
  DEPOSIT_CREDITS,
  DEPOSIT_RECORDS,
  REDEMPTIONS,
} from '../../../src/services/funding/tables.ts';
import { createFunds, type Funds } from '../../../src/services/funds.ts';
import { createNotificationLog } from '../../../src/services/notifications/notification-log.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { createPortfolio, type Portfolio } from '../../../src/services/portfolio/portfolio.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import { BALANCES } from '../../../src/services/books/tables.ts';
import { OPEN_TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { createMortalClock } from '../../simulate/mortal-clock.ts';
import { FakeBridge } from '../../support/fakes/fake-bridge.ts';
import type { FakeSafes } from '../../support/fakes/fake-relayer.ts';
import {
  aMoneyWorld,
  moneyEnd,
  reconcilerOf,
  unsignedPermits,
  type MoneyWorld,
  redeemerHere,
} from '../../support/worlds/money-world.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import type { Stage } from './scenario.ts';
import { VENUE_A_TERMS } from '../../support/venue-a-terms.ts';

/** The services around users' Safes, in one of their lives. */
export interface MoneyLife extends Funds {
  readonly store: Store;
  readonly commit: Commit;
  readonly portfolio: Portfolio;
  readonly deposits: Deposits;
  readonly arrivals: ChainDeposits;
  readonly reconciler: Reconciler;
  readonly log: ReturnType<typeof createKeptLog>;
}

/** Chain, relayer and bridge, which live on. */
export interface MoneyStage
  extends Stage<MoneyLife>,
    Pick<MoneyWorld, 'chain' | 'safes' | 'user' | 'owner' | 'safe' | 'happened'> {
  readonly bridge: FakeBridge;
}

/** Opens a stage whose chain has a block every two seconds and whose bridge works every four. */
export async function openMoneyStage(): Promise<MoneyStage> {
  const world = aMoneyWorld();
  const { clock, chain, safes, user } = world;
  const bridge = new FakeBridge(clock, chain);
  bridge.start();
  return {
    ...world,
    bridge,
    pace: 'clock',
    async begin(store, number, { death }) {
      const mortal = createMortalClock(clock);
      death.addEventListener('abort', () => mortal.end(), { once: true });
      const [bus, log, metrics, random] = [
        createKeptBus(),
        createKeptLog(),
        createKeptMetrics(),
        createSeededRandom(`life-${number}`),
      ];
      const commit = createCommit({
        store,
        bus,
        metrics,
        follow: createNotificationLog({ wallClock: mortal, log }),
      });
      const shared = {
        store,
        commit,
        bus,
        chain,
        clock: mortal,
        marketClock: mortal,
        random,
        log,
        metrics,
      };
      const identity = {
        ownerOf: (userId: UserId) => safes.ownerOf(userId),
        loadKeys: async () => undefined,
      };
      const { confirmations } = chain.contracts;
      const rail = createSafeRail({
        safes: leashed(safes, death),
        chain,
        confirmations,
        ...identity,
      });
      const money = createFunds({
        ...shared,
        ...identity,
        rails: [rail],
        safeOf: (owner) => safes.addressOf(owner),
        contracts: chain.contracts,
        redeemerOf: redeemerHere,
        fundsInSafes: true,
        permits: unsignedPermits((userId) => safes.ownerOf(userId)),
      });
      const { safeOf } = money.onboarding;
      return {
        ...money,
        store,
        commit,
        log,
        portfolio: createPortfolio({
          ...shared,
          updates: { announce: () => undefined },
          venues: {
            of: () => ({ funds: money }),
            trading: () => VENUE_A_TERMS,
            cashAccountOf: () => 'usdc:safe',
          },
        }),
        reconciler: reconcilerOf(
          { ...world, clock: mortal },
          { store, commit, orphans: money.orphans },
          { log, metrics },
        ),
        deposits: createDeposits({ ...shared, bridge, safeOf }),
        arrivals: createChainDeposits({
          ...shared,
          contracts: chain.contracts,
          safes: createAddressIndex({
            bus,
            clock: mortal,
            addressOf: safeOf,
            users: (after, limit) =>
              store
                .range(USERS, { limit, ...(after === null ? {} : { after: [after] }) })
                .map(({ value: { userId, safe } }) => ({ userId, address: safe })),
          }),
        }),
      };
    },
    async start({ store, recover, arrivals, deposits }) {
      recover(store.range(USERS).map(({ value }) => value.userId));
      arrivals.start();
      deposits.recover();
    },
    bury({ arrivals, deposits, stop }) {
      void arrivals.stop();
      deposits.stop();
      stop();
    },
    world: () => ({
      balances: worldOf(world),
      payments: bridge.payments,
      received: safes.received.length,
    }),
    end: (store) => ({ ...moneyOf(world, store), ...recordsOf(store, user) }),
    broken: (store, { log }) => [
      ...brokenLaws(store, user),
      ...differences(world, store),
      // Operators must hear of money that its owner moved out.
      ...log.lines
        .filter(
          ({ level, event }) =>
            level === 'error' && !(event === 'money.mismatched' && world.happened.has('manually')),
        )
        .map(({ event, fields }) => `error ${event} ${JSON.stringify(fields)}`),
    ],
    // Blocks and bridge go on in the clock, which no longer moves.
    close: () => undefined,
  };
}

/** The relayer as a process reaches it that may be dead. */
function leashed(safes: FakeSafes, death: AbortSignal): FakeSafes {
  return new Proxy(safes, {
    get(target, name) {
      if (name === 'submit' && death.aborted) return () => new Promise(() => undefined);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function worldOf({ chain }: MoneyWorld): unknown {
  const { nonces, allowances } = chain.state;
  return {
    nonces: [...nonces],
    allowances: [...allowances].map(([name, amount]) => [name, String(amount)]),
    block: chain.blockNumber,
    waiting: chain.waiting.map(({ hash }) => hash),
  };
}

/** Plain JSON of what chain and store came to. */
function moneyOf(world: MoneyWorld, store: Store): object {
  const plain: unknown = JSON.parse(
    JSON.stringify(moneyEnd(world, store), (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  );
  return {
    money: plain,
    balances: store.range(BALANCES).map(({ key, value }) => ({ key, value })),
  };
}

/** Ids in the facts of a notification that each life draws for itself. */
const DRAWN: ReadonlySet<string> = new Set(['transactionId', 'transactionHash', 'depositId']);

/** Deposits, redemptions and notifications, without the ids and times that are drawn. */
function recordsOf(store: Store, user: UserId): object {
  return {
    deposits: store
      .range(DEPOSIT_RECORDS)
      .map(({ value: { address, transfer, state, problem, credit } }) => ({
        address,
        amount: transfer.amount,
        state,
        problem,
        usdc: credit?.usdc ?? null,
      })),
    credits: store.range(DEPOSIT_CREDITS).length,
    redemptions: store.range(REDEMPTIONS).map(({ key }) => key),
    transactionsOpen: store.range(OPEN_TRANSACTIONS).length,
    notifications: store
      .range(NOTIFICATIONS, { prefix: [user] })
      .map(({ value: { facts } }) =>
        JSON.stringify(facts, (name, value: unknown) => (DRAWN.has(name) ? undefined : value)),
      )
      .sort(),
  };
}

/** L4: what the ledger says is in the Safe is what the chain says. */
function differences({ chain, safe, user }: MoneyWorld, store: Store): readonly string[] {
  const onChain = Number(chain.state.tokenOf(chain.contracts.collateral, safe));
  const ledger = store.get(BALANCES, [user, 'usdc:safe'])?.value ?? { settled: 0, provisional: 0 };
  return ledger.settled === onChain && ledger.provisional === 0
    ? []
    : [
        `the ledger says ${ledger.settled} and ${ledger.provisional} provisional, the chain ${onChain}`,
      ];
}
