import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readAddress } from '../../../src/adapters/evm/address.ts';
import { checksummed, fitsChecksum } from '../../../src/http/routes/evm-address.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const user = await api.signIn();
const RIGHT = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const MISTYPED = '0xAb5801a7D398351b8bE11C439e05C5B3259aec9B';
const UPPER = `0x${RIGHT.slice(2).toUpperCase()}`;

const transfer = { chain: 'BASE', amount: '1' };
const quote = { fromChain: 'BASE', toChain: 'BASE', amount: '1' };
const withdraw = '/api/venue_a/safe/withdraw/';

/** What a call is refused with, and where. */
async function refusal(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await api.request(method, path, { token: user.token, body });
  const { code, errors } = answer.body;
  return [answer.status, code, ...(Array.isArray(errors) ? errors.map((each) => each.path) : [])];
}

describe('an address in mixed case', () => {
  it.each<[string, string, unknown, string]>([
    ['POST', withdraw, { amount: '1', to: MISTYPED }, '/to'],
    ['POST', '/api/web3/safe-transfer', { amount: '1', token: MISTYPED }, '/token'],
    ['POST', '/api/web3/transfer/', { ...transfer, token: 'USDC', to: MISTYPED }, '/to'],
    ['POST', '/api/web3/transfer/', { ...transfer, token: MISTYPED, to: RIGHT }, '/token'],
    [
      'POST',
      '/api/web3/exchange/get-quote/',
      { ...quote, sellTokenTicker: MISTYPED, buyTokenTicker: 'ETH' },
      '/sellTokenTicker',
    ],
    [
      'POST',
      '/api/web3/exchange/get-quote/',
      { ...quote, sellTokenTicker: 'ETH', buyTokenTicker: 'AERO', buyToken: MISTYPED },
      '/buyToken',
    ],
    ['POST', '/api/web3/view/tokens', { chain: 'BASE', address: MISTYPED }, '/address'],
    ['DELETE', `/api/web3/view/tokens/BASE/${MISTYPED}`, undefined, '/path/address'],
    ['GET', `/api/web3/token/balance/?chain=BASE&token=${MISTYPED}`, undefined, '/query/token'],
    ['GET', `/api/web3/token/dexdata/?chain=BASE&token=${MISTYPED}`, undefined, '/query/token'],
    ['GET', `/api/web3/token/router/info/?chain=BASE&token=${MISTYPED}`, undefined, '/query/token'],
    ['GET', `/api/web3/realtime/?tokens=BASE:${MISTYPED}`, undefined, '/query/tokens'],
    ['GET', `/api/web3/bsc/token/${MISTYPED}`, undefined, '/path/address'],
    ['GET', `/api/web3/bsc/pools?tokenA=${MISTYPED}&tokenB=BNB`, undefined, '/query/tokenA'],
  ])('of another checksum is refused: %s %s %j', async (method, path, body, field) => {
    expect(await refusal(method, path, body)).toEqual([400, 'invalid_request', field]);
  });

  it('is one’s own wallet for a withdrawal by its checksum alone', async () => {
    const { body } = await api.request('GET', '/api/user/profile', { token: user.token });
    const own = String((body['wallets'] as { evm: string }).evm);
    const letter = [...own].findLastIndex((each) => /[a-f]/i.test(each));
    const other = own[letter] ?? '';
    const turned = /[a-f]/.test(other) ? other.toUpperCase() : other.toLowerCase();
    const mistyped = `${own.slice(0, letter)}${turned}${own.slice(letter + 1)}`;
    expect(await refusal('POST', withdraw, { amount: '1', to: mistyped })).toEqual([
      400,
      'invalid_request',
      '/to',
    ]);
    for (const to of [own, own.toLowerCase(), `0x${own.slice(2).toUpperCase()}`])
      expect(await refusal('POST', withdraw, { amount: '1', to })).toEqual([201, undefined]);
  });
});

it('an address in letters of one case carries no checksum, and other text is taken', () => {
  expect([RIGHT, RIGHT.toLowerCase(), UPPER].map(readAddress)).toEqual(Array(3).fill(RIGHT));
  expect([RIGHT, RIGHT.toLowerCase(), UPPER, 'USDC', `${MISTYPED}0`].map(fitsChecksum)).toEqual(
    Array(5).fill(true),
  );
  expect([readAddress(MISTYPED), fitsChecksum(MISTYPED)]).toEqual([null, false]);
  expect(checksummed(z.string()).safeParse(MISTYPED).error?.issues).toMatchObject([
    { message: expect.stringContaining('checksum') },
  ]);
});
