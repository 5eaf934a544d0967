import type { KeyEncryptor } from '../../ports/key-encryptor.ts';
import { wrongMasterKey } from './local-encryptor.ts';

/**
 * Wraps under the current master key and unwraps what any of the known ones wrapped: how a master
 * key is changed while the daemon works.
 */
export function createEncryptorRing(
  current: KeyEncryptor,
  former: readonly KeyEncryptor[],
): KeyEncryptor {
  const all = [current, ...former];
  return {
    keyId: current.keyId,
    wrap: (dataKey, context) => current.wrap(dataKey, context),
    async unwrap(key, context) {
      const holder = all.find(({ keyId }) => keyId === key.keyId);
      if (holder === undefined)
        throw wrongMasterKey(
          key.keyId,
          all.map(({ keyId }) => keyId),
        );
      return holder.unwrap(key, context);
    },
  };
}
