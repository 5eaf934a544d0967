import {
  INNOVATION_LEVELS,
  SCALE_BLOCK_SECONDS,
  type MoveFigures,
} from '../../../src/sandbox/calibration/move-figures.ts';

/** One tick of a settlement feed: whole second and value. */
export interface FeedTick {
  readonly second: number;
  readonly value: number;
}

const LEAST_IN_BLOCK = 200;
/**
 * Median of |x| of a standard normal, so that the scale of normal innovations is their standard
 * deviation.
 */
const NORMAL_MEDIAN = 0.6745;

/**
 * Fits the figures to recordings of a feed with about one tick a second; returns over a hole are
 * left out.
 */
export function fitMoves(recordings: readonly (readonly FeedTick[])[]): MoveFigures {
  const returns = recordings.map(secondReturns);
  const returnLag1 = lag1(returns.flatMap((list) => pairsOf(list)));
  const blocks = returns.map((list) => innovationBlocks(list, returnLag1));
  const scales = blocks.flatMap((list) => [...list.values()].map(({ scale }) => Math.log(scale)));
  const logScaleMean = mean(scales);
  const centred = blocks.map(
    (list) =>
      new Map([...list].map(([block, { scale }]) => [block, Math.log(scale) - logScaleMean])),
  );
  const sizes = blocks.flatMap((list) =>
    [...list.values()].flatMap(({ scale, innovations }) =>
      innovations.map((value) => Math.abs(value) / scale),
    ),
  );
  sizes.sort((a, b) => a - b);
  return {
    returnLag1,
    logScaleMean,
    logScaleSpread: Math.sqrt(mean(scales.map((value) => (value - logScaleMean) ** 2))),
    logScaleLag1: lag1(centred.flatMap((list) => pairsOf(list))),
    innovationQuantiles: INNOVATION_LEVELS.map(
      (level) => sizes[Math.min(sizes.length - 1, Math.floor(level * sizes.length))] ?? 0,
    ),
  };
}

/**
 * Standard deviation of the logarithmic moves over `seconds`, and the share of the fourth moment in
 * it (kurtosis, 3 for a normal).
 */
export function movesOver(
  ticks: readonly FeedTick[],
  seconds: number,
): { readonly deviation: number; readonly kurtosis: number } {
  const values = new Map(ticks.map(({ second, value }) => [second, value]));
  let count = 0;
  let second2 = 0;
  let fourth = 0;
  for (const [second, value] of values) {
    const later = values.get(second + seconds);
    if (later === undefined) continue;
    const move = Math.log(later / value) ** 2;
    count += 1;
    second2 += move;
    fourth += move * move;
  }
  const variance = second2 / count;
  return { deviation: Math.sqrt(variance), kurtosis: fourth / count / (variance * variance) };
}

/**
 * Ratio of the spread of an asset's candle returns to the leader's, and their correlation, over
 * candles present in both.
 */
export function fitAgainstLeader(
  leader: ReadonlyMap<number, number>,
  asset: ReadonlyMap<number, number>,
  stepSeconds: number,
): { readonly ratio: number; readonly correlation: number } {
  let own = 0;
  let lead = 0;
  let both = 0;
  for (const [at, close] of leader) {
    const [next, assetClose, assetNext] = [
      leader.get(at + stepSeconds),
      asset.get(at),
      asset.get(at + stepSeconds),
    ];
    if (next === undefined || assetClose === undefined || assetNext === undefined) continue;
    const a = Math.log(next / close);
    const b = Math.log(assetNext / assetClose);
    lead += a * a;
    own += b * b;
    both += a * b;
  }
  return { ratio: Math.sqrt(own / lead), correlation: both / Math.sqrt(own * lead) };
}

/** Mean and spread of ln(exchange ÷ settlement) over paired samples. */
export function fitBasis(
  pairs: readonly { readonly exchange: number; readonly settlement: number }[],
): { readonly mean: number; readonly spread: number } {
  const values = pairs.map(({ exchange, settlement }) => Math.log(exchange / settlement));
  const middle = mean(values);
  return { mean: middle, spread: Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) };
}

function secondReturns(ticks: readonly FeedTick[]): ReadonlyMap<number, number> {
  const returns = new Map<number, number>();
  for (let index = 1; index < ticks.length; index += 1) {
    const [before, tick] = [ticks[index - 1], ticks[index]];
    if (before !== undefined && tick !== undefined && tick.second === before.second + 1)
      returns.set(tick.second, Math.log(tick.value / before.value));
  }
  return returns;
}

function innovationBlocks(
  returns: ReadonlyMap<number, number>,
  returnLag1: number,
): ReadonlyMap<number, { readonly scale: number; readonly innovations: readonly number[] }> {
  const blocks = new Map<number, number[]>();
  for (const [second, value] of returns) {
    const before = returns.get(second - 1);
    if (before === undefined) continue;
    const block = Math.floor(second / SCALE_BLOCK_SECONDS);
    const list = blocks.get(block) ?? [];
    list.push(value - returnLag1 * before);
    blocks.set(block, list);
  }
  const found = new Map<number, { scale: number; innovations: readonly number[] }>();
  for (const [block, innovations] of blocks) {
    if (innovations.length < LEAST_IN_BLOCK) continue;
    found.set(block, { scale: median(innovations.map(Math.abs)) / NORMAL_MEDIAN, innovations });
  }
  return found;
}

function pairsOf(series: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  for (const [at, value] of series) {
    const next = series.get(at + 1);
    if (next !== undefined) pairs.push([value, next]);
  }
  return pairs;
}

function lag1(pairs: readonly (readonly [number, number])[]): number {
  let product = 0;
  let square = 0;
  for (const [a, b] of pairs) {
    product += a * b;
    square += (a * a + b * b) / 2;
  }
  return product / square;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
