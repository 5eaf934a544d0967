import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Environment } from '../../config/schema.ts';
import { SHARD_METRICS } from '../adapters/metrics/table/shard.ts';
import type { PromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { AppError } from '../domain/errors.ts';
import { fullAddress } from '../http/listener/node-response.ts';
import { isLocal } from '../http/local-caller.ts';
import { refusalAnswer, type Answer } from '../http/respond.ts';
import type { ShardState } from '../domain/shard-states.ts';
import { REMEDIES } from './broken-shard.ts';

/** A zero of what a process does not do while it waits would be a lie. */
const SHOWN = [...Object.keys(SHARD_METRICS), 'build_info', 'start_time_seconds'];

/** A server that is closed before the service itself listens at its address. */
export interface WaitingServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Answers supervisors and Prometheus while a process waits for its shard, or is parked: `/healthz`,
 * `/readyz` (503 with the state), `/metrics`; anything else 503. Errors: `port_in_use`.
 */
export async function serveWhileWaiting({
  environment,
  metrics,
  version,
  state,
}: {
  readonly environment: Pick<
    Environment,
    'PREDICTD_HOST' | 'PREDICTD_PORT' | 'PREDICTD_METRICS_ACCESS' | 'PREDICTD_SHARD'
  >;
  readonly metrics: Pick<PromMetrics, 'renderSome'>;
  readonly version: string;
  readonly state: () => ShardState;
}): Promise<WaitingServer> {
  const { PREDICTD_HOST: host, PREDICTD_PORT: port } = environment;
  const areMetricsOpen = environment.PREDICTD_METRICS_ACCESS === 'public';
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const current = state();
    if (request.method === 'GET' && request.url === '/healthz')
      return json(200, { status: 'ok', version, profile: current.kind });
    if (request.method !== 'GET' || request.url !== '/metrics')
      return waitingAnswer(environment.PREDICTD_SHARD, current);
    return areMetricsOpen || isOfMachine(request, host)
      ? metricsAnswer(metrics)
      : refused(new AppError('forbidden', 'this is for programs on the same machine'));
  };
  const server = createServer((request, response) => {
    void answer(request).then(
      (found) => write(response, found),
      () => response.destroy(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new AppError(
      'port_in_use',
      `port ${port} of ${host} is in use; choose another with PREDICTD_PORT.`,
      { cause },
    );
  });
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  return {
    url: `http://${host}:${bound}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function metricsAnswer(metrics: Pick<PromMetrics, 'renderSome'>): Promise<Answer> {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: await metrics.renderSome(SHOWN),
  };
}

function waitingAnswer(shard: Environment['PREDICTD_SHARD'], current: ShardState): Answer {
  const detail =
    current.kind === 'broken'
      ? `broken (${current.reason}): ${current.sentence}; ${REMEDIES[current.reason]}`
      : current.kind;
  return refused(
    new AppError('not_ready', `this process does not own shard ${shard}: ${current.kind}`, {
      retryable: current.kind !== 'broken',
      fields: [{ path: '/checks/shard', message: detail }],
    }),
  );
}

function refused(error: AppError): Answer {
  return refusalAnswer(error, 'req_waiting');
}

function isOfMachine({ socket, headers }: IncomingMessage, host: string): boolean {
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  );
  const peer = fullAddress(socket.remoteAddress ?? '');
  return isLocal(peer, { headers: values }, host);
}

function json(status: number, value: object): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  };
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers });
  response.end(body);
}
