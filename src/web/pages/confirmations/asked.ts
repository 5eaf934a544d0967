/** Counts the orders that wait for an answer of their person. */
export function askedOf(list: readonly { readonly state: string }[] | undefined): number {
  return list?.filter(({ state }) => state === 'asked').length ?? 0;
}

/** Says that so many orders wait; at least one does. */
export function askedWords(count: number): string {
  return count === 1
    ? 'An assistant asks you to confirm an order'
    : `Assistants ask you to confirm ${count} orders`;
}
