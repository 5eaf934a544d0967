import type { BookLevel, BookView } from '../../src/domain/book.ts';
import { asId, type MarketId, type TokenId, type UserId } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import type { MarketListing } from '../../src/domain/market-listing.ts';
import type { PositionRecord } from '../../src/domain/position.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { VENUE_A } from './venue-ids.ts';

/** A user id with 26 characters behind its prefix. */
export function aUserId(name: string | number): UserId {
  return asId<UserId>(`usr_${String(name).padStart(26, '0')}`);
}

/** A condition id made from a number. */
export function aMarketId(number: number): MarketId {
  return asId<MarketId>(`0x${number.toString(16).padStart(64, '0')}`);
}

/** A token id made from a market's number and an outcome. */
export function aTokenId(number: number, outcome: 0 | 1): TokenId {
  return asId<TokenId>(String(1_000_000 + number * 10 + outcome));
}

/**
 * A market that takes orders, with the venue's crypto fee and a tick of a cent. Ends in an hour
 * after `T0`.
 */
export function aMarket(number = 1, changes: Partial<Market> = {}): Market {
  return {
    venue: VENUE_A,
    marketId: aMarketId(number),
    listingId: String(number),
    eventId: String(number),
    slug: `btc-updown-5m-${number}`,
    question: `Bitcoin up or down ${number}?`,
    outcomes: [
      { tokenId: aTokenId(number, 0), label: 'Up' },
      { tokenId: aTokenId(number, 1), label: 'Down' },
    ],
    own: { negRisk: false },
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
    takerDelay: false,
    acceptingOrders: true,
    closed: false,
    window: null,
    endsAtMs: T0 + 3_600_000,
    volumeUsd: 0,
    liquidityUsd: 0,
    ...changes,
  };
}

/** A market as a catalogue lists it, without prices or pictures. */
export function aMarketListing(
  market: Market = aMarket(),
  changes: Partial<MarketListing> = {},
): MarketListing {
  return {
    market,
    eventSlug: null,
    eventTitle: null,
    groupTitle: null,
    series: null,
    tags: [],
    description: '',
    resolutionSource: null,
    isOneOfEvent: false,
    imageUrl: null,
    iconUrl: null,
    opensAtMs: null,
    volume24hUsd: null,
    firstBuyCost: null,
    prices: null,
    ending: null,
    ...changes,
  };
}

/** The moment tests begin: 2026-01-01 12:00 UTC. */
export const T0 = 1_767_268_800_000;

/** A price level from decimal-free numbers: ticks and whole shares. */
export function aLevel(ticks: number, shares: number): BookLevel {
  return { price: priceTicks(ticks), size: shareMicros(shares * 1_000_000) };
}

/** A trusted book received at `receivedAtMs`. */
export function aBook(market: Market, outcome: 0 | 1, changes: Partial<BookView> = {}): BookView {
  return {
    tokenId: market.outcomes[outcome].tokenId,
    marketId: market.marketId,
    epoch: 1,
    seq: 1,
    bids: [aLevel(4_800, 1_000)],
    asks: [aLevel(5_000, 1_000)],
    venueAtMs: T0,
    receivedAtMs: T0,
    distrust: null,
    ...changes,
  };
}

/** A market buy of 10 USDC of outcome 0, placed manually. */
export function aMarketBuy(changes: Partial<PlaceOrder> = {}): PlaceOrder {
  return {
    venue: VENUE_A,
    marketId: aMarketId(1),
    outcome: 0,
    side: 'buy',
    amount: { unit: 'usdc', micros: usdcMicros(10_000_000) },
    type: { kind: 'market' },
    origin: { kind: 'manual' },
    ...changes,
  };
}

/** A limit buy of 20 shares of outcome 0 at 0.40, placed manually. */
export function aLimitBuy(changes: Partial<PlaceOrder> = {}): PlaceOrder {
  return aMarketBuy({
    amount: { unit: 'shares', micros: 20_000_000 },
    type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
    ...changes,
  });
}

/** A market sell of `shares` whole shares of outcome 0, placed manually. */
export function aMarketSell(shares: number, changes: Partial<PlaceOrder> = {}): PlaceOrder {
  return aMarketBuy({
    side: 'sell',
    amount: { unit: 'shares', micros: shares * 1_000_000 },
    ...changes,
  });
}

/** Makes a position that an agent of user 1 opened: 10 shares for 5 USDC. */
export function aPosition(changes: Partial<PositionRecord> = {}): PositionRecord {
  return {
    userId: aUserId(1),
    cashAccount: 'usdc:safe',
    marketId: aMarketId(1),
    tokenId: aTokenId(1, 0),
    outcome: 0,
    question: 'Bitcoin up or down?',
    outcomeLabel: 'Up',
    agentId: 'btc_5min',
    state: 'open',
    shares: shareMicros(10_000_000),
    costUsdc: usdcMicros(5_000_000),
    realizedPnl: usdcMicros(0),
    feesUsdc: usdcMicros(100_000),
    openedAtMs: T0,
    endsAtMs: T0 + 300_000,
    closedAtMs: null,
    ...changes,
  };
}
