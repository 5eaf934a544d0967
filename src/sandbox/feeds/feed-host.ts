import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { SANDBOX } from '../../../config/limits/sandbox.ts';
import type { FaultBoard } from '../faults.ts';

/** A request as a feed looks at it. */
export interface FeedRequest {
  readonly method: string;
  /** Path and query exactly as they travelled: signatures cover them byte for byte. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | null;
}

/** What a feed answers. */
export interface FeedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A feed on its own loopback port. */
export interface FeedHost {
  readonly url: string;
  readonly socketUrl: string;
  close(): Promise<void>;
}

/** How a feed answers requests and sockets. */
export interface FeedRoutes {
  readonly answer: (request: FeedRequest) => FeedAnswer | Promise<FeedAnswer>;
  /** Takes a socket by giving what to do with it once it is open, or refuses it with an answer. */
  readonly admit?: (request: FeedRequest) => FeedAnswer | ((socket: WebSocket) => void);
}

/**
 * Starts a feed on 127.0.0.1; port 0 takes a free one. The faults of feed calls are applied here.
 */
export async function startFeedHost(
  port: number,
  faults: FaultBoard,
  routes: FeedRoutes,
): Promise<FeedHost> {
  const server = createServer((request, response) => {
    void Promise.resolve(respond(read(request), faults, routes)).then((answer) =>
      reply(response, answer),
    );
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: SANDBOX.feedFrameMaximumBytes,
  });
  server.on('upgrade', (request, connection, head) => {
    const admitted =
      sockets.clients.size >= SANDBOX.feedSocketsMaximum
        ? json(503, { error: 'too many sockets' })
        : (routes.admit?.(read(request)) ?? json(404, { error: 'not found' }));
    if (typeof admitted !== 'function') refuse(connection, admitted);
    else
      sockets.handleUpgrade(request, connection, head, (socket) => {
        socket.on('error', () => socket.terminate());
        admitted(socket);
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a feed listens on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    socketUrl: `ws://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An answer in JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): FeedAnswer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
}

/** Sends a frame, and drops a reader that has stopped reading. */
export function sendFrame(socket: WebSocket, frame: string): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > SANDBOX.feedBacklogMaximumBytes) socket.terminate();
  else socket.send(frame);
}

/** Answers a request, under the faults of feed calls. */
export function respond(
  request: FeedRequest,
  faults: FaultBoard,
  routes: FeedRoutes,
): FeedAnswer | Promise<FeedAnswer> {
  const subject = { path: request.path };
  if (faults.take('feed-rate-limited', subject) !== null)
    return json(429, { error: 'too many requests' }, { 'retry-after': '1' });
  if (faults.take('feed-bad-gateway', subject) !== null)
    return {
      status: 502,
      body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
      headers: { 'content-type': 'text/html' },
    };
  return routes.answer(request);
}

function read(request: IncomingMessage): FeedRequest {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    target,
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    header(name) {
      const value = request.headers[name];
      return typeof value === 'string' ? value : null;
    },
  };
}

function reply(response: ServerResponse, { status, body, headers }: FeedAnswer): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

function refuse(connection: Duplex, { status, body, headers }: FeedAnswer): void {
  // The server no longer listens to a connection that asked for an upgrade, and one that is reset
  // must not end the process.
  connection.on('error', () => connection.destroy());
  const lines = Object.entries({
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}\r\n${body}`,
  );
}
