import { createRouteTable } from '../http/routes/table.ts';
import { venueAApi } from '../http/routes/venue-a/api.ts';
import type { VenueApi } from '../http/venue-api.ts';

/** What the venues add to the interface, in the order they are shown. */
export const VENUE_APIS: readonly VenueApi[] = [venueAApi];

/** Every route of the service. */
export const routeTable = createRouteTable(VENUE_APIS);
