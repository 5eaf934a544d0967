import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/openapi.ts';
import { routeTable, VENUE_APIS } from '../../src/app/route-table.ts';

/** Paths of the spec that this stage offers (spec.md, Endpoints; design.md section 4). */
const SPEC_PATHS = [
  'POST /api/venue_a/order/',
  'GET /api/venue_a/order/',
  'GET /api/venue_a/order/:id/',
  'DELETE /api/venue_a/order/:id/',
  'GET /api/venue_a/holding/',
  'GET /api/venue_a/markets/',
  'GET /api/venue_a/markets/events',
  'GET /api/venue_a/markets/events/:id',
  'GET /api/venue_a/markets/series',
  'GET /api/venue_a/token/:id/orderbook/',
  'POST /api/venue_a/token/claim/',
  'POST /api/venue_a/bridge/deposit-addresses/',
  'POST /api/venue_c/portfolio/claim-position',
  'GET /api/venue_a/bridge/supported-assets/',
  'GET /api/venue_a/bridge/status/:address/',
  'POST /api/venue_a/safe/withdraw/',
  'GET /api/venue_a/whale-txs/',
  'GET /api/web3/view',
  'GET /api/web3/export-private-key',
  'GET /api/web3/safe-balance',
  'POST /api/web3/safe-transfer',
  'GET /api/web3/token/balance/',
  'GET /api/web3/chains/',
  'GET /api/web3/solana-rpc/',
  'POST /api/user/keys/',
  'GET /api/user/keys/',
  'POST /api/user/keys/:id/revoke/',
  'DELETE /api/user/keys/:id/',
  'POST /api/auth/otp/request',
  'POST /api/auth/otp/verify',
  'POST /api/auth/google',
  'POST /api/auth/social',
  'POST /api/auth/refresh',
  'POST /api/auth/logout',
  'GET /api/user/profile',
  'GET /api/agents/',
  'GET /api/agents/:agent/settings',
  'POST /api/agents/:agent/enable',
  'POST /api/agents/:agent/disable',
  'GET /api/agents/:agent/trades',
  'GET /api/agents/:agent/performance',
  'GET /api/agents/:agent/decisions',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /openapi.json',
];

describe('the interface', () => {
  it('offers every path of the spec that belongs to this stage', () => {
    const offered = new Set(routeTable.map(({ method, path }) => `${method} ${path}`));
    expect(SPEC_PATHS.filter((path) => !offered.has(path))).toEqual([]);
  });

  it('describes exactly the routes in OpenAPI, each once, without those for our own services', () => {
    const document = openApiDocument({ routes: routeTable, venues: VENUE_APIS, version: '0.0.0' });
    const described = Object.entries(document.paths ?? {})
      .filter(([path]) => path !== '/ws')
      .flatMap(([path, item]) =>
        Object.keys(item as object)
          .filter((key) => ['get', 'post', 'put', 'delete'].includes(key))
          .map((method) => `${method.toUpperCase()} ${path}`),
      );
    const wanted = routeTable
      .filter(({ auth }) => auth !== 'internal')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.sort()).toEqual([...wanted].sort());
  });

  it('names every call as a person would, each name once', () => {
    const names = routeTable.map(({ operationId }) => operationId);
    expect([...new Set(names)]).toEqual(names);
    expect(names.filter((name) => !/^[a-z]+[A-Z][A-Za-z]*$/.test(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining([
        'placeOrder',
        'listOrders',
        'cancelOrder',
        'listPositions',
        'enableAgent',
      ]),
    );
  });

  it('calls no field, choice or tag by a term of the code that a stranger could not understand', () => {
    const names = new Set<string>();
    JSON.stringify(
      openApiDocument({ routes: routeTable, venues: VENUE_APIS, version: '0.0.0' }),
      (key, value: unknown) => {
        if (key === 'properties') Object.keys(value as object).forEach((name) => names.add(name));
        if (key === 'enum') (value as readonly string[]).forEach((name) => names.add(name));
        return value;
      },
    );
    expect(names.size).toBeGreaterThan(300);
    const words = /^(?:house|gone|own|are|twin|shelf|door|desk|town|wish)$/;
    const inside = [...names].filter((name) =>
      String(name)
        .split(/_|(?=[A-Z])/)
        .some((part) => words.test(part.toLowerCase())),
    );
    expect(inside).toEqual([]);
  });

  it('says more of every call than its summary, in whole sentences', () => {
    const wanting = routeTable.filter(
      ({ summary, description }) =>
        description === summary || !/^[A-Z0-9].{15,}\.$/.test(description),
    );
    expect(wanting.map(({ operationId }) => operationId)).toEqual([]);
  });
});
