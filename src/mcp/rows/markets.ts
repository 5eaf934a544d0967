import { MCP } from '../../../config/limits/mcp.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import type { Row } from '../tool.ts';
import { at, entriesOf, membersOf, row, unless, type Members } from './row.ts';

/** A market of a list: what it asks, its prices and its end. */
export const marketRow: Row = (market) => ({
  ...row(['venue', 'marketId', 'question', 'groupTitle'])(market),
  ...pricesOf(market),
  ...row(['endsAtMs', 'volumeUsd', 'notTradeableReason'])(market),
  acceptingOrders: unless(at(market, 'acceptingOrders'), true),
  closed: unless(at(market, 'closed'), false),
  wonBy: at(market, 'resolution.side'),
});

/** One market: its rules too, and what an order there must keep to. */
export const wholeMarketRow: Row = (market, venue) => ({
  ...membersOf(marketRow(market, venue)),
  ...row(['description', 'resolutionSource', 'eventId', 'eventTitle'])(market),
  ...row(['tickSize', 'minSize', 'takerFeeRate', 'takerFeeExponent', 'firstBuyCost'])(market),
  tokenIds: Object.fromEntries(
    entriesOf(at(market, 'outcomes')).map((each) => [
      String(at(each, 'side')),
      at(each, 'tokenId'),
    ]),
  ),
  negRisk: unless(at(market, 'negRisk'), false),
  series: at(market, 'series.slug'),
  strike: at(market, 'window.strike'),
  opensAtMs: at(market, 'opensAtMs'),
  volume24hUsd: at(market, 'volume24hUsd'),
  liquidityUsd: at(market, 'liquidityUsd'),
  payouts: at(market, 'resolution.payouts'),
});

/** An event with the first of its markets. */
export const eventRow: Row = (event) => {
  const markets = entriesOf(at(event, 'markets'));
  return {
    ...row(['eventId', 'title', 'endsAtMs', 'volumeUsd'])(event),
    closed: unless(at(event, 'closed'), false),
    marketCount: markets.length,
    markets: markets.slice(0, MCP.eventMarkets).map((market) => ({
      marketId: at(market, 'marketId'),
      title: at(market, 'groupTitle') ?? unless(at(market, 'question'), at(event, 'title')),
      ...pricesOf(market),
    })),
  };
};

/** The best levels of a book. */
export const bookRow: Row = (book) => ({
  ...row(['marketId', 'ageMs', 'trusted', 'distrust'])(book),
  bids: levelsOf(at(book, 'bids')),
  asks: levelsOf(at(book, 'asks')),
});

/** Both books of a market. */
export const booksRow: Row = (books, venue) => ({
  marketId: at(books, 'marketId'),
  ...Object.fromEntries(
    ['yes', 'no'].map((side) => {
      const book = at(books, side);
      if (book === null) return [side, null];
      const { marketId: _same, ...rest } = membersOf(bookRow(book, venue));
      return [side, rest];
    }),
  ),
});

/** The newest periods: older ones come by a span of time, or with all fields. */
export function newestPeriods(periods: readonly JsonValue[]): readonly JsonValue[] {
  return periods.slice(-MCP.periods);
}

/** A period: the price at its end, what was traded in it, and the best prices then. */
export const candleRow: Row = (candle) => ({
  endsAtMs: at(candle, 'endsAtMs'),
  close: at(candle, 'price.close'),
  volume: at(candle, 'volume'),
  bid: at(candle, 'bid.close'),
  ask: at(candle, 'ask.close'),
});

function levelsOf(levels: JsonValue): readonly JsonValue[] {
  return entriesOf(levels)
    .slice(0, MCP.bookLevels)
    .map((level) => [at(level, 'price'), at(level, 'size')]);
}

/** The best prices of both outcomes, with their names where these are not Yes and No. */
function pricesOf(market: JsonValue): Members {
  return Object.fromEntries(
    entriesOf(at(market, 'outcomes')).map((outcome) => [
      String(at(outcome, 'side')),
      {
        label: unless(at(outcome, 'label'), 'Yes', 'No'),
        bid: at(outcome, 'quote.bid'),
        ask: at(outcome, 'quote.ask'),
      },
    ]),
  );
}
