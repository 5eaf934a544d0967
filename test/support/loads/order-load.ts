import { watchUser } from '../../support/watched-users.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import { isTerminal, type OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import { T0 } from '../builders.ts';
import { vaultOf } from '../known-keys.ts';
import { pump } from '../clocks/pumped-clock.ts';
import { startLife, type LoadLife } from './load-life.ts';
import {
  startLoadVenue,
  loadUsers,
  requestsOf,
  type LoadUser,
  type LoadVenue,
  type Request,
} from './load-venue.ts';
import { memoryRecordStore } from '../fixtures/wire-venue.ts';
import { VENUE_A } from '../venue-ids.ts';

/** How large a load is. */
export interface LoadSize {
  readonly users: number;
  readonly requestsEach: number;
  /** Power failures on the way, spread evenly. */
  readonly cuts: number;
  readonly seed: string;
}

/** What a load left behind, counted from the venue's own orders. */
export interface LoadReport {
  /** Requests of which the venue took in at least one order. */
  readonly taken: number;
  /** Orders at the venue beyond the first of a request. */
  readonly duplicates: number;
  /**
   * Requests whose caller believes something else than the venue: other shares, ended for open, or
   * no order at all.
   */
  readonly lost: number;
  /** Users whose settled cash in our books differs from the venue's. */
  readonly cashDiffers: number;
  /** Submissions whose answer left the caller in doubt. */
  readonly doubts: number;
  readonly store: MemoryStore;
}

/**
 * Time that passes in one turn of the event loop: small enough that no loopback call comes near a
 * time-out.
 */
const STEP_MS = 2;
/** Refusals that leave nothing behind and mean "later". */
const LATER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'market_fenced',
  'lock_busy',
  'preparation_timeout',
]);
const LATER_MS = 500;
/** Longer than the horizon of late bookings, settlement and the venue's own repeats together. */
const CALM_MS = 120_000;

/**
 * Sends everybody's requests through our service over real sockets, under faults and power
 * failures, and waits until all is decided.
 */
export async function runOrderLoad({
  users: count,
  requestsEach,
  cuts,
  seed,
}: LoadSize): Promise<LoadReport> {
  const clock = createVirtualClock(T0);
  const running = pump(clock, STEP_MS);
  const venue = await startLoadVenue(clock, seed);
  const users = loadUsers(count, seed);
  const runtime = await openRuntime(clock, venue, { users, seed });
  try {
    venue.startFaults();
    const reported = new Map<Request, OrderRecord>();
    await Promise.all(
      users.map(async (user) => {
        for (const request of requestsOf(user, requestsEach)) {
          reported.set(request, await placeUntilAnswered(runtime, request));
          if (cuts > 0 && reported.size % Math.ceil((count * requestsEach) / (cuts + 1)) === 0)
            await runtime.crash();
        }
      }),
    );
    await pass(clock, CALM_MS);
    venue.stopFaults();
    await pass(clock, CALM_MS);
    return await reportOf(runtime, venue, reported);
  } finally {
    await runtime.close();
    await venue.close();
    await running.stop();
  }
}

/** What outlives a process, and the process that runs now. */
interface Runtime {
  readonly clock: Clock;
  readonly vault: KeyVault;
  readonly venue: LoadVenue;
  readonly users: readonly LoadUser[];
  life(): LoadLife;
  store(): MemoryStore;
  doubts(): number;
  crash(): Promise<void>;
  close(): Promise<void>;
}

async function openRuntime(
  clock: Clock,
  venue: LoadVenue,
  { users, seed }: { readonly users: readonly LoadUser[]; readonly seed: string },
): Promise<Runtime> {
  const keccak = await loadKeccak();
  const vault = await vaultOf(keccak, users);
  const records = memoryRecordStore();
  let store = createMemoryStore();
  let lives = 1;
  let doubts = 0;
  let life = startLife({ clock, venue, vault, keccak, records, seed: `${seed} 1` }, store);
  venue.fund(users.map(({ userId }) => vault.addressOf(userId)));
  await life.trading.orders.recover();
  for (const { userId } of users) {
    await life.open(userId);
    await life.trading.funding.syncDeposits(userId);
  }
  return {
    clock,
    vault,
    venue,
    users,
    life: () => life,
    store: () => store,
    doubts: () => doubts + doubtsOf(life),
    async crash() {
      const last = life;
      lives += 1;
      doubts += doubtsOf(last);
      // What the disk had, it has; what is on its way to the venue arrives there or does not.
      store = store.crash();
      life = startLife({ clock, venue, vault, keccak, records, seed: `${seed} ${lives}` }, store);
      await Promise.all([last.cut(), life.trading.orders.recover()]);
      for (const { userId } of users) watchUser(life.trading, userId);
    },
    close: () => life.cut(),
  };
}

function doubtsOf({ metrics }: LoadLife): number {
  return metrics.counts.get('order_submissions_total venue_a unknown') ?? 0;
}

/**
 * The caller's part: the same request under the same key, again after a refusal that means "later"
 * and after a power failure.
 */
async function placeUntilAnswered(
  { life, clock, venue }: Runtime,
  { user, number, shareMicros, price }: Request,
): Promise<OrderRecord> {
  for (;;) {
    const { trading, ended } = life();
    const placed = trading.orders.place(user.userId, {
      venue: VENUE_A,
      marketId: venue.market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'shares', micros: shareMicros },
      type: { kind: 'limit', price: priceTicks(price), expiresAtMs: null },
      origin: { kind: 'manual' },
      idempotencyKey: `request ${number}`,
    });
    const reported = await Promise.race([placed.catch(asLater), ended]);
    if (reported === 'later') await pass(clock, LATER_MS);
    else if (reported !== 'ended') {
      // Those that rest are cancelled; whether the venue heard is for the service to find out.
      if (reported.state === 'live')
        trading.orders.cancel(user.userId, reported.intent.intentId).catch(asEnded);
      return reported;
    }
  }
}

function asLater(error: unknown): 'later' {
  if (error instanceof AppError && LATER.has(error.code)) return 'later';
  throw error;
}

function asEnded(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'order_not_cancellable')) throw error;
}

/** Resolves after so much of the clock's time. */
export function pass(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

async function reportOf(
  { life, store, vault, users, doubts }: Runtime,
  venue: LoadVenue,
  reported: ReadonlyMap<Request, OrderRecord>,
): Promise<LoadReport> {
  const { trading, collateral } = life();
  const outcomes = [...reported].map(([request, first]) => {
    const orders = venue.ordersOf(vault.addressOf(request.user.userId), request);
    const record = trading.orders.get(request.user.userId, first.intent.intentId);
    const [order] = orders;
    const isOpen = order !== undefined && (order.status === 'LIVE' || order.status === 'DELAYED');
    const isAgreed =
      record !== null &&
      record.filledShares === (order?.matchedShares ?? 0) &&
      isTerminal(record.state) === !isOpen;
    return { orders: orders.length, isAgreed };
  });
  let cashDiffers = 0;
  for (const { userId } of users)
    if ((await collateral(userId)) !== trading.portfolio.cash(userId, 'usdc:safe').settled)
      cashDiffers += 1;
  return {
    taken: outcomes.filter(({ orders }) => orders > 0).length,
    duplicates: outcomes.reduce((sum, { orders }) => sum + Math.max(0, orders - 1), 0),
    lost: outcomes.filter(({ isAgreed }) => !isAgreed).length,
    cashDiffers,
    doubts: doubts(),
    store: store(),
  };
}
