import { describe, expect, it } from 'vitest';
import { useApi } from '../use-api.ts';

const WBNB = '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c';
const api = await useApi();
const { token } = await api.signIn();
const get = (path: string) => api.request('GET', `/api/web3/bsc/${path}`, { token });

describe('two tokens of BNB Smart Chain', () => {
  it.each([
    ['quote?amount=1&tokenIn=USDC&tokenOut=USDC', '/query/tokenOut'],
    ['quote?amount=1&tokenIn=BNB&tokenOut=BNB', '/query/tokenOut'],
    ['quote?amount=1&tokenIn=BNB&tokenOut=WBNB', '/query/tokenOut'],
    [`quote?amount=1&tokenIn=${WBNB.toLowerCase()}&tokenOut=${WBNB}`, '/query/tokenOut'],
    ['pools?tokenA=USDT&tokenB=USDT', '/query/tokenB'],
  ])('are refused where they are one: %s', async (path, field) => {
    const { status, body } = await get(path);
    expect([status, body]).toMatchObject([
      400,
      {
        code: 'invalid_request',
        errors: [{ path: field, message: 'must be another token, or on another chain' }],
      },
    ]);
  });

  it('are quoted where they are two, and a wrong amount is named as the parameter it is', async () => {
    expect((await get('quote?amount=1&tokenIn=USDC&tokenOut=USDT')).status).toBe(200);
    expect(
      (await get(`quote?amount=${'0.'.padEnd(22, '1')}&tokenIn=USDC&tokenOut=USDT`)).body,
    ).toMatchObject({
      errors: [{ path: '/query/amount' }],
    });
  });
});
