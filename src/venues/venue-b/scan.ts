import { z } from 'zod';
import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { FarmListing } from '../../domain/farming/listing.ts';
import { parseDecimal, TICKS_PER_USD } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { MarketScan } from '../../ports/market-scan.ts';
import { checked } from '../checked.ts';
import type { VenueClient } from './client.ts';
import { VENUE_B_ID } from './id.ts';
import type { Listing } from './listing.ts';
import { listingOf, type ListedMarket } from './parse.ts';
import { eventSchema, eventsPage, seriesPage, type WireEvent } from './schema.ts';

/** Events in one page, each with its markets. */
const PAGE_EVENTS = 100;
/**
 * What the exchange files prices of crypto assets under, in the screening's word (venue_b.md
 * section 8.2).
 */
const CRYPTO_CATEGORY = 'crypto';
const CRYPTO_PRICES = 'crypto-prices';

const filedSeries = z.object({
  ticker: z.string().min(1),
  category: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
});

/**
 * Creates the scan of open markets by their events; what a market is filed under is said by its
 * series.
 */
export function createMarketScan(
  parts: Pick<Runtime, 'clock' | 'metrics'> & {
    readonly client: VenueClient;
    readonly listing: Listing;
  },
): MarketScan {
  const { client, listing, clock, metrics } = parts;
  const filed = createFiledSeries(parts);
  return {
    async page({ cursor }) {
      const [value, series] = await Promise.all([
        client.read({
          family: 'metadata',
          path: '/events',
          query: {
            limit: String(PAGE_EVENTS),
            withNestedMarkets: 'true',
            status: 'active',
            ...(cursor === null ? {} : { cursor }),
          },
        }),
        filed(),
      ]);
      const page = checked(eventsPage, value, 'a page of events');
      const data = page.events.flatMap((row) => {
        const event = eventSchema.safeParse(row);
        if (!event.success) {
          metrics.count('venue_dropped_total', {
            venue: VENUE_B_ID,
            channel: 'scan',
            reason: 'unreadable',
          });
          return [];
        }
        const { markets, seriesTicker } = event.data;
        return listing
          .rows(markets.slice(0, VENUE_B.eventMarketsMaximum))
          .map((one) =>
            farmListingOf(one, event.data, series.get(seriesTicker) ?? [], clock.nowMs()),
          );
      });
      const read = Number(cursor ?? 0) + page.events.length;
      return {
        data,
        nextCursor: page.events.length < PAGE_EVENTS ? null : String(page.cursor ?? read),
      };
    },
  };
}

function farmListingOf(
  one: ListedMarket,
  event: WireEvent,
  categories: readonly string[],
  nowMs: number,
): FarmListing {
  return {
    market: one.market,
    listedTicks: listedTicks(one.wire),
    categories,
    isGame: false,
    needsSetup: !one.isInitialized,
    eventTitle: event.title,
    description: listingOf(one, event, nowMs).description,
  };
}

/** The middle of what is quoted for Yes; null where one side is missing. */
function listedTicks({ yesBid, yesAsk }: ListedMarket['wire']): readonly [number, number] | null {
  const [bid, ask] = [yesBid, yesAsk].map((text) => (text === null ? null : parseDecimal(text, 4)));
  if (bid === null || bid === undefined || ask === null || ask === undefined) return null;
  if (bid >= ask || ask > TICKS_PER_USD) return null;
  const middle = Math.floor((bid + ask) / 2);
  return [middle, TICKS_PER_USD - middle];
}

/**
 * Reads under what each series is filed, in the screening's words: series are few and stay what
 * they are, so an hour's answer will do.
 */
function createFiledSeries({
  client,
  clock,
}: Pick<Runtime, 'clock'> & {
  readonly client: VenueClient;
}): () => Promise<ReadonlyMap<string, readonly string[]>> {
  let known: ReadonlyMap<string, readonly string[]> = new Map();
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.nowMs() - readAtMs < VENUE_B.seriesKeptMs) return known;
    const value = await client.read({ family: 'metadata', path: '/series' });
    known = new Map(
      checked(seriesPage, value ?? { series: [] }, 'the series').series.flatMap((row) => {
        const read = filedSeries.safeParse(row);
        return read.success ? [[read.data.ticker, wordsOf(read.data)] as const] : [];
      }),
    );
    readAtMs = clock.nowMs();
    return known;
  };
}

function wordsOf({ ticker, category, tags }: z.infer<typeof filedSeries>): readonly string[] {
  const slugs = [category ?? '', ...(tags ?? []), ticker]
    .map((text) => text.trim().toLowerCase().replaceAll(/\s+/g, '-'))
    .filter((slug) => slug !== '');
  return [...new Set([...slugs, ...(slugs.includes(CRYPTO_CATEGORY) ? [CRYPTO_PRICES] : [])])];
}
