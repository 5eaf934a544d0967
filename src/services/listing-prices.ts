import { LISTING } from '../../config/limits/listing.ts';
import type { BookTop } from '../domain/book.ts';
import type { TokenId } from '../domain/ids.ts';
import { CERTAIN_E5, type MarketListing, type StatedPrices } from '../domain/market-listing.ts';
import type { Observed } from '../domain/signal.ts';
import { TICKS_PER_USD, priceTicks, type PriceTicks } from '../domain/units.ts';

/** What an outcome is bid and asked at, and how old that is. */
interface OutcomeQuote {
  /** Null without bids. */
  readonly bid: PriceTicks | null;
  /** Null without offers. */
  readonly ask: PriceTicks | null;
  /** 0 to CERTAIN_E5; null where the sides are too far apart to say. */
  readonly probabilityE5: number | null;
  /** A trusted book that is followed live, or the venue's listing. */
  readonly source: 'book' | 'listing';
  readonly ageMs: number;
}

/** Prices of one outcome. */
export interface OutcomePrices {
  /** Null where nothing fresh is known, and once the market is closed. */
  readonly quote: OutcomeQuote | null;
  /** What was last paid as the listing states it, and how old that statement is. */
  readonly last: { readonly price: PriceTicks; readonly ageMs: number } | null;
}

/** The best of each side of a token's book where it is followed and trusted now, else null (L8). */
export type TrustedTop = (tokenId: TokenId) => Observed<BookTop> | null;

/**
 * Returns the prices of both outcomes at `nowMs` of the market clock: a trusted live book comes
 * first, the listing's own figures after it until they are LISTING.pricesShownMs old, and nothing
 * is made up where neither is there.
 */
export function pricesOf(
  { market, prices }: MarketListing,
  topOf: TrustedTop,
  nowMs: number,
): readonly [OutcomePrices, OutcomePrices] {
  if (market.closed)
    return [
      { quote: null, last: null },
      { quote: null, last: null },
    ];
  const [first, second] = market.outcomes;
  const stated =
    prices !== null && nowMs - prices.statedAtMs <= LISTING.pricesShownMs ? prices : null;
  return [
    outcomePrices(topOf(first.tokenId), stated, nowMs),
    outcomePrices(topOf(second.tokenId), stated === null ? null : mirrored(stated), nowMs),
  ];
}

function outcomePrices(
  top: Observed<BookTop> | null,
  stated: StatedPrices | null,
  nowMs: number,
): OutcomePrices {
  const statedAgeMs = stated === null ? 0 : Math.max(0, nowMs - stated.statedAtMs);
  return {
    quote: top === null ? statedQuote(stated, statedAgeMs) : bookQuote(top, nowMs),
    last:
      stated === null || stated.last === null ? null : { price: stated.last, ageMs: statedAgeMs },
  };
}

function bookQuote({ value, receivedAtMs }: Observed<BookTop>, nowMs: number): OutcomeQuote {
  const [bid, ask] = [value.bid?.price ?? null, value.ask?.price ?? null];
  return {
    bid,
    ask,
    probabilityE5: middleE5(bid, ask),
    source: 'book',
    ageMs: Math.max(0, nowMs - receivedAtMs),
  };
}

/** How likely the best prices of a book make its outcome; null where they are too far apart. */
export function middleE5(bid: PriceTicks | null, ask: PriceTicks | null): number | null {
  return bid !== null && ask !== null && ask - bid <= LISTING.spreadForMiddleMaximumTicks
    ? ((bid + ask) * CERTAIN_E5) / (2 * TICKS_PER_USD)
    : null;
}

function statedQuote(stated: StatedPrices | null, ageMs: number): OutcomeQuote | null {
  if (
    stated === null ||
    (stated.bid === null && stated.ask === null && stated.probabilityE5 === null)
  )
    return null;
  return {
    bid: stated.bid,
    ask: stated.ask,
    probabilityE5: stated.probabilityE5,
    source: 'listing',
    ageMs,
  };
}

/**
 * The second outcome's prices: a share of each makes a dollar, so a bid for one is an offer of the
 * other (venue_a.md section 5).
 */
function mirrored({ bid, ask, last, probabilityE5, statedAtMs }: StatedPrices): StatedPrices {
  const other = (price: PriceTicks | null): PriceTicks | null =>
    price === null ? null : priceTicks(TICKS_PER_USD - price);
  return {
    bid: other(ask),
    ask: other(bid),
    last: other(last),
    probabilityE5: probabilityE5 === null ? null : CERTAIN_E5 - probabilityE5,
    statedAtMs,
  };
}
