import { AppError } from '../../domain/errors.ts';
import type { VenueClient } from './client.ts';

/** The venue tells whole seconds: on average its clock is half a second past them. */
const HALF_A_SECOND_MS = 500;

/**
 * Reads the venue's clock (venue_a.md section 7.1), epoch ms. Errors: those of `VenueClient.read`;
 * `venue_protocol` for what is no time.
 */
export async function readVenueClock(client: VenueClient): Promise<number> {
  const seconds = Number(await client.read({ family: 'public', method: 'GET', path: '/time' }));
  if (!Number.isInteger(seconds) || seconds <= 0)
    throw new AppError('venue_protocol', 'GET /time: the answer is no time');
  return seconds * 1_000 + HALF_A_SECOND_MS;
}
