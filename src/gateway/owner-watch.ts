import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { GATEWAY } from '../../config/limits/gateway.ts';
import type { ShardOwner } from '../ports/shard-owner.ts';

/** Follows who owns a shard. */
export interface OwnerWatch {
  /** The owner as it was read last; null without one. */
  current(): ShardOwner | null;
  /** Resolves with the owner once there is one, or with null after `ms`. */
  find(ms: number): Promise<ShardOwner | null>;
  /** Aborts once another process than that of this epoch owns the shard. */
  replaced(epoch: number): AbortSignal;
  /** Aborts once the owner of now gives no sign of life in time: it is gone, frozen or cut off. */
  silent(): AbortSignal;
}

/** Follows who owns each shard. */
export interface OwnersWatch {
  /** Of a shard, by its number; one that was never owned has no owner yet. */
  of(shard: number): OwnerWatch;
  /** Ms since the owners were read last. */
  silentMs(): number;
  close(): Promise<void>;
}

/** How owners are read, and asked for a sign of life. */
export interface OwnerReads {
  read(): Promise<ReadonlyMap<number, ShardOwner>>;
  /** Resolves once the process at the address answers; rejects once `signal` is aborted. */
  pulse(url: string, signal: AbortSignal): Promise<unknown>;
}

/**
 * Reads the owners again and again. What cannot be read leaves the last ones as they are. Each is
 * asked for a sign of life.
 */
export function watchOwners({ read, pulse }: OwnerReads): OwnersWatch {
  const ending = new AbortController();
  const shards = new Map<number, WatchedShard>();
  let readAtMs = performance.now();

  const polling = [poll()];
  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        const owners = await read();
        readAtMs = performance.now();
        for (const shard of new Set([...shards.keys(), ...owners.keys()]))
          of(shard).hear(owners.get(shard) ?? null);
      } catch {
        // An engine that is away says nothing of the owners, who go on as well.
      }
      await wait(GATEWAY.ownerPollMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  async function listen(shard: WatchedShard): Promise<void> {
    while (!ending.signal.aborted) {
      const owner = shard.current();
      const late = AbortSignal.timeout(GATEWAY.pulseMaximumMs);
      const isAlive =
        owner === null ||
        (await pulse(owner.url, AbortSignal.any([late, ending.signal])).then(
          () => true,
          () => false,
        ));
      if (!isAlive && shard.current() === owner) shard.silence();
      await wait(GATEWAY.pulseMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  function of(shard: number): WatchedShard {
    const known = shards.get(shard);
    if (known !== undefined) return known;
    const watched = watchShard();
    shards.set(shard, watched);
    polling.push(listen(watched));
    return watched;
  }

  return {
    of,
    silentMs: () => performance.now() - readAtMs,
    async close() {
      ending.abort();
      await Promise.all(polling);
    },
  };
}

/** Heard by every call and socket that is under way. */
function endable(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

interface WatchedShard extends OwnerWatch {
  hear(next: ShardOwner | null): void;
  silence(): void;
}

function watchShard(): WatchedShard {
  const changes = new Set<() => void>();
  let owner: ShardOwner | null = null;
  let replaced = endable();
  let silent = endable();
  return {
    hear(next) {
      const isOther = next?.epoch !== owner?.epoch || next?.url !== owner?.url;
      if (!isOther) return;
      owner = next;
      replaced.abort();
      replaced = endable();
      for (const change of changes) change();
    },
    silence() {
      silent.abort();
      silent = endable();
    },
    silent: () => silent.signal,
    current: () => owner,
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
  };
}
