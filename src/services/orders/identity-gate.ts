import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { OpenVenue } from '../venues.ts';

/** A venue that may want to know who buys there. */
export type AskingVenue = Pick<OpenVenue, 'id' | 'identity'>;

/**
 * Returns the refusal of a user the venue does not know, with the place to change that; null for
 * a user it knows, and where it asks none. Errors: those of the check.
 */
export async function identityProblem(
  { id, identity }: AskingVenue,
  userId: UserId,
): Promise<AppError | null> {
  if (identity === null || (await identity.isVerified(userId))) return null;
  const link = await identity.link(userId);
  return new AppError(
    'verification_required',
    `${id} wants to know who you are before you buy there: open the link, and come back`,
    { link },
  );
}
