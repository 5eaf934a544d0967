import type { Endpoints, VenueAddresses } from './profile.ts';
import { venueAProfile } from './venue-a.ts';
import { venueBProfile } from './venue-b.ts';
import { venueCProfile } from './venue-c.ts';
import { venueDProfile } from './venue-d.ts';
import type { VenueEnvironment, VenuePlan, VenueProfile } from './venue-profile.ts';

/** What the profiles know of each venue, by its id: one row each. */
const VENUE_PROFILES: Readonly<Record<string, VenueProfile>> = {
  venue_a: venueAProfile,
  venue_b: venueBProfile,
  venue_c: venueCProfile,
  venue_d: venueDProfile,
};
const ROWS = Object.entries(VENUE_PROFILES);

/** Returns where the real venues are, by id. */
export function venueAddresses(
  environment: VenueEnvironment,
): Readonly<Record<string, VenueAddresses>> {
  return Object.fromEntries(ROWS.map(([id, venue]) => [id, venue.addresses(environment)]));
}

/** Leaves out the venues that do not run beside this process, in a world of another one. */
export function servedBeside(
  environment: VenueEnvironment,
  venues: Readonly<Record<string, VenueAddresses>>,
): Readonly<Record<string, VenueAddresses>> {
  return Object.fromEntries(
    Object.entries(venues).filter(([id]) => VENUE_PROFILES[id]?.isServed?.(environment) !== false),
  );
}

/**
 * Returns what each venue is opened with, by its id, once its addresses are known; a venue without
 * any is not served.
 */
export function venueSettings(
  environment: VenueEnvironment,
  plan: VenuePlan,
): (endpoints: Pick<Endpoints, 'venues'>) => Readonly<Record<string, unknown>> {
  return ({ venues }) =>
    Object.fromEntries(
      ROWS.flatMap(([id, venue]) => {
        const endpoints = venues[id];
        if (endpoints === undefined) return [];
        return [[id, { endpoints, ...venue.settings(environment, plan) }]];
      }),
    );
}
