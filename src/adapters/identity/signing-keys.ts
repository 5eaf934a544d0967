import { createPrivateKey, createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { TOKENS } from '../../../config/limits/identity.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Table } from '../../ports/store.ts';
import type { KeyRing, SigningKey } from './token-issuer.ts';

/** A signing key as it is kept. */
interface KeptSigningKey {
  readonly sealed: string;
}

/**
 * Signing keys: [signsFromMs, keyId]. A key is published from the moment it is made and signs from
 * `signsFromMs` on.
 */
export const SIGNING_KEYS: Table<KeptSigningKey> = { name: 'signing_keys' };

export interface SigningKeysParts extends Pick<Runtime, 'store' | 'random' | 'clock' | 'log'> {
  readonly vault: Pick<KeyVault, 'seal' | 'unseal'>;
}

/** Keys that replace each other by themselves. */
export interface SigningKeys {
  ring(): KeyRing;
  stop(): void;
}

interface TimedKey {
  readonly key: SigningKey;
  readonly signsFromMs: number;
}

/**
 * Opens the signing keys, makes the first, and replaces them on the clock: a new key is published
 * TOKENS.publishAheadMs before it signs, signs for TOKENS.signingKeyLifeMs, and is forgotten when
 * the last token it signed has ended. All of it follows from what is stored and the time, so a
 * start in between goes on. Errors: `master_key_wrong`, `store_corrupt`.
 */
export async function openSigningKeys(parts: SigningKeysParts): Promise<SigningKeys> {
  const { store, vault, clock, log } = parts;
  const stored: TimedKey[] = [];
  for (const { key, value } of store.range(SIGNING_KEYS)) {
    stored.push({
      key: await signingKey(Buffer.from(vault.unseal(value.sealed), 'hex')),
      signsFromMs: Number(key[0]),
    });
  }
  let keys = await rotated(parts, stored);
  let isRotating = false;
  const rotate = async (): Promise<void> => {
    if (isRotating) return;
    isRotating = true;
    try {
      keys = await rotated(parts, keys);
    } catch (cause) {
      // tried again at the next check: the keys at hand stay good meanwhile
      log.error({ cause }, 'signing_keys.rotation_failed');
    } finally {
      isRotating = false;
    }
  };
  let timer: Timer;
  const schedule = (): void => {
    timer = clock.after(TOKENS.rotationCheckMs, () => {
      schedule();
      void rotate();
    });
  };
  schedule();
  return {
    ring() {
      const nowMs = clock.nowMs();
      const signing = keys.findLast(({ signsFromMs }) => signsFromMs <= nowMs) ?? keys[0];
      assert(signing !== undefined, 'there is a signing key');
      return {
        signing: signing.key,
        accepted: keys.filter((_key, index) => !isSpent(keys, index, nowMs)).map(({ key }) => key),
      };
    },
    stop: () => timer.cancel(),
  };
}

/**
 * The keys of this moment: with the next one when it is time to publish it, and without those whose
 * tokens have all ended.
 */
async function rotated(
  { store, vault, random, clock, log }: SigningKeysParts,
  keys: readonly TimedKey[],
): Promise<readonly TimedKey[]> {
  const nowMs = clock.nowMs();
  const newest = keys.at(-1);
  const kept = keys.filter((_key, index) => !isSpent(keys, index, nowMs));
  const isDue =
    newest === undefined ||
    nowMs >= newest.signsFromMs + TOKENS.signingKeyLifeMs - TOKENS.publishAheadMs;
  if (!isDue && kept.length === keys.length) return keys;
  const seed = Buffer.from(random.bytes(32));
  const key = await signingKey(seed);
  const signsFromMs =
    newest === undefined
      ? nowMs
      : Math.max(newest.signsFromMs + TOKENS.signingKeyLifeMs, nowMs + TOKENS.publishAheadMs);
  await store.write((tx) => {
    for (const spent of keys.filter((each) => !kept.includes(each)))
      tx.remove(SIGNING_KEYS, [spent.signsFromMs, spent.key.keyId]);
    if (isDue)
      tx.put(
        SIGNING_KEYS,
        [signsFromMs, key.keyId],
        { sealed: vault.seal(seed.toString('hex')) },
        0,
      );
  });
  await store.flushed();
  if (!isDue) return kept;
  log.info({ keyId: key.keyId, signsFromMs }, 'signing_keys.added');
  return [...kept, { key, signsFromMs }];
}

/** True when the key was replaced so long ago that no token of it can still be good. */
function isSpent(keys: readonly TimedKey[], index: number, nowMs: number): boolean {
  const next = keys[index + 1];
  return (
    next !== undefined && nowMs >= next.signsFromMs + SIGN_IN.accessTokenLifeMs + TOKENS.skewMs
  );
}

/** DER around a raw Ed25519 seed (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Makes the signing key of a 32-byte seed; its id is the thumbprint of the public half (RFC 7638).
 */
export async function signingKey(seed: Uint8Array): Promise<SigningKey> {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  const { x } = publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new AppError('internal', 'an Ed25519 key has no public part');
  const keyId = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return {
    keyId,
    privateKey,
    publicKey,
    publicJwk: { kty: 'OKP', crv: 'Ed25519', x, kid: keyId, alg: 'EdDSA', use: 'sig' },
  };
}
