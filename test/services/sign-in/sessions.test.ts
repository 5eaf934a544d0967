import { describe, expect, it } from 'vitest';
import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { CHALLENGES, FAMILIES, PHONES, REFRESH_TOKENS, SIGN_IN_EXPIRY, USERS } from '../../../src/services/sign-in/tables.ts';
import { openHouse, START_MS } from './identity-house.ts';

const PHONE = '+14155552671';
const codeOf = async (work: Promise<unknown>): Promise<unknown> => work.then(() => 'done', (error: unknown) => (error instanceof AppError ? error.code : error));
const wrong = (code: string | undefined): string => (code === '000000' ? '000001' : '000000');

describe('one-time codes', () => {
  it('sign in once and never again', async () => {
    const { sessions, sent } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const code = sent[0]?.code ?? '';
    expect([await codeOf(sessions.verifyCode(challengeId, code)), await codeOf(sessions.verifyCode(challengeId, code))]).toEqual(['done', 'code_expired']);
  });

  it('cannot be guessed: after five wrong tries even the right one is refused', async () => {
    const { sessions, sent } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const tries = [];
    for (let attempt = 0; attempt < 5; attempt += 1) tries.push(await codeOf(sessions.verifyCode(challengeId, wrong(sent[0]?.code))));
    tries.push(await codeOf(sessions.verifyCode(challengeId, sent[0]?.code ?? '')));
    expect(tries).toEqual(['code_invalid', 'code_invalid', 'code_invalid', 'code_invalid', 'too_many_attempts', 'too_many_attempts']);
  });

  it('are counted also when the tries come at once', async () => {
    const { sessions, sent } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const tries = await Promise.all(Array.from({ length: 20 }, () => codeOf(sessions.verifyCode(challengeId, wrong(sent[0]?.code)))));
    expect([tries.filter((each) => each === 'code_invalid').length, await codeOf(sessions.verifyCode(challengeId, sent[0]?.code ?? ''))]).toEqual([4, 'too_many_attempts']);
  });

  it('end after five minutes, and when a new one is sent', async () => {
    const { sessions, sent, clock } = await openHouse();
    const first = await sessions.requestCode(PHONE);
    await clock.advance(SIGN_IN.resendAfterMs);
    const second = await sessions.requestCode(PHONE);
    expect(await codeOf(sessions.verifyCode(first.challengeId, sent[0]?.code ?? ''))).toBe('code_expired');
    await clock.advance(SIGN_IN.codeLifeMs);
    expect(await codeOf(sessions.verifyCode(second.challengeId, sent[1]?.code ?? ''))).toBe('code_expired');
  });

  it('are sent to one phone at most every half minute and five times an hour', async () => {
    const { sessions, clock } = await openHouse();
    const outcomes = [await codeOf(sessions.requestCode(PHONE)), await codeOf(sessions.requestCode(PHONE))];
    for (let send = 0; send < 5; send += 1) {
      await clock.advance(SIGN_IN.resendAfterMs);
      outcomes.push(await codeOf(sessions.requestCode(PHONE)));
    }
    await clock.advance(3_600_000);
    outcomes.push(await codeOf(sessions.requestCode(PHONE)));
    expect(outcomes).toEqual(['done', 'rate_limited', 'done', 'done', 'done', 'done', 'too_many_attempts', 'done']);
  });

  it('may be asked for again at once after a right one', async () => {
    const { sessions, sent } = await openHouse();
    const outcomes = [];
    for (let start = 0; start < 8; start += 1) {
      const { challengeId } = await sessions.requestCode(PHONE);
      outcomes.push(await codeOf(sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '')));
    }
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => 'done'));
  });

  it('leave no code, no phone number and no refresh token in the store (L12)', async () => {
    const { sessions, sent, store } = await openHouse();
    const pending = await sessions.requestCode('+14155552672');
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[1]?.code ?? '');
    const text = JSON.stringify([CHALLENGES, PHONES, USERS, FAMILIES, REFRESH_TOKENS].map((table) => store.range<unknown>(table)));
    expect([pending.challengeId, '4155552671', '4155552672', `"${sent[0]?.code}"`, refreshToken.split('.')[2] ?? ''].map((secret) => text.includes(secret))).toEqual([true, false, false, false, false]);
  });

  it('are swept when they have ended, so the tables stay small', async () => {
    const { sessions, clock, store } = await openHouse();
    for (let number = 0; number < 30; number += 1) {
      await sessions.requestCode(`+1415555${2_000 + number}`);
      await clock.advance(3_600_001);
    }
    expect([CHALLENGES, PHONES, SIGN_IN_EXPIRY].map((table) => store.range<unknown>(table).length)).toEqual([1, 1, 2]);
  });
});

