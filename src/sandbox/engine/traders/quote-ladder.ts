import {
  DEPTH_LEVELS,
  FLOOR_LEVELS,
  phaseOf,
  type BookFigures,
  type BookPhase,
} from '../../calibration/book-figures.ts';
import { BOOKS } from '../../calibration/calibration.ts';
import { hashedNormal, hashedUniform } from '../../hashed-chance.ts';

/** What a maker wants to quote: shares by price of the first outcome in cents. */
export interface Ladder {
  readonly bids: ReadonlyMap<number, number>;
  readonly asks: ReadonlyMap<number, number>;
}

/** What a ladder is made from. */
export interface LadderView {
  readonly seed: number;
  /** Stream of chance of the market. */
  readonly stream: number;
  /** What the first outcome is worth, in cents between 0 and 100. */
  readonly fairCents: number;
  readonly secondsLeft: number;
  readonly nowMs: number;
  /** Levels quoted on a side, from the best. */
  readonly levels: number;
  /** Shares of a level beside the usual ones: 1 is usual. */
  readonly depth: number;
}

/**
 * A level keeps its drawn size this long, a spread this long; levels change at different moments.
 */
const SIZE_LIFE_MS = 20_000;
const SPREAD_LIFE_MS = 5_000;
const WIDE_CENTS = 4;

/**
 * The ladder of a moment: spread, depth by distance and the heaps near the ends as in the recorded
 * books of that phase.
 */
export function ladderAt(view: LadderView): Ladder {
  const phase = phaseOf(view.secondsLeft);
  const spread = spreadCents(view, BOOKS[phase]);
  const bestBid = Math.floor(view.fairCents - (spread - 1) / 2);
  const bestAsk = bestBid + spread;
  return {
    bids: side(view, phase, Math.min(bestBid, 99)),
    asks: mirrored(side({ ...view, stream: view.stream + 1 }, phase, Math.min(100 - bestAsk, 99))),
  };
}

/**
 * Levels from the best own price down to one cent. A book near its end has no level on the losing
 * side.
 */
function side(view: LadderView, phase: BookPhase, bestOwn: number): ReadonlyMap<number, number> {
  const levels = new Map<number, number>();
  for (let behind = 0; behind < view.levels && bestOwn - behind >= 1; behind += 1) {
    const own = bestOwn - behind;
    const shares = sharesAt(view, { phase, own, behind });
    if (shares > 0) levels.set(own, shares);
  }
  return levels;
}

function sharesAt(
  { seed, stream, nowMs, depth }: LadderView,
  {
    phase,
    own,
    behind,
  }: { readonly phase: BookPhase; readonly own: number; readonly behind: number },
): number {
  const { meanDepth, floorDepth, logSizeSpread } = BOOKS[phase];
  const usual =
    own <= FLOOR_LEVELS
      ? (floorDepth[own - 1] ?? 0)
      : (meanDepth[Math.min(behind, DEPTH_LEVELS - 1)] ?? 0);
  const life = Math.floor(nowMs / SIZE_LIFE_MS + hashedUniform(seed, stream, own));
  const drawn = Math.exp(
    logSizeSpread * hashedNormal(seed, stream, life * 128 + own) -
      (logSizeSpread * logSizeSpread) / 2,
  );
  return Math.max(5, Math.round(usual * drawn * depth));
}

function spreadCents({ seed, stream, nowMs }: LadderView, { spreadShares }: BookFigures): number {
  const drawn = hashedUniform(seed, stream + 2, Math.floor(nowMs / SPREAD_LIFE_MS));
  let below = 0;
  for (const [index, share] of spreadShares.entries()) {
    below += share;
    if (drawn < below) return index + 1;
  }
  return WIDE_CENTS;
}

function mirrored(levels: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  return new Map([...levels].map(([own, shares]) => [100 - own, shares]));
}
