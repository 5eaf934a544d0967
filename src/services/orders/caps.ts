import type { RiskCaps } from '../../domain/reservation.ts';
import { tightestCaps } from '../../domain/reservation.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { PlaceOrder } from './place-order.ts';
import { USER_CAPS } from '../books/tables.ts';

/** The caps over all that a user has at risk: for each the tightest of the house's, the user's own and the request's. */
export function userCaps(
  reader: StoreReader,
  house: RiskCaps,
  { userId, request }: { readonly userId: UserId; readonly request: Pick<PlaceOrder, 'limits'> },
): RiskCaps {
  return tightestCaps(house, reader.get(USER_CAPS, [userId])?.value ?? {}, request.limits ?? {});
}
