import { GATEWAY } from '../../config/limits/gateway.ts';
import type { Environment } from '../../config/schema.ts';
import { createPinoLog } from '../adapters/log/pino-log.ts';
import { createPromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { AppError } from '../domain/errors.ts';
import { openCertificate, type RenewedCertificate } from '../gateway/certificate.ts';
import { startGateway, type Gateway } from '../gateway/gateway.ts';
import { watchOwners, type OwnersWatch } from '../gateway/owner-watch.ts';
import { createShards, type Shards } from '../gateway/shards.ts';
import type { Log } from '../ports/log.ts';
import { answerOwn, type RoleCheck } from './role-answers.ts';
import { routeTable } from './route-table.ts';
import { logEngine } from './shared-log.ts';

/**
 * Runs the role `gateway`: it serves by handing calls on to the owners of the shards, whom it reads
 * from where their logs are. Errors: `config_invalid` without a shared log, with a master key, or
 * with a certificate that cannot be used,
 * `store_unavailable`, `port_in_use`.
 */
export async function runGateway(environment: Environment, version: string): Promise<Gateway> {
  const { PREDICTD_HOST: host, PREDICTD_PORT: port } = environment;
  if (environment.PREDICTD_MASTER_KEY !== undefined)
    throw new AppError(
      'config_invalid',
      'PREDICTD_ROLE=gateway takes no PREDICTD_MASTER_KEY: a gateway holds no keys.',
    );
  if (
    environment.PREDICTD_FEED_URLS !== undefined ||
    environment.PREDICTD_LINK_SECRET !== undefined
  )
    throw new AppError(
      'config_invalid',
      'PREDICTD_ROLE=gateway takes no PREDICTD_FEED_URLS and no PREDICTD_LINK_SECRET: owners of shards read from feeds.',
    );
  const log = createPinoLog({ level: environment.PREDICTD_LOG_LEVEL });
  const certificate = certificateOf(environment, log);
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
  let shardsRead = 0;
  const owners = watchOwners({
    async read() {
      const { owners: read, shards: count } = await readShardOwners(engine);
      // Whoever owns a shard has dealt them out; one that was split is owned anew only afterwards.
      if (read.size > 0 && (slots.length === 0 || count !== shardsRead)) {
        slots = await readSlots(engine);
        shardsRead = count;
      }
      return slots.length === 0 ? new Map() : read;
    },
    pulse: async (url, signal) => (await fetch(`${url}/healthz`, { signal })).arrayBuffer(),
  });
  const shards = createShards(owners, () => slots);
  const metrics = createPromMetrics({ isOfProcess: true, only: SHOWN });
  metrics.beforeRead(() => {
    const untilMs = certificate?.current().validUntilMs ?? 0;
    metrics.gauge('certificate_valid_until_timestamp_seconds', untilMs / 1_000);
  });
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
      certificate,
      answerOwn: (request) =>
        answerOwn(request, {
          environment,
          role: 'gateway',
          version,
          checks: () => checks(owners, shards),
          renderMetrics: () => metrics.renderMetrics(),
          nextRequestId,
        }),
      nextRequestId,
      metrics,
      log,
    });
    const renewal = setInterval(gateway.renewCertificate, GATEWAY.certificateReadMs).unref();
    return {
      ...gateway,
      async close() {
        clearInterval(renewal);
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
const SHOWN = [
  'forward_retries_total',
  'gateway_sockets_open',
  'gateway_sockets_rejoined_total',
  'certificate_valid_until_timestamp_seconds',
];

/** Null where none is named. Errors: `config_invalid`. */
function certificateOf(environment: Environment, log: Log): RenewedCertificate | null {
  const { PREDICTD_TLS_CERT_FILE: cert, PREDICTD_TLS_KEY_FILE: key } = environment;
  if (cert !== undefined && key !== undefined) return openCertificate({ cert, key }, log);
  if (cert === undefined && key === undefined) return null;
  throw new AppError(
    'config_invalid',
    'PREDICTD_TLS_CERT_FILE and PREDICTD_TLS_KEY_FILE go together; set both.',
  );
}

/** A gateway is ready while any shard has an owner: those of the others wait for theirs. */
function checks(owners: OwnersWatch, shards: Shards): readonly RoleCheck[] {
  const isRead = owners.silentMs() < GATEWAY.ownerSilentMs;
  const lacking = shards.all().flatMap((shard, id) => (shard.current() === null ? [id] : []));
  return [
    { name: 'log', ok: isRead, detail: isRead ? null : 'the log of the shard is not reached' },
    {
      name: 'owner',
      ok: lacking.length < shards.all().length,
      detail: lacking.length === 0 ? null : `no process owns shard ${lacking.join(', ')}`,
    },
  ];
}
