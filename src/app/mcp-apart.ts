import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Environment } from '../../config/schema.ts';
import { MCP } from '../../config/limits/mcp.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { createPinoLog } from '../adapters/log/pino-log.ts';
import { createPromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { AppError } from '../domain/errors.ts';
import { createCors } from '../http/cors.ts';
import type { EndpointRequest } from '../http/endpoint.ts';
import type { Method } from '../http/guard.ts';
import { createHttpBackend } from '../mcp/http-backend.ts';
import { createMcp } from '../mcp/mcp.ts';
import { RESOURCES } from '../mcp/resource-table.ts';
import { TOOLS } from '../mcp/tool-table.ts';
import { createRateLimits } from '../services/rate-limits.ts';
import { mcpHosts } from './mcp.ts';
import { routeTable, VENUE_APIS } from './route-table.ts';

/** An MCP server that runs apart from its service. */
export interface McpApart {
  readonly url: string;
  close(): Promise<void>;
}

/** How long a client may take to send its message. */
const REQUEST_MAXIMUM_MS = 30_000;

/**
 * Serves `/mcp` alone, over the service at PREDICTD_MCP_BACKEND: it holds no store and no keys, and
 * can be ended at any time. Errors: `config_invalid` without the internal secret, `port_in_use`.
 */
export async function startMcpApart(environment: Environment, version: string): Promise<McpApart> {
  const { PREDICTD_MCP_BACKEND: url, PREDICTD_INTERNAL_SECRET: secrets } = environment;
  const [secret] = (secrets ?? '').split(',');
  if (url === undefined || secret === undefined || secret === '')
    throw new AppError(
      'config_invalid',
      'PREDICTD_MCP_BACKEND goes with PREDICTD_INTERNAL_SECRET, the one the service knows.',
    );
  const clock = createWallClock();
  const log = createPinoLog({ level: environment.PREDICTD_LOG_LEVEL });
  const endpoint = createMcp({
    backend: createHttpBackend({ url, secret }),
    tools: TOOLS,
    resources: RESOURCES,
    routes: routeTable,
    venues: VENUE_APIS,
    version,
    hosts: mcpHosts(environment),
    origins: environment.PREDICTD_CORS_ORIGINS,
    confirmPath: null,
    rateLimits: createRateLimits(clock),
    clock,
    log,
    metrics: createPromMetrics(),
  });
  const cors = createCors(environment.PREDICTD_CORS_ORIGINS);
  const nextRequestId = requestIds(Buffer.from(createSystemRandom().bytes(6)).toString('hex'));
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      log.error({ error: String(error) }, 'mcp.answer_failed');
      outgoing.destroy();
    });
  });
  server.requestTimeout = REQUEST_MAXIMUM_MS;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const read = await bodyOf(incoming);
    const path = (incoming.url ?? '/').split('?')[0] ?? '/';
    if (!/^\/mcp\/?$/.test(path)) {
      outgoing.writeHead(404, { Connection: 'close' }).end();
      return;
    }
    const body = read ?? new Uint8Array(0);
    const request = requestOf(incoming, { path, body, id: nextRequestId() });
    const answer =
      read === null
        ? endpoint.refuse(request, { code: 'body_too_large' })
        : await endpoint.answer(request);
    const { status, headers, body: sent } = cors(request.head, answer);
    outgoing.writeHead(status, {
      ...headers,
      ...(read === null ? { Connection: 'close' } : {}),
      'Cache-Control': 'no-store',
    });
    outgoing.end(sent ?? undefined);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new AppError('port_in_use', `cannot listen: ${cause.message}`, { cause })),
    );
    server.listen(environment.PREDICTD_PORT, environment.PREDICTD_HOST, resolve);
  });
  // a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${environment.PREDICTD_HOST}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => void endpoint.close().then(resolve));
        server.closeAllConnections();
      }),
  };
}

function requestIds(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `req_${prefix}${count.toString(36).padStart(6, '0')}`;
  };
}

function requestOf(
  { method, headers, headersDistinct, socket }: IncomingMessage,
  { path, body, id }: { readonly path: string; readonly body: Uint8Array; readonly id: string },
): EndpointRequest {
  return {
    head: {
      // what the endpoint does not know it refuses
      method: (method ?? 'GET') as Method,
      path,
      query: '',
      headers: new Map(
        Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(',')]),
      ),
      repeated: (headersDistinct['authorization']?.length ?? 0) > 1 ? 'authorization' : null,
      contentLength: body.byteLength,
    },
    body,
    address: socket.remoteAddress ?? '',
    requestId: id,
  };
}

/**
 * Null for one that is too large: it is read on, for a while, and dropped, since a client that is
 * cut off while it sends hears no refusal.
 */
async function bodyOf(incoming: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const read = Buffer.from(chunk as Uint8Array);
    bytes += read.byteLength;
    if (bytes <= MCP.bodyMaximumBytes) chunks.push(read);
    else if (bytes > MCP.droppedMaximumBytes) return null;
  }
  return bytes > MCP.bodyMaximumBytes ? null : Buffer.concat(chunks);
}
