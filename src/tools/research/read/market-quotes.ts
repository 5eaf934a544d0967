import { z } from 'zod';
import type { DataFolder } from '../data-folder.ts';
import type { ForecastRow } from '../forecasts.ts';
import { decimal, unixSeconds, winner } from '../row-schemas.ts';

const OUTCOMES = 'venue_a-updown-outcomes';
const BOOKS = 'venue_a-btc5m-books';
const ROUND_SECONDS = 300;
/** Quotes of the first seconds of a round: the books are still filling. */
const FETCHED_AFTER_SECONDS = 10;

const fetchedSchema = z.object({
  start: unixSeconds,
  price_yes: decimal,
  fetched_at: z.string(),
  outcome: winner,
  resolved: z.literal('1'),
});
const closingSchema = z.object({ start: unixSeconds, up_mid: decimal, up_lag: decimal, winner });

/**
 * Prices of BTC 5-minute markets as an interface stated them once in each round, at any second of
 * it.
 */
export function readFetchedPrices(folder: DataFolder): readonly ForecastRow[] {
  const rows = folder
    .files(OUTCOMES, /^btc-5m-markets-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, fetchedSchema));
  return rows.flatMap(({ start, price_yes: market, fetched_at, outcome }) => {
    const elapsed = Date.parse(fetched_at) / 1_000 - start;
    if (!(elapsed >= FETCHED_AFTER_SECONDS && elapsed < ROUND_SECONDS)) return [];
    return [
      {
        slug: String(start),
        startsAtMs: start * 1_000,
        secondsLeft: Math.round(ROUND_SECONDS - elapsed),
        happened: outcome === 0,
        ours: null,
        question: null,
        market,
      },
    ];
  });
}

/** Middle prices of BTC 5-minute markets shortly before their end. */
export function readClosingPrices(folder: DataFolder): readonly ForecastRow[] {
  const rows = folder
    .files(OUTCOMES, /^btc-5m-mid-at-close-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, closingSchema));
  return rows.map(({ start, up_mid: market, up_lag, winner }) => ({
    slug: String(start),
    startsAtMs: start * 1_000,
    secondsLeft: up_lag,
    happened: winner === 0,
    ours: null,
    question: null,
    market,
  }));
}

const windowSchema = z.object({
  slug: z.string(),
  start: unixSeconds,
  inferred_winner_token: z.string(),
});
const level = z.tuple([z.string(), z.string()]);
const lineSchema = z.object({
  r: z.number().optional(),
  a: z.number().optional(),
  k: z.enum(['s', 'd']).optional(),
  b: z.array(level).default([]),
  s: z.array(level).default([]),
});

/**
 * Middle prices of fully recorded books at the stated times before the end, of the first token in
 * the file: which one that is was not recorded, and does not matter for how well a price tells its
 * own chance. The winner is the one the closing book shows.
 */
export function readBookPrices(
  folder: DataFolder,
  secondsLeft: readonly number[],
): readonly ForecastRow[] {
  const windows = folder
    .files(BOOKS, /^windows\.csv$/)
    .flatMap((path) => folder.csv(path, windowSchema));
  const paths = new Map(
    folder
      .files(`${BOOKS}/changes`, /\.jsonl(\.gz)?$/)
      .map((path) => [/([\w-]+)\.jsonl/.exec(path)?.[1] ?? '', path]),
  );
  return windows.flatMap(({ slug, start, inferred_winner_token: token }) => {
    const path = paths.get(slug);
    if (path === undefined || !/^(0|1|other)$/.test(token)) return [];
    const middles = middlesAt(
      folder.jsonLines(path, lineSchema),
      secondsLeft.map((seconds) => (start + ROUND_SECONDS - seconds) * 1_000),
    );
    return secondsLeft.flatMap((seconds, index) => {
      const market = middles[index] ?? null;
      return market === null
        ? []
        : [
            {
              slug,
              startsAtMs: start * 1_000,
              secondsLeft: seconds,
              happened: token === '0',
              ours: null,
              question: null,
              market,
            },
          ];
    });
  });
}

/**
 * Middle of the first token's book at each moment; null before its first message. Moments are in
 * order of time.
 */
function middlesAt(
  lines: readonly z.infer<typeof lineSchema>[],
  momentsMs: readonly number[],
): readonly (number | null)[] {
  const bids = new Map<number, number>();
  const asks = new Map<number, number>();
  const middles: (number | null)[] = [];
  for (const { r, a, k, b, s } of lines) {
    if (r === undefined || a !== 0) continue;
    while (middles.length < momentsMs.length && r > (momentsMs[middles.length] ?? Infinity))
      middles.push(middleOf(bids, asks));
    if (k === 's') [bids, asks].forEach((side) => side.clear());
    apply(bids, b);
    apply(asks, s);
  }
  while (middles.length < momentsMs.length) middles.push(middleOf(bids, asks));
  return middles;
}

function apply(side: Map<number, number>, levels: readonly (readonly [string, string])[]): void {
  for (const [price, size] of levels) {
    if (Number(size) === 0) side.delete(Number(price));
    else side.set(Number(price), Number(size));
  }
}

function middleOf(
  bids: ReadonlyMap<number, number>,
  asks: ReadonlyMap<number, number>,
): number | null {
  if (bids.size === 0 && asks.size === 0) return null;
  return (Math.max(0, ...bids.keys()) + Math.min(1, ...asks.keys())) / 2;
}
