import type { Address } from '../../domain/ids.ts';
import type { AccountToken } from './auth.ts';

/** What a user's account at the venue is used with. Its secret stays inside the adapter (L12). */
export interface VenueAccount extends AccountToken {
  /** The venue's number of its profile, which orders name. */
  readonly ownerId: number;
  /** Its fee ceiling, which orders are signed with. */
  readonly feeRateBps: number;
  readonly address: Address;
}
