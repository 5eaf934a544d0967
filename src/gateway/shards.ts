import { decodeJwt } from 'jose';
import { slotOf } from '../domain/slot.ts';
import { tokenIn } from '../http/bearer.ts';
import type { OwnersWatch, OwnerWatch } from './owner-watch.ts';

/** Which shard a call is handed on to. */
export interface Shards {
  /** That of whoever shows a token; of a call without one, any, the same for one address. */
  ofCaller(authorization: string | undefined, address: string): OwnerWatch;
  /** That of the user of a token; null where the token names none. */
  ofToken(token: string): OwnerWatch | null;
  /** That of a slot. */
  ofSlot(slot: number): OwnerWatch;
  all(): readonly OwnerWatch[];
}

/**
 * Reads shards from ids. What a token says is not checked here: who shows a wrong one is refused
 * by the shard it names. `slots` gives the shard of each slot, none before they were read.
 */
export function createShards(
  owners: Pick<OwnersWatch, 'of'>,
  slots: () => readonly number[],
): Shards {
  const all = (): readonly OwnerWatch[] => {
    const count = Math.max(0, ...slots()) + 1;
    return Array.from({ length: count }, (_, shard) => owners.of(shard));
  };
  const ofSlot = (slot: number): OwnerWatch => owners.of(slots()[slot] ?? 0);
  const ofToken = (token: string): OwnerWatch | null => {
    const slot = slotOf(idOf(token));
    return slot === null ? null : ofSlot(slot);
  };
  return {
    all,
    ofSlot,
    ofToken,
    ofCaller(authorization, address) {
      const token = tokenIn(authorization ?? '');
      const named = token === undefined ? null : ofToken(token);
      if (named !== null) return named;
      // Budgets of an address are kept by one shard, unless that has no owner.
      const owned = all().filter((shard) => shard.current() !== null);
      return owned[sumOf(address) % owned.length] ?? owners.of(0);
    },
  };
}

/** Returns the id that a token names: of its user, or its own where it is a key. */
function idOf(token: string): string {
  try {
    return decodeJwt(token).sub ?? '';
  } catch {
    return token;
  }
}

function sumOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) % 65_521;
  return sum;
}
