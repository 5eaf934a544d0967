/** What a peer was seen to do under one row. */
export type Cell =
  | { readonly kind: 'right'; readonly words?: string }
  | { readonly kind: 'wrong'; readonly words: string }
  /** The library has nothing that the row is about, or cannot be driven here. */
  | { readonly kind: 'not_applicable'; readonly words: string };

/** Makes a cell of a check: `words` say what was seen where it was not right. */
export function judged(isRight: boolean, words: string): Cell {
  return isRight ? { kind: 'right' } : { kind: 'wrong', words };
}
