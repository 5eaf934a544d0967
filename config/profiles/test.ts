import type { Environment } from '../schema.ts';
import { readIdentity, readTelephone } from './identity.ts';
import { liveProfile } from './live.ts';
import type { Endpoints, Profile } from './profile.ts';
import { readPush } from './push.ts';
import { venueSettings } from './venues.ts';

/**
 * The live profile against a world that another process runs on this machine, with its faucet, and
 * with codes on the terminal where no telephone service is given.
 */
export function testProfile(environment: Environment): Profile {
  const live = liveProfile(environment);
  return {
    ...live,
    name: 'test',
    clockScale: 1,
    venues: (endpoints) =>
      venueSettings(environment, {
        settlesOnChain: false,
        venueBKey: environment.PREDICTD_VENUE_B_KEY ?? null,
      })(withoutUnserved(environment, endpoints)),
    grantUsdcMicros: 1_000_000_000,
    push: readPush(environment, { contact: null }),
    identity: readIdentity(environment, {
      ...live.identity,
      codes: readTelephone(environment) ?? 'shown',
    }),
  };
}

/** A venue that does not run beside this one is not served. */
function withoutUnserved(
  { PREDICTD_VENUE_B_METADATA_URL }: Environment,
  { metadataUrl, ...endpoints }: Endpoints,
): Endpoints {
  return PREDICTD_VENUE_B_METADATA_URL === undefined || metadataUrl === undefined
    ? endpoints
    : { ...endpoints, metadataUrl };
}
