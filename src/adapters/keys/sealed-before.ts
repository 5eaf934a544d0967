import type { KeyEncryptor } from '../../ports/key-encryptor.ts';
import { damagedSeal, openBytes } from './sealing.ts';

/**
 * A secret of the first sealed form, `v1.<label>.<master key id>.<sealed data key>.<sealed secret>`: each had a data key of its
 * own. Stores made then are brought to the present form at their first start.
 */
export interface SealedBefore {
  /** The address for a key, "secret" for a text. */
  readonly label: string;
  readonly plain: Uint8Array;
}

/** True for the text of a secret of the first form. */
export function isSealedBefore(text: string): boolean {
  return text.startsWith('v1.');
}

/** Opens a secret of the first form; the caller wipes it. Errors: `master_key_wrong`, `store_corrupt`. */
export async function openSealedBefore(
  encryptor: KeyEncryptor,
  text: string,
): Promise<SealedBefore> {
  const [version, label, keyId, wrapped, secret, ...rest] = text.split('.');
  if (
    version !== 'v1' ||
    label === undefined ||
    keyId === undefined ||
    wrapped === undefined ||
    secret === undefined ||
    rest.length > 0
  )
    throw damagedSeal();
  const header = `v1.${label}.${keyId}`;
  const dataKey = await encryptor.unwrap({ keyId, wrapped }, header);
  try {
    return { label, plain: openBytes(dataKey, secret, `${header}.${wrapped}`) };
  } finally {
    dataKey.fill(0);
  }
}
