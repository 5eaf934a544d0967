import type { BookLevel } from '../../../../domain/book.ts';
import { contractsOf, VENUE_C_CHAIN } from '../chain-addresses.ts';
import { shownPrice, type BookExchange } from '../model/exchange.ts';
import type { MarketGroup, VenueMarket } from '../model/market.ts';
import type { VenueTrade } from '../model/order.ts';
import { formatted } from './replies.ts';

const COLLATERAL = { address: VENUE_C_CHAIN.usdc, decimals: 6, symbol: 'USDC' } as const;
/** Rewards for resting orders, as the venue states them; the sandbox pays none. */
const SETTINGS = {
  minSize: '100000000',
  maxSpread: 0.035,
  dailyReward: '0',
  rewardsEpoch: '0.3472222222222222',
  c: '3',
  creatorFeePct: 0,
  rebateRate: '1',
} as const;
/** A row of a list: a market of its own, or all of a group that are open. */
export type ListedRow = readonly [VenueMarket, ...VenueMarket[]];

const NO_ASK = 0.999;
const NO_BID = 0.001;

/** What is shown of a market however it is traded (venue_c.md section 7.1). */
export function commonShape(exchange: BookExchange, market: VenueMarket, volume: number) {
  const nowMs = exchange.clock.nowMs();
  const ending = exchange.ending(market);
  return {
    id: market.id,
    slug: market.slug,
    title: market.title,
    proxyTitle: null,
    description: market.description,
    collateralToken: COLLATERAL,
    expirationDate: dayOf(market.endsAtMs),
    expirationTimestamp: market.endsAtMs,
    expired: nowMs >= market.endsAtMs,
    createdAt: iso(market.createdAtMs),
    updatedAt: iso(Math.min(nowMs, ending?.atMs ?? nowMs)),
    startAt: iso(market.startsAtMs),
    categories: market.categories,
    status: ending === null ? (nowMs < market.endsAtMs ? 'FUNDED' : 'CLOSED') : 'RESOLVED',
    creator: { name: 'Sandbox', imageURI: '', link: '' },
    tags: market.tags,
    tradeType: market.tradeType,
    marketType: 'single',
    priorityIndex: 0,
    metadata: {
      fee: true,
      isBannered: false,
      isPolyArbitrage: false,
      shouldMarketMake: true,
      ...openPriceOf(exchange, market),
    },
    volume: String(volume),
    volumeFormatted: formatted(volume),
    automationType: market.window === null ? 'manual' : 'lumy',
    imageUrl: null,
    logo: null,
    trends: {},
    hidden: false,
    groupId: market.group?.id ?? null,
    isOther: false,
    conditionId: market.conditionId,
    negRiskRequestId: market.group === null ? null : market.questionId,
    positionIds: market.tokens,
    winningOutcomeIndex: ending?.winner ?? null,
    ...(market.window === null
      ? {}
      : {
          priceOracleMetadata: {
            assetType: 'CRYPTO',
            name: market.window.asset,
            ticker: market.window.asset,
            symbol: `Crypto.${market.window.asset}/USD`,
          },
        }),
  };
}

/** A market of a book as listings and its own page show it. */
export function bookMarketShape(exchange: BookExchange, market: VenueMarket) {
  const yes = round3(shownPrice(exchange, market));
  const volume = exchange.book(market).trades.reduce((sum, { taker }) => sum + taker.usdc, 0);
  return {
    ...commonShape(exchange, market, volume),
    tokens: { yes: market.tokens[0], no: market.tokens[1] },
    prices: pricesOf(yes),
    tradePrices: tradePricesOf(exchange, market),
    isRewardable: true,
    settings: { ...SETTINGS, takerDelayMs: market.takerDelayMs },
    venue: contractsOf(market),
  };
}

/** A group with its markets, as listings and its own page show it. */
export function groupShape(
  exchange: BookExchange,
  group: MarketGroup,
  [first, ...others]: ListedRow,
) {
  const markets = [first, ...others].map((market) => bookMarketShape(exchange, market));
  const volume = markets.reduce((sum, market) => sum + Number(market.volume), 0);
  const { tokens: _tokens, ...shared } = bookMarketShape(exchange, first);
  return {
    ...shared,
    ...idsOfGroup(group),
    status: markets.some(({ status }) => status === 'FUNDED') ? 'FUNDED' : shared.status,
    tradeType: 'group',
    marketType: 'group',
    volume: String(volume),
    volumeFormatted: formatted(volume),
    outcomeTokens: markets.map(({ title }) => title),
    markets,
  };
}

