/** How many connections each address holds. */
export interface ConnectionShares {
  /** Counts one more, and returns what ends it; null where the address holds as many as it may. */
  begin(address: string): (() => void) | null;
  isFull(address: string): boolean;
}

/** Creates the count: an address that holds none is forgotten, so it is as long as what is open. */
export function createConnectionShares(maximum: number): ConnectionShares {
  const held = new Map<string, number>();
  return {
    isFull: (address) => (held.get(address) ?? 0) >= maximum,
    begin(address) {
      const count = held.get(address) ?? 0;
      if (count >= maximum) return null;
      held.set(address, count + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (held.get(address) ?? 1) - 1;
        if (left === 0) held.delete(address);
        else held.set(address, left);
      };
    },
  };
}
