import type { Channel, ReaderEnd } from './channel.ts';

/**
 * Follows what is lost while no reader does, so that a feed that has let its readers go finds out
 * when it reaches its sources again. What it hears it drops.
 */
export interface SourceWatch {
  /** Follows these, those too whose source was lost meanwhile. */
  follow(channels: Iterable<Channel>): void;
  /** Follows nothing any more. */
  leave(): void;
}

export function createSourceWatch(): SourceWatch {
  const followed = new Set<Channel>();
  const end: ReaderEnd = {
    send: () => undefined,
    ended: (channel) => void followed.delete(channel),
    isBehind: () => false,
  };
  return {
    follow(channels) {
      for (const channel of channels) {
        if (followed.has(channel)) continue;
        followed.add(channel);
        channel.join(end);
      }
    },
    leave() {
      for (const channel of followed) channel.leave(end);
      followed.clear();
    },
  };
}
