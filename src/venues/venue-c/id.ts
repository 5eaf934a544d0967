import { asId, type MechanismId, type VenueId } from '../../domain/ids.ts';

/** The id of this venue's row. */
export const VENUE_C_ID = asId<VenueId>('venue_c');

/** Markets of trade type `amm`: users trade with a contract. */
export const POOL = asId<MechanismId>('pool');
