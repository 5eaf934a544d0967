import { createEncryptorRing } from '../../adapters/keys/encryptor-ring.ts';
import { SERVICE, dataKeyContext } from '../../adapters/keys/key-tables.ts';
import { createLocalEncryptor, masterKeyIdOf } from '../../adapters/keys/local-encryptor.ts';
import type { Environment } from '../../../config/schema.ts';
import type { KeyEncryptor } from '../../ports/key-encryptor.ts';
import type { Random } from '../../ports/random.ts';
import { formerMasterKey, heldMasterKey } from '../storage.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';
import type { StoreFacts } from './store-facts.ts';

const GIVE_KEY = 'give the key that this folder was sealed under, as config/README.md says';

/** Checks of the master key: its file, and whether it opens what the store has sealed. */
export function keyChecks({
  folder,
  environment,
  random,
  readStore,
}: {
  readonly folder: string;
  readonly environment: Environment;
  readonly random: Random;
  /** Errors: those of `readStoreFacts`. */
  readonly readStore: () => Promise<StoreFacts | null>;
}): readonly Check[] {
  const lost = { level: 'fail', remedy: GIVE_KEY } as const;
  return [
    check('master key', lost, async () => {
      const key = heldMasterKey(folder, environment);
      return key === null
        ? ok('none is there yet; the first start makes one in the data folder')
        : ok(`64 hex digits, its owner's alone; its fingerprint is ${masterKeyIdOf(key)}`);
    }),
    check('sealed keys', lost, async () => {
      const facts = await readStore();
      if (facts === null || facts.serviceKey === null) return skipped('nothing is sealed here yet');
      const key = heldMasterKey(folder, environment);
      if (key === null)
        return fail('keys are sealed here, and the master key is not there', GIVE_KEY);
      const current = createLocalEncryptor(key, random);
      const formerKey = formerMasterKey(environment);
      const former = formerKey === null ? null : createLocalEncryptor(formerKey, random);
      const ring = createEncryptorRing(current, former === null ? [] : [former]);
      const dataKey = await ring.unwrap(facts.serviceKey, dataKeyContext(SERVICE));
      dataKey.fill(0);
      return sealedFinding(facts, current, former);
    }),
  ];
}

function sealedFinding(
  { wrappedUnder }: StoreFacts,
  current: KeyEncryptor,
  former: KeyEncryptor | null,
): Finding {
  const all = [...wrappedUnder.values()].reduce((sum, count) => sum + count, 0);
  const stale = all - (wrappedUnder.get(current.keyId) ?? 0);
  if (stale === 0)
    return ok(`the key opens the service's data key, and ${all} data keys are under it`);
  return former === null
    ? fail(`${stale} of ${all} data keys are under another master key`, GIVE_KEY)
    : warn(
        `${stale} of ${all} data keys are under the former master key`,
        'leave PREDICTD_MASTER_KEY_OLD in place until data_keys_to_rewrap is 0',
      );
}
