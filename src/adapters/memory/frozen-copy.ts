import { assertPart } from '../../ports/store-rules.ts';

/** Copies made here: nobody can change them, so they need no second copy. */
const copies = new WeakSet<object>();

/**
 * A copy of a record that nobody can change: what is kept must not change with the object it was put from. Parts that come from
 * such a copy, as those of a record read before do, are shared. Breaking the store's rules for records is a programmer's error.
 */
export function frozenCopy<T>(value: T, depth = 0): T {
  assertPart(value, depth);
  if (typeof value !== 'object' || value === null || copies.has(value)) return value;
  // Spread, each member becomes the copy's own, whatever its name; the indices of an array are names of members too.
  const copy = (Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value }) as Record<string, unknown>;
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === 'object' && member !== null) copy[name] = frozenCopy(member, depth + 1);
    else assertPart(member, depth + 1);
  }
  copies.add(Object.freeze(copy));
  // The same members, each a copy of the same type.
  return copy as T;
}
