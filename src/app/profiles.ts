import { liveProfile } from '../../config/profiles/live.ts';
import type { Profile } from '../../config/profiles/profile.ts';
import { sandboxProfile } from '../../config/profiles/sandbox.ts';
import { testProfile } from '../../config/profiles/test.ts';
import type { Environment } from '../../config/schema.ts';

const PROFILES: Readonly<
  Record<Environment['PREDICTD_PROFILE'], (environment: Environment) => Profile>
> = {
  sandbox: sandboxProfile,
  live: liveProfile,
  test: testProfile,
};

/** Returns the profile that settings name. Errors: `config_invalid`. */
export function profileOf(environment: Environment): Profile {
  return PROFILES[environment.PREDICTD_PROFILE](environment);
}
