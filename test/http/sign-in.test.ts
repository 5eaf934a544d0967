import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OTP, TOKENS } from '../../config/limits/identity.ts';
import { SIGN_IN } from '../../config/limits.ts';
import { AppError } from '../../src/domain/errors.ts';
import { MARKET_ID } from './samples.ts';
import { START_MS, startApi, type TestApi } from './api.ts';
import { VENUE_A } from '../support/venue-ids.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
const PHONE = '+14155552671';

describe('signing in over HTTP', () => {
  it('goes from a phone to a username to everything else', async () => {
    const sent = await api.request('POST', '/api/auth/otp/request', {
      body: { phone: '+1 (415) 555-2671' },
    });
    expect([sent.status, api.codes]).toEqual([
      200,
      [{ phone: PHONE, code: expect.stringMatching(/^\d{6}$/) }],
    ]);
    const verified = await api.request('POST', '/api/auth/otp/verify/', {
      body: { challengeId: sent.body.challengeId, code: api.codes[0]?.code },
    });
    expect(verified.body).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      accessExpiresAtMs: START_MS + SIGN_IN.accessTokenLifeMs,
      refreshToken: expect.any(String),
      refreshExpiresAtMs: START_MS + SIGN_IN.refreshTokenLifeMs,
      user: {
        userId: expect.stringMatching(/^usr_/),
        phone: '+1••••••2671',
        identities: [],
        username: null,
        wallets: {
          evm: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          solana: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
          safe: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        },
        account: 'ready',
        createdAtMs: START_MS,
      },
    });
    const token = String(verified.body.accessToken);
    const early = await api.request('GET', '/api/agents/', { token });
    expect([early.status, early.body.code]).toEqual([403, 'username_required']);
    const named = await api.request('PUT', '/api/user/profile', {
      token,
      body: { username: 'Satoshi_Ltd' },
    });
    expect([named.status, named.body.username]).toEqual([200, 'satoshi_ltd']);
    expect((await api.request('GET', '/api/agents/', { token })).status).toBe(200);
    await api.close();
  });

  it('says the same of a phone it knows and of one it does not', async () => {
    await api.signIn({ phone: PHONE });
    await api.clock.advance(OTP.resendFirstMs);
    const known = await api.request('POST', '/api/auth/otp/request', {
      body: { phone: PHONE },
    });
    const unknown = await api.request('POST', '/api/auth/otp/request', {
      body: { phone: '+14155552672' },
    });
    const faceless = (reply: typeof known) => ({ ...reply.body, challengeId: 'otp' });
    expect([known.status, faceless(known)]).toEqual([unknown.status, faceless(unknown)]);
    await api.close();
  });

  it('signs the same user in again by the phone of the account, in the place of the session', async () => {
    const { token, userId } = await api.signIn();
    const asked = await api.request('POST', '/api/auth/again/code', { token });
    const body = { challengeId: asked.body.challengeId, code: api.codes.at(-1)?.code };
    const again = await api.request('POST', '/api/auth/again', { token, body });
    expect([again.status, again.body.user]).toEqual([200, expect.objectContaining({ userId })]);
    expect((await api.request('GET', '/api/agents/', { token })).body.code).toBe('token_invalid');
    const fresh = String(again.body.accessToken);
    const sessions = await api.request('GET', '/api/auth/sessions', { token: fresh });
    expect(sessions.body.data).toHaveLength(1);
  });

  it('ends a session at logout, its access token included', async () => {
    const { token, refreshToken } = await api.signIn();
    const out = await api.request('POST', '/api/auth/logout', { token });
    const after = await api.request('GET', '/api/user/profile', { token });
    const refreshed = await api.request('POST', '/api/auth/refresh', {
      body: { refreshToken },
    });
    expect([
      out.status,
      out.text,
      after.status,
      after.body.code,
      refreshed.status,
      refreshed.body.code,
    ]).toEqual([204, '', 401, 'token_invalid', 401, 'token_invalid']);
    await api.close();
  });

  it('rotates refresh tokens, and ends the family when one is used twice', async () => {
    const first = await api.signIn();
    const second = await api.request('POST', '/api/auth/refresh', {
      body: { refreshToken: first.refreshToken },
    });
    const token = String(second.body.accessToken);
    expect((await api.request('GET', '/api/user/profile', { token })).status).toBe(200);
    const lost = await api.request('POST', '/api/auth/refresh', {
      body: { refreshToken: first.refreshToken },
    });
    expect(lost.body.refreshToken).toBe(second.body.refreshToken);
    await api.clock.advance(TOKENS.refreshGraceMs);
    const stolen = await api.request('POST', '/api/auth/refresh', {
      body: { refreshToken: first.refreshToken },
    });
    const newest = await api.request('POST', '/api/auth/refresh', {
      body: { refreshToken: second.body.refreshToken },
    });
    const access = await api.request('GET', '/api/user/profile', { token });
    expect([stolen.body.code, newest.body.code, access.body.code]).toEqual([
      'token_invalid',
      'token_invalid',
      'token_invalid',
    ]);
    await api.close();
  });

  it('lets an access token live its quarter of an hour', async () => {
    const { token } = await api.signIn();
    await api.clock.advance(SIGN_IN.accessTokenLifeMs - 1_000);
    const within = await api.request('GET', '/api/user/profile', { token });
    await api.clock.advance(1_000);
    const after = await api.request('GET', '/api/user/profile', { token });
    expect([
      within.status,
      after.status,
      after.body.code,
      after.headers.get('www-authenticate'),
    ]).toEqual([200, 401, 'token_expired', 'Bearer']);
    await api.close();
  });

  it('refuses headers that hold no token of this service', async () => {
    const codes: unknown[] = [];
    for (const authorization of [
      'Basic YWJj',
      'Bearer',
      'Bearer a b',
      'Bearer abc',
      `Bearer ${'a'.repeat(3_000)}`,
    ]) {
      codes.push(
        (await api.request('GET', '/api/user/profile', { headers: { authorization } })).body.code,
      );
    }
    expect(codes).toEqual([
      'token_invalid',
      'token_invalid',
      'token_invalid',
      'token_invalid',
      'token_invalid',
    ]);
    expect((await api.request('GET', '/api/user/profile')).body.code).toBe('unauthenticated');
    await api.close();
  });

  it('limits sign-in by address', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= OTP.sendsPerAddressPerHour; attempt += 1) {
      statuses.push(
        (
          await api.request('POST', '/api/auth/otp/request', {
            body: { phone: `+1415555${3_000 + attempt}` },
          })
        ).status,
      );
    }
    expect([new Set(statuses.slice(0, -1)), statuses.at(-1)]).toEqual([new Set([200]), 429]);
    await api.close();
  });
});

