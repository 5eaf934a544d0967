import { describe, expect, it } from 'vitest';
import { asId, type TokenId } from '../../../../src/domain/ids.ts';
import { VENUE_A } from '../../../../config/limits/venue-a.ts';
import { API } from '../../../../config/limits/api.ts';
import { useApi } from '../../../http/use-api.ts';
import { aBook, MARKET_ID, TOKEN_ID } from '../../../http/samples.ts';

const api = await useApi();
const { token } = await api.signIn();
const get = (path: string) => api.request('GET', `/api/venue_a/${path}`, { token });
const many = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

describe('the books of several tokens', () => {
  it('come in the order asked for, and one that is not there leaves the others', async () => {
    api.books.set(TOKEN_ID, aBook());
    const { status, body } = await get(`token/orderbooks/?ids=404,${TOKEN_ID},404`);
    expect([status, body]).toEqual([
      200,
      {
        data: [
          {
            tokenId: '404',
            book: null,
            error: expect.objectContaining({ code: 'not_found', retryable: false }),
          },
          {
            tokenId: TOKEN_ID,
            book: (await get(`token/${TOKEN_ID}/orderbook/`)).body,
            error: null,
          },
        ],
        nextCursor: null,
      },
    ]);
  });

  it('of a market that has ended say so, in the words of `/ws`', async () => {
    const ended = asId<TokenId>('405');
    api.ends.set(ended, 'resolved');
    expect(await get(`token/${ended}/orderbook/`)).toMatchObject({
      status: 409,
      body: { code: 'market_closed', detail: 'the market has ended: resolved' },
    });
    expect(await get('token/404/orderbook/')).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: 'the venue has no such book' },
    });
  });

  it.each([
    ['', '/query/ids'],
    ['?ids=', '/query/ids'],
    ['?ids=1,x', '/query/ids'],
    [`?ids=${many(API.idsPerCallMaximum + 1).join()}`, '/query/ids'],
  ])('are refused by the place of the fault: %s', async (query, path) => {
    const { status, body } = await get(`token/orderbooks/${query}`);
    expect([status, body]).toMatchObject([400, { errors: [{ path }] }]);
  });

  it('are as many as a call may name', async () => {
    const { status, body } = await get(
      `token/orderbooks/?ids=${many(API.idsPerCallMaximum).join()}`,
    );
    expect([status, (body['data'] as unknown[]).length]).toEqual([200, API.idsPerCallMaximum]);
  });
});

describe('prices of a token over time', () => {
  it('come in periods, with what the venue does not say as null, and for the last four days unless asked otherwise', async () => {
    const { status, body } = await get(`token/${TOKEN_ID}/candlesticks`);
    expect([status, body['tokenId'], body['periodMinutes']]).toEqual([200, TOKEN_ID, 60]);
    expect((body['data'] as unknown[])[0]).toMatchObject({
      price: { open: '0.94', close: '0.95' },
    });
    expect(await get('token/404/candlesticks')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it.each([
    ['periodMinutes=2', '/query/periodMinutes'],
    ['toAtMs=0', '/query/toAtMs'],
    ['periodMinutes=1&fromAtMs=0', '/query/fromAtMs'],
    [`fromAtMs=0&toAtMs=${3_600_000 * (VENUE_A.candlesMaximum + 1)}`, '/query/toAtMs'],
  ])('are refused by the place of the fault: %s', async (query, path) => {
    const { status, body } = await get(`token/${TOKEN_ID}/candlesticks?${query}`);
    expect([status, body]).toMatchObject([400, { errors: [{ path }] }]);
  });
});

describe('several markets by their ids', () => {
  it('come in the order asked for, without those that are not there', async () => {
    const { status, body } = await get(`markets/?ids=0x${'0'.repeat(64)},${MARKET_ID}`);
    expect([status, body]).toEqual([
      200,
      {
        data: [(await get(`markets/${MARKET_ID}`)).body],
        nextCursor: null,
        incomplete: false,
      },
    ]);
  });

  it('are asked for without other filters', async () => {
    const { status, body } = await get(`markets/?ids=${MARKET_ID}&tag=crypto`);
    expect([status, body]).toMatchObject([400, { errors: [{ path: '/query/tag' }] }]);
  });
});
