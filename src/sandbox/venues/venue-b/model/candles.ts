import type { Top } from './ladder.ts';
import type { Listing } from './listing.ts';
import type { MarketModel } from './market-model.ts';
import type { TapeTrade } from './tape.ts';

/** First, lowest, highest and last of a period, in ticks of 0.0001. */
export interface Range {
  readonly open: number;
  readonly low: number;
  readonly high: number;
  readonly close: number;
}

/** What happened in a period. */
export interface Candle {
  readonly endMs: number;
  /** Null where there was no bid. */
  readonly yesBid: Range | null;
  readonly yesAsk: Range | null;
  /** Null without a trade. */
  readonly traded: (Range & { readonly mean: number }) | null;
  /** Price of the last trade before the period; null without one. */
  readonly previous: number | null;
  readonly contracts: number;
  /** Contracts traded by its end. */
  readonly volume: number;
}

/** Moments of a period at which the book is read. */
const READINGS = 4;

/**
 * Returns the candles whose periods end in (fromMs, toMs], as far as they have ended and the market
 * was open.
 */
export function candlesOf(
  model: Pick<MarketModel, 'topAt' | 'trades' | 'volume' | 'clock'>,
  listing: Listing,
  {
    fromMs,
    toMs,
    periodMs,
  }: { readonly fromMs: number; readonly toMs: number; readonly periodMs: number },
): readonly Candle[] {
  const first = Math.max(Math.floor(fromMs / periodMs), Math.floor(listing.openMs / periodMs)) + 1;
  const last = Math.floor(
    Math.min(toMs, model.clock.nowMs(), listing.closeMs + periodMs) / periodMs,
  );
  const trades = model.trades(listing, (first - 1) * periodMs, last * periodMs);
  const candles: Candle[] = [];
  let [next, previous]: [number, number | null] = [0, null];
  for (let period = first; period <= last; period += 1) {
    const endMs = period * periodMs;
    const own: TapeTrade[] = [];
    for (
      let trade = trades[next];
      trade !== undefined && trade.atMs < endMs;
      trade = trades[next]
    ) {
      own.push(trade);
      next += 1;
    }
    candles.push({
      endMs,
      ...topRanges(model, listing, { endMs, periodMs, trades: own }),
      traded: tradedRange(own),
      previous,
      contracts: own.reduce((sum, { count }) => sum + count, 0),
      volume: model.volume(listing, endMs),
    });
    previous = own.at(-1)?.yesTicks ?? previous;
  }
  return candles;
}

function topRanges(
  model: Pick<MarketModel, 'topAt'>,
  listing: Listing,
  {
    endMs,
    periodMs,
    trades,
  }: {
    readonly endMs: number;
    readonly periodMs: number;
    readonly trades: readonly TapeTrade[];
  },
): Pick<Candle, 'yesBid' | 'yesAsk'> {
  const readings = Array.from({ length: READINGS }, (_, index) =>
    Math.round(endMs - periodMs + ((index + 0.5) * periodMs) / READINGS),
  )
    .filter((atMs) => atMs >= listing.openMs && atMs < listing.closeMs)
    .map((atMs): Reading => ({ atMs, trade: null }));
  const tops = [...readings, ...trades.map((trade): Reading => ({ atMs: trade.atMs, trade }))]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, trade }) => quotesAt(model.topAt(listing, atMs), trade));
  return {
    yesBid: rangeOf(tops.flatMap(({ bid }) => bid ?? [])),
    yesAsk: rangeOf(tops.flatMap(({ ask }) => ask ?? [])),
  };
}

/** A moment at which the book is read, and the trade of that moment. */
interface Reading {
  readonly atMs: number;
  readonly trade: TapeTrade | null;
}

/** Returns the best prices of Yes; a trade was at one of them, or beyond where it swept levels. */
function quotesAt(
  top: Top | null,
  trade: TapeTrade | null,
): { readonly bid: number | null; readonly ask: number | null } {
  const bid = top?.yes ?? null;
  const ask = top === null || top.no === null ? null : 10_000 - top.no;
  if (trade === null) return { bid, ask };
  const { yesTicks } = trade;
  return {
    bid: Math.min(bid ?? yesTicks, yesTicks),
    ask: Math.max(ask ?? yesTicks, yesTicks),
  };
}

function tradedRange(trades: readonly TapeTrade[]): Candle['traded'] {
  const range = rangeOf(trades.map(({ yesTicks }) => yesTicks));
  if (range === null) return null;
  const contracts = trades.reduce((sum, { count }) => sum + count, 0);
  const money = trades.reduce((sum, { count, yesTicks }) => sum + count * yesTicks, 0);
  return { ...range, mean: Math.round(money / contracts) };
}

function rangeOf(values: readonly number[]): Range | null {
  const [open] = values;
  const close = values.at(-1);
  if (open === undefined || close === undefined) return null;
  return { open, low: Math.min(...values), high: Math.max(...values), close };
}
