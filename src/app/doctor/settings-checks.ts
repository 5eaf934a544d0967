import type { Profile } from '../../../config/profiles/profile.ts';
import type { Environment } from '../../../config/schema.ts';
import { profileOf } from '../profiles.ts';
import { check, fail, ok, sentenceOf, type Check } from './check.ts';

/** What the settings come to; nulls where they, or the profile, are refused. */
export interface ReadSettings {
  readonly environment: Environment | null;
  readonly profile: Profile | null;
  readonly check: Check;
}

const REMEDY = 'set it as config/README.md says; a start is refused until then';

/** Reads the settings with the daemon's own readers, and says how they came out. */
export function readSettings(read: () => Environment): ReadSettings {
  let environment: Environment | null = null;
  const refused = (cause: unknown): ReadSettings => ({
    environment,
    profile: null,
    check: settingsCheck(async () => fail(sentenceOf(cause), REMEDY)),
  });
  try {
    environment = read();
    const profile = profileOf(environment);
    return {
      environment,
      profile,
      check: settingsCheck(async () =>
        ok(`the ${profile.name} profile has all that it needs, and what belongs together is there`),
      ),
    };
  } catch (cause) {
    return refused(cause);
  }
}

function settingsCheck(run: Check['run']): Check {
  return check('settings', { level: 'fail', remedy: REMEDY }, run);
}
