import { describe, expect, it } from 'vitest';
import { ONLY_SHARD } from '../../../src/ports/user-directory.ts';
import { NO_KEY_LIMITS } from '../../../src/domain/key-limits.ts';
import { API_KEYS, TOKENS } from '../../../config/limits/identity.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createApiKeys } from '../../../src/services/api-keys/api-keys.ts';
import { freshKeyText } from '../../../src/services/api-keys/key-text.ts';
import {
  API_KEY_PREFIXES,
  API_KEY_RECORDS,
  API_KEY_USES,
} from '../../../src/services/api-keys/tables.ts';
import { openRuntime, START_MS } from '../sign-in/identity-runtime.ts';

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );
const BOTH = { name: 'bot', scopes: ['read', 'trade'] as const };

/** A service with a signed-in user. */
async function openOwned() {
  const runtime = await openRuntime();
  const { challengeId } = await runtime.sessions.requestCode('+14155552671');
  const { accessToken } = await runtime.sessions.verifyCode(
    challengeId,
    runtime.sent[0]?.code ?? '',
  );
  return { ...runtime, owner: await runtime.sessions.authenticate(accessToken) };
}

/** A store that counts its reads. */
function counted(store: Store): { readonly store: Store; reads: () => number } {
  let reads = 0;
  const store2: Store = {
    write: (change) => store.write(change),
    readJournal: (after, limit) => store.readJournal(after, limit),
    readFacts: (reader, afterSeq, limit) => store.readFacts(reader, afterSeq, limit),
    newestFact: () => store.newestFact(),
    readChain: (after, limit) => store.readChain(after, limit),
    anchorChain: () => store.anchorChain(),
    flushed: () => store.flushed(),
    close: () => store.close(),
    get: (table, key) => ((reads += 1), store.get(table, key)),
    range: (table, range) => ((reads += 1), store.range(table, range)),
  };
  return { store: store2, reads: () => reads };
}

