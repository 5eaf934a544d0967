import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import { USERS, type UserRecord } from './tables.ts';

/** A user's phone as it is kept: sealed to call it, masked to show it. */
export interface SealedPhone {
  readonly sealed: string;
  readonly masked: string;
}

/**
 * Returns the phone codes for what is not undone go to. Errors: `phone_required` where the user has
 * none; `not_found`.
 */
export function phoneOf(store: StoreReader, userId: UserId): SealedPhone {
  const user: UserRecord | undefined = store.get(USERS, [userId])?.value;
  if (user === undefined) throw new AppError('not_found', `there is no user ${userId}`);
  const { phoneSealed, phoneMasked } = user;
  if (phoneSealed === null || phoneMasked === null)
    throw new AppError(
      'phone_required',
      'the code for this goes to your phone: add one first with POST /api/auth/link',
    );
  return { sealed: phoneSealed, masked: phoneMasked };
}
