import { SANDBOX } from '../../../../../config/limits/sandbox.ts';
import { priceTicks, shareMicros } from '../../../../domain/units.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import {
  TAGS,
  type Ending,
  type ListedWindow,
  type Listing,
  type RoundSeries,
} from '../../../engine/listing.ts';
import type { ChainIds } from '../../../chains/evm/outcome-ids.ts';
import { roundRules, roundTitle } from './round-text.ts';
import {
  twapAt,
  type SettlementPrices,
  type SettlementRule,
} from '../../../feeds/prices/settlement-prices.ts';

/**
 * Recurring markets of the venue. Ids of the two BTC series are the venue's (venue_a.md section
 * 11), the others the world's own.
 */
export const ROUND_SERIES: readonly RoundSeries[] = [
  {
    seriesId: '10684',
    seriesSlug: 'btc-up-or-down-5m',
    asset: 'BTC',
    assetName: 'Bitcoin',
    minutes: 5,
  },
  {
    seriesId: '10192',
    seriesSlug: 'btc-up-or-down-15m',
    asset: 'BTC',
    assetName: 'Bitcoin',
    minutes: 15,
  },
  {
    seriesId: '10191',
    seriesSlug: 'eth-up-or-down-15m',
    asset: 'ETH',
    assetName: 'Ethereum',
    minutes: 15,
  },
  {
    seriesId: '10423',
    seriesSlug: 'sol-up-or-down-15m',
    asset: 'SOL',
    assetName: 'Solana',
    minutes: 15,
  },
];

export interface RoundsOptions {
  readonly clock: Clock;
  /** Rounds it knows from before a stop are taken up again. */
  readonly exchange: Pick<VenueModel, 'listMarket' | 'markets' | 'payout' | 'resolve'>;
  readonly prices: SettlementPrices;
  /** Null for a window the venue does not list. */
  readonly idsOf: (slug: string) => ChainIds | null;
  /** Series that are listed; all of them unless stated. */
  readonly series?: readonly RoundSeries[];
  /** What the venue is known to have paid, for windows whose boundary the feed missed. */
  readonly knownPayout?: (slug: string) => readonly [number, number] | null;
  readonly rule: SettlementRule;
  /** Windows are listed this long before they start. */
  readonly listingHorizonMs: number;
  /** Token ids are filled in this long after the listing. */
  readonly hydrationDelayMs: number;
  /** The result is announced this long after the end. */
  readonly resolutionDelayMs: number;
}

/** The recurring markets and their life. */
export interface Rounds {
  /** Every round that is remembered, oldest first. */
  listings(): readonly Listing[];
  /** The price to beat, 18 decimals; null before the start. */
  strikeE18(window: ListedWindow): bigint | null;
  /** The price at the end, 18 decimals; null before it is known. */
  finalE18(window: ListedWindow): bigint | null;
  stop(): void;
}

const SLUG = /^(btc|eth|sol)-updown-(5|15)m-(\d{10})$/;

/**
 * Lists rounds ahead of time, resolves them by the settlement feed, and goes on with those the
 * exchange knows.
 */
export function startRounds(options: RoundsOptions): Rounds {
  const { clock, exchange } = options;
  const known = new Map<string, Listing>();
  /**
   * The newest start asked for, by series: a venue that lists no such window will not list it
   * later.
   */
  const askedMs = new Map<RoundSeries, number>();
  let timer: Timer | null = null;

  function takeUp(): void {
    for (const { slug, marketId, endsAtMs } of exchange.markets()) {
      const round = parseRoundSlug(slug);
      if (round === null) continue;
      const payoutTicks = exchange.payout(marketId);
      const ending =
        payoutTicks === null ? null : { atMs: endsAtMs + options.resolutionDelayMs, payoutTicks };
      const listing = roundListing(options, round, ending);
      if (listing !== null) known.set(slug, listing);
    }
  }

  function listAhead(nowMs: number): void {
    for (const series of options.series ?? ROUND_SERIES) {
      const stepMs = series.minutes * 60_000;
      const first = Math.max(
        Math.floor(nowMs / stepMs) * stepMs,
        (askedMs.get(series) ?? 0) + stepMs,
      );
      for (let at = first; at <= nowMs + options.listingHorizonMs; at += stepMs) {
        askedMs.set(series, at);
        const slug = roundSlug(series, at);
        if (known.has(slug)) continue;
        const listing = roundListing(
          options,
          { series, startsAtMs: at, endsAtMs: at + stepMs },
          null,
        );
        if (listing === null) continue;
        known.set(slug, listing);
        exchange.listMarket(listing.market);
      }
    }
  }

  function resolveEnded(nowMs: number): void {
    for (const [slug, listing] of known) {
      const { window, ending, market } = listing;
      if (window === null || ending !== null || nowMs < window.endsAtMs + options.resolutionDelayMs)
        continue;
      const payoutTicks = payoutOf(options, window, nowMs);
      if (payoutTicks === null) continue;
      known.set(slug, { ...listing, ending: { atMs: nowMs, payoutTicks } });
      exchange.resolve(market.marketId, payoutTicks);
    }
  }

  function forgetOld(): void {
    for (const [slug, { ending }] of known) {
      if (known.size <= SANDBOX.roundsKept) return;
      if (ending !== null) known.delete(slug);
    }
  }

  function turn(): void {
    const nowMs = clock.nowMs();
    listAhead(nowMs);
    resolveEnded(nowMs);
    forgetOld();
    timer = clock.after(1_000 - (nowMs % 1_000), turn);
  }

  takeUp();
  turn();
  return {
    listings: () => [...known.values()],
    strikeE18: (window) => boundaryPrice(options, window, window.startsAtMs),
    finalE18: (window) => boundaryPrice(options, window, window.endsAtMs),
    stop: () => timer?.cancel(),
  };
}

