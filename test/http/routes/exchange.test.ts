import { expect, it } from 'vitest';
import { TOKENS } from '../../../config/limits/identity.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import { aSwap, QUOTE_ID } from '../../support/fakes/fake-swaps.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const user = await api.signIn();

function estimate(body: unknown) {
  return api.request('POST', '/api/web3/exchange/estimate/', { token: user.token, body });
}

it('an estimate of a swap says what the quote has, what the caps leave, and executes nothing', async () => {
  const answer = await estimate({ quoteId: QUOTE_ID });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      quoteId: QUOTE_ID,
      amount: '25',
      minimumOut: '0.0124001875',
      worstLossUsd: '0.199625',
      fees: [{ name: 'Bridge fee', amountUsd: '0.075' }],
      countsUsd: '25',
      needsFreshSignIn: false,
      left: { dailyOutUsd: '475', keyOrder: null, keyDay: null },
      refusal: null,
    },
  });
  const swaps = await api.request('GET', '/api/web3/exchange/', { token: user.token });
  expect(swaps.body['data']).toEqual([]);
});

it('a swap states what the network took for its approval and itself, and what that is worth', async () => {
  const path = '/api/web3/exchange/';
  const gasOf = async () => {
    const { body } = await api.request('GET', path, { token: user.token });
    return (body['data'] as { gas: unknown }[]).map(({ gas }) => gas);
  };
  await api.request('POST', `${path}execute/`, {
    token: user.token,
    body: { quoteId: QUOTE_ID },
  });
  expect(await gasOf()).toEqual([null]);
  const { userId, transactionId } = aSwap();
  await api.store.write((tx) => {
    const made = newTransaction(
      tx,
      {
        userId,
        account: { chain: 'BASE', rail: 'evm', address: `0x${'ad'.repeat(20)}` },
        purpose: { owner: 'safe', kind: 'deploy', data: {} },
        body: { kind: 'calls', calls: [] },
      },
      { transactionId, nowMs: 1 },
    );
    const fee = '210000000000000';
    putTransaction(tx, { before: null, after: { ...made, state: 'failed', fee } });
  });
  expect(await gasOf()).toEqual([{ symbol: 'ETH', amount: '0.00021', amountUsd: '0.42' }]);
});

it('an estimate of a swap takes a quoteId and nothing else, and knows no quote of others', async () => {
  expect(await estimate({ quoteId: QUOTE_ID, to: 'me' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: '/to' }] },
  });
  expect(await estimate({ quoteId: `quo_${'9'.repeat(26)}` })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});

it('an estimate of a swap tells a signed-in user a while ago that they must do so anew', async () => {
  await api.clock.advance(TOKENS.freshSignInMs);
  expect(await estimate({ quoteId: QUOTE_ID })).toMatchObject({
    status: 200,
    body: { needsFreshSignIn: true, refusal: { code: 'fresh_sign_in_required' } },
  });
});
