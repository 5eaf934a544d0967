import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { createFakePush } from '../support/fakes/fake-push.ts';
import { MARKET_ID } from '../http/samples.ts';
import type { Reply, SignedInUser } from '../http/api.ts';
import { useApi } from '../http/use-api.ts';
import { aMarketBuy } from '../support/builders.ts';
import { IMAGE_ID } from '../support/fakes/fake-launches.ts';
import { QUOTE_ID } from '../support/fakes/fake-swaps.ts';

const api = await useApi();
const owner = await api.signIn();
const stranger = await api.signIn();

const as =
  (user: SignedInUser) =>
  (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> =>
    api.request(method, path, {
      token: user.token,
      ...(body === undefined ? {} : { body }),
      headers,
    });

interface Owned {
  readonly make: (ask: ReturnType<typeof as>) => Promise<unknown>;
  readonly read: (ask: ReturnType<typeof as>, id: string) => Promise<unknown>;
}

/** An order of a key of the owner that waits for them. */
const CONFIRMATION: Owned = {
  async make() {
    const { estimate } = api.behaviour;
    api.behaviour.estimate = async (...asked) => ({ ...(await estimate(...asked)), refusal: null });
    const { confirmationId } = await api.services.confirmations.propose(owner.userId, {
      keyId: 'key_of_the_owner',
      request: aMarketBuy(),
      clientRequestId: null,
    });
    api.behaviour.estimate = estimate;
    return confirmationId;
  },
  read: async (ask) => (await ask('GET', '/api/user/confirmations/')).body,
};

function anOrder(path: string, read = path): Owned {
  return {
    make: async (ask) =>
      (
        await ask('POST', path, {
          marketId: MARKET_ID,
          side: 'yes',
          amount: 5,
          orderType: 'market',
        })
      ).body.id,
    read: async (ask, id) => (await ask('GET', `${read}${id}/`)).body,
  };
}

/**
 * Rows whose parameter names a thing of a user, and how its owner comes by one; a request of the
 * owner at the end finds it as it was.
 */
const OWNED: Readonly<Record<string, Owned>> = {
  '/api/user/keys/:id/revoke/': {
    make: async (ask) => (await ask('POST', '/api/user/keys/', { name: 'mine' })).body.keyId,
    read: async (ask) => (await ask('GET', '/api/user/keys/')).body,
  },
  '/api/user/keys/:id/': {
    make: async (ask) => (await ask('POST', '/api/user/keys/', { name: 'mine too' })).body.keyId,
    read: async (ask) => (await ask('GET', '/api/user/keys/')).body,
  },
  '/api/user/keys/:id/activity': {
    make: async (ask) => (await ask('POST', '/api/user/keys/', { name: 'active' })).body.keyId,
    read: async (ask, id) => (await ask('GET', `/api/user/keys/${id}/activity`)).body,
  },
  '/api/user/confirmations/:id/confirm': CONFIRMATION,
  '/api/user/confirmations/:id/refuse': CONFIRMATION,
  '/api/user/push/subscriptions/:id': {
    make: async (ask) =>
      (
        await ask('POST', '/api/user/push/subscriptions', {
          ...createFakePush().subscribe(),
          expirationTime: null,
        })
      ).body.id,
    read: async (ask) => (await ask('GET', '/api/user/push/subscriptions')).body,
  },
  '/api/venue_a/order/:id/': anOrder('/api/venue_a/order/'),
  '/api/venue_b/order/:id/': anOrder('/api/venue_b/order/'),
  '/api/venue_c/order/:id/': anOrder('/api/venue_c/order/', '/api/venue_c/portfolio/orders/'),
  '/api/venue_c/portfolio/orders/:id': anOrder(
    '/api/venue_c/order/',
    '/api/venue_c/portfolio/orders/',
  ),
  '/api/venue_a/safe/withdraw/:id/': {
    make: async (ask) =>
      (
        await ask(
          'POST',
          '/api/venue_a/safe/withdraw/',
          { amount: '1' },
          { 'idempotency-key': 'mine' },
        )
      ).body.withdrawalId,
    read: async (ask, id) => (await ask('GET', `/api/venue_a/safe/withdraw/${id}/`)).body,
  },
  '/api/web3/exchange/:id/': {
    make: async (ask) =>
      (
        await ask(
          'POST',
          '/api/web3/exchange/execute/',
          { quoteId: QUOTE_ID },
          { 'idempotency-key': 'my-swap' },
        )
      ).body.swapId,
    read: async (ask, id) => (await ask('GET', `/api/web3/exchange/${id}/`)).body,
  },
  '/api/web3/memelaunch/:id/': {
    make: async (ask) =>
      (
        await ask(
          'POST',
          '/api/web3/memelaunch/launch',
          { name: 'Coffee', symbol: 'BREW', description: '', imageId: IMAGE_ID },
          { 'idempotency-key': 'my-launch' },
        )
      ).body.launchId,
    read: async (ask, id) => (await ask('GET', `/api/web3/memelaunch/${id}/`)).body,
  },
  '/api/web3/registry/:id/': {
    make: async (ask) =>
      (
        await ask(
          'POST',
          '/api/web3/registry/register',
          { agent: 'btc_5min', name: 'BTC', description: '', services: [] },
          { 'idempotency-key': 'my-entry' },
        )
      ).body.entryId,
    read: async (ask, id) => (await ask('GET', `/api/web3/registry/${id}/`)).body,
  },
  '/api/web3/transfer/:id/': {
    make: async (ask) =>
      (
        await ask(
          'POST',
          '/api/web3/transfer/',
          {
            chain: 'SOLANA',
            token: 'USDC',
            amount: '1',
            to: 'So11111111111111111111111111111111111111112',
          },
          {
            'idempotency-key': 'my-transfer',
            'x-challenge-id': `otp_${'0'.repeat(26)}`,
            'x-one-time-code': '123456',
          },
        )
      ).body.transferId,
    read: async (ask, id) => (await ask('GET', `/api/web3/transfer/${id}/`)).body,
  },
  '/api/web3/safe-transfer/:id': {
    make: async (ask) =>
      (
        await ask(
          'POST',
          '/api/web3/safe-transfer',
          { token: 'USDC', amount: '1' },
          { 'idempotency-key': 'mine-to-the-safe' },
        )
      ).body.transferId,
    read: async (ask, id) => (await ask('GET', `/api/web3/safe-transfer/${id}`)).body,
  },
  '/api/venue_a/bridge/status/:address/': {
    // the bridge of the API gives everybody one address: who never asked for theirs has none
    make: async (ask) =>
      (
        (await ask('POST', '/api/venue_a/bridge/deposit-addresses/', {})).body.data as {
          address: string;
        }[]
      )[0]?.address, // the row's own answer
    read: async (ask, id) => (await ask('GET', `/api/venue_a/bridge/status/${id}/`)).status,
  },
};
/** Rows whose parameter names a thing that is everybody's, or the caller's own by its name. */
const EVERYBODYS = [
  '/api/web3/bsc/token/:address',
  '/api/web3/view/tokens/:chain/:address',
  '/api/venue_a/markets/events/:id',
  '/api/venue_a/markets/:id',
  '/api/venue_b/markets/:id',
  '/api/venue_b/markets/:id/orderbook',
  '/api/venue_b/markets/:id/candlesticks',
  '/api/venue_c/markets/:slug',
  '/api/venue_c/markets/:slug/candlesticks',
  // of a market: one's own orders in it
  '/api/venue_c/order/:id',
  '/api/venue_a/token/:id/orderbook/',
  '/api/venue_a/token/:id/candlesticks/',
];
const CALLERS = '/api/agents/:agent/';

const parametrised = routeTable.filter(({ path, auth }) => path.includes(':') && auth === 'user');

describe("what is another's", () => {
  it('is known of every row that names a thing', () => {
    const unknown = parametrised.filter(
      ({ path }) => !(path in OWNED) && !EVERYBODYS.includes(path) && !path.startsWith(CALLERS),
    );
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it.each(
    parametrised
      .filter(({ path }) => path in OWNED)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s: is not found, and stays as it was', async (_name, { method, path }) => {
    const thing = OWNED[path];
    const id = String(await thing?.make(as(owner)));
    const before = await thing?.read(as(owner), id);
    const reply = await as(stranger)(method, path.replace(/:[a-z]+/i, id));
    expect([reply.status, reply.body.code, reply.text.includes(owner.userId)]).toEqual([
      404,
      'not_found',
      false,
    ]);
    expect(await thing?.read(as(owner), id)).toEqual(before);
  });

  it('is in no list of a stranger', async () => {
    for (const path of [
      '/api/user/keys/',
      '/api/user/push/subscriptions',
      '/api/venue_a/order/?state=all',
      '/api/venue_a/fills/',
      '/api/venue_b/order/',
      '/api/venue_b/portfolio/fills',
      '/api/user/confirmations/',
      '/api/web3/exchange/',
      '/api/venue_a/safe/withdraw/',
      '/api/venue_a/bridge/deposits/',
      '/api/web3/safe-transfer/',
      '/api/user/notifications/',
    ]) {
      expect([path, (await as(stranger)('GET', path)).body.data]).toEqual([path, []]);
    }
  });

  it('is not answered to a stranger with the same Idempotency-Key', async () => {
    const order = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' };
    const [mine, theirs] = [
      await as(owner)('POST', '/api/venue_a/order/', order, { 'idempotency-key': 'shared' }),
      await as(stranger)('POST', '/api/venue_a/order/', order, { 'idempotency-key': 'shared' }),
    ];
    expect([
      mine.status,
      theirs.status,
      theirs.headers.get('idempotency-replayed'),
      mine.body.id === theirs.body.id,
    ]).toEqual([201, 201, null, false]);
  });
});
