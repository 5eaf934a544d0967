/** A sentence that refused the value of a field; null without one. */
interface Refused {
  readonly refused: string | null;
  readonly value: unknown;
}

/** Returns which value a refusal is of: the one in the field when it came. */
export function refusedValue(before: Refused, now: Refused): Refused {
  return before.refused === now.refused ? before : now;
}
