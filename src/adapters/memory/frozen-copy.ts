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
  const copy = Array.isArray(value) ? value.map((member: unknown) => frozenCopy(member, depth + 1)) : copyOfMembers(value, depth);
  copies.add(Object.freeze(copy));
  // The same members, each a copy of the same type.
  return copy as T;
}

function copyOfMembers(value: object, depth: number): object {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const part: unknown = frozenCopy(member, depth + 1);
    // Assigned, this one name would change what the object inherits.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: part, enumerable: true });
    else copy[name] = part;
  }
  return copy;
}
