import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Profile } from '../../config/profiles/profile.ts';
import type { Environment } from '../../config/schema.ts';
import { AppError } from '../domain/errors.ts';
import { createMemoryBus } from '../adapters/bus/memory-bus.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../adapters/lmdb/lmdb-store.ts';
import { createPinoLog } from '../adapters/log/pino-log.ts';
import { logTarget, reopenAtHangUp } from './log-target.ts';
import { createPromMetrics, type PromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { createWalletAddresses, type WalletAddresses } from '../adapters/safe-relayer/derive.ts';
import { loadKeccak, type Keccak } from '../adapters/wire/keccak.ts';
import { TREE_HASHES } from '../adapters/memory/tree-hashes.ts';
import type { Bus } from '../ports/bus.ts';
import type { ClusterDirectory } from '../adapters/postgres/user-directory.ts';
import type { Clock } from '../ports/clock.ts';
import { createJournalTree, type JournalTree } from '../services/journal-tree.ts';
import { createMissedEvents, type MissedEvents } from '../services/missed-events.ts';
import type { MarketTime } from '../ports/market-time.ts';
import { ONLY_SHARD, type UserDirectory } from '../ports/user-directory.ts';
import { UNSHARED, type ShareSecret } from '../ports/shared-secret.ts';
import type { Lease } from '../ports/lease.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../ports/store.ts';
import type { ClockAnchor } from './sandbox-time.ts';
import { startTime } from './start-time.ts';
import { tellClockStep } from './clock-steps.ts';
import { countedLog } from './counted-log.ts';
import { observedLog, type ObservedLog } from './observed-log.ts';
import { countedStore, type CountedStore } from './counted-store.ts';
import { openKeys } from './open-keys.ts';
import { createStoreWatch } from './store-watch.ts';
import { openSharedLog, openUserDirectory } from './shared-log.ts';
import { openDataFolder } from './storage.ts';
import type { Teardown } from './teardown.ts';
import { version } from './version.ts';
import { VENUES } from '../venues/table.ts';

/** What everything else in the daemon is built on. */
export interface OpenRuntime {
  readonly folder: string;
  readonly log: ObservedLog;
  readonly store: CountedStore;
  /** Asked before anything leaves that cannot be unsent. */
  readonly lease: Lease;
  /** Whose users are whose, where there are several shards. */
  readonly directory: UserDirectory;
  /** Agrees with other shards on a secret. */
  readonly share: ShareSecret;
  /** Has gateways call this process, where several machines keep the log. */
  announce(url: string): Promise<void>;
  readonly random: Random;
  readonly metrics: PromMetrics;
  readonly bus: Bus;
  /** What users' topics published, also before this start. */
  readonly missedEvents: MissedEvents;
  readonly journalTree: JournalTree;
  readonly keccak: Keccak;
  readonly vault: KeyVault;
  readonly wallets: WalletAddresses;
  /** Wall time: tokens, codes, rate limits. */
  readonly wallClock: Clock;
  /** Market time, which a sandbox may speed up. */
  readonly clock: Clock;
  /** How the two go together. */
  readonly marketTime: MarketTime;
  /** How market time runs; null where it is the wall clock's. */
  readonly anchor: ClockAnchor | null;
  /** Tells how the store keeps up with its log; called every few seconds. */
  watchStore(): void;
  /** Keeps market time from falling after a kill; called every few seconds. */
  keepTime(): void;
}

/**
 * Opens folder, log, store, clocks and keys. Errors: `store_unavailable`, `store_locked`,
 * `store_corrupt`, `master_key_wrong`, `config_invalid`.
 */
export async function openRuntime(
  environment: Environment,
  profile: Profile,
  {
    teardown,
    lost,
    ending,
    print,
  }: {
    readonly teardown: Teardown;
    /**
     * Called when the store no longer knows what is committed: the service is to be closed and
     * ended.
     */
    readonly lost: (cause: AppError) => void;
    /** Aborted when the process is to end. */
    readonly ending: AbortSignal;
    /** Shows a line to the person at the terminal. */
    readonly print: (line: string) => void;
  },
): Promise<OpenRuntime> {
  const folder = resolve(environment.PREDICTD_DATA);
  openDataFolder(folder);
  const directory = await openUserDirectory(environment, profile);
  teardown.add(async () => directory?.close());
  const share = directory?.share ?? UNSHARED;
  const metrics = createPromMetrics({
    isOfProcess: true,
    venues: VENUES.map(({ id }) => id),
  });
  metrics.gauge('start_time_seconds', createWallClock().nowMs() / 1_000);
  const shard = await openSharedLog(environment, {
    path: join(folder, 'store'),
    version: version(),
    metrics,
    ending,
    print,
    lost,
  });
  teardown.add(async () => shard?.close());
  // The store first: it locks the folder, and whoever does not hold the lock touches nothing in it.
  const beganMs = performance.now();
  const opened = await openLmdbStore({
    path: join(folder, 'store'),
    shared: shard,
    lost(cause) {
      log.error({ cause }, 'store.lost');
      lost(cause);
    },
  }).catch((cause: unknown) => {
    if (shard === null || !(cause instanceof AppError) || cause.code !== 'store_corrupt')
      throw cause;
    return shard.park(cause);
  });
  teardown.add(() => opened.close());
  if (shard !== null) metrics.gauge('shard_replay_seconds', (performance.now() - beganMs) / 1_000);
  // One machine has the store for itself: whoever opened it is the one.
  const lease: Lease = shard ?? { isHeld: () => true };
  metrics.gauge('shard_epoch', shard?.epoch ?? 0);
  metrics.beforeRead(() => metrics.gauge('lease_held', lease.isHeld() ? 1 : 0));
  const target = logTarget(profile, folder);
  const written = createPinoLog({
    level: environment.PREDICTD_LOG_LEVEL,
    onLost: (lines) => metrics.count('log_lines_lost_total', {}, lines),
    ...target,
  });
  if (target.file !== undefined) reopenAtHangUp(written, teardown);
  const log = observedLog(countedLog(written, metrics));
  if (opened.setAside !== null) log.warn({ file: opened.setAside }, 'store.made_anew');
  // The first commits of this run, before anything reads whom it is to act for.
  if (directory !== null) await forgetOthers(opened, directory, print);
  const random = createSystemRandom();
  const keccak = await loadKeccak();
  const store = countedStore(opened, metrics);
  const bus = createMemoryBus({ log });
  const missedEvents = createMissedEvents({ store, bus });
  teardown.add(async () => missedEvents.stop());
  const wallClock = createWallClock({
    stepped: (stepMs) => tellClockStep(stepMs, { log, metrics }),
  });
  metrics.gauge('heap_limit_bytes', getHeapStatistics().heap_size_limit);
  const wallets = createWalletAddresses(keccak, profile.chain.wallets);
  const vault = await openKeys(
    { folder, environment, store, random, keccak, log, metrics, clock: wallClock, share },
    teardown,
  );
  return {
    folder,
    log,
    store,
    lease,
    directory: directory ?? ONLY_SHARD,
    share,
    announce: async (url) => shard?.announce(environment.PREDICTD_ADVERTISE ?? reachable(url)),
    random,
    metrics,
    bus,
    missedEvents,
    journalTree: createJournalTree({ store, hashes: TREE_HASHES, clock: wallClock }),
    keccak,
    vault,
    wallets,
    watchStore: createStoreWatch({ backlog: () => opened.backlog(), metrics, log }),
    ...startTime(profile, folder, { wallClock, teardown }),
  };
}

/** Forgets users whom another shard has since a split, before anything is done for any user. */
async function forgetOthers(
  store: Store,
  directory: Pick<ClusterDirectory, 'readAnew' | 'forgot'>,
  print: (line: string) => void,
): Promise<void> {
  const moved = await directory.readAnew();
  if (moved === null) return;
  const { forgetUsers } = await import('../services/forget-users.ts');
  const count = await forgetUsers(store, {
    ...moved,
    venueTables: Object.assign({}, ...VENUES.map(({ tables }) => tables)),
    atMs: createWallClock().nowMs(),
    giveWay: () => new Promise((resolve) => setImmediate(resolve)),
  });
  await directory.forgot();
  print(`predictd: ${count} records of users of shard ${moved.shard} are forgotten`);
}

/** An address that other machines can call: who listens everywhere is called by its name. */
function reachable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, `//${hostname()}`);
}
