import { DEPOSITS } from '../../../config/limits/bridge.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hex } from '../../ports/evm.ts';
import { addressTopic } from '../wallets/contract-calls.ts';

/** Whose Safe is whose, in memory: read once, page by page, and then kept by the facts. */
export interface SafeIndex {
  /**
   * Resolves when every user there was is in the index; later calls at once, and after a reading
   * that failed by another one. Errors: those of `users`.
   */
  load(): Promise<void>;
  /** Owners by the Safe's address in lower case. */
  readonly owners: ReadonlyMap<string, UserId>;
  /** Every Safe as a topic of events, in lists of what a node takes in one question. */
  readonly topics: readonly (readonly Hex[])[];
  stop(): void;
}

/** What the index is made from. */
export interface SafeIndexDeps {
  /** Users and their Safes in the order of their ids, from the one after `after` on. */
  readonly users: (
    after: UserId | null,
    limit: number,
  ) => readonly { readonly userId: UserId; readonly safe: Address }[];
  /** The Safe of a user who was made meanwhile. Errors: `not_found`. */
  readonly safeOf: (userId: UserId) => Address;
  readonly bus: Bus;
  readonly clock: Clock;
}

/** Makes the index; nothing is read before `load`. */
export function createSafeIndex({ users, safeOf, bus, clock }: SafeIndexDeps): SafeIndex {
  const owners = new Map<string, UserId>();
  const topics: Hex[][] = [];
  let loading: Promise<void> | null = null;
  let stopListening: (() => void) | null = null;

  function add(userId: UserId, safe: Address): void {
    const key = safe.toLowerCase();
    if (owners.has(key)) return;
    owners.set(key, userId);
    const last = topics.at(-1);
    if (last === undefined || last.length >= DEPOSITS.safesPerQuestion)
      topics.push([addressTopic(safe)]);
    else last.push(addressTopic(safe));
  }

  async function read(): Promise<void> {
    stopListening ??= bus.subscribe(({ event }) => {
      if (event.type === 'user.created') add(event.userId, safeOf(event.userId));
    });
    for (let after: UserId | null = null; ; ) {
      const page = users(after, DEPOSITS.usersPerPage);
      for (const { userId, safe } of page) add(userId, safe);
      after = page.at(-1)?.userId ?? null;
      if (page.length < DEPOSITS.usersPerPage) return;
      // The event loop gets its turn between two pages.
      await new Promise<void>((resolve) => void clock.after(0, resolve));
    }
  }

  return {
    load: () =>
      (loading ??= read().catch((cause: unknown) => {
        loading = null;
        throw cause;
      })),
    owners,
    topics,
    stop: () => stopListening?.(),
  };
}
