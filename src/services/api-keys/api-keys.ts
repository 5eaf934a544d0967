import { API_KEYS, TOKENS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import { slotOf } from '../../domain/slot.ts';
import type { UserId } from '../../domain/ids.ts';
import { NO_KEY_LIMITS, type KeyLimits } from '../../domain/key-limits.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { KeyScope, SecretDigests, TokenIssuer } from '../../ports/identity.ts';
import type { Store, StoreWriter } from '../../ports/store.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import { audit } from '../audit.ts';
import { assertHere } from '../placement.ts';
import { freshId } from '../fresh-id.ts';
import { freshKeyText, isKeyText, keyPrefix } from './key-text.ts';
import { forgetActivity } from './key-activity.ts';
import {
  API_KEY_PREFIXES,
  API_KEY_RECORDS,
  API_KEY_SPENDS,
  API_KEY_USES,
  isInForce,
  type ApiKeyRecord,
} from './tables.ts';

/** A key as its owner sees it in lists. */
export interface ApiKeyView {
  readonly keyId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAtMs: number;
  /** To the minute; null when it was never used. */
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly limits: KeyLimits;
}

/** A key at the only moment it can be seen. */
interface NewApiKey extends ApiKeyView {
  readonly key: string;
}

/** Who a key speaks for. */
export interface KeyHolder {
  readonly keyId: string;
  readonly userId: UserId;
  readonly scopes: readonly KeyScope[];
  readonly limits: KeyLimits;
}

/** A token minted for a key. */
interface KeyToken extends KeyHolder {
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
}

/** The person who makes a key. */
interface KeyOwner {
  readonly userId: UserId;
  readonly authenticatedAtMs: number;
}

/** Keys for programs: made, used, revoked, deleted. */
export interface ApiKeys {
  /**
   * Makes a key and shows it this once. Errors: `limit_reached` beyond API_KEYS.activeMaximum or
   * keptMaximum, `fresh_sign_in_required` when it may do more than read and the sign-in is older
   * than TOKENS.freshSignInMs.
   */
  create(
    owner: KeyOwner,
    wanted: {
      readonly name: string;
      readonly scopes: readonly KeyScope[];
      /** Absent: none. */
      readonly limits?: KeyLimits;
    },
  ): Promise<NewApiKey>;
  /** A user's keys, oldest first. */
  list(userId: UserId): readonly ApiKeyView[];
  /**
   * Ends a key and every token minted for it, at once; one that has ended stays as it is. Errors:
   * `not_found`.
   */
  revoke(userId: UserId, keyId: string): Promise<ApiKeyView>;
  /** Deletes a key that was revoked or has expired. Errors: `not_found`, `key_not_revoked`. */
  remove(userId: UserId, keyId: string): Promise<void>;
  /** What a key is held to; null for one that is not there. */
  limitsOf(userId: UserId, keyId: string): KeyLimits | null;
  /**
   * Finds whose key it is. Garbage costs no read of the store. Errors: `api_key_invalid`, the same
   * for every reason but a restore.
   */
  authenticate(key: string): Promise<KeyHolder>;
  /** Mints a token for one call with a key. Errors: `api_key_invalid`. */
  exchange(key: string): Promise<KeyToken>;
}

/** Makes the service. */
export function createApiKeys(
  deps: Pick<Runtime, 'store' | 'commit' | 'clock' | 'random'> & {
    readonly directory: Pick<UserDirectory, 'slots'>;
    readonly digests: SecretDigests;
    readonly tokens: Pick<TokenIssuer, 'issue'>;
  },
): ApiKeys {
  const { store, clock, digests } = deps;
  const view = (record: ApiKeyRecord): ApiKeyView =>
    viewOf(record, {
      lastUsedAtMs: store.get(API_KEY_USES, [record.keyId])?.value.atMs ?? null,
      nowMs: clock.nowMs(),
    });

  async function authenticate(key: string): Promise<KeyHolder> {
    if (isKeyText(key)) assertHere(deps.directory, key);
    const record = isKeyText(key) ? find(store, digests, key) : null;
    if (record?.endedByRestore === true)
      throw new AppError(
        'api_key_invalid',
        'this API key was made before the service was restored from a backup, which ended it: make a new one',
      );
    if (record === null || !isInForce(record, clock.nowMs()))
      throw new AppError('api_key_invalid', 'the API key is not valid');
    await noteUse(deps, record.keyId);
    const { keyId, userId, scopes, limits } = record;
    return { keyId, userId, scopes, limits };
  }

  return {
    async create(owner, { name, scopes, limits = NO_KEY_LIMITS }) {
      const nowMs = clock.nowMs();
      if (
        scopes.some((scope) => scope !== 'read') &&
        owner.authenticatedAtMs + TOKENS.freshSignInMs <= nowMs
      ) {
        throw new AppError(
          'fresh_sign_in_required',
          `sign in again to make a key that may do more than read: the last sign-in must be within ${TOKENS.freshSignInMs / 60_000} minutes`,
        );
      }
      const slot = slotOf(owner.userId);
      const key = freshKeyText(deps.random, slot);
      const record: ApiKeyRecord = {
        keyId: freshId(deps.random, 'key_', slot),
        userId: owner.userId,
        name,
        scopes,
        prefix: keyPrefix(key),
        digest: digests.digest('api_key', key),
        createdAtMs: nowMs,
        revokedAtMs: null,
        limits,
      };
      await deps.commit((tx) => add(tx, record));
      return { ...view(record), key };
    },
    list: (userId) => recordsOf(store, userId).map(view),
    async revoke(userId, keyId) {
      return view(
        await deps.commit((tx) => {
          const record = recordOf(tx, userId, keyId);
          if (record.revokedAtMs !== null) return record;
          const revoked = { ...record, revokedAtMs: clock.nowMs() };
          tx.put(API_KEY_RECORDS, [userId, keyId], revoked);
          tx.remove(API_KEY_PREFIXES, [record.prefix, keyId]);
          audit(tx, {
            userId,
            atMs: clock.nowMs(),
            action: 'api_key_revoked',
            subject: keyId,
            detail: record.name,
          });
          return revoked;
        }),
      );
    },
    async remove(userId, keyId) {
      await deps.commit((tx) => {
        const record = recordOf(tx, userId, keyId);
        if (isInForce(record, clock.nowMs()))
          throw new AppError('key_not_revoked', `revoke ${keyId} before you delete it`);
        tx.remove(API_KEY_RECORDS, [userId, keyId]);
        tx.remove(API_KEY_PREFIXES, [record.prefix, keyId]);
        tx.remove(API_KEY_USES, [keyId]);
        tx.remove(API_KEY_SPENDS, [keyId]);
        forgetActivity(tx, keyId);
        audit(tx, {
          userId,
          atMs: clock.nowMs(),
          action: 'api_key_deleted',
          subject: keyId,
          detail: record.name,
        });
      });
    },
    limitsOf: (userId, keyId) => store.get(API_KEY_RECORDS, [userId, keyId])?.value.limits ?? null,
    authenticate,
    async exchange(key) {
      const holder = await authenticate(key);
      const issuedAtMs = Math.floor(clock.nowMs() / 1_000) * 1_000;
      const accessExpiresAtMs = Math.min(
        issuedAtMs + TOKENS.apiKeyTokenLifeMs,
        holder.limits.expiresAtMs ?? Number.POSITIVE_INFINITY,
      );
      const { userId, keyId: familyId, scopes } = holder;
      const accessToken = await deps.tokens.issue({
        userId,
        familyId,
        method: 'apikey',
        authenticatedAtMs: issuedAtMs,
        scopes,
        issuedAtMs,
        // a token ends with a whole second: one that ends with its key ends after it, and the key
        // itself is checked at every use
        expiresAtMs: Math.ceil(accessExpiresAtMs / 1_000) * 1_000,
      });
      return { ...holder, accessToken, accessExpiresAtMs };
    },
  };
}

function add(tx: StoreWriter, record: ApiKeyRecord): void {
  const { userId, keyId, prefix, scopes, name, createdAtMs } = record;
  const all = recordsOf(tx, userId);
  const active = all.filter((each) => isInForce(each, createdAtMs)).length;
  if (active >= API_KEYS.activeMaximum)
    throw new AppError(
      'limit_reached',
      `a user may have ${API_KEYS.activeMaximum} active keys; revoke one first`,
    );
  if (all.length >= API_KEYS.keptMaximum)
    throw new AppError(
      'limit_reached',
      `a user may keep ${API_KEYS.keptMaximum} keys; delete revoked or expired ones first`,
    );
  tx.put(API_KEY_RECORDS, [userId, keyId], record, 0);
  tx.put(API_KEY_PREFIXES, [prefix, keyId], { userId }, 0);
  audit(tx, {
    userId,
    atMs: createdAtMs,
    action: 'api_key_created',
    subject: keyId,
    detail: `${name}: ${scopes.join(', ')}`,
  });
}

function recordsOf(store: Pick<Store, 'range'>, userId: UserId): readonly ApiKeyRecord[] {
  return store
    .range(API_KEY_RECORDS, { prefix: [userId] })
    .map(({ value }) => value)
    .sort((a, b) => a.createdAtMs - b.createdAtMs);
}

function recordOf(tx: StoreWriter, userId: UserId, keyId: string): ApiKeyRecord {
  const record = tx.get(API_KEY_RECORDS, [userId, keyId])?.value;
  if (record === undefined) throw new AppError('not_found', `you have no key ${keyId}`);
  return record;
}

function find(store: Store, digests: SecretDigests, key: string): ApiKeyRecord | null {
  const digest = digests.digest('api_key', key);
  for (const found of store.range(API_KEY_PREFIXES, { prefix: [keyPrefix(key)] })) {
    const keyId = found.key[1];
    const record =
      keyId === undefined
        ? undefined
        : store.get(API_KEY_RECORDS, [found.value.userId, keyId])?.value;
    if (record !== undefined && digests.same(record.digest, digest)) return record;
  }
  return null;
}

/**
 * Writes the last use, not more often than once a minute: a use must not cost a commit each time.
 */
async function noteUse(
  { store, commit, clock }: Pick<Runtime, 'store' | 'commit' | 'clock'>,
  keyId: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  const last = store.get(API_KEY_USES, [keyId])?.value.atMs;
  if (last !== undefined && last + API_KEYS.lastUseEveryMs > nowMs) return;
  await commit((tx) => tx.put(API_KEY_USES, [keyId], { atMs: nowMs }));
}

function viewOf(
  record: ApiKeyRecord,
  { lastUsedAtMs, nowMs }: { readonly lastUsedAtMs: number | null; readonly nowMs: number },
): ApiKeyView {
  const { keyId, name, prefix, scopes, createdAtMs, revokedAtMs, limits } = record;
  return {
    keyId,
    name,
    prefix,
    scopes,
    state: revokedAtMs !== null ? 'revoked' : isInForce(record, nowMs) ? 'active' : 'expired',
    createdAtMs,
    lastUsedAtMs,
    revokedAtMs,
    limits,
  };
}