describe('sessions', () => {
  it('give the same user for the same phone, however it is written', async () => {
    const { sessions, sent, clock, entries } = await openHouse();
    const first = await sessions.requestCode(PHONE);
    const one = await sessions.verifyCode(first.challengeId, sent[0]?.code ?? '');
    await clock.advance(SIGN_IN.resendAfterMs);
    const second = await sessions.requestCode('+1 415-555-2671');
    const two = await sessions.verifyCode(second.challengeId, sent[1]?.code ?? '');
    expect([one.userId === two.userId, entries.map(({ event }) => event.type)]).toEqual([true, ['user.created']]);
  });

  it('make one user when two sign-ins of a new phone meet', async () => {
    const { sessions, sent, store } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(sessions.verifyCode(challengeId, sent[0]?.code ?? ''))));
    expect([outcomes.sort(), store.range(USERS).length]).toEqual([['code_expired', 'code_expired', 'done'], 1]);
  });

  it('survive a power cut once the answer is out', async () => {
    const house = await openHouse();
    const { challengeId } = await house.sessions.requestCode(PHONE);
    const { accessToken, refreshToken, userId } = await house.sessions.verifyCode(challengeId, house.sent[0]?.code ?? '');
    const after = await openHouse({ store: house.store.powerCut(), world: house.world, seed: 2 });
    after.accounts.recover();
    expect(await after.sessions.authenticate(accessToken)).toMatchObject({ userId });
    expect((await after.sessions.refresh(refreshToken)).userId).toBe(userId);
  });

  it('end thirty days after the last refresh', async () => {
    const { sessions, sent, clock } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    await clock.advance(SIGN_IN.refreshTokenLifeMs - 1);
    const next = await sessions.refresh(refreshToken);
    await clock.advance(SIGN_IN.refreshTokenLifeMs);
    expect([next.refreshExpiresAtMs, await codeOf(sessions.refresh(next.refreshToken))]).toEqual([START_MS + 2 * SIGN_IN.refreshTokenLifeMs - 1, 'token_expired']);
  });

  it('do not end for a made-up refresh token of theirs', async () => {
    const { sessions, sent } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    const [family = ''] = refreshToken.split('.');
    const attempts = [`${family}.0.guess`, `${family}.7.guess`, 'ses_x.0.y', '', `${family}.-1.x`];
    expect(await Promise.all(attempts.map((token) => codeOf(sessions.refresh(token))))).toEqual(attempts.map(() => 'token_invalid'));
    expect(await codeOf(sessions.refresh(refreshToken))).toBe('done');
  });

  it('let only one of two simultaneous refreshes through, and take the second for a theft', async () => {
    const { sessions, sent, log } = await openHouse();
    const { challengeId } = await sessions.requestCode(PHONE);
    const { refreshToken } = await sessions.verifyCode(challengeId, sent[0]?.code ?? '');
    const outcomes = await Promise.all([codeOf(sessions.refresh(refreshToken)), codeOf(sessions.refresh(refreshToken))]);
    expect([outcomes, log]).toEqual([['done', 'token_invalid'], ['session.refresh_token_reused']]);
  });

  it('are at most fifty a user: the oldest ends', async () => {
    const { sessions, sent, clock, store } = await openHouse();
    const tokens: string[] = [];
    for (let device = 0; device <= SIGN_IN.familiesPerUserMaximum; device += 1) {
      const { challengeId } = await sessions.requestCode(PHONE);
      tokens.push((await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '')).refreshToken);
      await clock.advance(3_600_000);
    }
    expect([store.range(FAMILIES).length, await codeOf(sessions.refresh(tokens[0] ?? '')), await codeOf(sessions.refresh(tokens[1] ?? ''))]).toEqual([50, 'token_invalid', 'done']);
  });
});