/** Slug of a round: `btc-updown-5m-<start second>`. */
function roundSlug(series: RoundSeries, startsAtMs: number): string {
  return `${series.asset.toLowerCase()}-updown-${series.minutes}m-${startsAtMs / 1000}`;
}

function parseRoundSlug(slug: string): ListedWindow | null {
  const [, asset, minutes, second] = SLUG.exec(slug) ?? [];
  const series = ROUND_SERIES.find(
    (one) => one.asset.toLowerCase() === asset && String(one.minutes) === minutes,
  );
  const startsAtMs = Number(second) * 1000;
  return series === undefined
    ? null
    : { series, startsAtMs, endsAtMs: startsAtMs + series.minutes * 60_000 };
}

/**
 * Up when the end is at or above the start, compared with all 18 decimals. Half each when the feed
 * has a hole that nothing closes.
 */
function payoutOf(
  options: RoundsOptions,
  window: ListedWindow,
  nowMs: number,
): readonly [number, number] | null {
  const known = options.knownPayout?.(roundSlug(window.series, window.startsAtMs)) ?? null;
  if (known !== null && !isExact(options, window)) return known;
  const strike = boundaryPrice(options, window, window.startsAtMs);
  const final = boundaryPrice(options, window, window.endsAtMs);
  if (strike !== null && final !== null) return final >= strike ? [10_000, 0] : [0, 10_000];
  return nowMs > window.endsAtMs + SANDBOX.recordedHoleSeconds * 1000 ? [5_000, 5_000] : null;
}

/** True when the feed has a value of both boundary seconds, not only a later one. */
function isExact(
  { prices, rule }: RoundsOptions,
  { series, startsAtMs, endsAtMs }: ListedWindow,
): boolean {
  return [startsAtMs / 1000, endsAtMs / 1000].every(
    (second) =>
      (rule === 'spot' ? prices.at(series.asset, second) : twapAt(prices, series.asset, second)) !==
      null,
  );
}

/** The first settlement value stamped at or after a moment, among those that have happened. */
function boundaryPrice(
  { clock, prices, rule }: RoundsOptions,
  { series }: ListedWindow,
  atMs: number,
): bigint | null {
  const first = atMs / 1000;
  const last = Math.min(Math.floor(clock.nowMs() / 1000), first + SANDBOX.recordedHoleSeconds);
  for (let second = first; second <= last; second += 1) {
    const price =
      rule === 'spot' ? prices.at(series.asset, second) : twapAt(prices, series.asset, second);
    if (price !== null) return price;
  }
  return null;
}

function roundListing(
  options: RoundsOptions,
  window: ListedWindow,
  ending: Ending | null,
): Listing | null {
  const { series, startsAtMs, endsAtMs } = window;
  const slug = roundSlug(series, startsAtMs);
  const ids = options.idsOf(slug);
  if (ids === null) return null;
  const title = roundTitle(series, startsAtMs, endsAtMs);
  const { description, resolutionSource } = roundRules(series, options.rule);
  const number = (startsAtMs / 300_000) * 10 + ROUND_SERIES.indexOf(series);
  const listedAtMs = startsAtMs - options.listingHorizonMs;
  return {
    market: {
      marketId: ids.marketId,
      tokens: ids.tokens,
      labels: ['Up', 'Down'],
      slug,
      question: title,
      tickSize: priceTicks(100),
      minSize: shareMicros(5_000_000),
      negRisk: false,
      fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
      takerDelayMs: SANDBOX.takerDelayMs,
      opensForOrdersAtMs: listedAtMs,
      endsAtMs,
    },
    questionId: ids.questionId,
    listingId: String(number),
    event: {
      eventId: String(1_000_000_000 + number),
      slug,
      title,
      tags: [TAGS.crypto, TAGS.upOrDown],
    },
    groupTitle: null,
    description,
    resolutionSource,
    listedAtMs,
    hydratedAtMs: listedAtMs + options.hydrationDelayMs,
    window,
    ending,
  };
}
