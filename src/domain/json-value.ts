/**
 * A value that JSON can write down: what a venue keeps with an order, a body a caller sent. Numbers
 * are those whose decimal text is kept exactly.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
