import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readAddress } from '../../../src/adapters/evm/address.ts';
import { checksummed, evmAddressFault } from '../../../src/http/routes/evm-address.ts';
import { DEPOSIT_ADDRESS } from '../api.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const user = await api.signIn();
const RIGHT = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const MISTYPED = '0xAb5801a7D398351b8bE11C439e05C5B3259aec9B';
/** Its letters fit, and its prefix does not. */
const LARGE_X = RIGHT.replace('0x', '0X');
const USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
const WBNB = '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c';

const transfer = { chain: 'BASE', amount: '1' };
const quote = { fromChain: 'BASE', toChain: 'BASE', amount: '1' };
const withdraw = '/api/venue_a/safe/withdraw/';

function upper(address: string): string {
  return `0x${address.slice(2).toUpperCase()}`;
}

/** An entry whose agent has a wallet there. */
function entryOf(wallet: string) {
  const services = [{ type: 'wallet', value: wallet }];
  return { agent: 'btc_5min', name: 'BTC', description: '', services };
}

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
    ['GET', `/api/web3/search/?query=${MISTYPED}`, undefined, '/query/query'],
    ['GET', `/api/venue_a/bridge/status/${MISTYPED}/`, undefined, '/path/address'],
    ['POST', '/api/web3/registry/register', entryOf(MISTYPED), '/services/0/value'],
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
    for (const to of [own, own.toLowerCase(), upper(own)])
      expect(await refusal('POST', withdraw, { amount: '1', to })).toEqual([201, undefined]);
  });
});

describe('an address', () => {
  it.each<[string, string, unknown, string]>([
    ['POST', '/api/web3/safe-transfer', { amount: '1', token: LARGE_X }, '/token'],
    ['POST', '/api/web3/transfer/', { ...transfer, token: 'USDC', to: LARGE_X }, '/to'],
    ['POST', '/api/web3/registry/register', entryOf(LARGE_X), '/services/0/value'],
    ['GET', `/api/web3/token/router/info/?chain=BASE&token=${LARGE_X}`, undefined, '/query/token'],
    ['GET', `/api/web3/realtime/?tokens=BASE:${LARGE_X}`, undefined, '/query/tokens'],
    ['GET', `/api/web3/bsc/token/${LARGE_X.toUpperCase()}`, undefined, '/path/address'],
    ['GET', `/api/venue_a/bridge/status/${LARGE_X}/`, undefined, '/path/address'],
  ])('that begins with 0X is refused: %s %s %j', async (method, path, body, field) => {
    expect(await refusal(method, path, body)).toEqual([400, 'invalid_request', field]);
  });

  it.each([
    (wbnb: string) => `/api/web3/bsc/token/${wbnb}`,
    (wbnb: string) => `/api/web3/bsc/quote?tokenIn=${wbnb}&tokenOut=USDC&amount=1`,
    (wbnb: string) => `/api/web3/bsc/quote?tokenIn=USDC&tokenOut=${wbnb}&amount=1`,
    (wbnb: string) => `/api/web3/bsc/quote?tokenIn=USDC&tokenOut=${wbnb}&amount=1`,
    (wbnb: string) => `/api/web3/bsc/pools?tokenA=USDC&tokenB=${wbnb}`,
    (wbnb: string) => `/api/web3/realtime/?tokens=BSC:${wbnb}`,
  ])('is answered the same in each of its spellings: %s', async (pathOf) => {
    const answers = await Promise.all(
      [WBNB, WBNB.toLowerCase(), upper(WBNB)].map((wbnb) =>
        api.request('GET', pathOf(wbnb), { token: user.token }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [spelled, ...others] = answers.map(({ body }) => body);
    expect(others).toEqual([spelled, spelled]);
  });

  it.each([
    ['lower', (text: string) => text.toLowerCase()],
    ['upper', upper],
  ])('of a token added in %s case is answered with its checksum', async (_, written) => {
    const body = { chain: 'POLYGON', address: written(DEPOSIT_ADDRESS) };
    const added = await api.request('POST', '/api/web3/view/tokens', { token: user.token, body });
    expect([added.status, added.body.address]).toEqual([200, DEPOSIT_ADDRESS]);
  });

  it('to deposit to is found in each of its spellings', async () => {
    const given = '/api/venue_a/bridge/deposit-addresses/';
    await api.request('POST', given, { token: user.token });
    for (const own of [DEPOSIT_ADDRESS, DEPOSIT_ADDRESS.toLowerCase(), upper(DEPOSIT_ADDRESS)])
      expect(await refusal('GET', `/api/venue_a/bridge/status/${own}/`)).toEqual([200, undefined]);
  });

  it('is one request in each of its spellings, under one key', async () => {
    const answers = [];
    for (const token of [USDC, USDC.toLowerCase(), upper(USDC)])
      answers.push(
        await api.request('POST', '/api/web3/safe-transfer', {
          token: user.token,
          body: { amount: '1', token },
          headers: { 'Idempotency-Key': 'spelled-transfer' },
        }),
      );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.transferId)).size).toBe(1);
  });
});

it('an address in letters of one case carries no checksum, and other text is taken', () => {
  const spellings = [RIGHT, RIGHT.toLowerCase(), upper(RIGHT)];
  expect(spellings.map(readAddress)).toEqual(Array(3).fill(RIGHT));
  const field = checksummed(z.string());
  expect(spellings.map((text) => field.parse(text))).toEqual(Array(3).fill(RIGHT));
  const others = ['USDC', `${MISTYPED}0`, 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB', ''];
  expect(others.map((text) => field.parse(text))).toEqual(others);
  expect([...spellings, ...others].map(evmAddressFault)).toEqual(Array(7).fill(null));
  expect(readAddress(MISTYPED)).toBeNull();
  expect(field.safeParse(MISTYPED).error?.issues).toMatchObject([
    { message: expect.stringContaining('checksum') },
  ]);
  expect(field.safeParse(LARGE_X).error?.issues).toMatchObject([
    { message: expect.stringContaining('0x') },
  ]);
});
