import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Agent } from 'undici';
import { WebSocketServer } from 'ws';
import { API } from '../../config/limits/api.ts';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { NODE_SERVER } from '../../config/limits/node-server.ts';
import { AppError } from '../domain/errors.ts';
import { createCallerAddresses } from '../http/caller-address.ts';
import { createConnectionShares } from '../http/connection-shares.ts';
import { fullAddress } from '../http/listener/node-response.ts';
import { isSocketPath } from '../http/live/protocol.ts';
import { refusalAnswer, type Answer } from '../http/respond.ts';
import type { Route } from '../http/route.ts';
import { createRouter } from '../http/router.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RenewedCertificate } from './certificate.ts';
import { FORWARDED_FOR, headersOf, headerValues, shownHeaders } from './forwarded-headers.ts';
import { SERVER_BOUNDS } from '../http/listener/server-bounds.ts';
import type { OwnerWatch } from './owner-watch.ts';
import { openAtOwner, relaySocket } from './relayed-socket.ts';
import { routeCall } from './route-call.ts';
import type { Shards } from './shards.ts';

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** Reads the certificate again; connections from then on are shown the new one. */
  renewCertificate(): void;
  close(): Promise<void>;
}

/**
 * Serves calls and sockets by handing them to the owners of shards. It holds no user's key and
 * no store: ending it loses nothing. Errors: `port_in_use`.
 */
export async function startGateway(options: {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly shards: Shards;
  /** The interface of owners: which calls may be carried out twice, how long bodies are. */
  readonly routes: readonly Route[];
  /** Addresses of proxies before it, which may hold as many connections as they like. */
  readonly trustedProxies: readonly string[];
  /** Null serves plain HTTP, for a proxy before it. */
  readonly certificate: RenewedCertificate | null;
  /** Answers what is asked of the gateway itself; null for every other call. */
  readonly answerOwn: (request: IncomingMessage) => Promise<Answer> | null;
  readonly nextRequestId: () => string;
  readonly metrics: Pick<Metrics, 'count' | 'gauge' | 'beforeRead'>;
  readonly log: Log;
}): Promise<Gateway> {
  const { host, port, shards, metrics, log } = options;
  const findRows = createRouter(options.routes);
  const dispatcher = new Agent({
    connections: GATEWAY.connectionsMaximum,
    connect: { timeout: GATEWAY.connectTimeoutMs },
    headersTimeout: GATEWAY.answerMaximumMs,
    // A stream of events may be silent for as long as its owner likes.
    bodyTimeout: 0,
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // An owner cuts those that are four times too large; it closes the others itself.
    maxPayload: 4 * API.socketPayloadMaximumBytes,
  });
  const held = { calls: 0, bytes: 0 };
  metrics.beforeRead(() => metrics.gauge('gateway_sockets_open', sockets.clients.size));

  const { server, scheme, renew } = openServer(options.certificate);
  const addresses = createCallerAddresses(options.trustedProxies);
  const shares = createConnectionShares(NODE_SERVER.connectionsPerAddressMaximum);
  server.on('connection', (socket) => {
    const peer = fullAddress(socket.remoteAddress ?? '');
    if (addresses.isUnbounded(peer)) return;
    const leave = shares.begin(addresses.of(peer, undefined));
    if (leave === null) socket.destroy();
    else socket.once('close', leave);
  });
  server.on('request', (incoming, outgoing) => void answerCall(incoming, outgoing));
  server.on('upgrade', (incoming, socket: Socket, head: Buffer) => {
    held.calls += 1;
    answerUpgrade(incoming, socket, head)
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) socket.destroy();
        else endUpgrade(socket, error, options.nextRequestId());
      })
      .finally(() => (held.calls -= 1));
  });

  async function answerCall(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    held.calls += 1;
    let bytes = 0;
    try {
      const own = options.answerOwn(incoming);
      if (own !== null) return write(outgoing, incoming, await own);
      if (held.calls > GATEWAY.callsMaximum) throw crowded();
      const path = pathOf(incoming);
      const headers = headersOf(incoming);
      const row = findRows(path.split('?')[0] ?? path)?.routes.get(methodOf(incoming)) ?? null;
      const picture = row?.input.bytes;
      const body = await bodyOf(
        incoming,
        {
          bytes: picture?.maximumBytes ?? API.bodyMaximumBytes,
          ms: picture === undefined ? API.bodyMs : API.pictureMs,
        },
        (added) => {
          bytes += added;
          held.bytes += added;
          if (held.bytes > GATEWAY.bodiesMaximumBytes) throw crowded();
        },
      );
      const left = new AbortController();
      outgoing.once('close', () => left.abort());
      const answer = await routeCall(
        { shards, dispatcher, repeated: () => metrics.count('forward_retries_total') },
        {
          method: incoming.method ?? 'GET',
          path,
          headers,
          body,
          // what is set at every shard, a stop, is the same however often it is set
          isMadeOnce:
            row?.reach === 'each' ||
            (row?.movesMoney === true && 'idempotency-key' in incoming.headers),
          left: left.signal,
        },
        {
          first: shardOf(incoming),
          reach: row?.reach ?? 'caller',
          agreesOn: row?.agreesOn ?? [],
        },
      );
      outgoing.writeHead(answer.statusCode, shownHeaders(answer.headers));
      await pipeline(answer.body, outgoing);
    } catch (error) {
      refuse(error, incoming, outgoing);
    } finally {
      held.calls -= 1;
      held.bytes -= bytes;
    }
  }

  function shardOf({ headers, socket }: IncomingMessage): OwnerWatch {
    const peer = fullAddress(socket.remoteAddress ?? '');
    return shards.ofCaller(
      headers.authorization,
      addresses.of(peer, [headers[FORWARDED_FOR] ?? []].flat().join(', ') || undefined),
    );
  }

  function refuse(error: unknown, incoming: IncomingMessage, outgoing: ServerResponse): void {
    // An answer that has begun cannot be taken back: its reader sees it end early.
    if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
    const requestId = options.nextRequestId();
    if (!(error instanceof AppError)) log.error({ requestId, error: String(error) }, 'call.failed');
    const isUnread = !incoming.complete;
    write(outgoing, incoming, refusalAnswer(error, requestId, isUnread ? CLOSE : {}));
  }

  async function answerUpgrade(
    incoming: IncomingMessage,
    socket: Socket,
    head: Buffer,
  ): Promise<void> {
    socket.on('error', () => socket.destroy());
    const path = pathOf(incoming);
    const isCrowded =
      sockets.clients.size >= GATEWAY.socketsMaximum || held.calls > GATEWAY.callsMaximum;
    if (!isSocketPath(path.split('?')[0] ?? path) || isCrowded)
      return endUpgrade(
        socket,
        isCrowded ? crowded() : new AppError('not_found', 'sockets are opened at /ws'),
        options.nextRequestId(),
      );
    const relaying = {
      ownersNow: () => shardOf(incoming),
      shardOf: shards.ofToken,
      path,
      headers: headerValues(headersOf(incoming)),
      rejoined: () => metrics.count('gateway_sockets_rejoined_total'),
    };
    const opened = await openAtOwner(relaying, GATEWAY.holdMs);
    if (opened.kind === 'none')
      return endUpgrade(
        socket,
        new AppError('shard_moving', 'no process has taken over yet', {
          retryable: true,
          retryAfterMs: GATEWAY.retryAfterMs,
        }),
        options.nextRequestId(),
      );
    if (opened.kind === 'refused') {
      const { statusCode = 502, rawHeaders } = opened.response;
      socket.write(headText(statusCode, opened.response.statusMessage ?? '', rawHeaders));
      await pipeline(opened.response, socket);
      return;
    }
    if (socket.destroyed) return opened.socket.terminate();
    sockets.handleUpgrade(incoming, socket, head, (client) =>
      relaySocket(client, opened, relaying),
    );
  }

  const heartbeat = setInterval(() => {
    for (const client of sockets.clients) {
      if (silent.has(client)) client.terminate();
      else {
        silent.add(client);
        client.once('pong', () => silent.delete(client));
        client.ping();
      }
    }
  }, API.socketIdleSeconds * 500).unref();
  const silent = new WeakSet<object>();

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new AppError('port_in_use', `cannot listen: ${cause.message}`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' ? (address?.port ?? port) : port;
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    renewCertificate: renew,
    async close() {
      clearInterval(heartbeat);
      for (const client of sockets.clients) client.close(1001, 'come back');
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), NODE_SERVER.closeMs).unref();
      await closed;
      for (const client of sockets.clients) client.terminate();
      await dispatcher.destroy();
    },
  };
}

