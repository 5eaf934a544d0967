import { VENUE_C } from '../../../../config/limits/venue-c.ts';
import type { VenueApi } from '../../../http/venue-api.ts';
import { VENUE_C_ID } from '../id.ts';
import { VENUE_C_IDS } from './ids.ts';
import { marketRoutes } from './markets.ts';

/** What venue_c adds to the interface. */
export const venueCApi = {
  venue: VENUE_C_ID,
  description: 'Markets on venue_c.',
  ids: VENUE_C_IDS,
  traits: { shareStepMicros: VENUE_C.shareStepMicros },
  examples: {},
  exampleMarketId: 'will-a-happen-1768933068297',
  routes: [...marketRoutes],
} satisfies VenueApi;
