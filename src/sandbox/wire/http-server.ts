import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { inspect } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';

/** A request after its body has come in. */
export interface Call {
  readonly method: string;
  /** Path and query as they were sent: what callers sign. */
  readonly target: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Values of the route's `:name` parts. */
  readonly params: Readonly<Record<string, string>>;
  /** A header by its lower-case name; empty when absent. */
  header(name: string): string;
  /** The body as it was sent; empty when there was none. */
  readonly body: string;
}

/** An answer: a body, or the connection cut in its place. */
export type Reply =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly delayMs?: number;
    }
  | {
      readonly kind: 'html';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'cut' };

/** One route of a server; `Answer` is what it gives. */
export interface RouteTo<Answer> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with `:name` for a part that varies. */
  readonly path: string;
  run(call: Call): Answer;
}

/** One route of a venue server: answered from the model, so at once. */
export type VenueRoute = RouteTo<Reply>;
/** One route of a server that may have to ask a chain first. */
export type SlowRoute = RouteTo<Reply | Promise<Reply>>;

/** A server that listens on loopback. */
export interface Listening {
  /** Base address without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** One of the venue's hosts. */
export interface VenueHost {
  readonly routes: readonly SlowRoute[];
  /** Asked before the body is read; an answer here is the last word. */
  before?(request: { readonly method: string; readonly path: string }): Reply | null;
}

/** 200 with a JSON body. */
export function ok(body: unknown): Extract<Reply, { kind: 'json' }> {
  return { kind: 'json', status: 200, body };
}

/** An error with its sentence, in the form the venues answer. */
export function failed(status: number, error: string): Extract<Reply, { kind: 'json' }> {
  return { kind: 'json', status, body: { error } };
}

/** Parses JSON; undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Serves a host on 127.0.0.1, whatever happens: an exception in a route is that call's, and neither
 * the server's nor its process's end.
 */
export async function serveHttp({
  clock,
  port: wanted = 0,
  ...host
}: VenueHost & {
  readonly clock: Clock;
  /** 0 or absent: any free port. */
  readonly port?: number;
}): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    replyTo(host, request)
      .then((reply) => answer(clock, response, reply))
      .catch((cause: unknown) => {
        if (!(cause instanceof AppError))
          process.stderr.write(`sandbox: ${request.method} ${request.url}: ${inspect(cause)}\n`);
        answer(clock, response, unable(cause));
      });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  // A listening TCP server has an address and a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function replyTo(host: VenueHost, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://venue');
  const method = request.method ?? 'GET';
  const path = url.pathname;
  const early = host.before?.({ method, path }) ?? null;
  if (early !== null) return early;
  const body = await bodyOf(request);
  if (body === null) return failed(413, 'Payload exceeds the limit');
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : '';
  };
  return answerCall(host.routes, {
    method,
    target: request.url ?? '/',
    path,
    query: url.searchParams,
    header,
    body,
  });
}

/** Reads a body whole; null for one that is too large. */
function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= VENUE_MODEL.requestBodyMaximumBytes) chunks.push(chunk);
  });
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('end', () =>
      resolve(
        size > VENUE_MODEL.requestBodyMaximumBytes ? null : Buffer.concat(chunks).toString('utf8'),
      ),
    );
  });
}

/**
 * A route that could not be answered: a chain behind it does not answer or has no room, or it is at
 * fault itself.
 */
function unable(cause: unknown): Reply {
  return cause instanceof AppError
    ? failed(503, cause.message)
    : failed(500, 'Internal Server Error');
}

/** Finds the route of a call and runs it. */
export function answerCall<Answer>(
  routes: readonly RouteTo<Answer>[],
  call: Omit<Call, 'params'>,
): Answer | Reply {
  let pathKnown = false;
  const given = call.path.split('/');
  for (const route of routes) {
    const params = paramsOf(route.path, given);
    if (params === null) continue;
    if (route.method === call.method) return route.run({ ...call, params });
    pathKnown = true;
  }
  return pathKnown ? failed(405, 'Method Not Allowed') : failed(404, 'Not Found');
}

/** Parts of the routes' paths: there are as many as routes. */
const partsOf = new Map<string, readonly string[]>();

function paramsOf(pattern: string, given: readonly string[]): Record<string, string> | null {
  const wanted = partsOf.get(pattern) ?? pattern.split('/');
  partsOf.set(pattern, wanted);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

function answer(clock: Clock, response: ServerResponse, reply: Reply): void {
  if (reply.kind === 'cut') {
    response.socket?.resetAndDestroy();
    return;
  }
  const type = reply.kind === 'json' ? 'application/json' : 'text/html';
  const body = reply.kind === 'json' ? JSON.stringify(reply.body) : reply.body;
  const send = () => {
    if (response.destroyed) return;
    response.writeHead(reply.status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...reply.headers,
    });
    response.end(body);
  };
  if (reply.kind === 'json' && reply.delayMs !== undefined) clock.after(reply.delayMs, send);
  else send();
}
