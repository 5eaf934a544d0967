import { expect } from 'vitest';
import { findingsOf } from './findings.ts';
import type { Scenario } from './scenario.ts';

/**
 * What a service at rest must be, whatever went wrong on the way; the seed and the hash stand
 * beside what is not.
 */
export function expectSound(scenario: Scenario): void {
  const { seed, hash, isAtRest } = scenario;
  const errors = scenario.log.lines
    .filter(({ level }) => level === 'error')
    .map(({ event, fields }) => `${event} ${JSON.stringify(fields)}`);
  expect({ seed, hash, isAtRest, ...findingsOf(scenario), errors }).toEqual({
    seed,
    hash,
    isAtRest: true,
    books: [],
    openOrders: [],
    venueOrdersOfNoIntent: [],
    ordersPerIntentAboveOne: [],
    misjudged: [],
    reservations: [],
    differences: [],
    errors: [],
  });
}
