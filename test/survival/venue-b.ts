import type { Scenario } from './findings.ts';
import { VENUE_B_BOOKS } from './venue-b-books.ts';
import { VENUE_B_ENDING } from './venue-b-ending.ts';
import { VENUE_B_ORDERS } from './venue-b-orders.ts';

/** Scenarios of the rows of venue_b. */
export const VENUE_B: Readonly<Record<string, Scenario>> = {
  ...VENUE_B_ORDERS,
  ...VENUE_B_ENDING,
  ...VENUE_B_BOOKS,
};
