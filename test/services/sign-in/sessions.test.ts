import { describe, expect, it } from 'vitest';
import { SIGN_IN } from '../../../config/limits.ts';
import { OTP, TOKENS } from '../../../config/limits/identity.ts';
import { AppError } from '../../../src/domain/errors.ts';
import {
  CHALLENGES,
  REFRESH_TOKEN_FAMILIES,
  PHONES,
  REFRESH_TOKENS,
  SIGN_IN_EXPIRY,
  USERS,
} from '../../../src/services/sign-in/tables.ts';
import { openRuntime, START_MS } from './identity-runtime.ts';

const PHONE = '+14155552671';
/** A user's telephone. */
const PHONE_APP = { address: '198.51.100.7', program: 'phone app' };
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );
const wrong = (code: string | undefined): string => (code === '000000' ? '000001' : '000000');

describe('one-time codes', () => {
  it('sign in once and never again', async () => {
    const { sessions, sent } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const code = sent[0]?.code ?? '';
    expect([
      await codeOf(sessions.verifyCode(challengeId, code)),
      await codeOf(sessions.verifyCode(challengeId, code)),
    ]).toEqual(['done', 'code_expired']);
  });

  it('cannot be guessed: after five wrong tries even the right one is refused', async () => {
    const { sessions, sent } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const tries = [];
    for (let attempt = 0; attempt < 5; attempt += 1)
      tries.push(await codeOf(sessions.verifyCode(challengeId, wrong(sent[0]?.code))));
    tries.push(await codeOf(sessions.verifyCode(challengeId, sent[0]?.code ?? '')));
    expect(tries).toEqual([
      'code_invalid',
      'code_invalid',
      'code_invalid',
      'code_invalid',
      'too_many_attempts',
      'too_many_attempts',
    ]);
  });

  it('are counted also when the tries come at once', async () => {
    const { sessions, sent } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const tries = await Promise.all(
      Array.from({ length: 20 }, () =>
        codeOf(sessions.verifyCode(challengeId, wrong(sent[0]?.code))),
      ),
    );
    expect([
      tries.filter((each) => each === 'code_invalid').length,
      await codeOf(sessions.verifyCode(challengeId, sent[0]?.code ?? '')),
    ]).toEqual([4, 'too_many_attempts']);
  });

  it('end after five minutes, and when a new one is sent', async () => {
    const { sessions, sent, clock } = await openRuntime();
    const first = await sessions.requestCode(PHONE);
    await clock.advance(OTP.resendFirstMs);
    const second = await sessions.requestCode(PHONE);
    expect(await codeOf(sessions.verifyCode(first.challengeId, sent[0]?.code ?? ''))).toBe(
      'code_expired',
    );
    await clock.advance(SIGN_IN.codeLifeMs);
    expect(await codeOf(sessions.verifyCode(second.challengeId, sent[1]?.code ?? ''))).toBe(
      'code_expired',
    );
  });

  it('are sent to one phone at most every half minute and five times an hour', async () => {
    const { sessions, clock } = await openRuntime();
    const outcomes = [
      await codeOf(sessions.requestCode(PHONE)),
      await codeOf(sessions.requestCode(PHONE)),
    ];
    for (const waitMs of [30_000, 59_999, 1, 120_000, 120_000, 120_000]) {
      await clock.advance(waitMs);
      outcomes.push(await codeOf(sessions.requestCode(PHONE)));
    }
    await clock.advance(3_600_000);
    outcomes.push(await codeOf(sessions.requestCode(PHONE)));
    expect(outcomes).toEqual([
      'done',
      'rate_limited',
      'done',
      'rate_limited',
      'done',
      'done',
      'done',
      'too_many_attempts',
      'done',
    ]);
  });

  it('are sent to one phone at most ten times a day, and say when to come again', async () => {
    const { sessions, clock } = await openRuntime();
    const outcomes = [];
    for (let send = 0; send <= OTP.sendsPerPhonePerDay; send += 1) {
      outcomes.push(await codeOf(sessions.requestCode(PHONE)));
      await clock.advance(3_600_000);
    }
    expect(outcomes).toEqual([...Array.from({ length: 10 }, () => 'done'), 'too_many_attempts']);
    await expect(sessions.requestCode(PHONE)).rejects.toMatchObject({
      retryAfterMs: 13 * 3_600_000,
    });
  });

  it('are sent for one address at most ten times an hour and thirty a day, across a restart', async () => {
    const runtime = await openRuntime();
    const client = { address: '198.51.100.7', program: '' };
    const ask = (sessions: typeof runtime.sessions, number: number) =>
      codeOf(sessions.requestCode(`+1415555${2_000 + number}`, client));
    const first = [];
    for (let number = 0; number <= OTP.sendsPerAddressPerHour; number += 1)
      first.push(await ask(runtime.sessions, number));
    const after = await openRuntime({ store: runtime.store, nowMs: START_MS });
    const other = await codeOf(
      after.sessions.requestCode('+14155552900', { address: '198.51.100.8', program: '' }),
    );
    expect([first, await ask(after.sessions, 50), other]).toEqual([
      [...Array.from({ length: 10 }, () => 'done'), 'too_many_attempts'],
      'too_many_attempts',
      'done',
    ]);
    const later = [];
    await after.clock.advance(3_600_000);
    for (let number = 0; number < 21; number += 1) {
      later.push(await ask(after.sessions, 100 + number));
      await after.clock.advance(3_600_000 / 2);
    }
    expect([later.slice(0, 20).every((each) => each === 'done'), later[20]]).toEqual([
      true,
      'too_many_attempts',
    ]);
  });

  it('that others have sent to a phone hold up none that its signed-in owner asks for', async () => {
    const { sessions, sent, codes } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { userId } = await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '');
    const own = () => codeOf(codes.requestFor(userId, PHONE, `export ${userId}`));
    expect([await codeOf(sessions.requestCode(PHONE)), await own(), await own()]).toEqual([
      'done',
      'done',
      'rate_limited',
    ]);
    expect(await codeOf(sessions.requestCode(PHONE))).toBe('rate_limited');
  });

  it('for what a signed-in user does are counted as theirs, not as their address', async () => {
    const { sessions, sent, codes, clock } = await openRuntime();
    const client = { address: '198.51.100.7', program: '' };
    const { challengeId } = await sessions.requestCode(PHONE, client);
    const { userId } = await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '');
    const ask = (number: number) =>
      codeOf(codes.requestFor(userId, `+1415555${3_000 + number}`, `export ${userId}`));
    const own = [];
    for (let number = 0; number <= OTP.sendsPerUserPerHour; number += 1)
      own.push(await ask(number));
    const signIns = [];
    for (let number = 1; number < OTP.sendsPerAddressPerHour; number += 1)
      signIns.push(await codeOf(sessions.requestCode(`+1415555${4_000 + number}`, client)));
    expect([own.slice(-2), [...new Set(signIns)]]).toEqual([
      ['done', 'too_many_attempts'],
      ['done'],
    ]);
    expect(await codeOf(sessions.requestCode('+14155554900', client))).toBe('too_many_attempts');
    await clock.advance(3_600_000);
    expect(await ask(99)).toBe('done');
  });

  it('lock a phone for an hour after ten wrong tries, then for two, and a right one ends the count', async () => {
    const { sessions, sent, clock } = await openRuntime();
    const fail = async (): Promise<unknown[]> => {
      const outcomes = [];
      for (let round = 0; round < 2; round += 1) {
        const { challengeId } = await sessions.requestCode(PHONE);
        for (let attempt = 0; attempt < 5; attempt += 1)
          outcomes.push(await codeOf(sessions.verifyCode(challengeId, wrong(sent.at(-1)?.code))));
        await clock.advance(120_000);
      }
      return outcomes;
    };
    const tries = await fail();
    expect(tries.filter((each) => each === 'code_invalid').length).toBe(8);
    await expect(sessions.requestCode(PHONE)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: OTP.lockFirstMs - 120_000,
    });
    await clock.advance(OTP.lockFirstMs);
    await fail();
    await expect(sessions.requestCode(PHONE)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: 2 * OTP.lockFirstMs - 120_000,
    });
    await clock.advance(2 * OTP.lockFirstMs);
    const { challengeId } = await sessions.requestCode(PHONE);
    expect([
      await codeOf(sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '')),
      (await fail()).length,
    ]).toEqual(['done', 10]);
    await expect(sessions.requestCode(PHONE)).rejects.toMatchObject({
      retryAfterMs: OTP.lockFirstMs - 120_000,
    });
  });

  it('leave only another way in after a hundred wrong ones in a row', async () => {
    const { sessions, sent, clock } = await openRuntime();
    let wrongs = 0;
    while (wrongs < OTP.wrongInARowMaximum) {
      const { challengeId } = await sessions.requestCode(PHONE);
      for (let attempt = 0; attempt < 5; attempt += 1, wrongs += 1)
        await codeOf(sessions.verifyCode(challengeId, wrong(sent.at(-1)?.code)));
      await clock.advance(OTP.lockMaximumMs);
    }
    await expect(sessions.requestCode(PHONE)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: null,
    });
    await clock.advance(OTP.wrongKeptMs);
    await sessions.requestCode('+14155552999');
    expect(await codeOf(sessions.requestCode(PHONE))).toBe('done');
  });

  it('stop for a whole country when they are abused for profit, and for no other', async () => {
    const { sessions } = await openRuntime();
    let stopped: unknown = 'done';
    for (let number = 0; number <= OTP.sendsPerCountryPerHour; number += 1)
      stopped = await codeOf(sessions.requestCode(`+1415555${2_000 + number}`));
    expect([stopped, await codeOf(sessions.requestCode('+447400123456'))]).toEqual([
      'sign_in_unavailable',
      'done',
    ]);
  });

  it('may be asked for again at once after a right one', async () => {
    const { sessions, sent } = await openRuntime();
    const outcomes = [];
    for (let start = 0; start < 8; start += 1) {
      const { challengeId } = await sessions.requestCode(PHONE);
      outcomes.push(await codeOf(sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '')));
    }
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => 'done'));
  });

  it('leave no code, no phone number and no refresh token in the store (L12)', async () => {
    const { sessions, sent, store } = await openRuntime();
    const pending = await sessions.requestCode('+14155552672');
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[1]?.code ?? '');
    const text = JSON.stringify(
      [CHALLENGES, PHONES, USERS, REFRESH_TOKEN_FAMILIES, REFRESH_TOKENS].map((table) =>
        store.range<unknown>(table),
      ),
    );
    expect(
      [
        pending.challengeId,
        '4155552671',
        '4155552672',
        `"${sent[0]?.code}"`,
        refreshToken.split('.')[2] ?? '',
      ].map((secret) => text.includes(secret)),
    ).toEqual([true, false, false, false, false]);
  });

  it('are swept when they have ended, so the tables stay small', async () => {
    const { sessions, clock, store } = await openRuntime();
    for (let number = 0; number < 30; number += 1) {
      await sessions.requestCode(`+1415555${2_000 + number}`);
      await clock.advance(3_600_001);
    }
    await clock.advance(24 * 3_600_000);
    for (let number = 0; number < 8; number += 1)
      await sessions.requestCode(`+1415555${3_000 + number}`);
    expect(
      [CHALLENGES, PHONES, SIGN_IN_EXPIRY].map((table) => store.range<unknown>(table).length),
    ).toEqual([8, 8, 18]);
  });
});

