import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { liveProfile } from '../../config/profiles/live.ts';
import { sandboxProfile } from '../../config/profiles/sandbox.ts';
import { testProfile } from '../../config/profiles/test.ts';
import type { Environment } from '../../config/schema.ts';
import { createMemoryBus } from '../adapters/bus/memory-bus.ts';
import { createScaledClock } from '../adapters/clock/scaled-clock.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { openIdentity } from '../adapters/identity/identity.ts';
import { createKeyVault } from '../adapters/keys/key-vault.ts';
import { openLmdbStore } from '../adapters/lmdb/lmdb-store.ts';
import { createPinoLog } from '../adapters/log/pino-log.ts';
import { createPromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { loadKeccak } from '../adapters/wire/keccak.ts';
import { usdcMicros } from '../domain/units.ts';
import { routeTable } from '../http/routes/table.ts';
import { startHttpServer } from '../http/server.ts';
import type { Clock } from '../ports/clock.ts';
import { createAccounts } from '../services/accounts.ts';
import { createIdempotency } from '../services/idempotency.ts';
import { createMarkets } from '../services/markets.ts';
import { createRateLimits } from '../services/rate-limits.ts';
import { createSessions } from '../services/sessions.ts';
import { TRADED_MARKETS } from '../services/tables.ts';
import { startWorldProcess } from '../sandbox/world-process.ts';
import { createCodeDesk } from './code-desk.ts';
import { ASSETS, createCore } from './core.ts';
import { startDemoUser } from './demo-user.ts';
import { followFeedAges } from './feed-ages.ts';
import { createBookLookup, createLiveSources } from './live-sources.ts';
import { narrate } from './narrate.ts';
import { createOutside } from './outside.ts';
import { createReadiness } from './readiness.ts';
import type { ClockAnchor } from './sandbox-time.ts';
import { openSandboxTime } from './sandbox-time.ts';
import { greet } from './greeting.ts';
import { masterKey, openDataFolder } from './storage.ts';
import { supervise } from './supervise.ts';
import { createTeardown } from './teardown.ts';

/** A running daemon. */
export interface Service {
  readonly url: string;
  /** Ends everything in order; what was in motion is found again by the next start. */
  close(): Promise<void>;
}

/** What the process lends the service. */
export interface ServiceOptions {
  /** Shows a line to the person at the terminal. */
  readonly print: (line: string) => void;
}

const PROFILES: Readonly<Record<Environment['PREDICTD_PROFILE'], (environment: Environment) => Profile>> = {
  sandbox: sandboxProfile, live: liveProfile, test: testProfile,
};

/**
 * Starts the daemon: the one start there is, which assumes a crash before it (L9). Errors, each with a sentence that says
 * what to do: `config_invalid`, `store_unavailable`, `store_locked`, `store_corrupt`, `master_key_wrong`, `port_in_use`.
 */
export async function startService(environment: Environment, options: ServiceOptions): Promise<Service> {
  const teardown = createTeardown();
  try {
    return await compose(environment, options, teardown);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

async function compose(environment: Environment, { print }: ServiceOptions, teardown: ReturnType<typeof createTeardown>): Promise<Service> {
  const profile = PROFILES[environment.PREDICTD_PROFILE](environment);
  const folder = resolve(environment.PREDICTD_DATA);
  openDataFolder(folder);
  const log = createPinoLog({ level: environment.PREDICTD_LOG_LEVEL, ...(profile.name === 'live' ? {} : { file: join(folder, 'predictd.log') }) });
  const store = await openLmdbStore({ path: join(folder, 'store') });
  teardown.add(() => store.close());

  // People, tokens and rate limits live on the wall clock; markets and orders on the service clock, which a sandbox may speed up.
  const wallClock = createWallClock();
  const time = startTime(profile, folder, wallClock, teardown);
  const { clock } = time;
  const random = createSystemRandom();
  const metrics = createPromMetrics();
  const bus = createMemoryBus({ log });
  const keccak = await loadKeccak();
  const vault = createKeyVault({ masterKey: masterKey(folder, environment.PREDICTD_MASTER_KEY, (count) => random.bytes(count)), random, keccak });
  const identity = await openIdentity({ store, vault, random, issuer: 'predictd', audience: 'predictd' });

  const endpoints = profile.endpoints ?? (await startWorld(profile, folder, time.anchor, teardown));
  const outside = createOutside({ profile, endpoints, store, vault, keccak, clock, metrics });
  teardown.add(() => outside.close());
  const core = createCore({ ...outside, store, bus, clock, random, log, metrics });
  const { trading } = core;

  const codes = createCodeDesk(profile.showCodes ? print : null);
  const accounts = createAccounts({
    store, commit: trading.commit, clock: wallClock, random, vault, log,
    venue: outside.accounts,
    faucet: outside.faucet,
    grantUsdc: usdcMicros(profile.grantUsdcMicros),
    syncDeposits: (userId) => trading.funding.syncDeposits(userId),
  });
  const sessions = createSessions({ store, commit: trading.commit, clock: wallClock, random, vault, digests: identity.digests, tokens: identity.tokens, codes, accounts, log });

  accounts.recover();
  teardown.add(async () => accounts.stop());
  await core.start();
  teardown.add(() => core.stop());

  const feedAges = followFeedAges({
    clock, metrics,
    feeds: ASSETS.flatMap((asset) => [
      { feed: 'oracle', readings: core.oracle.price(asset, null) },
      { feed: 'exchange', readings: core.exchange.price(asset) },
      { feed: 'inference', readings: core.predictions.latest(asset, '5m') },
    ]),
  });
  teardown.add(async () => feedAges.stop());

  const server = await startHttpServer({
    host: environment.PREDICTD_HOST,
    port: environment.PREDICTD_PORT,
    routes: routeTable,
    services: {
      sessions, accounts,
      orders: core.orders,
      portfolio: trading.portfolio,
      markets: createMarkets({ directory: outside.directory, clock: wallClock }),
      books: createBookLookup(core, outside.books, clock),
      agents: core.agents,
      system: { version: version(), profile: profile.name, readiness: createReadiness({ store, core }), metricsText: () => metrics.renderMetrics() },
    },
    live: createLiveSources({ core, bus, clock }),
    rateLimits: createRateLimits(wallClock),
    idempotency: createIdempotency({ store, commit: trading.commit, clock: wallClock }),
    clock: wallClock, random, log, metrics,
  });
  teardown.add(() => server.close());
  teardown.add(async () => stopWatching());
  const stopWatching = supervise({ wallClock, serviceClock: clock, books: core.books, metrics, log, chores: [{ name: 'sandbox time', run: time.keep }, { name: 'feed ages', run: feedAges.gauge }] });

  greet({ print, profile, url: server.url, folder, endpoints });
  if (profile.demoUser) {
    const stopStory = narrate({ bus, userId: null, print, marketOf: (marketId) => core.markets.known(marketId) ?? store.get(TRADED_MARKETS, [marketId])?.value ?? null });
    teardown.add(async () => stopStory());
    const demo = await startDemoUser({ sessions, accounts, agents: core.agents, portfolio: trading.portfolio, codeFor: codes.codeFor, folder, clock: wallClock });
    teardown.add(async () => demo.stop());
    print(`\ndemo user ${demo.userId} with ${demo.cash} USDC; its token for curl (kept fresh in ${demo.tokenFile}):\n${demo.token}\n`);
  }
  return { url: server.url, close: () => teardown.run() };
}

interface ServiceTime {
  readonly clock: Clock;
  /** Null on the wall clock. */
  readonly anchor: ClockAnchor | null;
  keep(): void;
}

function startTime(profile: Profile, folder: string, wallClock: Clock, teardown: ReturnType<typeof createTeardown>): ServiceTime {
  if (profile.world === null) return { clock: wallClock, anchor: null, keep: () => undefined };
  const time = openSandboxTime(folder, profile.clockScale, wallClock.nowMs());
  const clock = createScaledClock(time.anchor);
  teardown.add(async () => time.stop(clock.nowMs()));
  return { clock, anchor: time.anchor, keep: () => time.reserve(clock.nowMs()) };
}

async function startWorld(profile: Profile, folder: string, anchor: ClockAnchor | null, teardown: ReturnType<typeof createTeardown>): Promise<Endpoints> {
  if (profile.world === null || anchor === null || profile.credentials.dataStreams === null) throw new Error('a profile without endpoints has a world, its clock and its credentials');
  const { inferenceKey, dataStreams } = profile.credentials;
  const entry = join(dirname(fileURLToPath(import.meta.url)), '..', 'sandbox', 'main.js');
  const world = await startWorldProcess(entry, {
    clock: anchor,
    settings: {
      seed: profile.world.seed,
      prices: profile.world.pricesFile === null ? { kind: 'process' } : { kind: 'recorded', file: resolve(profile.world.pricesFile) },
      dataDir: join(folder, 'sandbox'), credentials: { inferenceKey, dataStreams }, faults: [...profile.world.faults],
    },
  });
  teardown.add(() => world.stop());
  return world.urls;
}

function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../../package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
}
