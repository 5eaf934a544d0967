/** A venue that did not answer in time may do so a moment later. */
const AGAIN_MS = 5_000;

/** When a list of markets is read again by itself: while a venue is missing in it; else never. */
export function marketsAgainMs(
  pages: readonly { readonly missing: readonly unknown[] }[] | undefined,
): number | false {
  return pages?.some(({ missing }) => missing.length > 0) === true ? AGAIN_MS : false;
}
