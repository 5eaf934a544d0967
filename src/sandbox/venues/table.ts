import type { OpenVenue, SandboxVenue } from './contract.ts';
import { venueA } from './venue-a/venue.ts';
import { venueB } from './venue-b/venue.ts';
import { venueC } from './venue-c/venue.ts';
import { venueD } from './venue-d/venue.ts';

/** Every venue of the sandbox by its id. */
export const SANDBOX_VENUES = {
  venue_a: venueA,
  venue_b: venueB,
  venue_c: venueC,
  venue_d: venueD,
} as const satisfies Record<string, SandboxVenue>;

/** Id of a venue of the sandbox. */
type SandboxVenueId = keyof typeof SANDBOX_VENUES;

/** The venues of a running world. */
export type OpenVenues = {
  readonly [Id in SandboxVenueId]: Awaited<ReturnType<(typeof SANDBOX_VENUES)[Id]['open']>>;
};

/** Where the servers of each are. */
export type VenueUrls = {
  readonly [Id in SandboxVenueId]: OpenVenues[Id] extends OpenVenue<infer Urls> ? Urls : never;
};
