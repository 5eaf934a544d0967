import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { ExchangeMarket } from '../../../engine/exchange-types.ts';
import type { ListedWindow, Listing, ListingTag, RoundSeries } from '../../../engine/listing.ts';
import type { MarketFigures } from '../../../engine/market-stats.ts';
import { toUsd } from '../../../feeds/prices/settlement-prices.ts';

/** What a listing's JSON is made from at one moment. */
export interface GammaView {
  /** The moment the catalogue shows: behind the clock while the listing is stale. */
  readonly seenAtMs: number;
  readonly twap: boolean;
  /** False while the token ids are not filled in. */
  isHydrated(listing: Listing): boolean;
  /** True where it is listed as a market of the exchange's version 2 (venue_a.md section 5.1a). */
  isOfOtherVersion(listing: Listing): boolean;
  figures(listing: Listing): MarketFigures;
  /** The market as the engine has it now: its tick may have changed. */
  current(listing: Listing): ExchangeMarket;
  /** Price to beat and final price, 18 decimals, as far as the catalogue shows them. */
  strikeE18(window: ListedWindow): bigint | null;
  finalE18(window: ListedWindow): bigint | null;
}

type Json = Record<string, unknown>;

/**
 * A market as the catalogue gives it (venue_a.md section 10.1): lists are JSON text, numbers are
 * numbers.
 */
export function marketJson(listing: Listing, view: GammaView): Json {
  return {
    ...bareMarketJson(listing, view),
    events: [
      {
        ...eventHead(listing),
        ...eventTimes(listing, view),
        series: seriesOf(listing),
        ...metadata(listing, view),
      },
    ],
  };
}

/** An event with its markets. */
export function eventJson(listings: readonly [Listing, ...Listing[]], view: GammaView): Json {
  const [first] = listings;
  const figures = listings.map((listing) => view.figures(listing));
  const sum = (pick: (one: MarketFigures) => number) =>
    figures.reduce((total, one) => total + pick(one), 0);
  return {
    ...eventHead(first),
    description: first.description,
    resolutionSource: first.resolutionSource,
    ...eventTimes(first, view),
    image: '',
    icon: '',
    active: true,
    closed: listings.every((listing) => endingOf(listing, view) !== null),
    archived: false,
    new: false,
    featured: false,
    restricted: true,
    liquidity: sum(({ liquidityUsd }) => liquidityUsd),
    volume: sum(({ volumeUsd }) => volumeUsd),
    volume24hr: sum(({ volume24hUsd }) => volume24hUsd),
    enableOrderBook: true,
    negRisk: first.market.negRisk,
    enableNegRisk: first.market.negRisk,
    commentCount: 0,
    markets: listings.map((listing) => bareMarketJson(listing, view)),
    series: seriesOf(first),
    tags: tagsJson(first),
    cyom: false,
    showAllOutcomes: true,
    automaticallyActive: true,
    ...metadata(first, view),
  };
}

function seriesOf({ window }: Listing): readonly Json[] {
  return window === null ? [] : [seriesHead(window.series)];
}

/** A series without its events. */
export function seriesHead(series: RoundSeries): Json {
  return {
    id: series.seriesId,
    ticker: series.seriesSlug,
    slug: series.seriesSlug,
    title: `${series.asset} Up or Down ${series.minutes}m`,
    seriesType: 'single',
    recurrence: `${series.minutes}m`,
    active: true,
    closed: false,
    archived: false,
    restricted: true,
    volume24hr: 0,
    volume: 0,
    liquidity: 0,
    commentCount: 0,
  };
}

/** Tags as the catalogue gives them. */
export function tagsJson({ event }: Listing): readonly Json[] {
  return event.tags.map(tagJson);
}

/** A tag as the catalogue gives it. */
export function tagJson({ id, label, slug }: ListingTag): Json {
  return { id, label, slug, forceShow: false, isCarousel: false, requiresTranslation: false };
}

/** How the market ended, as far as the catalogue shows it. */
export function endingOf({ ending }: Listing, { seenAtMs }: GammaView): Listing['ending'] {
  return ending !== null && ending.atMs <= seenAtMs ? ending : null;
}

