import { createECDH } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Table } from '../../ports/store.ts';

/** The keys we sign messages to push services by (RFC 8292), base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * The key made at the first start: ['current']. Browsers subscribe to its public half, so it stays.
 */
export const VAPID_KEYS: Table<{ readonly sealed: string }> = { name: 'vapid_keys' };

/**
 * Opens the configured key, or the one kept sealed in the store, or makes that. Errors:
 * `config_invalid`, `master_key_wrong`, `store_corrupt`.
 */
export async function openVapidKeys({
  store,
  vault,
  random,
  given,
}: Pick<Runtime, 'store' | 'random'> & {
  readonly vault: Pick<KeyVault, 'seal' | 'unseal'>;
  /** The configured private key; null for the one kept in the store. */
  readonly given: string | null;
}): Promise<VapidKeys> {
  if (given !== null) return vapidKeysOf(given);
  const kept = store.get(VAPID_KEYS, ['current']);
  if (kept !== null) return keysOf(Buffer.from(vault.unseal(kept.value.sealed), 'hex'));
  const secret = freshSecret(random);
  const sealed = vault.seal(secret.toString('hex'));
  await store.write((tx) => tx.put(VAPID_KEYS, ['current'], { sealed }, 0));
  await store.flushed();
  return keysOf(secret);
}

/** Returns the pair of a configured private key. Errors: `config_invalid` for no such key. */
export function vapidKeysOf(given: string): VapidKeys {
  return keysOf(givenSecret(given));
}

function givenSecret(text: string): Buffer {
  const secret = Buffer.from(text, 'base64url');
  if (secret.length === 32 && isSecret(secret)) return secret;
  throw new AppError(
    'config_invalid',
    'PREDICTD_PUSH_PRIVATE_KEY is no private key of P-256; make one, or leave it out.',
  );
}

function keysOf(secret: Buffer): VapidKeys {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(secret);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: secret.toString('base64url') };
}

/** One draw in four billion is no key of the curve. */
function freshSecret(random: Random): Buffer {
  for (;;) {
    const secret = Buffer.from(random.bytes(32));
    if (isSecret(secret)) return secret;
  }
}

function isSecret(secret: Buffer): boolean {
  try {
    createECDH('prime256v1').setPrivateKey(secret);
    return true;
  } catch {
    return false;
  }
}