/** A server with TLS, whose certificate can be renewed, or one without. */
function openServer(certificate: RenewedCertificate | null) {
  if (certificate === null)
    return { server: createServer(SERVER_BOUNDS), scheme: 'http', renew: () => undefined };
  const { cert, key } = certificate.current();
  const server = createTlsServer({
    ...SERVER_BOUNDS,
    handshakeTimeout: NODE_SERVER.headMs,
    cert,
    key,
  });
  const renew = (): void => {
    if (certificate.renew()) server.setSecureContext(certificate.current());
  };
  return { server, scheme: 'https', renew };
}

const CLOSE = { Connection: 'close' } as const;

function crowded(): AppError {
  return new AppError('overloaded', 'too many calls are under way here', {
    retryable: true,
    retryAfterMs: GATEWAY.retryAfterMs,
  });
}

/** Errors: `invalid_request` for a whole address, which proxies alone are asked for. */
function pathOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  throw new AppError('invalid_request', 'the target of a call is a path that begins with /');
}

function methodOf({ method }: IncomingMessage): Route['method'] {
  // What no row has it finds no row for.
  return (method === 'HEAD' ? 'GET' : method) as Route['method'];
}

/**
 * Returns the body, null without one. One that takes longer than this many ms has its connection
 * cut: it holds a place that others wait for. Errors: `body_too_large`, and those of `added`.
 */
async function bodyOf(
  incoming: IncomingMessage,
  maximum: { readonly bytes: number; readonly ms: number },
  added: (bytes: number) => void,
): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = setTimeout(() => incoming.destroy(), maximum.ms);
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      added(chunk.byteLength);
      if (bytes > maximum.bytes)
        throw new AppError('body_too_large', `a body may hold ${maximum.bytes} bytes here`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(late);
  }
  return bytes === 0 ? null : Buffer.concat(chunks);
}

function write(outgoing: ServerResponse, { method }: IncomingMessage, answer: Answer): void {
  outgoing.writeHead(answer.status, { 'Cache-Control': 'no-store', ...answer.headers });
  outgoing.end(method === 'HEAD' ? undefined : (answer.body ?? undefined));
}

/** Refuses a socket before it is one. */
function endUpgrade(socket: Socket, error: AppError, requestId: string): void {
  const { status, headers, body } = refusalAnswer(error, requestId, CLOSE);
  const fields = Object.entries(headers).flat();
  socket.end(`${headText(status, error.code, fields)}${String(body)}`);
}

/** The head of an answer on a bare connection: it ends with the connection. */
function headText(status: number, reason: string, fields: readonly string[]): string {
  const lines = fields.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${fields[index + 1] ?? ''}`] : [],
  );
  return [`HTTP/1.1 ${status} ${reason}`, ...lines, '', ''].join('\r\n');
}
