import { NewestKept } from './newest-kept.ts';

/**
 * Keeps what a pure reading of a text gave, for the `maximum` texts asked for last. What the
 * reading throws is not kept.
 */
export function cachedReading<T extends object>(
  read: (text: string) => T,
  maximum: number,
): (text: string) => T {
  const kept = new NewestKept<T>(maximum);
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    kept.keep(text, value);
    return value;
  };
}