describe('sessions', () => {
  it('give the same user for the same phone, however it is written', async () => {
    const { sessions, sent, clock, entries } = await openRuntime();
    const first = await sessions.requestCode(PHONE);
    const one = await sessions.verifyCode(first.challengeId, sent[0]?.code ?? '');
    await clock.advance(OTP.resendFirstMs);
    const second = await sessions.requestCode('+1 415-555-2671');
    const two = await sessions.verifyCode(second.challengeId, sent[1]?.code ?? '');
    expect([one.userId === two.userId, entries.map(({ event }) => event.type)]).toEqual([
      true,
      ['user.created', 'audit.recorded', 'audit.recorded'],
    ]);
  });

  it('make one user when two sign-ins of a new phone meet', async () => {
    const { sessions, sent, store } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => codeOf(sessions.verifyCode(challengeId, sent[0]?.code ?? ''))),
    );
    expect([outcomes.sort(), store.range(USERS).length]).toEqual([
      ['code_expired', 'code_expired', 'done'],
      1,
    ]);
  });

  it('survive a power failure once the answer is out', async () => {
    const runtime = await openRuntime();
    const { challengeId } = await runtime.sessions.requestCode(PHONE);
    const { accessToken, refreshToken, userId } = await runtime.sessions.verifyCode(
      challengeId,
      runtime.sent[0]?.code ?? '',
    );
    const after = await openRuntime({
      store: runtime.store.crash(),
      world: runtime.world,
      seed: 2,
    });
    await after.accounts.recover();
    expect(await after.sessions.authenticate(accessToken)).toMatchObject({ userId });
    expect((await after.sessions.refresh(refreshToken)).userId).toBe(userId);
  });

  it('end thirty days after the last refresh', async () => {
    const { sessions, sent, clock } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    await clock.advance(SIGN_IN.refreshTokenLifeMs - 1);
    const next = await sessions.refresh(refreshToken);
    await clock.advance(SIGN_IN.refreshTokenLifeMs);
    expect([next.refreshExpiresAtMs, await codeOf(sessions.refresh(next.refreshToken))]).toEqual([
      START_MS + 2 * SIGN_IN.refreshTokenLifeMs - 1,
      'token_expired',
    ]);
  });

  it('do not end for a made-up refresh token of theirs', async () => {
    const { sessions, sent } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    const [family = ''] = refreshToken.split('.');
    const attempts = [`${family}.0.guess`, `${family}.7.guess`, 'ses_x.0.y', '', `${family}.-1.x`];
    expect(await Promise.all(attempts.map((token) => codeOf(sessions.refresh(token))))).toEqual(
      attempts.map(() => 'token_invalid'),
    );
    expect(await codeOf(sessions.refresh(refreshToken))).toBe('done');
  });

  it('give a device that lost the answer the same tokens again, within ten seconds and while the successor is unused', async () => {
    const { sessions, sent, clock, log } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '', PHONE_APP);
    const [first, again] = await Promise.all([
      sessions.refresh(refreshToken, PHONE_APP),
      sessions.refresh(refreshToken, PHONE_APP),
    ]);
    await clock.advance(TOKENS.refreshGraceMs - 1);
    const late = await sessions.refresh(refreshToken, PHONE_APP);
    expect([again?.refreshToken, late.refreshToken, log]).toEqual([
      first?.refreshToken,
      first?.refreshToken,
      [],
    ]);
    await sessions.refresh(late.refreshToken, PHONE_APP);
    expect([await codeOf(sessions.refresh(refreshToken, PHONE_APP)), log]).toEqual([
      'token_invalid',
      ['session.refresh_token_reused'],
    ]);
  });

  it.each([
    ['another device', { address: '203.0.113.9', program: 'thief' }, 0],
    [
      'the same device after ten seconds',
      { address: '198.51.100.7', program: 'phone app' },
      TOKENS.refreshGraceMs,
    ],
  ])(
    'end when a used refresh token comes from %s, and leave a line in the audit trail',
    async (_who, client, waitMs) => {
      const { sessions, sent, clock, entries } = await openRuntime();
      const { challengeId } = await sessions.requestCode(PHONE);
      const { refreshToken } = await sessions.verifyCode(
        challengeId,
        sent[0]?.code ?? '',
        PHONE_APP,
      );
      const next = await sessions.refresh(refreshToken, PHONE_APP);
      await clock.advance(waitMs);
      expect([
        await codeOf(sessions.refresh(refreshToken, client)),
        await codeOf(sessions.refresh(next.refreshToken, PHONE_APP)),
        await codeOf(sessions.authenticate(next.accessToken)),
      ]).toEqual(['token_invalid', 'token_invalid', 'token_invalid']);
      expect(entries.at(-1)?.event).toMatchObject({
        type: 'audit.recorded',
        userId: next.userId,
        action: 'refresh_reused',
        subject: refreshToken.split('.')[0],
        origin: expect.any(String),
      });
    },
  );

  it('end ninety days after the sign-in, however often they are refreshed', async () => {
    const { sessions, sent, clock } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    let tokens = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    for (let week = 0; week < 12; week += 1) {
      await clock.advance(7 * 86_400_000);
      tokens = await sessions.refresh(tokens.refreshToken);
    }
    await clock.advance(6 * 86_400_000);
    expect([
      tokens.refreshExpiresAtMs,
      await codeOf(sessions.refresh(tokens.refreshToken)),
    ]).toEqual([START_MS + TOKENS.sessionLifeMs, 'token_expired']);
  });

  it('keep the moment of the sign-in through every refresh', async () => {
    const { sessions, sent, clock } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    await clock.advance(3_600_000);
    const { accessToken } = await sessions.refresh(refreshToken);
    expect(await sessions.authenticate(accessToken)).toMatchObject({
      method: 'otp',
      authenticatedAtMs: START_MS,
      scopes: null,
    });
  });

  it('leave lines in the audit trail that hold no secret and no phone number', async () => {
    const { sessions, sent, entries } = await openRuntime();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken, accessToken, userId } = await sessions.verifyCode(
      challengeId,
      sent[0]?.code ?? '',
      PHONE_APP,
    );
    const { sessionId } = await sessions.authenticate(accessToken);
    await sessions.logout(sessionId);
    await sessions.logout(sessionId);
    const lines = entries
      .map(({ event }) => event)
      .filter((event) => event.type === 'audit.recorded');
    expect(lines.map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ['signed_in', sessionId, 'otp +1••••••2671'],
      ['signed_out', sessionId, null],
    ]);
    expect([
      lines.every((line) => line.userId === userId),
      ['4155552671', '198.51.100.7', refreshToken.split('.')[2] ?? '', accessToken].some((secret) =>
        JSON.stringify(entries).includes(secret),
      ),
    ]).toEqual([true, false]);
  });

  it('are at most fifty a user: the oldest ends', async () => {
    const { sessions, sent, clock, store } = await openRuntime();
    const tokens: string[] = [];
    for (let device = 0; device <= SIGN_IN.familiesPerUserMaximum; device += 1) {
      const { challengeId } = await sessions.requestCode(PHONE);
      tokens.push((await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '')).refreshToken);
      await clock.advance(3_600_000);
    }
    expect([
      store.range(REFRESH_TOKEN_FAMILIES).length,
      await codeOf(sessions.refresh(tokens[0] ?? '')),
      await codeOf(sessions.refresh(tokens[1] ?? '')),
    ]).toEqual([50, 'token_invalid', 'done']);
  });
});

