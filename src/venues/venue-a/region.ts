import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { RegionCheck } from '../../ports/venue.ts';
import type { VenueClient } from './client.ts';

/**
 * What is read of the answer: the rest says where we are, which is not needed here
 * (venue_a.md section 7.2, documented and seen by others).
 */
const geoblockSchema = z.object({ blocked: z.boolean() });

/**
 * Asks the venue's website whether orders are taken from this machine's address. It lives apart
 * from the order book and may be wrong about it.
 */
export function createRegionCheck(client: VenueClient): RegionCheck {
  return {
    async isBlocked(signal) {
      const answer = geoblockSchema.safeParse(
        await client.read({ family: 'site', method: 'GET', path: '/api/geoblock', signal }),
      );
      if (!answer.success)
        throw new AppError('venue_protocol', 'unexpected format of the answer about our region');
      return answer.data.blocked;
    },
  };
}
