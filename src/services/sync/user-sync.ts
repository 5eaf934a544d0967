import { SYNC } from '../../../config/limits.ts';
import type { UserId, VenueId } from '../../domain/ids.ts';
import type { Timer } from '../../ports/clock.ts';
import type { StreamProblem, UserStreams } from '../orders/place-order.ts';
import { createUserWatch, type UserWatch } from './user-watch.ts';
import type { Venues } from '../venues.ts';
import type { VenueReadingDeps } from './venue-reading.ts';

/** Keeps what we know of users' orders, fills and deposits equal to what venues know. */
export interface UserSync extends UserStreams {
  /**
   * The venue has stated its own id of an order of the user: what was heard of it before is read
   * again now.
   */
  named(userId: UserId, venue: VenueId): void;
  /** Users watched now, once for each venue. */
  readonly size: number;
  stop(): void;
}

/**
 * Makes the sync: one watch per active user and venue. Venues that are not open are passed over.
 */
export function createUserSync(
  deps: Omit<VenueReadingDeps, 'venue'> & {
    readonly venues: Pick<Venues, 'open' | 'mechanisms' | 'trading'>;
    /** Users watched at a time at a venue; default SYNC.activeUsersMaximum. */
    readonly watchedMaximum?: number;
  },
): UserSync {
  const listeners = new Set<(userId: UserId, venue: VenueId) => void>();
  const syncs = new Map(
    deps.venues.open.map((venue) => [
      venue.id,
      createVenueSync({ ...deps, venue }, (userId) =>
        listeners.forEach((listener) => listener(userId, venue.id)),
      ),
    ]),
  );
  return {
    activate: (userId, venue) => syncs.get(venue)?.activate(userId),
    named: (userId, venue) => syncs.get(venue)?.named(userId),
    problem: (userId, venue) => syncs.get(venue)?.problem(userId) ?? null,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get size() {
      return [...syncs.values()].reduce((sum, { size }) => sum + size(), 0);
    },
    stop: () => syncs.forEach((sync) => sync.stop()),
  };
}

/** The sync of one venue: none waits for the users of another. */
interface VenueSync {
  activate(userId: UserId): void;
  named(userId: UserId): void;
  problem(userId: UserId): StreamProblem | null;
  size(): number;
  stop(): void;
}

function createVenueSync(
  {
    watchedMaximum = SYNC.activeUsersMaximum,
    ...deps
  }: VenueReadingDeps & {
    readonly watchedMaximum?: number;
  },
  tell: (userId: UserId) => void,
): VenueSync {
  /** The one who was about longest ago first. */
  const users = new Map<UserId, UserWatch>();
  /** Users for whom there was no room, and since when; the one who has waited longest first. */
  const waiting = new Map<UserId, number>();
  let isOver = false;
  let timer: Timer | null = null;

  function watch(userId: UserId): void {
    users.set(
      userId,
      createUserWatch(deps, userId, {
        onProblem: () => tell(userId),
        onEnd() {
          users.delete(userId);
          admitNext();
        },
      }),
    );
  }

  function admitNext(): void {
    const next = waiting.keys().next();
    if (next.done === true || isOver || users.size >= watchedMaximum) return;
    waiting.delete(next.value);
    watch(next.value);
    tell(next.value);
  }

  /**
   * Lets go of a user who has nothing in motion, of those who were about longest ago; false when
   * none was found.
   */
  function makeRoom(): boolean {
    for (const [userId, oldest] of first(users, Math.min(SYNC.idleReadings, users.size))) {
      if (oldest.isIdle()) {
        oldest.stop();
        return true;
      }
      users.delete(userId);
      users.set(userId, oldest);
    }
    return false;
  }

  function serveWaiting(): void {
    timer = null;
    for (let served = 0; served < SYNC.idleReadings && waiting.size > 0; served += 1)
      if (!makeRoom()) break;
    if (waiting.size > 0) timer ??= deps.clock.after(SYNC.intervalMs, serveWaiting);
  }

  function wait(userId: UserId): void {
    if (waiting.has(userId)) return;
    deps.log.error({ userId, users: users.size, waiting: waiting.size }, 'user_sync.full');
    waiting.set(userId, deps.clock.nowMs());
    timer ??= deps.clock.after(SYNC.intervalMs, serveWaiting);
    tell(userId);
  }

  return {
    activate(userId) {
      // An order may still become durable after the stop: a watch begun for it would read a store
      // that is closed.
      if (isOver) return;
      const known = users.get(userId);
      if (known !== undefined) {
        users.delete(userId);
        users.set(userId, known);
        return known.keep();
      }
      // Whoever waits already comes first: room is made for them as for anybody.
      if (users.size >= watchedMaximum) makeRoom();
      if (users.size >= watchedMaximum) return wait(userId);
      waiting.delete(userId);
      watch(userId);
    },
    named: (userId) => users.get(userId)?.named(),
    problem(userId) {
      const sinceMs = waiting.get(userId);
      return sinceMs === undefined
        ? (users.get(userId)?.problem() ?? null)
        : { code: 'user_stream_blind', sinceMs };
    },
    size: () => users.size,
    stop() {
      isOver = true;
      timer?.cancel();
      waiting.clear();
      for (const known of users.values()) known.stop();
    },
  };
}

function* first<T>(from: Iterable<T>, count: number): Generator<T, void> {
  let left = count;
  for (const one of from) {
    if (left === 0) return;
    left -= 1;
    yield one;
  }
}
