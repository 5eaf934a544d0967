import { asId, type VenueId } from '../domain/ids.ts';
import { wholeMarketRow } from './rows/markets.ts';
import { decisionRow, positionRow } from './rows/orders.ts';
import { READS, type Tool } from './tool.ts';

const VENUE_A = asId<VenueId>('venue_a');
const VENUE_B = asId<VenueId>('venue_b');
const VENUE_C = asId<VenueId>('venue_c');
const market = { row: wholeMarketRow, longText: ['description'] };

/** What a client can read by its address: a row of data that points at a route, as a tool is. */
export interface Resource extends Tool {
  /** RFC 6570; its variables are arguments of the route. */
  readonly uri: string;
}

/**
 * Every resource, in the order in which it is listed. Their names stand in the journal as those of
 * tools do.
 */
export const RESOURCES: readonly Resource[] = [
  {
    name: 'resource_market_venue_a',
    uri: 'market://venue_a/{id}',
    title: 'A market of venue_a',
    description: 'One market of venue_a by its id or short name, with its rules and its prices.',
    operationId: 'getMarket',
    onlyVenue: VENUE_A,
    answer: market,
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'resource_market_venue_b',
    uri: 'market://venue_b/{id}',
    title: 'A market of venue_b',
    description: 'One market of venue_b by its ticker, with its rules and its prices.',
    operationId: 'getMarketVenueB',
    onlyVenue: VENUE_B,
    answer: market,
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'resource_market_venue_c',
    uri: 'market://venue_c/{slug}',
    title: 'A market of venue_c',
    description: 'One market of venue_c by its slug, with its rules and its prices.',
    operationId: 'getMarketVenueC',
    onlyVenue: VENUE_C,
    answer: market,
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'resource_portfolio_venue_a',
    uri: 'portfolio://venue_a',
    title: 'Portfolio at venue_a',
    description: "The user's cash and open positions at venue_a.",
    operationId: 'listPositions',
    onlyVenue: VENUE_A,
    answer: { row: positionRow },
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'resource_portfolio_venue_b',
    uri: 'portfolio://venue_b',
    title: 'Portfolio at venue_b',
    description: "The user's open positions at venue_b, with what each cost and is worth now.",
    operationId: 'listPositionsVenueB',
    onlyVenue: VENUE_B,
    answer: { row: positionRow },
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'resource_receipts',
    uri: 'receipt://{agent}',
    title: 'Receipts of an agent',
    description:
      'Why an agent of the user traded or did not: its newest decisions, each with its inputs and its reasons.',
    operationId: 'listAgentDecisions',
    answer: { row: decisionRow },
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
];
