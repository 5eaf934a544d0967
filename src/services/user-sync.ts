import { SYNC } from '../../config/limits.ts';
import type { IntentId, UserId } from '../domain/ids.ts';
import type { OrderRecord } from '../domain/order.ts';
import { isTerminal } from '../domain/order.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Store } from '../ports/store.ts';
import type { OrderGateway, UserEvent, VenueOrder } from '../ports/venue.ts';
import type { Funding } from './funding.ts';
import { foldVenueOrder } from './order-fold.ts';
import type { OrderWords } from './order-words.ts';
import type { Portfolio } from './portfolio.ts';
import { OPEN_FILLS, OPEN_ORDERS, ORDERS, ORDER_IDS } from './tables.ts';

/** Keeps what we know of users' orders, fills and deposits equal to what the venue knows. */
export interface UserSync {
  /** Watches the user's channel and reads again every few seconds while anything is in motion. Idempotent. */
  activate(userId: UserId): void;
  /** Users watched now. */
  readonly size: number;
  stop(): void;
}

/** What the sync needs. */
export interface UserSyncDeps {
  readonly store: Store;
  readonly gateway: OrderGateway;
  readonly words: OrderWords;
  readonly portfolio: Portfolio;
  readonly funding: Funding;
  /** Has an order asked about now. */
  readonly ask: (intentId: IntentId) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Watched {
  readonly userId: UserId;
  unsubscribe: () => void;
  timers: { poll: Timer | null; reconnect: Timer | null };
  isPolling: boolean;
  /** A poll was asked for while one ran. */
  isWantedAgain: boolean;
  /** The channel has just opened: resting orders are compared as well. */
  isFresh: boolean;
  failures: number;
  disconnects: number;
  activeAtMs: number;
  depositsAtMs: number;
}

/** Makes the sync. */
export function createUserSync(deps: UserSyncDeps): UserSync {
  const users = new Map<UserId, Watched>();
  const { clock, log } = deps;

  function open(userId: UserId): Watched {
    const watched: Watched = {
      userId, unsubscribe: () => undefined, timers: { poll: null, reconnect: null }, isPolling: false, isWantedAgain: false, isFresh: true,
      failures: 0, disconnects: 0, activeAtMs: clock.nowMs(), depositsAtMs: Number.NEGATIVE_INFINITY,
    };
    users.set(userId, watched);
    connect(watched);
    return watched;
  }

  function connect(watched: Watched): void {
    watched.unsubscribe = deps.gateway.watch(watched.userId, {
      next: (event) => hear(watched, event),
      error(cause) {
        log.warn({ userId: watched.userId, cause }, 'user_channel.lost');
        watched.unsubscribe();
        const waitMs = Math.min(SYNC.reconnectFirstMs * 2 ** Math.min(watched.disconnects, 16), SYNC.intervalMaximumMs);
        watched.disconnects += 1;
        watched.timers.reconnect?.cancel();
        watched.timers.reconnect = clock.after(waitMs, () => connect(watched));
      },
    });
  }

  function hear(watched: Watched, event: UserEvent): void {
    if (event.kind === 'connected') {
      watched.disconnects = 0;
      watched.isFresh = true;
      void poll(watched);
      return;
    }
    const told = event.kind === 'fill' ? deps.portfolio.recordFill(event.fill) : takeOrder(deps, event.order, false);
    // The next poll reads the same again, so a word that could not be stored is not lost.
    told.catch((cause: unknown) => log.error({ userId: watched.userId, cause }, 'user_channel.word_not_stored'));
  }

  async function poll(watched: Watched): Promise<void> {
    if (users.get(watched.userId) !== watched) return;
    watched.isWantedAgain = watched.isPolling;
    if (watched.isPolling) return;
    watched.isPolling = true;
    try {
      await read(deps, watched);
      watched.failures = 0;
    } catch (cause) {
      watched.failures += 1;
      log.warn({ userId: watched.userId, failures: watched.failures, cause }, 'user_sync.failed');
    }
    watched.isPolling = false;
    schedule(watched);
  }

  function schedule(watched: Watched): void {
    if (users.get(watched.userId) !== watched) return;
    watched.timers.poll?.cancel();
    if (isInMotion(deps.store, watched.userId)) watched.activeAtMs = clock.nowMs();
    if (clock.nowMs() - watched.activeAtMs >= SYNC.idleAfterMs) return close(watched);
    const waitMs = watched.isWantedAgain ? 0 : Math.min(SYNC.intervalMs * 2 ** Math.min(watched.failures, 16), SYNC.intervalMaximumMs);
    watched.timers.poll = clock.after(waitMs, () => void poll(watched));
  }

  function close(watched: Watched): void {
    users.delete(watched.userId);
    watched.unsubscribe();
    watched.timers.poll?.cancel();
    watched.timers.reconnect?.cancel();
  }

  return {
    activate(userId) {
      const watched = users.get(userId);
      if (watched !== undefined) {
        watched.activeAtMs = clock.nowMs();
        return;
      }
      // A user beyond the bound is still served: orders are asked about by id, only the channel is missing.
      if (users.size >= SYNC.activeUsersMaximum) return log.error({ userId, users: users.size }, 'user_sync.full');
      schedule(open(userId));
    },
    get size() {
      return users.size;
    },
    stop() {
      for (const watched of users.values()) close(watched);
    },
  };
}

/** Reads what the channel may have lost: trades while anything is in motion, resting orders after a reconnect, deposits now and then. */
async function read(deps: UserSyncDeps, watched: Watched): Promise<void> {
  const { userId } = watched;
  const nowMs = deps.clock.nowMs();
  if (nowMs - watched.depositsAtMs >= SYNC.depositsIntervalMs) {
    await deps.funding.syncDeposits(userId);
    watched.depositsAtMs = nowMs;
  }
  if (!watched.isFresh && !isInMotion(deps.store, userId)) return;
  for (const fill of await deps.gateway.fills(userId, oldestInMotionMs(deps, userId) - SYNC.overlapMs)) await deps.portfolio.recordFill(fill);
  if (!watched.isFresh) return;
  for (const order of await deps.gateway.openOrders(userId)) await takeOrder(deps, order, true);
  watched.isFresh = false;
  for (const { key } of deps.store.range(OPEN_ORDERS, { prefix: [userId] })) {
    const record = deps.store.get(ORDERS, key)?.value;
    if (record !== undefined && record.state !== 'signed') deps.ask(record.intent.intentId);
  }
}

/** Folds the venue's word about an order. Orders that are not ours are counted; one we thought over is taken off the book. */
async function takeOrder(deps: UserSyncDeps, order: VenueOrder, asked: boolean): Promise<void> {
  const ref = deps.store.get(ORDER_IDS, [order.orderId])?.value;
  if (ref === undefined) return deps.metrics.count('foreign_orders_total');
  const record = await deps.words.apply(ref, (known, nowMs) => foldVenueOrder(known, order, asked, nowMs), 'outside');
  if (asked && isStray(record, order)) {
    deps.log.error({ intentId: ref.intentId, orderId: order.orderId, state: record.state }, 'order.stray');
    await deps.gateway.cancel(ref.userId, order.orderId);
  }
}

/** True for an order that rests at the venue though its record has ended: it was booked later than anybody could expect. */
function isStray(record: OrderRecord, order: VenueOrder): boolean {
  return isTerminal(record.state) && order.status === 'live';
}

function isInMotion(store: Store, userId: UserId): boolean {
  return [OPEN_ORDERS, OPEN_FILLS].some((table) => store.range(table, { prefix: [userId], limit: 1 }).length > 0);
}

function oldestInMotionMs({ store, clock }: UserSyncDeps, userId: UserId): number {
  const marks = [OPEN_ORDERS, OPEN_FILLS].flatMap((table) => store.range(table, { prefix: [userId] }).map(({ value }) => value.sinceMs));
  return Math.min(clock.nowMs(), ...marks);
}
