import { createPromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';
import type { HttpCall, HttpCallsOptions } from '../../../src/adapters/wire/http-calls.ts';
import type { SocketOptions } from '../../../src/adapters/wire/socket-frames.ts';
import type { Transport } from '../../../src/adapters/wire/transport.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import { createVenueClient } from '../../../src/venues/venue-c/client.ts';
import { createGroups, createListing, createPlaces } from '../../../src/venues/venue-c/listing.ts';
import { T0 } from '../../support/builders.ts';

export const SLUG = 'will-a-happen-1768933068297';
export const YES = '17545305483835376826217772114472493237070114997204625607665531406032476347708';
export const NO = '104549425648028930098953517860072427929968621516063549104078338806227686374871';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const EXCHANGE = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5';
export const ADAPTER = '0x6151EF8368b6316c1aa3C68453EF083ad31E712D';
export const CONDITION = `0x${'11'.repeat(32)}`;
export const POOL_ADDRESS = `0x${'Ab'.repeat(20)}`;

/** A market as venue_c.md section 7.1 writes one. */
export function aWireMarket(change: object = {}): Record<string, unknown> {
  return {
    id: 36_814,
    slug: SLUG,
    title: 'Will A happen?',
    proxyTitle: null,
    description: '<p>If A happens, Yes.</p><p>Else No &amp; no more.</p>',
    collateralToken: { address: USDC, decimals: 6, symbol: 'USDC' },
    expirationDate: 'Jan 1, 2027',
    expirationTimestamp: T0 + 3_600_000,
    expired: false,
    createdAt: new Date(T0 - 3_600_000).toISOString(),
    updatedAt: new Date(T0).toISOString(),
    categories: ['Politics'],
    status: 'FUNDED',
    creator: { name: 'Limitless', imageURI: '', link: '' },
    tags: ['Recurring'],
    tradeType: 'clob',
    marketType: 'single',
    metadata: { fee: true },
    volume: '290091252',
    volumeFormatted: '290.091252',
    conditionId: CONDITION,
    negRiskRequestId: null,
    tokens: { yes: YES, no: NO },
    prices: [0.164, 0.836],
    tradePrices: {
      buy: { market: [0.17, 0.84], limit: [0.16, 0.83] },
      sell: { market: [0.16, 0.83], limit: [0.17, 0.84] },
    },
    settings: { minSize: '100000000', maxSpread: 0.035, takerDelayMs: 0 },
    venue: { exchange: EXCHANGE, adapter: null },
    winningOutcomeIndex: null,
    ...change,
  };
}

/** A market of a pool as the same section writes one. */
export function aWirePool(change: object = {}): Record<string, unknown> {
  const { tokens: _tokens, venue: _venue, tradePrices: _prices, ...market } = aWireMarket();
  return {
    ...market,
    slug: 'a-pool-1',
    tradeType: 'amm',
    address: POOL_ADDRESS,
    positionIds: ['71', '72'],
    outcomeTokens: ['Up', 'Down'],
    liquidity: '5000000000',
    prices: [40, 60],
    ...change,
  };
}

/** What is answered at a path: JSON or text, after its status where that is not 200. */
export type Answer =
  | object
  | string
  | readonly [status: number, body: object | string]
  | ((query: URLSearchParams) => object);

/** A socket as its server has it. */
interface ServerSocket {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: readonly string[];
  readonly isClosed: boolean;
  say(frame: string): void;
  /** Breaks, as its user hears it. */
  lose(cause: unknown): void;
}

/** A call as it travelled. */
type Asked = Pick<HttpCall, 'method' | 'path'> & {
  readonly headers: HttpCall['headers'] | undefined;
  readonly body: HttpCall['body'] | undefined;
  readonly pool: number;
};

/**
 * The venue's wire in this process: answers by path, whatever the query, and sockets that open at
 * once.
 */
export function aWire(answers: Record<string, Answer>, poolMasters: readonly string[] = []) {
  const [clock, wallClock] = [createVirtualClock(T0), createVirtualClock(T0)];
  const metrics = createPromMetrics();
  const asked: Asked[] = [];
  const pools: HttpCallsOptions[] = [];
  const sockets: ServerSocket[] = [];
  const transport: Transport = {
    calls(options) {
      const pool = pools.push(options) - 1;
      return {
        async send({ method, path, headers, body }) {
          asked.push({ method, path, headers, body, pool });
          const { pathname, searchParams } = new URL(`${options.baseUrl}${path}`);
          const given = answers[pathname] ?? [404, { message: 'Market not found' }];
          const answer: unknown = typeof given === 'function' ? given(searchParams) : given;
          const hasStatus = Array.isArray(answer) && typeof answer[0] === 'number';
          const [status, value] = hasStatus ? answer : [200, answer];
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          return { kind: 'answered', status, text, retryAfterMs: null };
        },
        close: async () => undefined,
      };
    },
    openSocket: (options, listener) => openLocal(sockets, options, listener),
  };
  const client = createVenueClient({
    url: 'http://venue',
    transport,
    clock,
    wallClock,
    metrics,
  });
  const listing = createListing({
    client,
    contracts: { usdc: USDC, exchanges: [EXCHANGE], adapters: [ADAPTER], poolMasters },
    clock,
    metrics,
    places: createPlaces(),
    groups: createGroups(),
  });
  return { answers, clock, wallClock, metrics, asked, pools, sockets, transport, client, listing };
}

function openLocal(
  sockets: ServerSocket[],
  { url, headers = {}, opened }: SocketOptions,
  { next, error }: Listener<Buffer>,
): ReturnType<Transport['openSocket']> {
  const sent: string[] = [];
  const socket = {
    url,
    headers,
    sent,
    isClosed: false,
    lose: error,
    say: (frame: string) => next(Buffer.from(frame)),
  };
  sockets.push(socket);
  const handle = {
    send: (text: string) => sent.push(text) > 0,
    close: () => void (socket.isClosed = true),
  };
  queueMicrotask(() => opened?.(handle));
  return handle;
}