/** What a group has of its own, in the place of what a market of it has. */
function idsOfGroup({ id, slug, title, description, categories, groupId }: MarketGroup) {
  return {
    id,
    slug,
    title,
    description,
    categories,
    negRiskMarketId: groupId,
    groupId: null,
    conditionId: null,
    negRiskRequestId: null,
    positionIds: null,
    prices: null,
    tradePrices: null,
    winningOutcomeIndex: null,
  };
}

/** Prices of YES and NO, to a thousandth. */
export function pricesOf(yes: number): readonly [number, number] {
  return [round3(yes), round3(1 - yes)];
}

/** A book, quoted in YES (venue_c.md section 7.2). */
export function bookShape(exchange: BookExchange, market: VenueMarket) {
  const { book, lastPrice } = exchange.book(market);
  const { bids, asks } = book.view(0);
  const [bid, ask] = [bids[0], asks[0]];
  const midpoint =
    bid === undefined || ask === undefined
      ? round4(shownPrice(exchange, market))
      : (bid.price + ask.price) / 20_000;
  return {
    bids: bids.map((level) => levelShape(level, 'BUY')),
    asks: asks.map((level) => levelShape(level, 'SELL')),
    tokenId: market.tokens[0],
    adjustedMidpoint: midpoint,
    midpoint,
    maxSpread: String(SETTINGS.maxSpread),
    minSize: SETTINGS.minSize,
    lastTradePrice: lastPrice === null ? null : lastPrice / 10_000,
  };
}

/** A public trade (venue_c.md section 7.3). */
export function eventShape(market: VenueMarket, { taker, txHash, createdAtMs }: VenueTrade) {
  const isBuy = taker.side === 'buy';
  return {
    createdAt: iso(createdAtMs),
    makerAmount: String(isBuy ? taker.usdc : taker.shares),
    takerAmount: String(isBuy ? taker.shares : taker.usdc),
    matchedSize: String(taker.shares),
    price: taker.price / 10_000,
    profile: { account: taker.account },
    side: isBuy ? 0 : 1,
    title: '',
    tokenId: market.tokens[taker.outcome],
    txHash,
  };
}

/** An entry of the short list of all slugs; that of a group names its markets. */
export function slugShape(exchange: BookExchange, row: ListedRow): object {
  const [market] = row;
  const { group } = market;
  const deadline = iso(market.endsAtMs);
  if (group !== null)
    return {
      slug: group.slug,
      deadline,
      markets: row.map(({ slug }) => ({ slug, strikePrice: null, ticker: null, deadline })),
    };
  return {
    slug: market.slug,
    strikePrice: openPriceOf(exchange, market).openPrice ?? null,
    ticker: market.window?.asset ?? null,
    deadline,
  };
}

function openPriceOf(exchange: BookExchange, market: VenueMarket): { readonly openPrice?: string } {
  const opening = exchange.values.openingOf(market, exchange.clock.nowMs());
  if (opening === null) return {};
  const digits = opening.toString().padStart(19, '0');
  return { openPrice: `${digits.slice(0, -18)}.${digits.slice(-18)}` };
}

/** Best prices of YES and NO, bought and sold, by limit and at the market. */
function tradePricesOf(exchange: BookExchange, market: VenueMarket) {
  const { book } = exchange.book(market);
  const bid = book.best('bid');
  const ask = book.best('ask');
  const yes = {
    bid: bid === null ? NO_BID : bid / 10_000,
    ask: ask === null ? NO_ASK : ask / 10_000,
  };
  const no = { bid: round3(1 - yes.ask), ask: round3(1 - yes.bid) };
  return {
    buy: { market: [yes.ask, no.ask], limit: [yes.bid, no.bid] },
    sell: { market: [yes.bid, no.bid], limit: [yes.ask, no.ask] },
  };
}

function levelShape({ price, size }: BookLevel, side: 'BUY' | 'SELL') {
  return { price: price / 10_000, size: Number(size), side };
}

function dayOf(ms: number): string {
  const options = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-US', options).format(ms);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function round3(price: number): number {
  return Math.round(price * 1_000) / 1_000;
}

function round4(price: number): number {
  return Math.round(price * 10_000) / 10_000;
}
