import { READS, type Tool } from './tool.ts';

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
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
];
