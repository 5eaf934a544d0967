import { watchUser } from '../support/watched-users.ts';
import {
  createDirectService,
  type DirectService,
  type DirectUser,
  type VenueInReach,
} from '../../src/tools/replay/direct-service.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { RiskCaps } from '../../src/domain/reservation.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Lease } from '../../src/ports/lease.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Store } from '../../src/ports/store.ts';
import type { ExchangePrices } from '../../src/sandbox/feeds/prices/exchange-prices.ts';
import type { WorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';
import { modelAssessor } from '../support/fakes/model-assessor.ts';
import { SELLING_STRATEGIES } from '../support/worlds/selling-strategies.ts';
import type { ChainVenue } from './chain/chain-venue.ts';
import type { DayChain } from './chain/day-chain.ts';
import {
  lateFunds,
  openFundsService,
  type DayRelayer,
  type FundsService,
} from './chain/funds-service.ts';
import type { MachineTime } from './machine-time.ts';
import { openPushFixture, type PushFixture, type PushModel } from './push-service.ts';

/** Where a service runs, and for whom. */
export interface ServiceOptions {
  readonly clock: Clock;
  /** The clock of the machine; one that is right unless stated. */
  readonly time?: MachineTime;
  readonly model: WorldModel;
  /** Absent where the venue pays by itself. */
  readonly onChain?: ServiceChain;
  /** Venues that are open beside the model's; none unless stated. */
  readonly beside?: readonly VenueInReach[];
  /** Prices of the exchange that are published; all unless stated. */
  readonly exchangePrices?: ExchangePrices;
  readonly seed: number;
  readonly books: 'direct' | 'channel';
  /** Names of the users, in an order that stays. */
  readonly names: readonly string[];
  /** What the operator lets any one user have at risk; no bound unless stated. */
  readonly caps?: RiskCaps;
  /** Of the seed unless stated. */
  readonly pushes?: PushModel;
}

/** The same for every life: browsers outlive them all. */
export type LifeOptions = ServiceOptions & { readonly pushes: PushModel };

/** A service and the part of it that tells browsers. */
export interface SimulatedService extends DirectService {
  readonly push: PushFixture;
  /** Null where the venue pays by itself. */
  readonly money: FundsService | null;
}

/** A chain that holds the users' money, and the relayer that acts on it. */
export interface ServiceChain {
  readonly chain: DayChain;
  readonly relayer: DayRelayer;
  readonly venue: ChainVenue;
}

/** One process of the service. */
export interface LifeParts {
  /** Counts the starts of all lives, from 1. */
  readonly number: number;
  /** The world's time as long as this life lasts. */
  readonly world: Clock;
  /** What its machine says the time is. */
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Log;
  readonly lease: Lease;
  /** Has its calls arrive at the venue while it is paused; `world` unless stated. */
  readonly arrivalClock?: Clock;
  /** Takes the intents whose cancel is requested. */
  readonly askedToCancel: Set<string>;
}

/** Of a service whose machine alone keeps its log. */
export const ALWAYS_HELD: Lease = { isHeld: () => true };
/**
 * Opening an account while the venue refuses is tried so often, a second apart: longer than a clock
 * is ever so wrong that it refuses.
 */
const OPENING_ATTEMPTS = 900;

/** Joins the service of one life to its models; nothing runs yet. */
export async function makeService(
  options: LifeOptions,
  { number: life, world, clock, store, log, lease, arrivalClock, askedToCancel }: LifeParts,
): Promise<SimulatedService> {
  const {
    model,
    seed,
    books,
    names,
    caps = {},
    pushes,
    exchangePrices = model.quotes,
    onChain,
    beside = [],
  } = options;
  const late = lateFunds();
  const direct = await createDirectService({
    ...(onChain === undefined ? {} : { accountFunds: { 'usdc:safe': late.funds } }),
    ...(arrivalClock === undefined ? {} : { arrivalClock }),
    model,
    clock,
    outsideClock: world,
    exchangePrices,
    seed,
    life,
    latencyMs: 20,
    books,
    strategies: SELLING_STRATEGIES,
    caps,
    assessor: modelAssessor,
    beside,
    log,
    lease,
    store,
  });
  const orders: DirectService['core']['orders'] = {
    ...direct.core.orders,
    cancel(userId, intentId) {
      askedToCancel.add(intentId);
      return direct.core.orders.cancel(userId, intentId);
    },
  };
  const shared = { service: direct, clock, seed, life, log, lease };
  const money =
    onChain === undefined ? null : openFundsService({ ...shared, world, late, names, ...onChain });
  return {
    ...direct,
    money,
    core: { ...direct.core, orders },
    push: openPushFixture({ ...shared, pushes }),
  };
}

/** Opens the accounts of all users, in their order, and has chain and relayer know them. */
export async function openUsers(
  { names, onChain }: Pick<ServiceOptions, 'names' | 'onChain'>,
  service: DirectService,
  clock: Clock,
): Promise<readonly DirectUser[]> {
  const opened: DirectUser[] = [];
  for (const name of names) opened.push(await openUser(service, name, clock));
  for (const { userId, address } of opened) {
    onChain?.relayer.know(userId, address);
    onChain?.venue.follow(address);
  }
  return opened;
}

/**
 * The venue may be out of reach while a life begins: a start goes on trying, as the daemon does.
 */
async function openUser(service: DirectService, name: string, clock: Clock): Promise<DirectUser> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await service.openUser(name);
    } catch (error) {
      if (attempt === OPENING_ATTEMPTS) throw error;
      await new Promise<void>((resolve) => void clock.after(1_000, resolve));
    }
  }
}

/** Starts all of a service (L9). */
export async function startService(
  { core, money, push }: SimulatedService,
  users: readonly DirectUser[],
): Promise<void> {
  money?.start(users.map(({ userId }) => userId));
  await core.start();
  await push.start();
  for (const { userId } of users) watchUser(core.trading, userId);
}

/**
 * Error that the service reports when the venue holds back money that is there, as
 * `phantom-reservation` has it do: an alert for operators, not a fault of its own.
 */
const PHANTOM_ALERT = 'funds.disputed';
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** A log of which errors are complaints, those of a full disk apart. */
export function complaining(complain: (text: string) => void): Log {
  return {
    ...SILENT,
    error(fields, event) {
      const text = JSON.stringify(fields, errorText);
      if (event !== PHANTOM_ALERT && !text.includes('store_unavailable'))
        complain(`${event} ${text}`);
    },
  };
}

function errorText(_name: string, value: unknown): unknown {
  return value instanceof AppError
    ? `${value.code}: ${value.message}`
    : value instanceof Error
      ? String(value)
      : value;
}
