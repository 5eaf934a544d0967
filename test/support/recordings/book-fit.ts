import {
  DEPTH_LEVELS,
  FLOOR_LEVELS,
  phaseOf,
  type BookFigures,
  type BookPhase,
} from '../../../src/sandbox/calibration/book-figures.ts';

/** A recorded book at one moment of its window: sizes by price in cents, and the seconds left. */
export interface BookSample {
  readonly secondsLeft: number;
  /** Shares by price in cents 1…99. */
  readonly bids: ReadonlyMap<number, number>;
  readonly asks: ReadonlyMap<number, number>;
}

/** Takes the figures of each phase from recorded books. */
export function fitBooks(samples: Iterable<BookSample>): Readonly<Record<BookPhase, BookFigures>> {
  const tallies = { early: new Tally(), late: new Tally(), last: new Tally() };
  for (const sample of samples) tallies[phaseOf(sample.secondsLeft)].add(sample);
  return {
    early: tallies.early.figures(),
    late: tallies.late.figures(),
    last: tallies.last.figures(),
  };
}

class Tally {
  readonly #spreads: [number, number, number, number] = [0, 0, 0, 0];
  #oneSided = 0;
  readonly #depth = Array.from({ length: DEPTH_LEVELS }, () => ({
    sum: 0,
    count: 0,
    logSum: 0,
    logSquares: 0,
    logCount: 0,
  }));
  readonly #floor = Array.from({ length: FLOOR_LEVELS }, (): number[] => []);

  add({ bids, asks }: BookSample): void {
    if (bids.size === 0 || asks.size === 0) {
      this.#oneSided += 1;
      return;
    }
    const bestBid = Math.max(...bids.keys());
    const bestAsk = Math.min(...asks.keys());
    const spread = Math.round(bestAsk - bestBid);
    this.#spreads[spread <= 1 ? 0 : spread === 2 ? 1 : spread === 3 ? 2 : 3] += 1;
    const middle = (bestBid + bestAsk) / 2;
    if (middle < 20 || middle > 80) return;
    this.#addSide((own) => bids.get(own) ?? 0, Math.round(bestBid));
    this.#addSide((own) => asks.get(100 - own) ?? 0, Math.round(100 - bestAsk));
  }

  figures(): BookFigures {
    const two = this.#spreads.reduce((sum, count) => sum + count, 0);
    const [one, second, third, rest] = this.#spreads;
    return {
      spreadShares: [one / two, second / two, third / two, rest / two],
      oneSidedShare: this.#oneSided / (two + this.#oneSided),
      meanDepth: this.#depth.map(({ sum, count }) => sum / count),
      logSizeSpread: this.#logSizeSpread(),
      floorDepth: this.#floor.map(median),
    };
  }

  #logSizeSpread(): number {
    const spreads = this.#depth
      .slice(1)
      .map(({ logSum, logSquares, logCount }) =>
        Math.sqrt(Math.max(0, logSquares / logCount - (logSum / logCount) ** 2)),
      );
    return spreads.reduce((sum, spread) => sum + spread, 0) / spreads.length;
  }

  #addSide(sharesAt: (ownCents: number) => number, bestOwn: number): void {
    this.#depth.forEach((level, behind) => {
      const own = bestOwn - behind;
      if (own <= 10 || own >= 90) return;
      const shares = sharesAt(own);
      level.sum += shares;
      level.count += 1;
      if (shares === 0) return;
      level.logSum += Math.log(shares);
      level.logSquares += Math.log(shares) ** 2;
      level.logCount += 1;
    });
    this.#floor.forEach((values, index) => values.push(sharesAt(index + 1)));
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
