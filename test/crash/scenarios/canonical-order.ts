/** The same values in an order that does not depend on which came first. */
export function sorted(values: readonly unknown[]): readonly unknown[] {
  return [...values].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
