import { createPromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';
import type { HttpCall } from '../../../src/adapters/wire/http-calls.ts';
import type { SocketOptions } from '../../../src/adapters/wire/socket-frames.ts';
import type { Transport } from '../../../src/adapters/wire/transport.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import { createVenueClient } from '../../../src/venues/venue-b/client.ts';
import { createListing, createPlaces } from '../../../src/venues/venue-b/listing.ts';
import { T0 } from '../../support/builders.ts';

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const YES = 'Yes1111111111111111111111111111111111111111';
export const NO = 'No11111111111111111111111111111111111111111';
export const TICKER = 'KXTEST-26DEC-A';

/** A market as venue_b.md section 8.1 writes one. */
export function aWireMarket(change: object = {}): Record<string, unknown> {
  return {
    ticker: TICKER,
    eventTicker: 'KXTEST-26DEC',
    marketType: 'binary',
    title: 'Will A happen?',
    subtitle: '',
    yesSubTitle: 'A',
    noSubTitle: 'A',
    openTime: T0 / 1_000 - 3_600,
    closeTime: T0 / 1_000 + 3_600,
    expirationTime: T0 / 1_000 + 7_200,
    status: 'active',
    volume: 1_200,
    result: '',
    openInterest: 800,
    canCloseEarly: true,
    rulesPrimary: 'If A happens, Yes.',
    rulesSecondary: '',
    yesBid: '0.9500',
    yesAsk: '0.9600',
    noBid: '0.0400',
    noAsk: '0.0500',
    accounts: {
      [USDC]: {
        marketLedger: 'Ledg',
        yesMint: YES,
        noMint: NO,
        isInitialized: true,
        redemptionStatus: null,
      },
    },
    ...change,
  };
}

/** What is answered at a path: JSON, with 200 unless a status precedes it. */
export type Answer =
  | object
  | readonly [status: number, body: object]
  | ((query: URLSearchParams) => object);

/** A socket as its server has it. */
interface ServerSocket {
  readonly sent: readonly unknown[];
  readonly isClosed: boolean;
  say(frame: object | string): void;
  /** Breaks, as its user hears it. */
  lose(cause: unknown): void;
}

/**
 * The venue's wire in this process: answers by path, whatever the query, and sockets that open at
 * once.
 */
export function aWire(answers: Record<string, Answer>) {
  const clock = createVirtualClock(T0);
  const metrics = createPromMetrics();
  const asked: (Pick<HttpCall, 'method' | 'path'> & { readonly body: unknown })[] = [];
  const sockets: ServerSocket[] = [];
  const transport: Transport = {
    calls: ({ baseUrl }) => ({
      async send({ method, path, body }) {
        asked.push({
          method,
          path,
          body: body === undefined ? undefined : JSON.parse(String(body)),
        });
        const { pathname, searchParams } = new URL(`${baseUrl}${path}`);
        const given = answers[pathname] ?? [404, { code: 'not_found' }];
        const answer: unknown = typeof given === 'function' ? given(searchParams) : given;
        const [status, value] = Array.isArray(answer) ? answer : [200, answer];
        return { kind: 'answered', status, text: JSON.stringify(value), retryAfterMs: null };
      },
      close: async () => undefined,
    }),
    openSocket: (options, listener) => openLocal(sockets, options, listener),
  };
  const client = createVenueClient({
    urls: {
      metadataUrl: 'http://metadata',
      tradeUrl: 'http://trade',
      proofUrl: 'http://proof',
    },
    apiKey: 'key',
    transport,
    clock,
    metrics,
  });
  const listing = createListing({
    client,
    settlementMint: USDC,
    metrics,
    places: createPlaces(),
  });
  return { answers, clock, metrics, asked, sockets, transport, client, listing };
}

function openLocal(
  sockets: ServerSocket[],
  { opened }: SocketOptions,
  { next, error }: Listener<Buffer>,
): ReturnType<Transport['openSocket']> {
  const sent: unknown[] = [];
  const socket = {
    sent,
    isClosed: false,
    lose: error,
    say: (frame: object | string) =>
      next(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame))),
  };
  sockets.push(socket);
  const handle = {
    send: (text: string) => sent.push(JSON.parse(text)) > 0,
    close: () => void (socket.isClosed = true),
  };
  queueMicrotask(() => opened?.(handle));
  return handle;
}
