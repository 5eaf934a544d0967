/** Writes a hash or address short: its first six and last four characters. */
export function shortHash(hash: string): string {
  return hash.length <= 13 ? hash : `${hash.slice(0, 6)}…${hash.slice(-4)}`;
}

/** Writes a code of the interface as words: `cancel_only` → "cancel only". */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}

/** Writes words with a capital first. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
