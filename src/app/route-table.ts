import { createRouteTable } from '../http/routes/table.ts';
import { VENUES } from '../venues/table.ts';
import type { VenueApi } from '../http/venue-api.ts';

/** What the venues add to the interface, in the order they are shown. */
export const VENUE_APIS: readonly VenueApi[] = VENUES.flatMap(({ api }) => api ?? []);

/** Every route of the service. */
export const routeTable = createRouteTable(VENUE_APIS);
