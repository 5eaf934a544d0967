import { assertPart } from '../../ports/store-rules.ts';

/**
 * Marks the copies made here by a private field: they cannot be changed, so they need no second
 * copy. A set of them would have to be searched and moved by every collection of garbage, and holds
 * the event loop whenever it grows: the mark goes with the copy.
 */
class Copies extends (function (object: object) {
  return object;
} as unknown as new (
  object: object,
) => object) {
  // The cast: a constructor that returns an object has the field put on that object.
  #isCopy = true;

  static has(object: object): boolean {
    return #isCopy in object && object.#isCopy;
  }
}

/**
 * A copy of a record that cannot be changed: what is kept must not change with the object it was
 * put from. Parts that come from such a copy, as those of a record read before do, are shared.
 * Breaking the store's rules for records is a programmer's error.
 */
export function frozenCopy<T>(value: T, depth = 0): T {
  assertPart(value, depth);
  if (typeof value !== 'object' || value === null || Copies.has(value)) return value;
  // Spread, each member becomes the copy's own, whatever its name; the indices of an array are
  // names of members too.
  const copy = (Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value }) as Record<
    string,
    unknown
  >;
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === 'object' && member !== null) copy[name] = frozenCopy(member, depth + 1);
    else assertPart(member, depth + 1);
  }
  // The same members, each a copy of the same type.
  return Object.freeze(new Copies(copy)) as T;
}

/**
 * Makes a record without another holder, one that was just read, what `frozenCopy` gives, without
 * copying it.
 */
export function frozenInPlace<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozenInPlace(member);
  return Object.freeze(new Copies(value)) as T; // the very object, marked
}
