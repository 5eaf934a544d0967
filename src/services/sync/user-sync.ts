import { SYNC } from '../../../config/limits.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StreamTrouble, UserWatch } from './user-watch.ts';
import { createUserWatch } from './user-watch.ts';
import type { VenueReadingDeps } from './venue-reading.ts';

/** Keeps what we know of users' orders, fills and deposits equal to what the venue knows. */
export interface UserSync {
  /** Watches the user's channel and reads again every few seconds while anything is in motion. Idempotent. */
  activate(userId: UserId): void;
  /** What keeps us from knowing what becomes of the user's orders; null when nothing does, or nothing of theirs is in motion. */
  trouble(userId: UserId): StreamTrouble | null;
  /** Tells of users whose trouble has begun, changed or ended. Gives what ends it. */
  listen(listener: (userId: UserId) => void): () => void;
  /** Users watched now. */
  readonly size: number;
  stop(): void;
}

/** Makes the sync: one watch per active user. */
export function createUserSync(deps: VenueReadingDeps): UserSync {
  const users = new Map<UserId, UserWatch>();
  const listeners = new Set<(userId: UserId) => void>();
  const tell = (userId: UserId) => listeners.forEach((listener) => listener(userId));
  return {
    activate(userId) {
      const watch = users.get(userId);
      if (watch !== undefined) return watch.keep();
      // A user beyond the bound is still served: orders are asked about by id, only the channel is missing.
      if (users.size >= SYNC.activeUsersMaximum) return deps.log.error({ userId, users: users.size }, 'user_sync.full');
      users.set(userId, createUserWatch(deps, userId, {
        onTrouble: () => tell(userId),
        onEnd() {
          users.delete(userId);
          tell(userId);
        },
      }));
    },
    trouble: (userId) => users.get(userId)?.trouble() ?? null,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get size() {
      return users.size;
    },
    stop() {
      for (const watch of users.values()) watch.stop();
    },
  };
}
