import { z } from 'zod';
import { LISTING } from '../../../../config/limits/listing.ts';
import { MARKET_WORDS } from '../../../../config/limits/market-text.ts';
import { AppError } from '../../../domain/errors.ts';
import {
  CERTAIN_E5,
  type ListedEnding,
  type MarketListing,
  type MarketTag,
  type SeriesName,
  type StatedPrices,
} from '../../../domain/market-listing.ts';
import { plainParagraphs, plainText } from '../../../domain/plain-text.ts';
import { TICKS_PER_USD, parseDecimal, priceTicks, type PriceTicks } from '../../../domain/units.ts';
import type { MarketEvent } from '../../../ports/catalogue.ts';
import { scaledNumber } from '../decimals.ts';
import { listedPayout, parseMarket, parseTime, wordsOf } from './gamma-parse.ts';
import { gammaEventSchema, gammaMarketSchema, type GammaMarket } from './gamma-schema.ts';

/**
 * What is only shown: whatever has an unexpected format is left out, for a broken picture must not
 * hide a market.
 */
const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);
const tags = z
  .array(z.object({ slug: text, label: text }))
  .nullish()
  .catch(null);
const series = z
  .array(z.object({ id: text, slug: text, title: text }))
  .nullish()
  .catch(null);

const shownEvent = z.object({ slug: text, title: text, seriesSlug: text, series, tags });
const shownMarket = z.object({
  description: text,
  groupItemTitle: text,
  resolutionSource: text,
  image: text,
  icon: text,
  startDate: text,
  acceptingOrdersTimestamp: text,
  updatedAt: text,
  volume24hr: number,
  bestBid: number,
  bestAsk: number,
  lastTradePrice: number,
  tags,
  events: z.array(shownEvent).nullish().catch(null),
});
type ShownMarket = z.infer<typeof shownMarket>;

const listedEventSchema = gammaEventSchema.extend({
  description: text,
  image: text,
  icon: text,
  series,
  tags,
  volume: number,
  volume24hr: number,
  liquidity: number,
});
type ListedEvent = z.infer<typeof listedEventSchema>;

/**
 * A market of a list to choose from; null where it is not hydrated, not binary or cannot be read:
 * one broken listing must not hide the others.
 */
export function readListing(row: unknown, event: ListedEvent | null = null): MarketListing | null {
  const wire = gammaMarketSchema.safeParse(row);
  return wire.success ? orNull(() => parseListing(wire.data, shownMarket.parse(row), event)) : null;
}

/**
 * An event of a list to choose from, with those of its markets that can be read; null where itself
 * cannot be.
 */
export function readListedEvent(row: unknown): MarketEvent | null {
  return orNull(() => parseListedEvent(row));
}

/** An event with those of its markets that can be read. Errors: `venue_protocol`. */
export function parseListedEvent(row: unknown): MarketEvent {
  const wire = listedEventSchema.safeParse(row);
  if (!wire.success)
    throw new AppError(
      'venue_protocol',
      `unexpected format of an event: ${wire.error.issues[0]?.path.join('.') ?? ''}`,
    );
  const { data } = wire;
  const startsAt = data.startTime ?? data.startDate ?? null;
  return {
    eventId: data.id,
    slug: wordsOf(data.slug ?? ''),
    title: wordsOf(data.title ?? ''),
    description: plainParagraphs(data.description ?? '', LISTING.rulesMaximumChars),
    series: seriesOf(data),
    tags: tagsOf(data.tags),
    imageUrl: urlOf(data.image),
    iconUrl: urlOf(data.icon),
    startsAtMs: startsAt === null ? null : parseTime(startsAt),
    endsAtMs: data.endDate === null || data.endDate === undefined ? null : parseTime(data.endDate),
    closed: data.closed ?? false,
    volumeUsd: data.volume ?? 0,
    volume24hUsd: data.volume24hr ?? null,
    liquidityUsd: data.liquidity ?? null,
    markets: (data.markets ?? []).flatMap((market) => readListing(market, data) ?? []),
  };
}

