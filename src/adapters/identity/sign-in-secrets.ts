import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretDigests, TokenIssuer } from '../../ports/identity.ts';
import type { Store, Table } from '../../ports/store.ts';
import { openSigningKeys, type SigningKeysParts } from './signing-keys.ts';
import { createTokenIssuer } from './token-issuer.ts';

/** A secret of the service, sealed under the master key. */
interface SealedSecret {
  readonly sealed: string;
}

/** Secrets of identity: ['digest_key']. */
const IDENTITY_SECRETS: Table<SealedSecret> = { name: 'identity_secrets' };

export interface SignInSecretsParts extends SigningKeysParts {
  readonly store: Store;
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  readonly audience: string;
}

/** Tokens and digests, with keys of their own. */
export interface SignInSecrets {
  readonly tokens: TokenIssuer;
  readonly digests: SecretDigests;
  /** Ends the rotation of keys. */
  stop(): void;
}

/**
 * Opens tokens and digests with the keys kept sealed in the store; makes the keys at the first
 * start. Errors: `master_key_wrong` when they cannot be unsealed.
 */
export async function openSignInSecrets(parts: SignInSecretsParts): Promise<SignInSecrets> {
  const digests = createDigests(await openSecret(parts, 'digest_key'));
  const keys = await openSigningKeys(parts);
  const { random, issuer, audience } = parts;
  return {
    tokens: createTokenIssuer({ ring: keys.ring, random, issuer, audience }),
    digests,
    stop: keys.stop,
  };
}

async function openSecret(
  { store, vault, random }: SignInSecretsParts,
  name: string,
): Promise<Buffer> {
  const found = store.get(IDENTITY_SECRETS, [name]);
  if (found !== null) return Buffer.from(vault.unseal(found.value.sealed), 'hex');
  const secret = Buffer.from(random.bytes(32));
  const sealed = vault.seal(secret.toString('hex'));
  await store.write((tx) => tx.put(IDENTITY_SECRETS, [name], { sealed }, 0));
  await store.flushed();
  return secret;
}

/** Keyed digests by HMAC-SHA256. */
export function createDigests(key: Uint8Array): SecretDigests {
  return {
    digest: (purpose, text) =>
      createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url'),
    same: (left, right) => {
      const a = Buffer.from(left);
      const b = Buffer.from(right);
      return a.length === b.length && timingSafeEqual(a, b);
    },
  };
}