function bareMarketJson(listing: Listing, view: GammaView): Json {
  const { market, window } = listing;
  const ending = endingOf(listing, view);
  const figures = view.figures(listing);
  const isOpen = ending === null && view.seenAtMs < market.endsAtMs;
  return {
    id: listing.listingId,
    question: market.question,
    conditionId: market.marketId,
    slug: market.slug,
    resolutionSource: listing.resolutionSource,
    endDate: iso(market.endsAtMs),
    liquidity: decimals(figures.liquidityUsd),
    startDate: iso(listing.listedAtMs),
    image: '',
    icon: '',
    description: listing.description,
    outcomes: listText(market.labels),
    outcomePrices: listText(outcomePrices(ending?.payoutTicks ?? null, figures)),
    volume: decimals(figures.volumeUsd),
    active: true,
    closed: ending !== null,
    marketMakerAddress: '',
    createdAt: iso(listing.listedAtMs),
    updatedAt: iso(Math.min(figures.takenAtMs, view.seenAtMs)),
    ...(ending === null
      ? {}
      : {
          closedTime: spacedTime(ending.atMs),
          umaEndDate: iso(ending.atMs),
          umaResolutionStatus: 'resolved',
        }),
    new: false,
    featured: false,
    archived: false,
    restricted: true,
    ...(listing.groupTitle === null ? {} : { groupItemTitle: listing.groupTitle }),
    groupItemThreshold: '0',
    questionID: listing.questionId,
    enableOrderBook: true,
    orderPriceMinTickSize: view.current(listing).tickSize / TICKS_PER_USD,
    orderMinSize: market.minSize / 1_000_000,
    volumeNum: figures.volumeUsd,
    liquidityNum: figures.liquidityUsd,
    endDateIso: iso(market.endsAtMs).slice(0, 10),
    startDateIso: iso(listing.listedAtMs).slice(0, 10),
    hasReviewedDates: true,
    volume24hr: figures.volume24hUsd,
    volumeClob: figures.volumeUsd,
    liquidityClob: figures.liquidityUsd,
    clobTokenIds: listText(view.isHydrated(listing) ? market.tokens : []),
    makerBaseFee: 1000,
    takerBaseFee: 1000,
    acceptingOrders: isOpen,
    acceptingOrdersTimestamp: iso(listing.listedAtMs),
    negRisk: market.negRisk,
    ready: false,
    funded: false,
    cyom: false,
    competitive: 1,
    approved: true,
    rewardsMinSize: 50,
    rewardsMaxSpread: 4.5,
    ...prices(figures),
    automaticallyActive: true,
    clearBookOnStart: false,
    manualActivation: false,
    negRiskOther: false,
    umaResolutionStatuses: '[]',
    pendingDeployment: false,
    deploying: false,
    rfqEnabled: false,
    holdingRewardsEnabled: false,
    requiresTranslation: false,
    automaticallyResolved: window !== null,
    ...(view.isOfOtherVersion(listing)
      ? { version: 'v2', positionIds: market.tokens.map(positionIdOf) }
      : { version: 'v1' }),
    ...fees(market, listing),
    ...(window === null ? {} : windowFields(window, view.twap)),
  };
}

/** An id of its own, as a position's differs from the token's. */
function positionIdOf(tokenId: string): string {
  return String(BigInt(tokenId) ^ (1n << 200n));
}

function windowFields({ series, startsAtMs }: ListedWindow, twap: boolean): Json {
  const id = `${series.asset.toLowerCase()}-${series.minutes}m`;
  return {
    eventStartTime: iso(startsAtMs),
    cryptoMarketConfigId: id,
    cryptoMarketConfig: {
      id,
      asset: series.asset.toLowerCase(),
      duration: `${series.minutes}m`,
      twapEnabled: twap,
      twapLookbackSeconds: twap ? 60 : 0,
    },
  };
}

/** The kind of fee follows what the market is about (venue_a.md section 5.3). */
function fees({ fee }: ExchangeMarket, { window, event }: Listing): Json {
  if (fee === null) return { feesEnabled: false };
  const isAbout = (slug: string): boolean => event.tags.some((tag) => tag.slug === slug);
  return {
    feesEnabled: true,
    feeType:
      window !== null || isAbout('crypto')
        ? 'crypto_fees_v2'
        : isAbout('sports')
          ? 'sports_fees_v3'
          : 'general_fees',
    feeSchedule: {
      exponent: fee.exponent,
      rate: fee.rateMicros / 1_000_000,
      takerOnly: fee.takerOnly,
      rebateRate: 0.2,
    },
    makerRebatesFeeShareBps: 10_000,
  };
}

function prices({ bestBid, bestAsk, lastPrice }: MarketFigures): Json {
  return {
    ...(bestBid === null ? {} : { bestBid }),
    ...(bestAsk === null ? {} : { bestAsk }),
    ...(bestBid === null || bestAsk === null ? {} : { spread: rounded(bestAsk - bestBid) }),
    ...(lastPrice === null ? {} : { lastTradePrice: lastPrice }),
  };
}

function outcomePrices(
  payoutTicks: readonly [number, number] | null,
  { bestBid, bestAsk, lastPrice }: MarketFigures,
): readonly string[] {
  if (payoutTicks !== null) return payoutTicks.map((ticks) => String(ticks / TICKS_PER_USD));
  const middle =
    bestBid !== null && bestAsk !== null ? (bestBid + bestAsk) / 2 : (lastPrice ?? 0.5);
  return [String(rounded(middle)), String(rounded(1 - middle))];
}

function eventHead({ event }: Listing): Json {
  return { id: event.eventId, ticker: event.slug, slug: event.slug, title: event.title };
}

function eventTimes({ listedAtMs, market, window }: Listing, { seenAtMs }: GammaView): Json {
  return {
    startDate: iso(listedAtMs),
    creationDate: iso(listedAtMs),
    endDate: iso(market.endsAtMs),
    createdAt: iso(listedAtMs),
    updatedAt: iso(seenAtMs),
    ...(window === null
      ? {}
      : { startTime: iso(window.startsAtMs), seriesSlug: window.series.seriesSlug }),
  };
}

function metadata({ window }: Listing, view: GammaView): Json {
  const strike = window === null ? null : view.strikeE18(window);
  const final = window === null ? null : view.finalE18(window);
  if (strike === null) return {};
  return {
    eventMetadata: {
      priceToBeat: toUsd(strike),
      ...(final === null ? {} : { finalPrice: toUsd(final) }),
    },
  };
}

/** The catalogue writes its lists with a blank after each comma. */
function listText(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z');
}

/** `closedTime` is written with a blank and a short offset. */
function spacedTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}+00`;
}

function rounded(price: number): number {
  return Math.round(price * TICKS_PER_USD) / TICKS_PER_USD;
}

function decimals(usd: number): string {
  return String(Math.round(usd * 1_000_000) / 1_000_000);
}
