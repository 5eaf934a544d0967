import type { Environment } from '../../config/schema.ts';
import { createEncryptorRing } from '../adapters/keys/encryptor-ring.ts';
import { openKeyVault } from '../adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../adapters/keys/local-encryptor.ts';
import { startRewrap } from '../adapters/keys/rewrap.ts';
import type { Keccak } from '../adapters/wire/keccak.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { ShareSecret } from '../ports/shared-secret.ts';
import { masterKeys } from './storage.ts';
import type { Teardown } from './teardown.ts';

/**
 * Opens the vault under the master key; where a former one is named too, what it still holds is
 * wrapped anew in the background. Errors: `config_invalid`, `master_key_wrong`, `store_corrupt`,
 * `store_unavailable`.
 */
export async function openKeys(
  parts: Pick<Runtime, 'store' | 'random' | 'log' | 'metrics' | 'clock'> & {
    readonly folder: string;
    readonly environment: Environment;
    readonly keccak: Keccak;
    readonly share: ShareSecret;
  },
  teardown: Teardown,
): Promise<KeyVault> {
  const { store, random, log, metrics, clock } = parts;
  const { current, former } = masterKeys(parts.folder, parts.environment, (count) =>
    random.bytes(count),
  );
  const encryptor = createEncryptorRing(
    createLocalEncryptor(current, random),
    former === null ? [] : [createLocalEncryptor(former, random)],
  );
  const vault = await openKeyVault({ ...parts, encryptor });
  if (former !== null) {
    const rewrap = startRewrap({ store, encryptor, clock, log, metrics });
    teardown.add(() => rewrap.stop());
  }
  return vault;
}
