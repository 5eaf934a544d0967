import { setTimeout as wait } from 'node:timers/promises';
import { GATEWAY } from '../../config/limits/gateway.ts';
import type { ShardOwner } from '../ports/shard-owner.ts';

/** Follows who owns a shard. */
export interface OwnerWatch {
  /** The owner as it was read last; null without one. */
  current(): ShardOwner | null;
  /** Ms since the owner was read last. */
  silentMs(): number;
  /** Resolves with the owner once there is one, or with null after `ms`. */
  find(ms: number): Promise<ShardOwner | null>;
  /** Aborts once another process than that of this epoch owns the shard. */
  replaced(epoch: number): AbortSignal;
  close(): Promise<void>;
}

/** Reads the owner again and again. What cannot be read leaves the last owner as it is. */
export function watchOwner(read: () => Promise<ShardOwner | null>): OwnerWatch {
  const ending = new AbortController();
  const changes = new Set<() => void>();
  let owner: ShardOwner | null = null;
  let replaced = new AbortController();
  let readAtMs = performance.now();

  const polling = poll();
  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        hear(await read());
      } catch {
        // An engine that is away says nothing of the owner, who goes on as well.
      }
      await wait(GATEWAY.ownerPollMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  function hear(next: ShardOwner | null): void {
    readAtMs = performance.now();
    const isOther = next?.epoch !== owner?.epoch || next?.url !== owner?.url;
    if (!isOther) return;
    owner = next;
    replaced.abort();
    replaced = new AbortController();
    for (const change of changes) change();
  }

  return {
    current: () => owner,
    silentMs: () => performance.now() - readAtMs,
    find(ms) {
      if (owner !== null || ms <= 0) return Promise.resolve(owner);
      return new Promise((resolve) => {
        const answer = (): void => {
          clearTimeout(late);
          changes.delete(answer);
          resolve(owner);
        };
        const late = setTimeout(answer, ms);
        changes.add(answer);
      });
    },
    replaced: (epoch) => (owner?.epoch === epoch ? replaced.signal : AbortSignal.abort()),
    async close() {
      ending.abort();
      await polling;
    },
  };
}