describe('API keys', () => {
  it('are shown once, and nothing of the store holds them (L12)', async () => {
    const { apiKeys, owner, store, entries } = await openOwned();
    const { key, ...view } = await apiKeys.create(owner, BOTH);
    const kept = JSON.stringify([
      [API_KEY_RECORDS, API_KEY_PREFIXES, API_KEY_USES].map((table) => store.range<unknown>(table)),
      entries,
    ]);
    expect([apiKeys.list(owner.userId), kept.includes(key), kept.includes(key.slice(11))]).toEqual([
      [view],
      false,
      false,
    ]);
    expect(view).toEqual({
      keyId: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'bot',
      prefix: key.slice(0, 11),
      scopes: ['read', 'trade'],
      limits: NO_KEY_LIMITS,
      state: 'active',
      createdAtMs: START_MS,
      lastUsedAtMs: null,
      revokedAtMs: null,
    });
  });

  it('are shown as expired once their end has come, and open nothing', async () => {
    const { apiKeys, owner, clock } = await openOwned();
    const limits = { ...NO_KEY_LIMITS, expiresAtMs: START_MS + 60_000 };
    const { key } = await apiKeys.create(owner, { name: 'guest', scopes: ['read'], limits });
    const states = () => apiKeys.list(owner.userId).map(({ state }) => state);
    expect(states()).toEqual(['active']);
    await clock.advance(60_000);
    expect([states(), await codeOf(apiKeys.authenticate(key))]).toEqual([
      ['expired'],
      'api_key_invalid',
    ]);
  });

  it('open everything up to their last moment, and are what is refused from then on', async () => {
    const { apiKeys, sessions, owner, clock } = await openOwned();
    const limits = { ...NO_KEY_LIMITS, expiresAtMs: START_MS + 60_700 };
    const { key, keyId } = await apiKeys.create(owner, { name: 'guest', scopes: ['read'], limits });
    await clock.advance(60_600);
    const { accessToken, accessExpiresAtMs } = await apiKeys.exchange(key);
    expect(accessExpiresAtMs).toBe(limits.expiresAtMs);
    expect(await sessions.authenticate(accessToken)).toMatchObject({ sessionId: keyId });
    await clock.advance(100);
    expect(await codeOf(sessions.authenticate(accessToken))).toBe('api_key_invalid');
  });

  it('that have expired take no place among the active ones, and can be deleted', async () => {
    const { apiKeys, owner, clock, store } = await openOwned();
    const limits = { ...NO_KEY_LIMITS, expiresAtMs: START_MS + 60_000 };
    const guest = await apiKeys.create(owner, { name: 'guest', scopes: ['read'], limits });
    const add = () => codeOf(apiKeys.create(owner, { name: 'bot', scopes: ['read'] }));
    for (let made = 1; made < API_KEYS.activeMaximum; made += 1) await add();
    expect([await add(), await codeOf(apiKeys.remove(owner.userId, guest.keyId))]).toEqual([
      'limit_reached',
      'key_not_revoked',
    ]);
    await clock.advance(60_000);
    const steps = [await add(), await add()];
    steps.push(await codeOf(apiKeys.remove(owner.userId, guest.keyId)));
    expect(steps).toEqual(['done', 'limit_reached', 'done']);
    expect(store.range(API_KEY_PREFIXES)).toHaveLength(API_KEYS.activeMaximum);
  });

  it('are traded for a token of two minutes with their scopes, which ends with them', async () => {
    const { apiKeys, sessions, owner, clock } = await openOwned();
    const { key, keyId } = await apiKeys.create(owner, { name: 'reader', scopes: ['read'] });
    const token = await apiKeys.exchange(key);
    expect([token.accessExpiresAtMs, await sessions.authenticate(token.accessToken)]).toEqual([
      START_MS + 120_000,
      {
        userId: owner.userId,
        sessionId: keyId,
        method: 'apikey',
        authenticatedAtMs: START_MS,
        scopes: ['read'],
        expiresAtMs: START_MS + 120_000,
      },
    ]);
    await clock.advance(TOKENS.apiKeyTokenLifeMs);
    expect(await codeOf(sessions.authenticate(token.accessToken))).toBe('token_expired');
    const second = await apiKeys.exchange(key);
    await apiKeys.revoke(owner.userId, keyId);
    expect([
      await codeOf(sessions.authenticate(second.accessToken)),
      await codeOf(apiKeys.exchange(key)),
    ]).toEqual(['api_key_invalid', 'api_key_invalid']);
  });

  it('are refused alike when unknown, malformed, revoked or deleted, and garbage costs no read', async () => {
    const { apiKeys, owner, store, commit, clock, random, digests, tokens } = await openOwned();
    const [revoked, deleted] = [
      await apiKeys.create(owner, BOTH),
      await apiKeys.create(owner, BOTH),
    ];
    for (const each of [revoked, deleted]) await apiKeys.revoke(owner.userId, each.keyId);
    await apiKeys.remove(owner.userId, deleted.keyId);
    const watched = counted(store);
    const watching = createApiKeys({
      store: watched.store,
      commit,
      clock,
      random,
      directory: ONLY_SHARD,
      digests,
      tokens,
    });
    const garbage = [
      '',
      'pk_',
      `${revoked.key}x`,
      revoked.key.slice(0, -1),
      `${revoked.key.slice(0, -1)}${revoked.key.endsWith('a') ? 'b' : 'a'}`,
    ];
    const tell = (key: string) =>
      watching.authenticate(key).catch((error: unknown) => String(error));
    const words = await Promise.all(garbage.map(tell));
    const afterGarbage = watched.reads();
    for (const key of [freshKeyText(createSeededRandom(99), null), revoked.key, deleted.key])
      words.push(await tell(key));
    expect([new Set(words), afterGarbage, watched.reads() > 0]).toEqual([
      new Set(['AppError: the API key is not valid']),
      0,
      true,
    ]);
  });

  it('are found among others that begin alike', async () => {
    const { apiKeys, owner, commit } = await openOwned();
    const { key, keyId } = await apiKeys.create(owner, BOTH);
    await commit((tx) => {
      const record = tx.get(API_KEY_RECORDS, [owner.userId, keyId])?.value;
      if (record === undefined) throw new Error('no record');
      tx.put(API_KEY_RECORDS, [owner.userId, 'key_0'], {
        ...record,
        keyId: 'key_0',
        digest: 'another',
      });
      tx.put(API_KEY_PREFIXES, [record.prefix, 'key_0'], { userId: owner.userId });
    });
    expect(await apiKeys.authenticate(key)).toMatchObject({ keyId });
  });

  it('are at most ten active and fifty in all, also when asked for at once', async () => {
    const { apiKeys, owner } = await openOwned();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => codeOf(apiKeys.create(owner, BOTH))),
    );
    expect([
      outcomes.filter((each) => each === 'done').length,
      outcomes.filter((each) => each === 'limit_reached').length,
    ]).toEqual([10, 2]);
    for (let made = 10; made < API_KEYS.keptMaximum; made += 1) {
      const oldest = apiKeys.list(owner.userId).find(({ state }) => state === 'active');
      await apiKeys.revoke(owner.userId, oldest?.keyId ?? '');
      await apiKeys.create(owner, BOTH);
    }
    for (const { keyId } of apiKeys.list(owner.userId)) await apiKeys.revoke(owner.userId, keyId);
    expect(await codeOf(apiKeys.create(owner, BOTH))).toBe('limit_reached');
    await apiKeys.remove(owner.userId, apiKeys.list(owner.userId)[0]?.keyId ?? '');
    expect(await codeOf(apiKeys.create(owner, BOTH))).toBe('done');
  });

  it('are deleted only when revoked, and belong to one user', async () => {
    const { apiKeys, owner, sessions, sent } = await openOwned();
    const { keyId } = await apiKeys.create(owner, BOTH);
    const { challengeId } = await sessions.requestCode('+14155552672');
    const stranger = await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '');
    const foreign = [
      await codeOf(apiKeys.revoke(stranger.userId, keyId)),
      await codeOf(apiKeys.remove(stranger.userId, keyId)),
    ];
    const own = [
      await codeOf(apiKeys.remove(owner.userId, keyId)),
      await codeOf(apiKeys.revoke(owner.userId, keyId)),
      await codeOf(apiKeys.revoke(owner.userId, keyId)),
      await codeOf(apiKeys.remove(owner.userId, keyId)),
      await codeOf(apiKeys.remove(owner.userId, keyId)),
    ];
    expect([foreign, own]).toEqual([
      ['not_found', 'not_found'],
      ['key_not_revoked', 'done', 'done', 'done', 'not_found'],
    ]);
  });

  it('may do more than read only when made within five minutes of a sign-in', async () => {
    const { apiKeys, owner, clock } = await openOwned();
    await clock.advance(TOKENS.freshSignInMs);
    expect([
      await codeOf(apiKeys.create(owner, BOTH)),
      await codeOf(apiKeys.create(owner, { name: 'swapper', scopes: ['swap'] })),
      await codeOf(apiKeys.create(owner, { name: 'launcher', scopes: ['launch'] })),
      await codeOf(apiKeys.create(owner, { name: 'reader', scopes: ['read'] })),
    ]).toEqual([
      'fresh_sign_in_required',
      'fresh_sign_in_required',
      'fresh_sign_in_required',
      'done',
    ]);
  });

  it('write their last use once a minute', async () => {
    const { apiKeys, owner, clock, store } = await openOwned();
    const { key, keyId } = await apiKeys.create(owner, BOTH);
    const versions = [];
    for (const waitMs of [0, 59_999, 1, 60_000]) {
      await clock.advance(waitMs);
      await apiKeys.authenticate(key);
      versions.push(store.get(API_KEY_USES, [keyId])?.version);
    }
    expect([versions, apiKeys.list(owner.userId)[0]?.lastUsedAtMs]).toEqual([
      [1, 1, 2, 3],
      START_MS + 120_000,
    ]);
  });

  it('leave a line in the audit trail for each step, and survive a power failure', async () => {
    const { apiKeys, owner, entries, store } = await openOwned();
    const kept = await apiKeys.create(owner, BOTH);
    const { keyId } = await apiKeys.create(owner, { name: 'old', scopes: ['read'] });
    await apiKeys.revoke(owner.userId, keyId);
    await apiKeys.remove(owner.userId, keyId);
    const after = await openRuntime({ store: store.crash(), seed: 5 });
    const lines = entries.flatMap(({ event }) =>
      event.type === 'audit.recorded' && event.action.startsWith('api_key')
        ? [[event.action, event.subject, event.detail]]
        : [],
    );
    expect(lines).toEqual([
      ['api_key_created', kept.keyId, 'bot: read, trade'],
      ['api_key_created', keyId, 'old: read'],
      ['api_key_revoked', keyId, 'old'],
      ['api_key_deleted', keyId, 'old'],
    ]);
    expect(await after.apiKeys.authenticate(kept.key)).toMatchObject({
      userId: owner.userId,
      keyId: kept.keyId,
    });
  });
});
