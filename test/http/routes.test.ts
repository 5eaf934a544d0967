import { anEntry } from '../support/fakes/fake-registry.ts';
import { VIEWER_FILES } from '../../src/http/viewer.ts';
import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { MARKET_ID, TOKEN_ID, aBook } from './samples.ts';
import { createFakePush } from '../support/fakes/fake-push.ts';
import { DEPOSIT_ADDRESS } from './api.ts';
import { IMAGE_ID, LAUNCH_ID } from '../support/fakes/fake-launches.ts';
import { QUOTE_ID, SWAP_ID } from '../support/fakes/fake-swaps.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();
api.books.set(TOKEN_ID, aBook());

const TRANSFER = {
  chain: 'SOLANA',
  token: 'USDC',
  amount: 1,
  to: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
};

/** Shown by every call; those that take a code read it. */
const CODE = { 'x-challenge-id': `otp_${'0'.repeat(26)}`, 'x-one-time-code': '123456' };

const MARKET_ORDER = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' };

const LAUNCH = { name: 'Coffee', symbol: 'BREW', description: '', imageId: IMAGE_ID };

/** Numbers of the orders that this file places at the venues before it asks for them. */
const PLACED: Readonly<Record<string, number>> = { venue_b: 5, venue_c: 9 };

const BODIES: Readonly<Record<string, unknown>> = {
  'POST /api/venue_a/order/estimate': MARKET_ORDER,
  'POST /api/venue_a/order/': MARKET_ORDER,
  'POST /api/venue_b/order/estimate': MARKET_ORDER,
  'POST /api/venue_b/order/': MARKET_ORDER,
  'POST /api/venue_c/order/estimate': MARKET_ORDER,
  'POST /api/venue_c/order/': MARKET_ORDER,
  'POST /api/venue_a/order/close-position': { marketId: MARKET_ID },
  'POST /api/venue_a/order/close-position/estimate': { marketId: MARKET_ID },
  'POST /api/venue_b/order/close-position': { marketId: MARKET_ID },
  'POST /api/venue_b/order/close-position/estimate': { marketId: MARKET_ID },
  'POST /api/venue_a/safe/withdraw/': { amount: '0.5' },
  'POST /api/venue_a/token/claim/': {},
  'POST /api/venue_c/portfolio/claim-position': {},
  'PUT /api/user/notifications/settings': { notifyOnManualTrade: false },
  'POST /api/web3/exchange/get-quote/': {
    fromChain: 'POLYGON',
    toChain: 'BASE',
    sellTokenTicker: 'USDC',
    buyTokenTicker: 'ETH',
    amount: '25',
    walletType: 'EVM',
  },
  'POST /api/web3/exchange/estimate/': { quoteId: QUOTE_ID },
  'POST /api/web3/exchange/execute/': { quoteId: QUOTE_ID },
  'POST /api/web3/memelaunch/estimate': LAUNCH,
  'POST /api/web3/memelaunch/launch': LAUNCH,
  'POST /api/web3/registry/register': {
    agent: 'btc_5min',
    name: 'BTC',
    description: '',
    services: [],
  },
  'POST /api/web3/registry/feedback': {
    agent: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    value: '99.77',
  },
  'POST /api/web3/view/tokens': { chain: 'POLYGON', address: DEPOSIT_ADDRESS },
  'POST /api/web3/safe-transfer': { token: 'USDC', amount: 1 },
  'POST /api/web3/transfer/code': TRANSFER,
  'POST /api/web3/transfer/': TRANSFER,
  'PUT /api/user/limits': { maxDailyLoss: '50' },
  'PUT /api/user/profile': { username: 'some_trader' },
  'POST /api/user/notifications/read': {},
  'POST /api/user/push/subscriptions': { ...createFakePush().subscribe(), expirationTime: null },
  'POST /api/user/keys/': { name: 'my program' },
  'POST /api/web3/solana-rpc/': { jsonrpc: '2.0', id: 1, method: 'getSlot' },
  'PUT /api/agents/:agent/settings': { avgPositionSize: '4.5' },
};

/** Calls without input in their body, but for those that end something of the caller's. */
const BODILESS = [
  'POST /api/auth/google',
  'POST /api/auth/social',
  'POST /api/auth/social/channel',
  'POST /api/agents/:agent/disable',
  'POST /api/agents/stop-all',
  'POST /api/venue_a/bridge/deposit-addresses/',
];

const QUERIES: Readonly<Record<string, string>> = {
  'GET /api/venue_a/token/orderbooks/': '?ids=1',
  'GET /api/venue_b/markets/:id/candlesticks': '?periodMinutes=60&fromAtMs=0&toAtMs=3600000',
  'GET /api/web3/token/balance/': '?chain=POLYGON&token=usdc',
  'GET /api/web3/solana-rpc/': '?method=getSlot',
  'GET /api/web3/bsc/quote': '?tokenIn=USDC&tokenOut=BNB&amount=10',
  'GET /api/web3/bsc/pools': '?tokenA=USDC&tokenB=BNB',
  'GET /api/web3/search/': '?query=brett',
  'GET /api/web3/token/dexdata/': '?chain=BASE&token=0x532f27101965dd16442E59d40670FaF5eBB142E4',
  'GET /api/web3/token/router/info/': '?chain=BASE&token=USDC',
};

