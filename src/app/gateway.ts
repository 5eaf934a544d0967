import type { IncomingMessage } from 'node:http';
import { GATEWAY } from '../../config/limits/gateway.ts';
import type { Environment } from '../../config/schema.ts';
import { createPinoLog } from '../adapters/log/pino-log.ts';
import { createPromMetrics, type PromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { AppError } from '../domain/errors.ts';
import { startGateway, type Gateway } from '../gateway/gateway.ts';
import { watchOwners, type OwnersWatch } from '../gateway/owner-watch.ts';
import { createShards, type Shards } from '../gateway/shards.ts';
import { isLocal } from '../http/local-caller.ts';
import { fullAddress } from '../http/listener/node-response.ts';
import { refusalAnswer, type Answer } from '../http/respond.ts';
import { logEngine } from './shared-log.ts';
import { routeTable } from './route-table.ts';

/**
 * Runs the role `gateway`: it serves by handing calls on to the owners of the shards, whom it reads
 * from where their logs are. Errors: `config_invalid` without a shared log or with a master key,
 * `store_unavailable`, `port_in_use`.
 */
export async function runGateway(environment: Environment, version: string): Promise<Gateway> {
  const { PREDICTD_HOST: host, PREDICTD_PORT: port } = environment;
  if (environment.PREDICTD_MASTER_KEY !== undefined)
    throw new AppError(
      'config_invalid',
      'PREDICTD_ROLE=gateway takes no PREDICTD_MASTER_KEY: a gateway holds no keys.',
    );
  const options = logEngine(environment);
  if (options === null)
    throw new AppError(
      'config_invalid',
      'PREDICTD_ROLE=gateway needs PREDICTD_LOG_URLS, where it reads who owns the shard.',
    );
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { readShardOwners } = await import('../adapters/postgres/shard-owner.ts');
  const { readSlots } = await import('../adapters/postgres/user-directory.ts');
  const engine = await openEngine(options, 'predictd gateway');
  let slots: readonly number[] = [];
  const owners = watchOwners(async () => {
    const read = await readShardOwners(engine);
    // Whoever owns a shard has dealt them out.
    if (read.size > 0 && slots.length === 0) slots = await readSlots(engine);
    return slots.length === 0 ? new Map() : read;
  });
  const shards = createShards(owners, () => slots);
  const metrics = createPromMetrics({ isOfProcess: true, only: SHOWN });
  const random = Buffer.from(createSystemRandom().bytes(6)).toString('hex');
  let requests = 0;
  const nextRequestId = (): string => `req_${random}${((requests += 1)).toString(36)}`;
  const close = async (): Promise<void> => {
    await owners.close();
    await engine.close();
  };
  try {
    const gateway = await startGateway({
      host,
      port,
      shards,
      routes: routeTable,
      trustedProxies: environment.PREDICTD_TRUSTED_PROXIES,
      answerOwn: (request) =>
        answerOwn(request, {
          owners,
          shards,
          metrics,
          version,
          mayRead: () =>
            environment.PREDICTD_METRICS_ACCESS === 'public' || isOfThisMachine(request, host),
          nextRequestId,
        }),
      nextRequestId,
      metrics,
      log: createPinoLog({ level: environment.PREDICTD_LOG_LEVEL }),
    });
    return {
      url: gateway.url,
      async close() {
        await gateway.close();
        await close();
      },
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Metrics of a gateway, beside those of its process. */
const SHOWN = ['forward_retries_total', 'gateway_sockets_open', 'gateway_sockets_rejoined_total'];

/** What a gateway answers of itself. */
interface OwnAnswers {
  readonly owners: OwnersWatch;
  readonly shards: Shards;
  readonly metrics: PromMetrics;
  readonly version: string;
  /** Whether the caller may read the metrics. */
  readonly mayRead: () => boolean;
  readonly nextRequestId: () => string;
}

/** Answers supervisors and Prometheus of the gateway itself; null for all other calls. */
function answerOwn(
  { url, method }: IncomingMessage,
  { owners, shards, metrics, version, mayRead, nextRequestId }: OwnAnswers,
): Promise<Answer> | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (url === '/healthz')
    return Promise.resolve(json({ status: 'ok', version, profile: 'gateway' }));
  if (url === '/readyz') return Promise.resolve(readiness({ owners, shards }, nextRequestId()));
  if (url !== '/metrics') return null;
  if (!mayRead())
    return Promise.resolve(
      refusalAnswer(
        new AppError('forbidden', 'this is for programs on the same machine'),
        nextRequestId(),
      ),
    );
  return metrics.renderMetrics().then((body) => ({
    status: 200,
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    body,
  }));
}

/** A gateway is ready while any shard has an owner: those of the others wait for theirs. */
function readiness(
  { owners, shards }: Pick<OwnAnswers, 'owners' | 'shards'>,
  requestId: string,
): Answer {
  const isRead = owners.silentMs() < GATEWAY.ownerSilentMs;
  const lacking = shards.all().flatMap((shard, id) => (shard.current() === null ? [id] : []));
  const checks = [
    { name: 'log', ok: isRead, detail: isRead ? null : 'the log of the shard is not reached' },
    {
      name: 'owner',
      ok: lacking.length < shards.all().length,
      detail: lacking.length === 0 ? null : `no process owns shard ${lacking.join(', ')}`,
    },
  ];
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length === 0) return json({ status: 'ready', server: 'node', checks });
  return refusalAnswer(
    new AppError('not_ready', `not ready: ${failed.map(({ name }) => name).join(', ')}`, {
      retryable: true,
      retryAfterMs: GATEWAY.retryAfterMs,
      fields: failed.map(({ name, detail }) => ({
        path: `/checks/${name}`,
        message: detail ?? 'not well',
      })),
    }),
    requestId,
  );
}

function json(value: object): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  };
}

function isOfThisMachine({ socket, headers }: IncomingMessage, host: string): boolean {
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  );
  return isLocal(fullAddress(socket.remoteAddress ?? ''), { headers: values }, host);
}
