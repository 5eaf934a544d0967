/**
 * Remembers what a pure reading of a text gave: the texts asked for last, two generations of at most `perGeneration`, of which the
 * older goes when the younger is full. What the reading throws is not remembered.
 */
export function remembered<T extends object>(read: (text: string) => T, perGeneration: number): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return (text) => {
    const found = young.get(text);
    if (found !== undefined) return found;
    const value = old.get(text) ?? read(text);
    if (young.size >= perGeneration) [old, young] = [young, new Map()];
    young.set(text, value);
    return value;
  };
}
