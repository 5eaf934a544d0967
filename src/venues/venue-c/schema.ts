import { z } from 'zod';
import { MICROS_PER_UNIT } from '../../domain/units.ts';

/** Optional text: null, absent or empty without any. */
const words = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
/** An ISO time as epoch ms; null where none can be read. */
const isoTime = z
  .string()
  .nullish()
  .transform((text) => {
    const ms = Date.parse(text ?? '');
    return Number.isNaN(ms) ? null : ms;
  });
/** Epoch ms, a number or text (venue_c.md section 7.1). */
const msTime = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value) => {
    const ms = Number(value ?? 0);
    return Number.isSafeInteger(ms) && ms > 0 ? ms : null;
  });
/** A figure for people: raw micros as text (venue_c.md section 4); dollars. */
const figure = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value) => {
    const dollars = Number(value ?? 0) / MICROS_PER_UNIT;
    return Number.isFinite(dollars) && dollars >= 0 ? dollars : 0;
  });
/** The same where it is stated; null where it is not, as of order books. */
const statedFigure = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value) => {
    const dollars = Number(value ?? NaN) / MICROS_PER_UNIT;
    return Number.isFinite(dollars) && dollars >= 0 ? dollars : null;
  });
const price = z.union([z.number(), z.string()]).transform(Number);
const pair = z.tuple([price, price]).nullish().catch(null);

/** What is read of a market (venue_c.md section 7.1). */
export const marketSchema = z.object({
  id: z.int(),
  slug: z.string().min(1),
  title: words,
  description: words,
  collateralToken: z.object({ address: z.string(), decimals: z.int() }),
  expirationTimestamp: msTime,
  expired: z
    .boolean()
    .nullish()
    .transform((value) => value === true),
  createdAt: isoTime,
  startAt: isoTime,
  categories: texts,
  tags: texts,
  status: z.string(),
  tradeType: z.string(),
  volume: figure,
  liquidity: statedFigure,
  conditionId: words,
  negRiskRequestId: z.string().nullish(),
  tokens: z.object({ yes: z.string(), no: z.string() }).nullish(),
  positionIds: texts,
  address: z.string().nullish(),
  outcomeTokens: texts,
  prices: pair,
  tradePrices: z
    .object({ buy: z.object({ market: pair }), sell: z.object({ market: pair }) })
    .nullish()
    .catch(null),
  venue: z.object({ exchange: z.string(), adapter: z.string().nullish() }).nullish(),
  winningOutcomeIndex: z.union([z.literal(0), z.literal(1)]).nullish(),
  imageUrl: words,
  logo: words,
  settings: z.object({ takerDelayMs: z.number().nullish() }).nullish().catch(null),
});
/** A market as it is read. */
export type WireMarket = z.infer<typeof marketSchema>;

/** What a market is called, where no more is to be read. */
export const namedSchema = z.object({ slug: z.string() });

/**
 * What tells a group from a market. Its markets have slugs of their own, and leave to it what they
 * share.
 */
export const groupSchema = z.object({
  slug: z.string().min(1),
  title: words,
  tradeType: z.literal('group'),
  description: words,
  imageUrl: words,
  logo: words,
  markets: z.array(z.record(z.string(), z.unknown())),
  collateralToken: z.unknown(),
  expirationTimestamp: z.unknown(),
  categories: z.unknown(),
  tags: z.unknown(),
});
/** A group as it is read. */
export type WireGroup = z.infer<typeof groupSchema>;

/** A level of a book: the price of YES, and a size in raw micros (venue_c.md section 4). */
const level = z.object({
  price: z.union([z.number(), z.string()]),
  size: z.union([z.number(), z.string()]),
});
/** A book, quoted in YES (venue_c.md section 7.2). */
export const bookSchema = z.object({ bids: z.array(level), asks: z.array(level) });
/** A book as it is read. */
export type WireBook = z.infer<typeof bookSchema>;

/** What the socket says of a book (venue_c.md section 12). */
export const bookEvent = z.object({ marketSlug: z.string(), orderbook: bookSchema });
/** What names the market of such an event that cannot be read otherwise. */
export const namedEvent = z.object({ marketSlug: z.string() });
/** What the socket says of a market that has ended (venue_c.md section 12). */
export const resolvedEvent = z.object({
  slug: z.string(),
  winningIndex: z.union([z.literal(0), z.literal(1), z.null()]),
});

const pricePoints = z.array(
  z.object({
    price: z.union([z.number(), z.string()]),
    timestamp: z.union([z.number(), z.string()]),
  }),
);
/** Prices of a market's outcomes over time (venue_c.md section 6): three forms have been seen. */
export const historySchema = z.union([
  z.array(z.object({ prices: pricePoints })),
  z.object({ data: z.array(z.object({ prices: pricePoints })) }),
  z.object({ prices: pricePoints }),
]);

const rows = z.array(z.unknown());
/** Pages of lists (venue_c.md section 6). */
export const activePage = z.object({ data: rows, totalMarketsCount: z.int().nonnegative() });
/** As above. */
export const searchPage = z.object({ markets: rows, totalMarketsCount: z.int().nonnegative() });
