import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';

/** What each user has of the gateway: sockets, and books and prices over all of them. */
export interface UserShares {
  /** Counts a socket in. Errors: `limit_reached` beyond API.socketsPerUserMaximum. */
  openSocket(userId: UserId): void;
  /** Counts a socket out that was counted in, and whose topics were. */
  closeSocket(userId: UserId): void;
  /**
   * Counts a socket's book or price in. Errors: `limit_reached` beyond API.topicsPerUserMaximum
   * different ones.
   */
  takeTopic(userId: UserId, name: string): void;
  /** Counts one out that was counted in. */
  giveTopic(userId: UserId, name: string): void;
}

interface Share {
  sockets: number;
  /** Sockets of the user that read a topic, by its name. */
  readonly topics: Map<string, number>;
}

/** Makes the counters. */
export function createUserShares(): UserShares {
  const shares = new Map<UserId, Share>();
  const shareOf = (userId: UserId): Share =>
    shares.get(userId) ?? { sockets: 0, topics: new Map() };
  return {
    openSocket(userId) {
      const share = shareOf(userId);
      if (share.sockets >= API.socketsPerUserMaximum)
        throw new AppError(
          'limit_reached',
          `${API.socketsPerUserMaximum} sockets of yours are open`,
        );
      share.sockets += 1;
      shares.set(userId, share);
    },
    closeSocket(userId) {
      const share = shareOf(userId);
      share.sockets -= 1;
      if (share.sockets === 0) shares.delete(userId);
    },
    takeTopic(userId, name) {
      const { topics } = shareOf(userId);
      const readers = topics.get(name) ?? 0;
      if (readers === 0 && topics.size >= API.topicsPerUserMaximum)
        throw new AppError(
          'limit_reached',
          `you may read ${API.topicsPerUserMaximum} different books and prices, all your sockets together`,
        );
      topics.set(name, readers + 1);
    },
    giveTopic(userId, name) {
      const { topics } = shareOf(userId);
      const readers = topics.get(name) ?? 0;
      if (readers > 1) topics.set(name, readers - 1);
      else topics.delete(name);
    },
  };
}