function orNull<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function parseListing(
  wire: GammaMarket,
  shown: ShownMarket,
  event: ListedEvent | null,
): MarketListing | null {
  const market = parseMarket(wire, event);
  if (market === null) return null;
  const head = event ?? shown.events?.[0] ?? null;
  return {
    market,
    eventSlug: head?.slug ? wordsOf(head.slug) : null,
    eventTitle: head?.title ? wordsOf(head.title) : null,
    groupTitle: shown.groupItemTitle ? wordsOf(shown.groupItemTitle) : null,
    series: head === null ? null : seriesOf(head),
    tags: tagsOf(shown.tags ?? head?.tags),
    description: plainParagraphs(shown.description ?? '', LISTING.rulesMaximumChars),
    resolutionSource: shown.resolutionSource
      ? plainText(shown.resolutionSource, LISTING.urlMaximumChars)
      : null,
    isOneOfEvent: wire.negRisk ?? false,
    imageUrl: urlOf(shown.image),
    iconUrl: urlOf(shown.icon),
    opensAtMs: timeOrNull(shown.acceptingOrdersTimestamp ?? shown.startDate),
    volume24hUsd: shown.volume24hr ?? null,
    firstBuyCost: null,
    prices: market.closed ? null : statedPrices(wire, shown),
    ending: endingOf(wire),
  };
}

/**
 * Without the time of the statement its age is unknown, and a price of unknown age is not a price
 * (L8).
 */
function statedPrices(
  { outcomePrices }: GammaMarket,
  { bestBid, bestAsk, lastTradePrice, updatedAt }: ShownMarket,
): StatedPrices | null {
  const statedAtMs = timeOrNull(updatedAt);
  if (statedAtMs === null) return null;
  return {
    bid: priceOf(bestBid),
    ask: priceOf(bestAsk),
    last: priceOf(lastTradePrice),
    probabilityE5: probabilityOf(outcomePrices),
    statedAtMs,
  };
}

/** A side without orders is left out, or stated as 0 or 1, at which no trade is possible. */
function priceOf(value: number | null | undefined): PriceTicks | null {
  const ticks = value === null || value === undefined ? null : scaledNumber(value, 4);
  return ticks === null || ticks < 1 || ticks >= TICKS_PER_USD ? null : priceTicks(ticks);
}

/** Stated prices add up to a dollar but for their rounding; others say nothing. */
function probabilityOf(prices: readonly string[]): number | null {
  const [first, second] = prices.map((price) =>
    parseDecimal(price.slice(0, price.indexOf('.') < 0 ? undefined : price.indexOf('.') + 6), 5),
  );
  if (
    first === undefined ||
    second === undefined ||
    first === null ||
    second === null ||
    first > CERTAIN_E5
  )
    return null;
  return Math.abs(first + second - CERTAIN_E5) <= 1 ? first : null;
}

function endingOf(wire: GammaMarket): ListedEnding | null {
  const payoutTicks = listedPayout(wire, null);
  if (payoutTicks === null) return null;
  return {
    winner: payoutTicks[0] === payoutTicks[1] ? null : payoutTicks[0] > payoutTicks[1] ? 0 : 1,
    payoutTicks,
    resolvedAtMs: timeOrNull(wire.closedTime),
  };
}

function seriesOf(head: {
  readonly seriesSlug?: string | null | undefined;
  readonly series?: z.infer<typeof series>;
}): SeriesName | null {
  const [first] = head.series ?? [];
  const slug = head.seriesSlug ?? first?.slug ?? null;
  return slug === null
    ? null
    : { seriesId: first?.id ?? null, slug: wordsOf(slug), title: wordsOf(first?.title ?? '') };
}

function tagsOf(list: z.infer<typeof tags>): readonly MarketTag[] {
  const read = (list ?? []).flatMap(({ slug, label }) =>
    slug
      ? [
          {
            slug: plainText(slug, MARKET_WORDS.wordsMaximumChars),
            label: plainText(label ?? slug, MARKET_WORDS.wordsMaximumChars),
          },
        ]
      : [],
  );
  return read.slice(0, LISTING.tagsMaximum);
}

/** An address a page may load a picture from: https alone, as the standard writes it. */
function urlOf(value: string | null | undefined): string | null {
  if (!value || value.length > LISTING.urlMaximumChars || !URL.canParse(value)) return null;
  const { protocol, href } = new URL(value);
  return protocol === 'https:' && href.length <= LISTING.urlMaximumChars ? href : null;
}

function timeOrNull(value: string | null | undefined): number | null {
  return value ? orNull(() => parseTime(value)) : null;
}
