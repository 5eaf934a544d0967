import type { Clock, Timer } from '../../ports/clock.ts';

/** What rests in this process, by token. */
export interface RestingBoard<T> {
  /** How many rest. */
  size(): number;
  /** Reports whether anything of the token rests. */
  has(token: string): boolean;
  /** Puts one on the board, or changes it. */
  keep(token: string, name: string, order: T): void;
  /** Takes one off; one that is not on it is ignored. */
  release(token: string, name: string): void;
  stop(): void;
}

export interface RestingBoardDeps<T> {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Checks all that rest of one token; what it keeps or releases meanwhile is taken in. */
  readonly check: (token: string, orders: ReadonlyMap<string, T>) => void;
}

/**
 * Creates an empty board whose tokens are checked every interval while something rests. In memory:
 * records say what rests.
 */
export function createRestingBoard<T>({
  clock,
  intervalMs,
  check,
}: RestingBoardDeps<T>): RestingBoard<T> {
  const resting = new Map<string, Map<string, T>>();
  let timer: Timer | null = null;
  let isOver = false;

  function schedule(): void {
    if (timer !== null || isOver || resting.size === 0) return;
    timer = clock.after(intervalMs, () => {
      for (const [token, orders] of resting) check(token, orders);
      timer = null;
      schedule();
    });
  }

  return {
    size: () => [...resting.values()].reduce((sum, orders) => sum + orders.size, 0),
    has: (token) => resting.has(token),
    keep(token, name, order) {
      resting.set(token, (resting.get(token) ?? new Map<string, T>()).set(name, order));
      schedule();
    },
    release(token, name) {
      const orders = resting.get(token);
      orders?.delete(name);
      if (orders?.size === 0) resting.delete(token);
    },
    stop() {
      isOver = true;
      timer?.cancel();
    },
  };
}
