import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { FarmListing } from '../../domain/farming/listing.ts';
import { TICKS_PER_USD, parseDecimal } from '../../domain/units.ts';
import type { MarketScan, ScanQuery } from '../../ports/market-scan.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { answerOf, type VenueClient } from './client.ts';
import { parseMarket } from './discovery/gamma-parse.ts';
import { gammaMarketSchema, marketPageSchema } from './discovery/gamma-schema.ts';
import type { NoteMarket } from './discovery/refused-markets.ts';

/** Rows in one page (venue_a.md section 10). */
const PAGE_ROWS = 100;
/** Longer descriptions say nothing new about what a market is about. */
const DESCRIPTION_CHARS = 2_000;

const slugs = z.array(z.object({ slug: z.string().nullish() })).nullish();

/**
 * What a scan reads of a market beyond what trading needs (venue_a.md sections 5.3, 9.3 and 10.1).
 */
const scannedSchema = gammaMarketSchema.extend({
  description: z.string().nullish(),
  feeType: z.string().nullish(),
  sportsMarketType: z.string().nullish(),
  gameId: z.union([z.string(), z.number()]).nullish(),
  tags: slugs,
});
const scannedEvents = z.object({
  events: z
    .array(
      z.object({
        title: z.string().nullish(),
        seriesSlug: z.string().nullish(),
        series: slugs,
        tags: slugs,
        gameId: z.union([z.string(), z.number()]).nullish(),
      }),
    )
    .nullish(),
});

/** Makes the scan over the discovery interface, tags included. */
export function createMarketScan({
  client,
  metrics,
  note,
}: {
  readonly client: VenueClient;
  readonly metrics: Metrics;
  /** Hears of each market that is listed. */
  readonly note?: NoteMarket;
}): MarketScan {
  return {
    async page(query) {
      const call = {
        family: 'directory',
        method: 'GET',
        path: '/markets/keyset',
        query: queryOf(query),
      } as const;
      const outcome = await client.call(call);
      if (
        query.cursor !== null &&
        outcome.kind === 'answered' &&
        (outcome.status === 400 || outcome.status === 422)
      )
        throw new AppError('invalid_request', 'the venue knows this cursor no more', {
          retryable: true,
        });
      const page = marketPageSchema.safeParse(answerOf(call, outcome));
      if (!page.success)
        throw new AppError('venue_protocol', 'unexpected format of a page of markets');
      const data = page.data.markets.flatMap((row) => {
        const listing = readListing(row);
        if (listing === 'unreadable')
          metrics.count('venue_dropped_total', {
            venue: 'venue_a',
            channel: 'scan',
            reason: 'unreadable',
          });
        if (listing === null || listing === 'unreadable') return [];
        note?.(listing.market);
        return [listing];
      });
      const next = page.data.next_cursor;
      return { data, nextCursor: next === undefined || next === null || next === '' ? null : next };
    },
  };
}

function queryOf({
  volumeAtLeastUsd,
  liquidityAtLeastUsd,
  endsAfterMs,
  endsBeforeMs,
  cursor,
}: ScanQuery): Readonly<Record<string, string>> {
  return {
    limit: String(PAGE_ROWS),
    closed: 'false',
    include_tag: 'true',
    volume_num_min: String(volumeAtLeastUsd),
    liquidity_num_min: String(liquidityAtLeastUsd),
    end_date_min: new Date(endsAfterMs).toISOString(),
    ...(endsBeforeMs === null ? {} : { end_date_max: new Date(endsBeforeMs).toISOString() }),
    ...(cursor === null ? {} : { after_cursor: cursor }),
  };
}

/**
 * A listing of the discovery interface; null while it is not hydrated or not binary, `unreadable`
 * when it has an unexpected format or figures without meaning: one broken market must not end the
 * scan of all others.
 */
export function readListing(row: unknown): FarmListing | null | 'unreadable' {
  const wire = scannedSchema.safeParse(row);
  const events = scannedEvents.safeParse(row);
  if (!wire.success || !events.success) return 'unreadable';
  const [event] = events.data.events ?? [];
  try {
    const market = parseMarket(wire.data, null);
    if (market === null) return null;
    const { tags, feeType, sportsMarketType, gameId, description } = wire.data;
    const filed = [...(tags ?? []), ...(event?.tags ?? []), ...(event?.series ?? [])].map(
      ({ slug }) => slug,
    );
    return {
      market,
      listedTicks: listedTicks(wire.data.outcomePrices),
      categories: [
        ...new Set(
          [...filed, event?.seriesSlug, feeType].flatMap((name) =>
            name ? [name.toLowerCase()] : [],
          ),
        ),
      ],
      isGame: isGiven(sportsMarketType) || isGiven(gameId) || isGiven(event?.gameId),
      needsSetup: false,
      eventTitle: event?.title ?? '',
      description: (description ?? '').slice(0, DESCRIPTION_CHARS),
    };
  } catch (error) {
    if (error instanceof AppError) return 'unreadable';
    throw error;
  }
}

function isGiven(value: string | number | null | undefined): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** Prices of a listing add up to a dollar but for their rounding; others are no prices. */
function listedTicks(prices: readonly string[]): readonly [number, number] | null {
  const [first, second] = prices.map((text) =>
    parseDecimal(text.slice(0, text.indexOf('.') < 0 ? undefined : text.indexOf('.') + 5), 4),
  );
  if (
    first === undefined ||
    second === undefined ||
    first === null ||
    second === null ||
    first > TICKS_PER_USD ||
    second > TICKS_PER_USD
  )
    return null;
  return Math.abs(first + second - TICKS_PER_USD) <= 1 ? [first, second] : null;
}