describe('signing in again', () => {
  /** A user who is signed in, and what signing in again is asked with. */
  async function aSignedIn() {
    const runtime = await openRuntime();
    const { sessions, sent, clock } = runtime;
    const signIn = async (phone: string) => {
      const { challengeId } = await sessions.requestCode(phone);
      const answer = await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '');
      return sessions.authenticate(answer.accessToken);
    };
    const session = await signIn(PHONE);
    await clock.advance(OTP.resendFirstMs);
    return { ...runtime, session, signIn };
  }

  it('is the same user in a fresh session, in the place of the one that asked', async () => {
    const { sessions, sent, session, store } = await aSignedIn();
    const { challengeId } = await sessions.requestCodeAgain(session.userId);
    expect(sent.at(-1)?.phone).toBe(PHONE);
    const again = await sessions.signInAgain(session, {
      challengeId,
      code: sent.at(-1)?.code ?? '',
    });
    const fresh = await sessions.authenticate(again.accessToken);
    expect(fresh.userId).toBe(session.userId);
    expect(fresh.authenticatedAtMs).toBeGreaterThan(session.authenticatedAtMs);
    expect(sessions.list(session.userId).map(({ sessionId }) => sessionId)).toEqual([
      fresh.sessionId,
    ]);
    expect(store.range(USERS)).toHaveLength(1);
  });

  it('takes no code for signing in, and none of another user, whoever asked for it', async () => {
    const { sessions, sent, session, signIn } = await aSignedIn();
    const plain = await sessions.requestCode(PHONE);
    const other = await signIn('+14155552672');
    const code = () => sent.at(-1)?.code ?? '';
    expect(
      await codeOf(sessions.signInAgain(session, { challengeId: plain.challengeId, code: code() })),
    ).toBe('code_expired');
    const theirs = await sessions.requestCode('+14155552673');
    expect(
      await codeOf(sessions.signInAgain(other, { challengeId: theirs.challengeId, code: code() })),
    ).toBe('code_expired');
  });
});
