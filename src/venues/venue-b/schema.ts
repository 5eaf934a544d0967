import { z } from 'zod';

/** Optional text: the interface leaves out, nulls or empties what it does not know. */
const words = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
/** Seconds since 1970; null where none are stated. */
const seconds = z
  .number()
  .nullish()
  .transform((value) => (value === null || value === undefined || value <= 0 ? null : value));
/**
 * A figure for people: some have been seen near 2^64, an underflow of the venue's (venue_b.md
 * section 8.2).
 */
const figure = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value) => {
    const number = Number(value ?? 0);
    return Number.isFinite(number) && number >= 0 && number < 2 ** 53 ? number : 0;
  });
/** The same, null where it is not stated. */
const statedFigure = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value) => {
    const number = Number(value ?? NaN);
    return number >= 0 && number < 2 ** 53 ? number : null;
  });
/** Dollars with at most four decimals; null without quotes. */
const quote = z
  .string()
  .nullish()
  .transform((text) => text ?? null);

/** What is read of one way a market is settled in (venue_b.md section 6). */
export const railSchema = z.object({
  yesMint: z.string(),
  noMint: z.string(),
  isInitialized: z
    .boolean()
    .nullish()
    .transform((value) => value === true),
  redemptionStatus: z.string().nullish(),
});

/** What is read of a market (venue_b.md section 8.1). */
export const marketSchema = z.object({
  ticker: z.string().min(1),
  eventTicker: words,
  marketType: words,
  title: words,
  subtitle: words,
  yesSubTitle: words,
  noSubTitle: words,
  openTime: seconds,
  closeTime: seconds,
  status: z.string(),
  volume: figure,
  volume24h: statedFigure,
  result: words,
  openInterest: statedFigure,
  rulesPrimary: words,
  rulesSecondary: words,
  yesBid: quote,
  yesAsk: quote,
  accounts: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((rails) => rails ?? {}),
});
/** A market as it is read. */
export type WireMarket = z.infer<typeof marketSchema>;

/**
 * What is read of an event (venue_b.md section 8.2). Its markets are looked at one by one: a
 * strange one hides no other.
 */
export const eventSchema = z.object({
  ticker: z.string().min(1),
  seriesTicker: words,
  title: words,
  subtitle: words,
  imageUrl: words,
  strikeDate: seconds.catch(null),
  volume: figure,
  volume24h: figure,
  liquidity: statedFigure,
  markets: z
    .array(z.unknown())
    .nullish()
    .transform((markets) => markets ?? []),
});
/** An event as it is read. */
export type WireEvent = z.infer<typeof eventSchema>;

/** What is read of a series (venue_b.md section 8.2). */
export const seriesSchema = z.object({ ticker: z.string().min(1), title: words, frequency: words });
/** A series as it is read. */
export type WireSeries = z.infer<typeof seriesSchema>;

/** Place after the rows read so far; numbers and text have both been seen. */
const cursor = z.union([z.number(), z.string()]).nullish();
const rows = z.array(z.unknown());

/** Pages of lists (venue_b.md section 7). */
export const eventsPage = z.object({ events: rows, cursor });
/** As above. */
export const seriesPage = z.object({ series: rows, cursor });

/**
 * One side of a book: contracts by price in dollars, in hundredths at the exchange, which also
 * writes them as text. An empty side may be left out.
 */
const side = z
  .record(z.string(), z.union([z.number(), z.string()]))
  .nullish()
  .transform((levels) => levels ?? {});

/** A book (venue_b.md section 8.3); what the socket sends of one has the same maps (section 12). */
export const bookSchema = z.object({
  yes_bids: side,
  no_bids: side,
  sequence: z.int().nonnegative().nullish(),
});
/** A book as it is read. */
export type WireBook = z.infer<typeof bookSchema>;

/** What the socket says of a book (venue_b.md section 12). */
export const bookFrame = bookSchema.extend({
  channel: z.literal('orderbook'),
  market_ticker: z.string(),
});
/** As above. */
export type WireBookFrame = z.infer<typeof bookFrame>;
/** What names the market of a frame that cannot be read otherwise. */
export const namedFrame = z.object({ market_ticker: z.string() });
/** The head of any frame. */
export const frameHead = z.object({ channel: z.string().nullish(), type: z.string().nullish() });

const dollars = z.string().nullish();
const candleSide = z
  .object({
    open_dollars: dollars,
    high_dollars: dollars,
    low_dollars: dollars,
    close_dollars: dollars,
  })
  .nullish();

/** Candles, relayed as the exchange states them (venue_b.md section 15.2). */
export const candlesSchema = z.object({
  candlesticks: z.array(
    z.object({
      end_period_ts: z.int().nonnegative(),
      yes_bid: candleSide,
      yes_ask: candleSide,
      price: candleSide,
      volume_fp: z.union([z.string(), z.number()]).nullish(),
      open_interest_fp: z.union([z.string(), z.number()]).nullish(),
    }),
  ),
});