describe('calls that move money', () => {
  const ORDER = { marketId: MARKET_ID, side: 'no', amount: '2.5', orderType: 'market' };
  let moving: TestApi;
  let token: string;
  beforeAll(async () => {
    moving = await startApi();
    ({ token } = await moving.signIn());
  });
  afterAll(() => moving.close());

  it('give the stored answer to a repetition with the same key, and place once', async () => {
    const headers = { 'idempotency-key': 'k-1' };
    const first = await moving.request('POST', '/api/venue_a/order', {
      token,
      body: ORDER,
      headers,
    });
    const again = await moving.request('POST', '/api/venue_a/order/', {
      token,
      rawBody: `{ "orderType":"market", "amount":"2.5","side":"no", "marketId":"${MARKET_ID}" }`,
      headers,
    });
    expect([
      first.status,
      again.status,
      again.headers.get('idempotency-replayed'),
      again.text,
      moving.placed.length,
    ]).toEqual([201, 201, 'true', first.text, 1]);
    expect(moving.placed[0]?.request).toEqual({
      venue: VENUE_A,
      marketId: MARKET_ID,
      outcome: 1,
      side: 'buy',
      amount: { unit: 'usdc', micros: 2_500_000 },
      type: { kind: 'market', life: 'all_now' },
      origin: { kind: 'manual' },
      fenceWaitMs: 5_000,
      idempotencyKey: `k-1:${START_MS}`,
      clientOrderId: 'k-1',
    });
  });

  it('are one and the same request as a number or as text, with their defaults given or left out', async () => {
    const headers = { 'idempotency-key': 'k-same' };
    const bodies = [
      { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'limit', price: 0.4 },
      { marketId: MARKET_ID, side: 'yes', amount: '5', orderType: 'limit', price: '0.40' },
      {
        marketId: MARKET_ID,
        side: 'yes',
        amount: '5.0',
        orderType: 'limit',
        price: '0.40',
        orderMode: 'dollars',
        action: 'buy',
      },
    ];
    const replies = [];
    for (const body of bodies)
      replies.push(await moving.request('POST', '/api/venue_a/order/', { token, body, headers }));
    expect(
      replies.map(({ status, headers: reported, body }) => [
        status,
        reported.get('idempotency-replayed'),
        body.clientOrderId,
      ]),
    ).toEqual([
      [201, null, 'k-same'],
      [201, 'true', 'k-same'],
      [201, 'true', 'k-same'],
    ]);
    expect(
      (await moving.request('POST', '/api/venue_a/order/', { token, body: bodies[0] })).body
        .clientOrderId,
    ).toBeNull();
  });

  it('leave their key free where the request itself was faulty, whoever found the fault', async () => {
    const headers = { 'idempotency-key': 'k-mended' };
    const place = (body: unknown) =>
      moving.request('POST', '/api/venue_a/order/', { token, body, headers });
    expect((await place({ ...ORDER, amount: 'five' })).body).toMatchObject({
      code: 'invalid_request',
    });
    expect((await place({ ...ORDER, orderType: 'limit', price: 0.47001 })).body).toMatchObject({
      code: 'price_off_tick',
    });
    const original = moving.behaviour.place;
    moving.behaviour.place = async () => {
      throw new AppError('size_too_small', 'below the minimum');
    };
    expect((await place({ ...ORDER, amount: 1 })).body).toMatchObject({ code: 'size_too_small' });
    moving.behaviour.place = original;
    const mended = await place(ORDER);
    expect([mended.status, mended.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it.each(['trading_stopped', 'cap_exceeded', 'insufficient_shares', 'limit_reached'] as const)(
    'leave their key free where they were refused: after the change the same call is carried out (%s)',
    async (code) => {
      const headers = { 'idempotency-key': `k-${code}` };
      const place = () =>
        moving.request('POST', '/api/venue_a/order/', { token, body: ORDER, headers });
      const original = moving.behaviour.place;
      moving.behaviour.place = async () => {
        throw new AppError(code, 'not now');
      };
      const refused = [await place(), await place()];
      moving.behaviour.place = original;
      const [placed, again] = [await place(), await place()];
      expect(
        [...refused, placed, again].map(({ status, headers: reported }) => [
          status,
          reported.get('idempotency-replayed'),
        ]),
      ).toEqual([
        [refused[0]?.status, null],
        [refused[0]?.status, null],
        [201, null],
        [201, 'true'],
      ]);
      expect([refused[0]?.body['code'], again.text]).toEqual([code, placed.text]);
    },
  );

  it('refuse the same key with another body', async () => {
    const before = moving.placed.length;
    const reply = await moving.request('POST', '/api/venue_a/order', {
      token,
      body: { ...ORDER, amount: 3 },
      headers: { 'idempotency-key': 'k-1' },
    });
    expect([reply.status, reply.body.code, moving.placed.length]).toEqual([
      422,
      'idempotency_mismatch',
      before,
    ]);
  });

  it('keep the keys of different users apart', async () => {
    const other = await moving.signIn();
    const before = moving.placed.length;
    const reply = await moving.request('POST', '/api/venue_a/order', {
      token: other.token,
      body: { ...ORDER, amount: 3 },
      headers: { 'idempotency-key': 'k-1' },
    });
    expect([reply.status, moving.placed.length]).toEqual([201, before + 1]);
  });

  it('say when to come back, with a key and without one', async () => {
    const busy = await startApi();
    const { token: hers } = await busy.signIn();
    busy.behaviour.place = async () => {
      throw new AppError('wallet_not_ready', 'the Safe waits', {
        retryable: true,
        retryAfterMs: 4_200,
      });
    };
    const asked = await Promise.all(
      [{}, { 'idempotency-key': 'k-2' }].map((headers) =>
        busy.request('POST', '/api/venue_a/order', { token: hers, body: ORDER, headers }),
      ),
    );
    await busy.close();
    expect(
      asked.map(({ status, headers }) => [
        status,
        headers.get('retry-after'),
        headers.get('idempotency-replayed'),
      ]),
    ).toEqual([
      [409, '5', null],
      [409, '5', null],
    ]);
  });

  it.each(['venue_restricted', 'venue_protocol'] as const)(
    'are described with their refusal as %s',
    async (code) => {
      const original = moving.behaviour.place;
      moving.behaviour.place = async () => {
        throw new AppError(code, 'not now', { retryable: true });
      };
      const { body } = await moving.request('POST', '/api/venue_a/order', { token, body: ORDER });
      moving.behaviour.place = original;
      expect(body.code).toBe(code);
    },
  );

  it.each([
    [
      { orderType: 'market', timeInForce: 'FAK' },
      { kind: 'market', life: 'part_now' },
    ],
    [
      { orderType: 'limit', price: '0.47', timeInForce: 'GTC' },
      { kind: 'limit', price: 4_700, expiresAtMs: null, untilCancelled: true },
    ],
  ])('place manually with the life they choose: %j', async (chosen, type) => {
    await moving.request('POST', '/api/venue_a/order', {
      token,
      body: { marketId: MARKET_ID, side: 'yes', amount: 10, ...chosen },
    });
    expect(moving.placed.at(-1)?.request.type).toEqual(type);
  });

  it('place manually with an action, a mode and an expiry', async () => {
    await moving.request('POST', '/api/venue_a/order', {
      token,
      body: {
        marketId: MARKET_ID,
        side: 'yes',
        amount: 10,
        orderType: 'limit',
        price: 0.47,
        orderMode: 'shares',
        action: 'sell',
        expiresAtMs: 1_800_000_600_000,
      },
    });
    expect(moving.placed.at(-1)?.request).toEqual({
      venue: VENUE_A,
      marketId: MARKET_ID,
      outcome: 0,
      side: 'sell',
      amount: { unit: 'shares', micros: 10_000_000 },
      type: { kind: 'limit', price: 4_700, expiresAtMs: 1_800_000_600_000 },
      origin: { kind: 'manual' },
      fenceWaitMs: 5_000,
    });
  });

  it('count against the budget of writes, and say so', async () => {
    const { token: busy } = await moving.signIn();
    const replies = [];
    for (let call = 0; call <= 120; call += 1)
      replies.push(await moving.request('PUT', '/api/user/limits', { token: busy, body: {} }));
    const [first, last] = [replies[0], replies.at(-1)];
    expect([
      first?.status,
      first?.headers.get('ratelimit-limit'),
      first?.headers.get('ratelimit-remaining'),
      first?.headers.get('ratelimit-reset'),
    ]).toEqual([200, '120', '119', '1']);
    expect([
      last?.status,
      last?.body.code,
      last?.headers.get('ratelimit-remaining'),
      last?.headers.get('retry-after'),
    ]).toEqual([429, 'rate_limited', '0', '1']);
    expect(
      (await moving.request('GET', '/api/venue_a/order/', { token: busy })).headers.get(
        'ratelimit-limit',
      ),
    ).toBe('600');
  });
});
