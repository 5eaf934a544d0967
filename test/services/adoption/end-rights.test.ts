import { describe, expect, it } from 'vitest';
import { BACKUP } from '../../../config/limits/backup.ts';
import { OTP } from '../../../config/limits/identity.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { endRights } from '../../../src/services/adoption/end-rights.ts';
import { API_KEY_RECORDS } from '../../../src/services/api-keys/tables.ts';
import { STOPS } from '../../../src/services/books/tables.ts';
import { stopOver, writeStop } from '../../../src/services/orders/stop-check.ts';
import { REFRESH_TOKEN_FAMILIES } from '../../../src/services/sign-in/tables.ts';
import { openRuntime, START_MS } from '../sign-in/identity-runtime.ts';

const BACKUP_MADE = {
  upToMs: START_MS - 5_000,
  madeAtMs: START_MS,
  name: 'restored from a backup',
};
const KEY = { name: 'bot', scopes: ['read', 'trade'] as const };

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? [error.code, error.message] : error),
  );

/** A service with a user who is signed in and has a key. */
async function openUser() {
  const runtime = await openRuntime();
  const signIn = async () => {
    const { challengeId } = await runtime.sessions.requestCode('+14155552671');
    return runtime.sessions.verifyCode(challengeId, runtime.sent.at(-1)?.code ?? '');
  };
  const tokens = await signIn();
  const owner = await runtime.sessions.authenticate(tokens.accessToken);
  const buy = { userId: owner.userId, origin: { kind: 'manual' }, side: 'buy' } as const;
  return {
    ...runtime,
    signIn,
    tokens,
    owner,
    made: await runtime.apiKeys.create(owner, KEY),
    hold: () => stopOver(runtime.store, buy),
  };
}

describe('a store that was put back', () => {
  it('L12: takes no token of a session begun before, and a new sign-in goes on', async () => {
    const { sessions, tokens, store, signIn, clock, owner } = await openUser();
    await endRights(store, BACKUP_MADE);
    expect([
      await failureOf(sessions.authenticate(tokens.accessToken)),
      await failureOf(sessions.refresh(tokens.refreshToken)),
      sessions.recognize(tokens.accessToken),
      sessions.list(owner.userId),
    ]).toEqual([
      ['token_invalid', 'the session has ended; sign in again'],
      ['token_invalid', 'the refresh token is no longer good; sign in again'],
      null,
      [],
    ]);
    await clock.advance(OTP.resendFirstMs);
    const anew = await signIn();
    expect(await sessions.authenticate(anew.accessToken)).toMatchObject({ userId: owner.userId });
  });

  it('takes no API key made before nor a token of one, says why, and takes one made anew', async () => {
    const { apiKeys, sessions, made, owner, store } = await openUser();
    const { accessToken } = await apiKeys.exchange(made.key);
    await endRights(store, BACKUP_MADE);
    expect(await failureOf(apiKeys.exchange(made.key))).toEqual([
      'api_key_invalid',
      'this API key was made before the service was restored from a backup, which ended it: make a new one',
    ]);
    expect(await failureOf(sessions.authenticate(accessToken))).toEqual([
      'api_key_invalid',
      'the API key was revoked or has expired',
    ]);
    expect(apiKeys.list(owner.userId)).toMatchObject([
      { keyId: made.keyId, state: 'revoked', revokedAtMs: START_MS },
    ]);
    const anew = await apiKeys.create(owner, KEY);
    expect(await apiKeys.authenticate(anew.key)).toMatchObject({ keyId: anew.keyId });
    await apiKeys.remove(owner.userId, made.keyId);
    expect(await failureOf(apiKeys.exchange(made.key))).toEqual([
      'api_key_invalid',
      'the API key is not valid',
    ]);
  });

  it('tells the owner in the journal which keys it has ended', async () => {
    const { made, owner, store } = await openUser();
    const before = store.newestFact();
    await endRights(store, BACKUP_MADE);
    expect(store.readJournal(before, 5).map(({ event }) => event)).toMatchObject([
      {
        type: 'audit.recorded',
        action: 'api_key_revoked',
        userId: owner.userId,
        subject: made.keyId,
        detail: 'bot: restored from a backup',
      },
      { type: 'trading.stopped', userId: owner.userId },
    ]);
  });

  it("L6: buys nothing for its users until each has resumed, and keeps a user's own stop as it was", async () => {
    const { owner, store, hold } = await openUser();
    const self = { kind: 'self', userId: owner.userId } as const;
    const change = (stopped: boolean, reason: string) =>
      store.write((tx) =>
        writeStop(tx, { scope: self, stopped, reason, atMs: START_MS, policy: 'keep' }),
      );
    const reason = () => store.get(STOPS, ['self', owner.userId])?.value.reason;
    expect(hold()).toBeNull();
    await endRights(store, BACKUP_MADE);
    expect([hold(), reason()]).toEqual([
      'you stopped your trading: POST /api/user/resume lets it go on',
      'restored from a backup: check your agents and caps, then resume',
    ]);
    await change(false, 'checked');
    expect(hold()).toBeNull();
    await change(true, 'a break');
    await endRights(store, BACKUP_MADE);
    expect(reason()).toBe('a break');
  });

  it('has all ended, however many there are, and what had ended keeps its moment', async () => {
    const { made, owner, store } = await openUser();
    const count = BACKUP.restoredPerCommit * 2 + 1;
    const record = store.get(API_KEY_RECORDS, [owner.userId, made.keyId])?.value;
    const [first] = store.range(REFRESH_TOKEN_FAMILIES);
    if (record === undefined || first === undefined) throw new Error('neither was stored');
    await store.write((tx) => {
      for (let index = 0; index < count; index += 1)
        tx.put(REFRESH_TOKEN_FAMILIES, [`ses_${index}`], first.value);
      tx.put(API_KEY_RECORDS, [owner.userId, 'key_gone'], { ...record, revokedAtMs: 7 });
    });
    await endRights(store, BACKUP_MADE);
    const sessions = store.range(REFRESH_TOKEN_FAMILIES).map(({ value }) => value.revokedAtMs);
    expect([sessions.length, new Set(sessions)]).toEqual([count + 1, new Set([START_MS])]);
    expect(store.get(API_KEY_RECORDS, [owner.userId, 'key_gone'])?.value).toEqual({
      ...record,
      revokedAtMs: 7,
    });
  });
});
