import type { Scenario } from './findings.ts';
import { VENUE_C_BOOKS } from './venue-c-books.ts';
import { VENUE_C_ENDING } from './venue-c-ending.ts';
import { VENUE_C_ORDERS } from './venue-c-orders.ts';

/** Scenarios of the rows of venue_c. */
export const VENUE_C: Readonly<Record<string, Scenario>> = {
  ...VENUE_C_ORDERS,
  ...VENUE_C_ENDING,
  ...VENUE_C_BOOKS,
};
