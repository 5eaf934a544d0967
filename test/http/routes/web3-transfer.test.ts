import { describe, expect, it } from 'vitest';
import { useApi } from '../use-api.ts';

const api = await useApi();
const user = await api.signIn();
const get = (path: string, token = user.token) => api.request('GET', path, { token });

describe('transfers to the Safe', () => {
  it('are answered with their state, looked up by id and listed, to their own user alone', async () => {
    const made = await api.request('POST', '/api/web3/safe-transfer', {
      token: user.token,
      body: { token: 'USDC', amount: '4' },
    });
    expect([made.status, made.body]).toMatchObject([
      201,
      { state: 'settled', token: 'USDC', amount: '4' },
    ]);
    const path = `/api/web3/safe-transfer/${String(made.body['transferId'])}`;
    expect((await get(path)).body).toEqual(made.body);
    expect((await get('/api/web3/safe-transfer/')).body).toEqual({
      data: [made.body],
      nextCursor: null,
    });
    const other = await api.signIn();
    expect([
      (await get(path, other.token)).status,
      (await get('/api/web3/safe-transfer/', other.token)).body,
    ]).toEqual([404, { data: [], nextCursor: null }]);
    expect((await get('/api/web3/safe-transfer/txn_1')).status).toBe(400);
  });
});
