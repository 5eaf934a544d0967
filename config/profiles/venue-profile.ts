import type { Environment } from '../schema.ts';
import type { VenueAddresses } from './profile.ts';

/** What the environment may say of venues. */
export type VenueEnvironment = Partial<Environment>;

/** How the profile runs its venues. */
export interface VenuePlan {
  /** `live`: real ones; `sandbox`: this machine's world; `test`: a world of another process. */
  readonly runs: Environment['PREDICTD_PROFILE'];
  /** The daemon's own page, where people come back to from a venue; null where it is elsewhere. */
  readonly ownPage?: string;
}

/** What the profiles know of one venue. */
export interface VenueProfile {
  /** Where the real one is: the published addresses, each of which the environment may replace. */
  addresses(environment: VenueEnvironment): VenueAddresses;
  /** Reports whether a world of another process runs it; absent where every one does. */
  isServed?(environment: VenueEnvironment): boolean;
  /** What it is opened with beside its addresses; the venue checks it. */
  settings(environment: VenueEnvironment, plan: VenuePlan): Readonly<Record<string, unknown>>;
}
