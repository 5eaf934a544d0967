import { describe, expect, it } from 'vitest';
import { MARKET_ID } from '../../../http/samples.ts';
import { useApi } from '../../../http/use-api.ts';

const api = await useApi();
const user = await api.signIn();

const withdraw = (body: unknown, key?: string) =>
  api.request('POST', '/api/venue_a/safe/withdraw/', {
    token: user.token,
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });

describe('POST /api/venue_a/safe/withdraw/', () => {
  it('answers with the withdrawal, which can be looked up', async () => {
    const { status, body } = await withdraw({ amount: '1.5' });
    expect([status, body]).toMatchObject([
      201,
      { state: 'settled', amount: '1.5', token: 'USDC', reason: null },
    ]);
    expect(
      (
        await api.request('GET', `/api/venue_a/safe/withdraw/${String(body['withdrawalId'])}/`, {
          token: user.token,
        })
      ).body,
    ).toEqual(body);
    expect(
      (await api.request('GET', '/api/venue_a/safe/withdraw/?limit=10', { token: user.token }))
        .body,
    ).toEqual({ data: [body], nextCursor: null });
  });

  it('pays once for one Idempotency-Key, and refuses another call under it', async () => {
    const first = await withdraw({ amount: 1 }, 'once');
    expect((await withdraw({ amount: 1 }, 'once')).body).toEqual(first.body);
    expect((await withdraw({ amount: 2 }, 'once')).body).toMatchObject({
      code: 'idempotency_mismatch',
    });
  });

  it.each([
    [{ amount: 0 }, 400, 'invalid_request'],
    [{ amount: '-1' }, 400, 'invalid_request'],
    [{ amount: '0.0000001' }, 400, 'invalid_request'],
    [{ amount: 1, to: 'me' }, 400, 'invalid_request'],
    [{}, 400, 'invalid_request'],
    [{ amount: 1, token: '0x' }, 400, 'invalid_request'],
    [{ amount: '11' }, 422, 'insufficient_funds'],
  ])('refuses %j', async (body, status, code) => {
    const reply = await withdraw(body);
    expect([reply.status, reply.body['code']]).toEqual([status, code]);
  });

  it('shows no user a withdrawal of another', async () => {
    const { body } = await withdraw({ amount: '0.25' });
    const other = await api.signIn();
    expect(
      (
        await api.request('GET', `/api/venue_a/safe/withdraw/${String(body['withdrawalId'])}`, {
          token: other.token,
        })
      ).status,
    ).toBe(404);
  });

  it('takes no API key: only a signed-in user moves money out', async () => {
    const { body } = await api.request('POST', '/api/user/keys/', {
      token: user.token,
      body: { name: 'bot', scopes: ['read', 'trade'] },
    });
    const reply = await api.request('POST', '/internal/api-keys/exchange', {
      body: { key: body['key'] },
      headers: { 'x-internal-secret': 'internal-secret-of-the-tests-0001' },
    });
    const refused = await api.request('POST', '/api/venue_a/safe/withdraw/', {
      token: String(reply.body['accessToken']),
      body: { amount: 1 },
    });
    expect([refused.status, refused.body['code']]).toEqual([403, 'forbidden']);
  });
});

describe('POST /api/venue_a/token/claim/', () => {
  it('claims one market, or all', async () => {
    const claim = (body: unknown) =>
      api.request('POST', '/api/venue_a/token/claim/', { token: user.token, body });
    expect((await claim({})).body).toEqual({
      data: [
        {
          marketId: MARKET_ID,
          state: 'redeemed',
          amount: '20',
          reason: null,
          venueReason: null,
          transactionHash: null,
        },
      ],
      nextCursor: null,
    });
    expect((await claim({ marketId: MARKET_ID })).status).toBe(200);
    expect((await claim({ marketId: 'all' })).body).toMatchObject({ code: 'invalid_request' });
  });
});
