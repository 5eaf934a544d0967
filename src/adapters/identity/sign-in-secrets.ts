import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { SecretDigests, TokenIssuer } from '../../ports/identity.ts';
import type { Table } from '../../ports/store.ts';
import { UNSHARED, type ShareSecret } from '../../ports/shared-secret.ts';
import { openSigningKeys, type SigningKeysParts } from './signing-keys.ts';
import { createTokenIssuer } from './token-issuer.ts';

/** A secret of the service, sealed under the master key. */
interface SealedSecret {
  readonly sealed: string;
}

/** Secrets of identity: ['digest_key']. */
const IDENTITY_SECRETS: Table<SealedSecret> = { name: 'identity_secrets' };

/** Tokens and digests, with keys of their own. */
export interface SignInSecrets {
  readonly tokens: TokenIssuer;
  readonly digests: SecretDigests;
  /** Ends the rotation of keys. */
  stop(): void;
}

/**
 * Opens tokens and digests with the keys kept sealed in the store; makes the keys at the first
 * start. Errors: `master_key_wrong` when they cannot be unsealed, `config_invalid` where other
 * shards have another key of digests.
 */
export async function openSignInSecrets({
  issuer,
  audience,
  share = UNSHARED,
  ...parts
}: SigningKeysParts & {
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  readonly audience: string;
  /** Absent where one process has all users. */
  readonly share?: ShareSecret;
}): Promise<SignInSecrets> {
  const digests = createDigests(await openSecret(parts, share, 'digest_key'));
  const keys = await openSigningKeys(parts);
  const { random } = parts;
  return {
    tokens: createTokenIssuer({ ring: keys.ring, random, issuer, audience }),
    digests,
    stop: keys.stop,
  };
}

async function openSecret(
  { store, vault, random }: SigningKeysParts,
  share: ShareSecret,
  name: string,
): Promise<Buffer> {
  const found = store.get(IDENTITY_SECRETS, [name]);
  const proposed = found?.value.sealed ?? vault.seal(Buffer.from(random.bytes(32)).toString('hex'));
  const digest = digestOf(vault.unseal(proposed));
  const agreed = await share(name, { sealed: proposed, digest });
  if (found !== null && agreed.digest !== digest)
    throw new AppError(
      'config_invalid',
      `the secret ${name} of this data folder is not that of the other shards: it is of another cluster.`,
    );
  if (found === null) {
    await store.write((tx) => tx.put(IDENTITY_SECRETS, [name], { sealed: agreed.sealed }, 0));
    await store.flushed();
  }
  return Buffer.from(vault.unseal(found === null ? agreed.sealed : proposed), 'hex');
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
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
