import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { linkSecrets } from '../../config/profiles/feeds.ts';
import type { Environment } from '../../config/schema.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { EXCHANGE, ORACLE } from '../adapters/feed-link/protocol.ts';
import { createPinoLog } from '../adapters/log/pino-log.ts';
import { createPromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { AppError } from '../domain/errors.ts';
import { startFeedServer, type FeedServer } from '../feed/feed-server.ts';
import type { FeedSources } from '../feed/sources.ts';
import type { PriceFeed } from '../ports/price-feed.ts';
import { VENUES } from '../venues/table.ts';
import { ASSETS } from './core.ts';
import { openOutside, type Outside } from './outside.ts';
import { profileOf } from './profiles.ts';
import { answerOwn } from './role-answers.ts';

/**
 * Runs the role `feed`: it reads prices, predictions and books once for all who read them from it,
 * by the daemon's own clients on a store in memory and with keys of no user. Errors:
 * `config_invalid` for a sandbox, for a secret that is of no use to a feed, or without that of the
 * links; those of a venue's `open`; `port_in_use`.
 */
export async function runFeed(
  environment: Environment,
  version: string,
): Promise<Pick<FeedServer, 'url' | 'close'>> {
  const { PREDICTD_HOST: host, PREDICTD_PORT: port } = environment;
  assertOnlyReads(environment);
  const secrets = linkSecrets(environment);
  const profile = profileOf(environment);
  if (profile.endpoints === null)
    throw new AppError(
      'config_invalid',
      'PREDICTD_ROLE=feed reads what is outside; the sandbox profile has its world in itself.',
    );
  const log = createPinoLog({ level: environment.PREDICTD_LOG_LEVEL });
  const clock = createWallClock();
  const metrics = createPromMetrics({
    isOfProcess: true,
    venues: VENUES.map(({ id }) => id),
  });
  metrics.gauge('start_time_seconds', clock.nowMs() / 1_000);
  const outside = await openOutside({
    profile,
    endpoints: profile.endpoints,
    clock,
    wallClock: clock,
    metrics,
    log,
  });
  const random = createSystemRandom();
  const sources = sourcesOf(outside, random);
  log.info({ prices: [...sources.prices.keys()], books: [...sources.books.keys()] }, 'feed.reads');
  const name = Buffer.from(random.bytes(6)).toString('hex');
  let requests = 0;
  const nextRequestId = (): string => `req_${name}${((requests += 1)).toString(36)}`;
  try {
    const server: FeedServer = await startFeedServer({
      host,
      port,
      secrets,
      sources,
      answerOwn: (request) =>
        answerOwn(request, {
          environment,
          role: 'feed',
          version,
          checks: () => [reaches(server)],
          renderMetrics: () => metrics.renderSome(SHOWN),
          nextRequestId,
        }),
      nextRequestId,
      metrics,
      log,
    });
    return {
      url: server.url,
      async close() {
        await server.close();
        await outside.close();
      },
    };
  } catch (cause) {
    await outside.close();
    throw cause;
  }
}

function sourcesOf(
  { external, clock }: Pick<Outside, 'external' | 'clock'>,
  random: FeedSources['random'],
): FeedSources {
  const { oracle, exchange, inference, venues, assessor } = external;
  const prices = new Map<string, PriceFeed>([[EXCHANGE, exchange]]);
  if (oracle !== null) prices.set(ORACLE, oracle);
  for (const venue of venues) if (venue.prices !== null) prices.set(venue.id, venue.prices);
  return {
    prices,
    inference,
    books: new Map(venues.flatMap(({ id, books }) => (books === null ? [] : [[id, books]]))),
    catalogues: new Map(venues.map(({ id, discovery }) => [id, discovery])),
    rounds: new Map(venues.flatMap(({ id, rounds }) => (rounds === null ? [] : [[id, rounds]]))),
    scans: new Map(venues.flatMap(({ id, scan }) => (scan === null ? [] : [[id, scan]]))),
    assessor: assessor ?? null,
    assets: ASSETS,
    clock,
    random,
    inferenceKeptMs: FEED_LINK.inferenceKeptMs,
  };
}

function reaches(server: FeedServer) {
  const ok = server.isReaching();
  return { name: 'sources', ok, detail: ok ? null : 'none of the sources is reached' };
}

/** Never given to a feed: who breaks into it could move money or act for users by them (L12). */
const NOT_FOR_FEEDS = [
  'PREDICTD_LOG_URLS',
  'PREDICTD_MASTER_KEY',
  'PREDICTD_MASTER_KEY_FILE',
  'PREDICTD_MASTER_KEY_OLD',
  'PREDICTD_MASTER_KEY_OLD_FILE',
  'PREDICTD_INTERNAL_SECRET',
  'PREDICTD_VENUE_B_SPONSOR_KEY',
  'PREDICTD_RELAYER_SECRET',
  'PREDICTD_PUSH_PRIVATE_KEY',
  'PREDICTD_TWILIO_SECRET',
  'PREDICTD_GOOGLE_CLIENT_SECRET',
  'PREDICTD_PINNING_KEY',
] as const satisfies readonly (keyof Environment)[];

function assertOnlyReads(environment: Environment): void {
  const [name] = NOT_FOR_FEEDS.filter((each) => environment[each] !== undefined);
  if (name !== undefined)
    throw new AppError(
      'config_invalid',
      `PREDICTD_ROLE=feed takes no ${name}: a feed keeps nothing and holds no keys.`,
    );
}

/** Metrics of a feed, beside those of its process. */
const SHOWN = [
  'start_time_seconds',
  'feed_readers_open',
  'feed_channels_open',
  'feed_left_out_total',
  'feed_dropped_total',
  'frame_apply_seconds',
  'venue_book_hashes_total',
  'venue_budget_used_ratio',
  'venue_call_duration_seconds',
  'venue_calls_total',
  'venue_dropped_total',
  'venue_markets_refused_total',
  'venue_refusals_total',
  'chain_call_duration_seconds',
  'chain_calls_total',
  'chain_head_age_seconds',
];
