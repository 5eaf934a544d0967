import { createHmac, createPrivateKey, createPublicKey, timingSafeEqual } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { AppError } from '../../domain/errors.ts';
import type { SecretDigests, TokenIssuer } from '../../ports/identity.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import type { Store, Table } from '../../ports/store.ts';
import type { SigningKey } from './token-issuer.ts';
import { createTokenIssuer } from './token-issuer.ts';

/** A secret of the house, sealed under the master key. */
interface SealedSecret {
  readonly sealed: string;
}

/** Secrets of identity: ['signing_seed'], ['digest_key']. */
export const IDENTITY_SECRETS: Table<SealedSecret> = { name: 'identity_secrets' };

/** What identity is made of. */
export interface IdentityParts {
  readonly store: Store;
  readonly vault: KeyVault;
  readonly random: Random;
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  readonly audience: string;
}

/**
 * Opens tokens and digests with the keys kept sealed in the store; makes the keys at the first start.
 * Errors: `master_key_wrong` when they cannot be unsealed.
 */
export async function openIdentity(parts: IdentityParts): Promise<{ readonly tokens: TokenIssuer; readonly digests: SecretDigests }> {
  const seed = await openSecret(parts, 'signing_seed');
  const digestKey = await openSecret(parts, 'digest_key');
  const key = await signingKey(seed);
  return { tokens: createTokenIssuer({ signing: key, accepted: [key], issuer: parts.issuer, audience: parts.audience }), digests: createDigests(digestKey) };
}

async function openSecret({ store, vault, random }: IdentityParts, name: string): Promise<Buffer> {
  const found = store.get(IDENTITY_SECRETS, [name]);
  if (found !== null) return Buffer.from(vault.unseal(found.value.sealed), 'hex');
  const secret = Buffer.from(random.bytes(32));
  const sealed = vault.seal(secret.toString('hex'));
  await store.write((tx) => tx.put(IDENTITY_SECRETS, [name], { sealed }, 0));
  await store.flushed();
  return secret;
}

/** DER around a raw Ed25519 seed (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes the signing key of a 32-byte seed; its id is the thumbprint of the public half (RFC 7638). */
export async function signingKey(seed: Uint8Array): Promise<SigningKey> {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const { x } = publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new AppError('internal', 'an Ed25519 key has no public part');
  const keyId = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return { keyId, privateKey, publicKey, publicJwk: { kty: 'OKP', crv: 'Ed25519', x, kid: keyId, alg: 'EdDSA', use: 'sig' } };
}

/** Keyed digests by HMAC-SHA256. */
export function createDigests(key: Uint8Array): SecretDigests {
  return {
    digest: (purpose, text) => createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url'),
    same: (left, right) => {
      const a = Buffer.from(left);
      const b = Buffer.from(right);
      return a.length === b.length && timingSafeEqual(a, b);
    },
  };
}
