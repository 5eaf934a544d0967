import type { UserId } from '../../src/domain/ids.ts';
import type { Trading } from '../../src/services/trading.ts';
import { VENUE_A, VENUE_B } from './venue-ids.ts';

/** Has a user watched at every venue that is open, as their first order there does. */
export function watchUser({ userStreams }: Pick<Trading, 'userStreams'>, userId: UserId): void {
  for (const venue of [VENUE_A, VENUE_B]) userStreams.activate(userId, venue);
}
