import { createSafeRail } from '../../../src/adapters/safe-relayer/safe-rail.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { leasedRail } from '../../../src/app/leased.ts';
import type { VenueFunds } from '../../../src/services/venues.ts';
import type { DirectService } from '../../../src/tools/replay/direct-service.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Lease } from '../../../src/ports/lease.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { Random } from '../../../src/ports/random.ts';
import { createChainDeposits } from '../../../src/services/funding/chain-deposits.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import { createFunds, type Funds } from '../../../src/services/funds.ts';
import { hashOf } from '../../support/fakes/fake-chain-logs.ts';
import { FakeSafes, type RelayPlan } from '../../support/fakes/fake-relayer.ts';
import { redeemerHere } from '../../support/worlds/money-world.ts';
import type { DayChain } from './day-chain.ts';

/** Funds in Safes as one life of the service runs it. */
export interface FundsService extends Pick<Funds, 'withdrawals'> {
  start(users: readonly UserId[]): void;
  stop(): void;
}

/**
 * The relayer of a day, and how it treats what is sent to it: most of it well, the rest lost, late,
 * twice or not at all.
 */
export interface DayRelayer {
  readonly safes: FakeSafes;
  /** Whose Safe is which; before anything is asked of the relayer. */
  know(userId: UserId, safe: string): void;
  /** Treats everything well from now on. */
  calm(): void;
}

const TREATMENTS: readonly RelayPlan[] = [
  'lost',
  'dropped',
  'hangs',
  'never',
  'twice',
  'foreign_hash',
  'fails',
  'busy',
  'refused',
];
const LATENCY_MS = 20;
const QUIET_METRICS: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
  startTimer: () => () => undefined,
  beforeRead: () => undefined,
};

/** Makes the relayer over the day's chain. */
export function createDayRelayer(chain: DayChain, random: Random): DayRelayer {
  const safesByOwner = new Map<string, string>();
  const ownerOf = (userId: UserId) =>
    asId<ReturnType<FakeSafes['ownerOf']>>(`0x${hashOf(`owner ${userId}`).slice(2, 42)}`);
  const safes = new FakeSafes(chain, {
    ownerOf,
    safeOf: (owner) => asId(safesByOwner.get(owner) ?? owner),
  });
  let isCalm = false;
  safes.drawn = () =>
    isCalm || random.integer(3) > 0
      ? 'ok'
      : (TREATMENTS[random.integer(TREATMENTS.length)] ?? 'ok');
  return {
    safes,
    know: (userId, safe) => void safesByOwner.set(ownerOf(userId), safe),
    calm() {
      isCalm = true;
    },
  };
}

/** What the core asks of money that is opened after it. */
export function lateFunds(): { readonly funds: VenueFunds; open(funds: VenueFunds): void } {
  let opened: VenueFunds | null = null;
  return {
    funds: {
      redeem: async (userId, marketId) => opened?.redeem(userId, marketId),
      syncDeposits: async (userId) => opened?.syncDeposits?.(userId) ?? 0,
      missing: (userId) => opened?.missing(userId) ?? ['deployment'],
    },
    open(funds) {
      opened = funds;
    },
  };
}

/**
 * Opens money in Safes over a life's store, commit and bus. `world` ends with the life: what it has
 * asked is answered no more.
 */
export function openFundsService(parts: {
  readonly service: DirectService;
  readonly clock: Clock;
  readonly world: Clock;
  readonly seed: number;
  readonly life: number;
  readonly log: Log;
  readonly lease: Lease;
  readonly chain: DayChain;
  readonly relayer: DayRelayer;
  readonly late: ReturnType<typeof lateFunds>;
  readonly names: readonly string[];
}): FundsService {
  const {
    service: {
      store,
      bus,
      core: {
        trading: { commit },
      },
    },
    clock,
    world,
    seed,
    life,
    log,
    lease,
    relayer,
  } = parts;
  const chain = aWayOff(parts.chain, world, [
    'head',
    'call',
    'hasCode',
    'balances',
    'shares',
    'receipt',
    'logs',
  ]);
  const safes = aWayOff(relayer.safes, world, [
    'isDeployed',
    'nonce',
    'submit',
    'lookup',
    'status',
  ]);
  const { contracts } = parts.chain;
  const ownerOf = (userId: UserId) => relayer.safes.ownerOf(userId);
  const identity = { ownerOf, loadKeys: async () => undefined };
  const { confirmations } = contracts;
  const money = createFunds({
    store,
    commit,
    bus,
    rails: [leasedRail(createSafeRail({ safes, chain, confirmations, ...identity }), lease)],
    safeOf: (owner) => safes.addressOf(owner),
    chain,
    contracts,
    redeemerOf: redeemerHere,
    fundsInSafes: true,
    ...identity,
    clock,
    log,
    marketClock: clock,
    permits: { sign: async () => null },
    random: createSeededRandom(`${seed}:money:${life}`),
    metrics: QUIET_METRICS,
  });
  const users = parts.names.map((name) => asId<UserId>(name));
  const arrivals = createChainDeposits({
    store,
    commit,
    chain,
    clock,
    marketClock: clock,
    log,
    contracts,
    safes: createAddressIndex({
      bus,
      clock,
      addressOf: money.onboarding.safeOf,
      users: (after) =>
        after === null
          ? users.map((userId) => ({ userId, address: money.onboarding.safeOf(userId) }))
          : [],
    }),
  });
  parts.late.open({
    redeem: money.redeem,
    syncDeposits: () => arrivals.scan(),
    missing: money.onboarding.missing,
  });
  return {
    withdrawals: money.withdrawals,
    start(known) {
      money.recover(known);
      arrivals.start();
    },
    stop() {
      money.stop();
      arrivals.stop().catch(() => undefined);
    },
  };
}

/**
 * The same thing with a way to it and one back: what a process asks is answered later, and never
 * once the process is gone.
 */
function aWayOff<T extends object>(there: T, world: Clock, names: readonly (keyof T)[]): T {
  return new Proxy(there, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!(names as readonly unknown[]).includes(name)) return value.bind(target) as unknown;
      return (...args: readonly unknown[]) =>
        new Promise((resolve, reject) => {
          world.after(LATENCY_MS, () => {
            // The methods named are those that answer by a promise.
            (value.apply(target, args) as Promise<unknown>).then(
              (answer) => void world.after(LATENCY_MS, () => resolve(answer)),
              (cause: unknown) => void world.after(LATENCY_MS, () => reject(cause)),
            );
          });
        });
    },
  });
}
