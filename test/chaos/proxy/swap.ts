import type { Clock, Timer } from '../../../src/ports/clock.ts';

/** Lets something pass only after the next one has passed. */
export interface Swap {
  /**
   * Keeps `pass` back until something else passes; after a while it passes without having changed
   * places.
   */
  hold(pass: (hasSwapped: boolean) => void): void;
  /** Tells that something has passed. */
  passed(): void;
}

/** Nothing may come for a long time: then what is held goes on by itself. */
export const SWAP_WAIT_MS = 400;

/** Makes a place for one thing to wait in; a second one sends the first on its way. */
export function createSwap(clock: Pick<Clock, 'after'>): Swap {
  let held: { readonly pass: (hasSwapped: boolean) => void; readonly timer: Timer } | null = null;
  const release = (hasSwapped: boolean): void => {
    const { pass, timer } = held ?? {};
    held = null;
    timer?.cancel();
    pass?.(hasSwapped);
  };
  return {
    hold(pass) {
      release(false);
      held = { pass, timer: clock.after(SWAP_WAIT_MS, () => release(false)) };
    },
    passed: () => release(true),
  };
}
