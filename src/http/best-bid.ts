import { AppError } from '../domain/errors.ts';
import type { UserId, VenueId } from '../domain/ids.ts';
import type { PriceTicks } from '../domain/units.ts';
import type { Holding } from '../services/portfolio/portfolio.ts';
import type { ApiServices } from './services.ts';

/**
 * Returns what the next share of a holding at a venue would bring; null without bids, and when
 * the venue does not state it now.
 */
export async function bestBid(
  { browsing }: Pick<ApiServices, 'browsing'>,
  userId: UserId,
  {
    venue,
    holding: { position, resolution },
  }: { readonly venue: VenueId; readonly holding: Holding },
): Promise<PriceTicks | null> {
  if (position.shares === 0 || resolution !== null) return null;
  try {
    return (await browsing(venue).books.book(userId, position.tokenId))?.bids[0]?.price ?? null;
  } catch (error) {
    // A list of positions is worth showing without the price of one.
    if (error instanceof AppError) return null;
    throw error;
  }
}
