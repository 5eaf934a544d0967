import type { FarmFilters, FarmVenue } from './venues.ts';

/**
 * Which markets a user wants farmed, as far as that is theirs to say. Probabilities in ticks of
 * 0.0001, both ends included.
 */
export interface FarmWindow {
  readonly probabilityMinimumTicks: number;
  readonly probabilityMaximumTicks: number;
  /** Ends no later than this from now. */
  readonly endsWithinHours: number;
}

/**
 * Returns a venue's row with a user's window in it; without one, the row as it is. The strict
 * filters stay as much stricter as the row says.
 */
export function withWindow(venue: FarmVenue, window: FarmWindow | undefined): FarmVenue {
  return window === undefined ? venue : withBand(venue, window);
}

/**
 * Returns a venue's row with the narrowest window that holds all of these: what is looked for on
 * behalf of all of them. The row as it is where there are none.
 */
export function withWindows(venue: FarmVenue, windows: readonly FarmWindow[]): FarmVenue {
  const [first, ...others] = windows;
  if (first === undefined) return venue;
  return withBand(
    venue,
    others.reduce(
      (widest, window) => ({
        probabilityMinimumTicks: Math.min(
          widest.probabilityMinimumTicks,
          window.probabilityMinimumTicks,
        ),
        probabilityMaximumTicks: Math.max(
          widest.probabilityMaximumTicks,
          window.probabilityMaximumTicks,
        ),
        endsWithinHours: Math.max(widest.endsWithinHours, window.endsWithinHours),
      }),
      first,
    ),
  );
}

function withBand(venue: FarmVenue, window: FarmWindow): FarmVenue {
  const { filters, strictFilters } = venue;
  const [low, high] = [window.probabilityMinimumTicks, window.probabilityMaximumTicks];
  const strictLow = low + strictFilters.probabilityMinimumTicks - filters.probabilityMinimumTicks;
  const strictHigh = high + strictFilters.probabilityMaximumTicks - filters.probabilityMaximumTicks;
  return {
    ...venue,
    filters: { ...filters, ...window },
    strictFilters: {
      ...strictFilters,
      // A band narrower than that has nothing left for markets that were not assessed.
      probabilityMinimumTicks: strictLow,
      probabilityMaximumTicks: strictHigh,
      endsWithinHours: Math.min(window.endsWithinHours, hoursOf(strictFilters)),
    },
  };
}

function hoursOf({ endsWithinHours }: FarmFilters): number {
  return endsWithinHours ?? Number.POSITIVE_INFINITY;
}