/**
 * Paths of the table with real ids, that need no special body and no code, end no session and take
 * no key of a user.
 */
function callable() {
  return routeTable
    .filter(
      ({ method, path }) =>
        !(method === 'DELETE' && path === '/api/user/profile') &&
        ![
          '/api/auth/',
          '/api/user/keys/:id',
          '/api/user/push/subscriptions/:id',
          '/internal/',
          '/api/web3/export-private-key',
          '/api/user/profile/removal-code',
          '/api/web3/memelaunch/image',
          '/api/user/confirmations/:id',
        ].some((start) => path.startsWith(start)) &&
        // for keys that ask before they trade
        !path.endsWith('/proposal') &&
        // a page to browsers, and nothing to others: start.test.ts
        path !== '/',
    )
    .map((route) => {
      const id = route.path.includes('/decisions/:id')
        ? 'dec_01J9ZQ4T8XG6Q2W5E7R9T1Y3V5'
        : route.path.includes('/exchange/:id')
          ? SWAP_ID
          : route.path.includes('/memelaunch/:id')
            ? LAUNCH_ID
            : route.path.includes('/registry/:id')
              ? anEntry().entryId
              : /\/orders?\/:id/.test(route.path)
                ? `int_${'0'.repeat(25)}${PLACED[route.family] ?? 1}`
                : ['/withdraw/:id', '/safe-transfer/:id', '/transfer/:id'].some((end) =>
                      route.path.includes(end),
                    )
                  ? 'txn_00000000000000000000000000'
                  : route.path.includes('/token/')
                    ? TOKEN_ID
                    : /^\/api\/venue_[ab]\/markets\/:id/.test(route.path)
                      ? MARKET_ID
                      : '77';
      return {
        route,
        path: route.path
          .replace(':id', id)
          .replace(':slug', MARKET_ID)
          .replace(':address', route.path.includes('/bsc/') ? 'USDC' : DEPOSIT_ADDRESS)
          .replace(':chain', 'POLYGON')
          .replace(':agent', 'btc_5min')
          .replace(':code', 'not_found')
          .replace(':file', VIEWER_FILES[0] ?? ''),
        body: BODIES[`${route.method} ${route.path}`],
        query: QUERIES[`${route.method} ${route.path}`] ?? '',
      };
    });
}

describe('every route of the table', () => {
  it('answers with and without its trailing slash, with its own status and a body its schema takes', async () => {
    const outcomes: unknown[] = [];
    for (const { route, path, body, query } of callable()) {
      for (const spelling of [path.replace(/\/$/, ''), `${path.replace(/\/$/, '')}/`]) {
        if (route.path.endsWith('/order/:id/') && route.method === 'DELETE') continue;
        const reply = await api.request(route.method, `${spelling}${query}`, {
          token: user.token,
          headers: CODE,
          ...(body === undefined ? {} : { body }),
        });
        const fits = route.output === null || route.output.safeParse(reply.body).success;
        outcomes.push([`${route.method} ${spelling}`, reply.status, fits]);
      }
    }
    const expected = callable().flatMap(({ route, path }) =>
      route.path.endsWith('/order/:id/') && route.method === 'DELETE'
        ? []
        : [path.replace(/\/$/, ''), `${path.replace(/\/$/, '')}/`].map((spelling) => [
            `${route.method} ${spelling}`,
            route.status,
            true,
          ]),
    );
    expect(outcomes.filter((o, i) => JSON.stringify(o) !== JSON.stringify(expected[i]))).toEqual(
      [],
    );
  });

  it('that takes no body takes the empty object, and refuses whatever is in it with its path', async () => {
    const outcomes: unknown[] = [];
    const bodiless = routeTable.filter(
      ({ method, path }) =>
        (method === 'POST' || method === 'PUT') && BODILESS.includes(`${method} ${path}`),
    );
    for (const { method, path } of bodiless) {
      const at = path.replace(':agent', 'btc_5min');
      const { status } = await api.request(method, at, { token: user.token, body: {} });
      const refused = await api.request(method, at, {
        token: user.token,
        body: { force: true, '~a/b': 1 },
      });
      const strange = await api.request(method, at, { token: user.token, body: [] });
      outcomes.push([
        path,
        status,
        [refused, strange].map(({ status: code, body: { code: word, errors } }) => [
          code,
          word,
          errors,
        ]),
      ]);
    }
    const field = (path: string) => ({ path, message: 'there is no such field' });
    const refusals = [
      [400, 'invalid_request', [field('/force'), field('/~0a~1b')]],
      [
        400,
        'invalid_request',
        [{ path: '', message: 'this call takes no body, or an empty object' }],
      ],
    ];
    expect(outcomes).toEqual(bodiless.map(({ path, status }) => [path, status, refusals]));
    expect(bodiless).toHaveLength(BODILESS.length);
  });

  it('asks for a token wherever the table says so', async () => {
    const statuses = new Map<string, unknown>();
    for (const { route, path, body } of callable())
      statuses.set(
        `${route.method} ${route.path}`,
        (await api.request(route.method, path, body === undefined ? {} : { body })).status,
      );
    for (const { route } of callable())
      expect([route.path, statuses.get(`${route.method} ${route.path}`)]).toEqual([
        route.path,
        route.auth === 'public' || route.auth === 'operator' ? route.status : 401,
      ]);
  });
});
