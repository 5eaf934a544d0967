/** A copy of plain data that nobody can change: what is kept in memory must not change with the object it was put from. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // Each member is a copy of the same type.
    return Object.freeze(value.map(frozenCopy)) as T;
  }
  // The same members, each a copy of the same type.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenCopy(member)]))) as T;
}
