import { z } from 'zod';
import type { BookTop } from '../../../domain/book.ts';
import type { Asset } from '../../../domain/ids.ts';
import { FIFTEEN_MIN_WINDOW } from '../../../domain/strategy/fifteen-min.ts';
import { priceTicks, shareMicros, TICKS_PER_USD, type PriceTicks } from '../../../domain/units.ts';
import type { DataFolder } from '../data-folder.ts';
import { assetPrice, decimal, outcomePrice, unixSeconds, winner } from '../row-schemas.ts';
import { inOrder, type RecordedSeries, type SeriesEvent } from '../series.ts';

const ROUND_MS = 900_000;
const MINUTE_MS = 60_000;
const CANDLE_MS = 300_000;

const outcomeSchema = z.object({
  slug: z.string(),
  start: unixSeconds,
  binance_strike: assetPrice,
  resolution: winner,
});
const candleSchema = z.object({ ts: unixSeconds, close: assetPrice });

/**
 * Reads 15-minute BTC rounds of venue_a with an exchange's 5-minute closes; null where either is
 * absent. There are no quotes in it.
 */
export function readQuarterHourOutcomes(folder: DataFolder): RecordedSeries | null {
  const candles = folder
    .files('prices', /^btc-usd-5m-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, candleSchema));
  const rows = folder
    .files('venue_a-updown-outcomes', /^btc-15m-outcomes-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, outcomeSchema));
  const closed = new Set(candles.map(({ ts }) => ts * 1_000 + CANDLE_MS));
  const seen = rows.filter(({ start }) => closed.has(start * 1_000));
  if (seen.length === 0) return null;
  return {
    name: 'btc-15m-outcomes',
    rounds: seen.map(({ slug, start, resolution }) => ({
      slug,
      asset: 'BTC',
      minutes: 15,
      startsAtMs: start * 1_000,
      endsAtMs: start * 1_000 + ROUND_MS,
      winner: resolution,
    })),
    events: inOrder([
      ...seen.map(
        ({ slug, start, binance_strike: strike }): SeriesEvent => ({
          kind: 'opening',
          atMs: start * 1_000,
          slug,
          strike,
          exchange: strike,
        }),
      ),
      // Published when strategies may first enter, a few seconds late: a close at the start itself
      // would be stale or too early for all of them.
      ...candles.flatMap(({ ts, close }) =>
        pricesAt(ts * 1_000 + CANDLE_MS + FIFTEEN_MIN_WINDOW.opensAfterMs, close),
      ),
    ]),
    standIns: [
      'oracle and exchange price: an exchange’s close at the start, published a few seconds later',
      'books: none recorded',
    ],
  };
}

const windowSchema = z.object({
  ticker: z.string(),
  coin: z.enum(['BTC', 'ETH', 'SOL']),
  close_ts: unixSeconds,
  index_open: assetPrice,
  result: winner,
});
const favouriteSchema = z.object({
  ticker: z.string(),
  side: winner,
  minutes_left: decimal,
  bid: outcomePrice,
  ask: outcomePrice,
});
type Favourite = z.infer<typeof favouriteSchema>;

/**
 * Reads 15-minute rounds of venue_b with the quotes 14 minutes before their end, a series an asset;
 * empty where the set is absent.
 */
export function readQuotedQuarterHours(folder: DataFolder): readonly RecordedSeries[] {
  const windows = folder
    .files('venue_b-15m-results', /^windows\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, windowSchema));
  const favourites = new Map(
    folder
      .files('venue_b-15m-results', /^favourite-quotes\.csv(\.gz)?$/)
      .flatMap((path) => folder.csv(path, favouriteSchema))
      .map((row) => [row.ticker, row]),
  );
  return (['BTC', 'ETH', 'SOL'] as const).flatMap((asset) => {
    const rows = windows.filter(({ coin, ticker }) => coin === asset && favourites.has(ticker));
    return rows.length === 0 ? [] : [quotedSeries(asset, rows, favourites)];
  });
}

function quotedSeries(
  asset: Asset,
  rows: readonly z.infer<typeof windowSchema>[],
  favourites: ReadonlyMap<string, Favourite>,
): RecordedSeries {
  const startOf = (closeTs: number): number => closeTs * 1_000 - ROUND_MS;
  return {
    name: `venue_b ${asset} 15m`,
    rounds: rows.map(({ ticker, close_ts, result }) => ({
      slug: ticker,
      asset,
      minutes: 15,
      startsAtMs: startOf(close_ts),
      endsAtMs: close_ts * 1_000,
      winner: result,
    })),
    events: inOrder(
      rows.flatMap(({ ticker, close_ts, index_open }) => {
        const favourite = favourites.get(ticker);
        const atMs = close_ts * 1_000 - Math.round((favourite?.minutes_left ?? 0) * MINUTE_MS);
        return [
          { kind: 'opening', atMs, slug: ticker, strike: index_open, exchange: index_open },
          ...pricesAt(atMs, index_open),
          ...(favourite === undefined ? [] : [quotesOf(ticker, atMs, favourite)]),
        ] satisfies readonly SeriesEvent[];
      }),
    ),
    standIns: [
      'oracle and exchange price: the settlement index of the minute before',
      'quotes: of venue_b, charged with venue_a’s fee',
    ],
  };
}

function quotesOf(slug: string, atMs: number, { side, bid, ask }: Favourite): SeriesEvent {
  const favourite = topOf(bid, ask);
  const other = topOf(mirrored(ask), mirrored(bid));
  const tops: readonly [BookTop, BookTop] = side === 0 ? [favourite, other] : [other, favourite];
  return {
    kind: 'quotes',
    atMs,
    slug,
    quotes: { tops, buyPrices: [tops[0].ask?.price ?? null, tops[1].ask?.price ?? null] },
  };
}

/** A bid for one side is an ask for the other. */
function mirrored(price: PriceTicks | null): PriceTicks | null {
  return price === null ? null : priceTicks(TICKS_PER_USD - price);
}

function topOf(bid: PriceTicks | null, ask: PriceTicks | null): BookTop {
  const size = shareMicros(0);
  return {
    bid: bid === null ? null : { price: bid, size },
    ask: ask === null ? null : { price: ask, size },
  };
}

function pricesAt(
  atMs: number,
  price: Extract<SeriesEvent, { readonly kind: 'oracle' | 'exchange' }>['price'],
): readonly SeriesEvent[] {
  return [
    { kind: 'oracle', atMs, sourceAtMs: atMs, price },
    { kind: 'exchange', atMs, sourceAtMs: atMs, price },
  ];
}
