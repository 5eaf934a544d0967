import { assert } from '../../domain/errors.ts';
import type { MarketTime } from '../../ports/market-time.ts';

/**
 * How the market clock began in one run of the daemon: at `anchorWallMs` of wall time it showed
 * `anchorMs`, and it ran `scale` times as fast.
 */
export interface ClockRun {
  readonly anchorWallMs: number;
  readonly anchorMs: number;
  /** Market milliseconds in one real millisecond: positive, 1 is life. */
  readonly scale: number;
}

/**
 * Returns how both clocks went together over all runs, oldest first, to the whole millisecond. A
 * moment between two runs, at which the market clock stood, is the beginning of the later one;
 * what lies before the first or after the last is reckoned at their pace.
 */
export function marketTimeOf(runs: readonly ClockRun[]): MarketTime {
  const newest = runs.at(-1);
  assert(newest !== undefined, 'the markets’ clock has begun at least once');
  const at = (
    isBegun: (run: ClockRun) => boolean,
  ): { readonly run: ClockRun; readonly next: ClockRun | undefined } => {
    const index = Math.max(0, runs.findLastIndex(isBegun));
    return { run: runs[index] ?? newest, next: runs[index + 1] };
  };
  return {
    speed: newest.scale,
    toWallMs(marketAtMs) {
      const { run, next } = at(({ anchorMs }) => anchorMs <= marketAtMs);
      return Math.round(
        Math.min(
          run.anchorWallMs + (marketAtMs - run.anchorMs) / run.scale,
          next?.anchorWallMs ?? Number.POSITIVE_INFINITY,
        ),
      );
    },
    toMarketMs(wallAtMs) {
      const { run, next } = at(({ anchorWallMs }) => anchorWallMs <= wallAtMs);
      return Math.round(
        Math.min(
          run.anchorMs + (wallAtMs - run.anchorWallMs) * run.scale,
          next?.anchorMs ?? Number.POSITIVE_INFINITY,
        ),
      );
    },
  };
}
