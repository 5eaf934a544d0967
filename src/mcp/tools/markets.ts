import { asId, type VenueId } from '../../domain/ids.ts';
import {
  bookRow,
  booksRow,
  candleRow,
  eventRow,
  marketRow,
  newestPeriods,
  wholeMarketRow,
} from '../rows/markets.ts';
import { READS, type Tool } from '../tool.ts';

const VENUE_A = asId<VenueId>('venue_a');
const VENUE_B = asId<VenueId>('venue_b');

const reads = { scope: 'read', annotations: READS, budget: 'calls' } as const;
const BROWSE_SAYS = {
  search: 'Words of the title.',
  sort: '',
  cursor: 'nextCursor of the page before.',
  state: '',
  eventId: '',
  series: '',
  status: '',
};
/** Filters that few use. */
const UNLISTED = ['slug', 'seriesId', 'tag', 'ids'];

/** What looks at markets. */
export const MARKET_TOOLS: readonly Tool[] = [
  {
    ...reads,
    name: 'markets_list',
    title: 'Markets',
    description:
      'Search or list markets of a venue; prices in USD a contract, which pays 1 if right. Rules: market_get.',
    operationId: 'listMarkets',
    venue: VENUE_B,
    says: BROWSE_SAYS,
    unlisted: [...UNLISTED, 'state'],
    answer: { row: marketRow },
  },
  {
    ...reads,
    name: 'market_get',
    title: 'One market',
    description: 'One market, open or closed, with its rules whole, its prices and its token ids.',
    operationId: 'getMarket',
    venue: VENUE_B,
    renamed: { id: 'marketId', slug: 'marketId' },
    says: { marketId: '' },
    answer: { row: wholeMarketRow, longText: ['description'] },
  },
  {
    ...reads,
    name: 'events_list',
    title: 'Events of venue_b',
    description:
      'Events of venue_b, each with its first markets; all of them: markets_list with eventId.',
    operationId: 'listEventsVenueB',
    onlyVenue: VENUE_B,
    says: BROWSE_SAYS,
    unlisted: UNLISTED,
    answer: { row: eventRow },
  },
  {
    ...reads,
    name: 'venue_a_markets',
    title: 'Markets of venue_a',
    description:
      'Search or list markets of venue_a with prices in USD a share, which pays 1 if right. One market with its rules: market_get with venue "venue_a".',
    operationId: 'listMarkets',
    onlyVenue: VENUE_A,
    says: BROWSE_SAYS,
    unlisted: UNLISTED,
    answer: { row: marketRow },
  },
  {
    ...reads,
    name: 'venue_a_events',
    title: 'Events of venue_a',
    description:
      'Events of venue_a, each with its first markets; all of them: venue_a_markets with eventId.',
    operationId: 'listEvents',
    onlyVenue: VENUE_A,
    says: BROWSE_SAYS,
    unlisted: UNLISTED,
    answer: { row: eventRow },
  },
  {
    ...reads,
    name: 'venue_a_market_orderbook',
    title: 'Order book at venue_a',
    description:
      'Order book of one outcome at venue_a by the tokenId that market_get tells: [price in USD, shares], best first.',
    operationId: 'getOrderBook',
    onlyVenue: VENUE_A,
    renamed: { id: 'tokenId' },
    says: { tokenId: '' },
    answer: { row: bookRow },
  },
  {
    ...reads,
    name: 'venue_a_price_history',
    title: 'Prices over time at venue_a',
    description: 'Prices of one outcome at venue_a over time: the newest 30 periods of a span.',
    operationId: 'getCandlesticksVenueA',
    onlyVenue: VENUE_A,
    renamed: { id: 'tokenId' },
    says: { tokenId: '', periodMinutes: '' },
    answer: { row: candleRow, folded: newestPeriods },
  },
  {
    ...reads,
    name: 'market_orderbook',
    title: 'Order books at venue_b',
    description:
      'Order books of Yes and No of a market of venue_b: [price in USD, contracts], best first.',
    operationId: 'getOrderBookVenueB',
    onlyVenue: VENUE_B,
    renamed: { id: 'marketId' },
    says: { marketId: '' },
    answer: { row: booksRow },
  },
  {
    ...reads,
    name: 'price_history',
    title: 'Prices over time at venue_b',
    description: 'Prices of Yes of a market of venue_b over time: the newest 30 periods of a span.',
    operationId: 'getCandlesticksVenueB',
    onlyVenue: VENUE_B,
    renamed: { id: 'marketId' },
    says: { marketId: '', periodMinutes: '' },
    answer: { row: candleRow, folded: newestPeriods },
  },
];
