import type { Environment } from '../schema.ts';
import { readIdentity, readTelephone } from './identity.ts';
import { liveProfile } from './live.ts';
import type { Profile } from './profile.ts';
import { readPush } from './push.ts';
import { servedBeside, venueSettings } from './venues.ts';

/**
 * The live profile against a world that another process runs on this machine, with its faucet, and
 * with codes on the terminal where no telephone service is given.
 */
export function testProfile(environment: Environment): Profile {
  const live = liveProfile(environment);
  return {
    ...live,
    name: 'test',
    endpoints: live.endpoints && {
      ...live.endpoints,
      venues: servedBeside(environment, live.endpoints.venues),
    },
    clockScale: 1,
    venues: venueSettings(environment, { runs: 'test' }),
    grantUsdcMicros: 1_000_000_000,
    push: readPush(environment, { contact: null }),
    identity: readIdentity(environment, {
      ...live.identity,
      codes: readTelephone(environment) ?? 'shown',
    }),
  };
}
