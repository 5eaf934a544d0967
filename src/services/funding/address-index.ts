import { DEPOSITS } from '../../../config/limits/bridge.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Hex } from '../../ports/evm.ts';
import { addressTopic } from '../wallets/contract-calls.ts';

/**
 * Whose address is whose (a Safe, or a wallet), in memory: read once, page by page, and then kept
 * by the facts.
 */
export interface AddressIndex {
  /**
   * Resolves when every user there was is in the index; later calls at once, and after a reading
   * that failed by another one. Errors: those of `users`.
   */
  load(): Promise<void>;
  /** Owners by the address in lower case. */
  readonly owners: ReadonlyMap<string, UserId>;
  /** Every address as a topic of events, in lists of what a node takes in one question. */
  readonly topics: readonly (readonly Hex[])[];
  stop(): void;
}

/** Makes the index; nothing is read before `load`. */
export function createAddressIndex({
  users,
  addressOf,
  bus,
  clock,
}: Pick<Runtime, 'bus' | 'clock'> & {
  /** Users and their addresses in the order of their ids, from the one after `after` on. */
  readonly users: (
    after: UserId | null,
    limit: number,
  ) => readonly { readonly userId: UserId; readonly address: Address }[];
  /** The address of a user who was made meanwhile. Errors: `not_found`. */
  readonly addressOf: (userId: UserId) => Address;
}): AddressIndex {
  const owners = new Map<string, UserId>();
  const topics: Hex[][] = [];
  let loading: Promise<void> | null = null;
  let stopListening: (() => void) | null = null;

  function add(userId: UserId, address: Address): void {
    const key = address.toLowerCase();
    if (owners.has(key)) return;
    owners.set(key, userId);
    const last = topics.at(-1);
    if (last === undefined || last.length >= DEPOSITS.addressesPerQuestion)
      topics.push([addressTopic(address)]);
    else last.push(addressTopic(address));
  }

  async function read(): Promise<void> {
    stopListening ??= bus.subscribe(({ event }) => {
      if (event.type === 'user.created') add(event.userId, addressOf(event.userId));
    });
    for (let after: UserId | null = null; ; ) {
      const page = users(after, DEPOSITS.usersPerPage);
      for (const { userId, address } of page) add(userId, address);
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
