import type { UserId } from '../../../src/domain/ids.ts';
import { slotOf } from '../../../src/domain/slot.ts';
import type { Claim, UserDirectory } from '../../../src/ports/user-directory.ts';

/** A directory of several shards in memory. */
export interface ModelDirectory {
  /** As the shard sees it that has these slots. */
  at(slots: ReadonlySet<number>): UserDirectory;
  /** Whose a claim is; undefined where it is free. */
  holder(claim: Claim): UserId | undefined;
  readonly size: number;
}

/** Makes an empty one. */
export function createModelDirectory(): ModelDirectory {
  const held = new Map<string, UserId>();
  const keyOf = ({ kind, name }: Claim): string => `${kind} ${name}`;
  return {
    holder: (claim) => held.get(keyOf(claim)),
    get size() {
      return held.size;
    },
    at: (slots) => ({
      slots,
      async claim(claim, userId) {
        const holder = held.get(keyOf(claim)) ?? userId;
        held.set(keyOf(claim), holder);
        return holder;
      },
      async move(claim, { from, to }) {
        if ((held.get(keyOf(claim)) ?? from) === from) held.set(keyOf(claim), to);
        return held.get(keyOf(claim)) ?? to;
      },
      async release(claims) {
        for (const claim of claims)
          if (held.get(keyOf(claim)) === claim.userId) held.delete(keyOf(claim));
      },
      async reconcile(claims) {
        for (const [key, userId] of held) if (slots.has(slotOf(userId) ?? -1)) held.delete(key);
        for (const claim of claims) held.set(keyOf(claim), claim.userId);
      },
    }),
  };
}
