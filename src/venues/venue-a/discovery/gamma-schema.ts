import { z } from 'zod';

/**
 * Lists arrive as JSON text, and before hydration as "[]", an empty text or nothing (venue_a.md
 * section 10.1).
 */
const jsonList = z
  .union([z.string(), z.array(z.string())])
  .nullish()
  .transform((value, context): readonly string[] => {
    if (value === null || value === undefined || value === '') return [];
    if (typeof value !== 'string') return value;
    try {
      const list = z.array(z.string()).safeParse(JSON.parse(value));
      if (list.success) return list.data;
    } catch {
      // Reported below, like a list of the wrong kind.
    }
    context.addIssue({ code: 'custom', message: 'no list' });
    return z.NEVER;
  });

/** `eventMetadata` is sometimes a JSON text of itself (venue_a.md section 11). */
const metadata = z
  .union([z.string(), z.looseObject({})])
  .nullish()
  .transform((value): number | null => {
    const read = z
      .object({ priceToBeat: z.number() })
      .safeParse(typeof value === 'string' ? textToObject(value) : value);
    return read.success ? read.data.priceToBeat : null;
  });

function textToObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What is read of an event's head. */
const eventHead = z.object({
  id: z.string(),
  slug: z.string().optional(),
  title: z.string().optional(),
  startDate: z.string().nullish(),
  startTime: z.string().nullish(),
  endDate: z.string().nullish(),
  closed: z.boolean().optional(),
  seriesSlug: z.string().nullish(),
  series: z.array(z.object({ slug: z.string().nullish() })).nullish(),
  eventMetadata: metadata.optional(),
});

/** A market of the discovery interface: what is read of it (venue_a.md section 10.1). */
export const gammaMarketSchema = z.object({
  id: z.string(),
  conditionId: z.string(),
  slug: z.string(),
  question: z.string(),
  outcomes: jsonList,
  outcomePrices: jsonList,
  clobTokenIds: jsonList,
  /** Which of the venue's exchanges it trades on (venue_a.md section 5.1a). */
  version: z.unknown().optional(),
  /** Outcome ids of a "v2" market, whatever `clobTokenIds` says beside them. */
  positionIds: z.array(z.string()).nullish().catch(null),
  active: z.boolean().nullish(),
  closed: z.boolean().nullish(),
  acceptingOrders: z.boolean().nullish(),
  enableOrderBook: z.boolean().nullish(),
  endDate: z.string().nullish(),
  closedTime: z.string().nullish(),
  orderPriceMinTickSize: z.number().nullish(),
  orderMinSize: z.number().nullish(),
  negRisk: z.boolean().nullish(),
  feesEnabled: z.boolean().nullish(),
  feeSchedule: z
    .object({ exponent: z.number(), rate: z.number(), takerOnly: z.boolean() })
    .nullish(),
  volumeNum: z.number().nullish(),
  liquidityNum: z.number().nullish(),
  resolutionSource: z.string().nullish(),
  umaResolutionStatus: z.string().nullish(),
  automaticallyResolved: z.boolean().nullish(),
  cryptoMarketConfig: z.object({ twapEnabled: z.boolean().nullish() }).nullish(),
  events: z.array(eventHead).nullish(),
});

/** Market as the discovery interface sends it. */
export type GammaMarket = z.infer<typeof gammaMarketSchema>;

/** An event with its markets; those that are not hydrated yet are distinguished one by one. */
export const gammaEventSchema = eventHead.extend({ markets: z.array(z.unknown()).nullish() });

/** Event as the discovery interface sends it. */
export type GammaEvent = z.infer<typeof gammaEventSchema>;

/** A page of events or markets by cursor: the last page leaves the cursor out. */
export const eventPageSchema = z.object({
  events: z.array(z.unknown()),
  next_cursor: z.string().nullish(),
});
/** A page of markets. */
export const marketPageSchema = z.object({
  markets: z.array(z.unknown()),
  next_cursor: z.string().nullish(),
});
/** Answer of the text search: events with their markets. */
export const searchSchema = z.object({
  events: z.array(z.unknown()).nullish(),
  pagination: z.object({ hasMore: z.boolean() }).nullish(),
});
/** Recurring templates. */
export const seriesListSchema = z.array(
  z.object({
    id: z.string(),
    slug: z.string().nullish(),
    title: z.string().nullish(),
    recurrence: z.string().nullish(),
  }),
);

/** The order book's own compact word on a market (venue_a.md section 3.3). */
export const compactMarketSchema = z.object({
  mts: z.number(),
  mos: z.number(),
  nr: z.boolean().optional(),
  fd: z.object({ r: z.number(), e: z.number(), to: z.boolean() }).optional(),
  ao: z.boolean().optional(),
  itode: z.boolean().optional(),
});

/** Compact market as the order book sends it. */
export type CompactMarket = z.infer<typeof compactMarketSchema>;

/** What is read of the order book's full word on a market: who won (venue_a.md section 3.2). */
export const clobMarketSchema = z.object({
  closed: z.boolean(),
  is_50_50_outcome: z.boolean().nullish(),
  tokens: z.array(z.object({ token_id: z.string(), winner: z.boolean().nullish() })),
});

/** Full market as the order book sends it. */
export type ClobMarket = z.infer<typeof clobMarketSchema>;
