import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Profile } from '../../config/profiles/profile.ts';
import type { Environment } from '../../config/schema.ts';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { SHARD_SPLIT } from '../../config/limits/shared-log.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { AppError } from '../domain/errors.ts';
import type { PromMetrics } from '../adapters/metrics/prom-metrics.ts';
import type { Engine, EngineAddress } from '../adapters/postgres/engine.ts';
import type { ClusterDirectory } from '../adapters/postgres/user-directory.ts';
import type { OwnedShard } from '../adapters/postgres/shard.ts';
import { BrokenShard, REMEDIES } from './broken-shard.ts';
import { aborted } from './process-end.ts';
import { watchShard, type ShardWatch } from './shard-watch.ts';
import { prepareFolder } from './shared-folder.ts';
import { createSnapshotRound, snapshotOnThread, type SnapshotRole } from './snapshot-rounds.ts';
import { createStandby } from './standby.ts';
import { serveWhileWaiting, type WaitingServer } from './waiting-server.ts';

/** What the service lends its shard. */
export interface SharedLogParts {
  /** Folder of the store, which follows the log while this process waits. */
  readonly path: string;
  readonly version: string;
  readonly metrics: PromMetrics;
  readonly ending: AbortSignal;
  /** Shows a line to the person at the terminal. */
  readonly print: (line: string) => void;
  /** Called when another process has taken the shard: this one is to end. */
  readonly lost: (cause: AppError) => void;
}

/** A shard that this process owns, and what goes on beside it. */
export interface SharedShard extends OwnedShard {
  /**
   * Lets the shard go and keeps the process up for people to see why, until it is asked to end.
   * Rejects then.
   */
  park(cause: AppError): Promise<never>;
}

/**
 * Takes the shard whose log lies in PostgreSQL, waiting while another process owns it; null where
 * this machine keeps its log for itself. A process that cannot follow it before a person has done
 * something is parked: it says why, and tries nothing again. Errors: `config_invalid`,
 * `store_locked`, `store_unavailable`, `port_in_use`.
 */
export async function openSharedLog(
  environment: Environment,
  parts: SharedLogParts,
): Promise<SharedShard | null> {
  const { metrics, ending, lost } = parts;
  const options = logEngine(environment);
  if (options === null) return null;
  const { PREDICTD_SHARD: shard } = environment;
  const { assertDurable, assertSameTime } = await import('../adapters/postgres/durability.ts');
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { readsOf, takeShard } = await import('../adapters/postgres/shard.ts');
  const { divideIfAsked } = await import('./shard-split.ts');
  const { makeTables } = await import('../adapters/postgres/tables.ts');
  const engine = await openEngine(options, `predictd shard ${shard}`);
  let beside: Beside | null = null;
  try {
    const wallClock = createWallClock();
    await assertDurable(engine, environment.PREDICTD_LOG_DURABILITY);
    await assertSameTime(engine, wallClock);
    await makeTables(engine);
    beside = await openBeside(environment, { ...parts, options });
    const { watch, standby, prepare, serve } = beside;
    const owned = await parking(beside, environment, parts, async () => {
      // What it lacks is read before it asks for the shard, which waits for nothing then.
      if (await prepare()) await standby.follow(readsOf(engine, shard));
      const taken = await takeShard(engine, {
        shard,
        owner: ownerName(),
        wallClock,
        ending,
        waits: (owner) =>
          parts.print(
            owner === null
              ? `predictd: shard ${shard} is to come of a split; this process waits for that`
              : `predictd: ${owner} owns shard ${shard}; this process waits to take it over`,
          ),
        async meanwhile(log) {
          await serve();
          await standby.follow(log);
        },
        undecided: () => metrics.count('commit_log_undecided_total'),
        fenced() {
          watch.became({ kind: 'fenced' });
          metrics.count('shard_fenced_total');
          lost(
            new AppError(
              'not_owner',
              `another process has taken shard ${shard}: predictd ends, and its next start waits for it`,
            ),
          );
        },
      });
      try {
        if (await divideIfAsked(engine, { shard, epoch: taken.epoch, ending }))
          parts.print(`predictd: shard ${shard} is split; \`predictd shards\` says what to do`);
        await standby.settle(taken);
        return taken;
      } catch (cause) {
        await taken.close();
        throw cause;
      }
    });
    await beside.took(owned);
    return sharedShard(owned, beside, { environment, parts });
  } catch (cause) {
    await beside?.close();
    await engine.close();
    throw cause;
  }
}

/** How this process is named in the shard's row. */
function ownerName(): string {
  return `${hostname()}:${process.pid}`;
}

/** The shard with its measures, and an end that ends what goes on beside it. */
function sharedShard(
  owned: OwnedShard,
  beside: Beside,
  { environment, parts }: { readonly environment: Environment; readonly parts: SharedLogParts },
): SharedShard {
  const { metrics } = parts;
  return {
    epoch: owned.epoch,
    cause: owned.cause,
    head: () => owned.head(),
    isHeld: () => owned.isHeld(),
    hashOf: (seq) => owned.hashOf(seq),
    read: (afterSeq) => owned.read(afterSeq),
    announce: (url) => owned.announce(url),
    async append(frame) {
      const stop = metrics.startTimer('commit_log_append_seconds');
      await owned.append(frame);
      stop();
    },
    async park(cause) {
      await owned.close();
      return parking(beside, environment, parts, () =>
        Promise.reject(new BrokenShard('folder_damaged', cause.message, cause)),
      );
    },
    async close() {
      await beside.close();
      await owned.close();
    },
  };
}

/** What a process does beside waiting for its shard and owning it. */
interface Beside {
  readonly watch: ShardWatch;
  readonly standby: ReturnType<typeof createStandby>;
  readonly prepare: () => Promise<boolean>;
  /** Answers supervisors until the shard is taken. Errors: `port_in_use`. */
  serve(): Promise<void>;
  /** Ends what a process does that waits. */
  took(owned: OwnedShard): Promise<void>;
  close(): Promise<void>;
}

async function openBeside(
  environment: Environment,
  {
    path,
    version,
    metrics,
    ending,
    print,
    lost,
    options,
  }: SharedLogParts & { readonly options: EngineAddress },
): Promise<Beside> {
  const { PREDICTD_SHARD: shard, PREDICTD_LOG_DURABILITY: durability } = environment;
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { otherShardOf, readsOf } = await import('../adapters/postgres/shard.ts');
  const { openSnapshots } = await import('../adapters/postgres/snapshots.ts');
  const members = await import('../adapters/postgres/shard-members.ts');
  const { splitRound } = await import('./shard-split.ts');
  // A connection of its own: nothing of this holds a commit up.
  const engine: Engine = await openEngine(options, `predictd watch ${shard}`);
  await members.forgetMembers(engine);
  const snapshots = openSnapshots(engine, shard);
  const scratch = join(dirname(path), 'snapshot');
  const prepare = (): Promise<boolean> =>
    prepareFolder({
      path,
      scratch: `${scratch}.restored`,
      reads: readsOf(engine, shard),
      otherShardOf: (frame) => otherShardOf(engine, { ...frame, shard }),
      snapshots,
      print,
    });
  const standby = createStandby({ path, prepare, became: (state) => watch.became(state) });
  const owned: { shard: OwnedShard | null; sinceMs: number } = { shard: null, sinceMs: 0 };
  const nowMs = (): number => performance.now();
  const over = new AbortController();
  const isOver = AbortSignal.any([over.signal, ending]);
  const role = (): SnapshotRole => {
    if (owned.shard !== null)
      return { kind: 'owner', epoch: owned.shard.epoch, sinceMs: owned.sinceMs };
    return watch.state().kind === 'following' ? { kind: 'follower', put: standby.put } : null;
  };
  const lag = createLag(metrics, nowMs);
  const newest = (): number => (owned.shard ?? standby).head()?.seq ?? 0;
  const watch: ShardWatch = watchShard({
    shard,
    metrics,
    nowMs,
    async note(state, forMs) {
      const { reason, sentence } = state.kind === 'broken' ? state : { reason: '', sentence: '' };
      const name = `${hostname()}:${path}`;
      const { kind } = state;
      await members.noteMember(
        engine,
        { name, shard, owner: ownerName(), state: kind, reason, sentence, seq: newest(), version },
        forMs,
      );
    },
    rounds: [
      {
        everyMs: SHARD_SPLIT.askedMs,
        run: splitRound({ engine, shard, isOwner: () => owned.shard !== null, lost }),
      },
      {
        everyMs: SHARD_SNAPSHOT.memberMs,
        async run() {
          const { head } = await snapshots.state();
          lag(owned.shard === null ? Math.max(0, head - newest()) : 0);
          metrics.gauge(
            'commit_log_standbys',
            durability === 'storage' ? 1 : await members.countStandbys(engine),
          );
        },
      },
      {
        everyMs: SHARD_SNAPSHOT.askedMs,
        run: createSnapshotRound({
          snapshots,
          path,
          role,
          clock: { nowMs },
          metrics,
          print,
          make: () => snapshotOnThread({ engine: options, shard, store: path, scratch }, isOver),
        }),
      },
    ],
  });
  let server: WaitingServer | null = null;
  const closeWaiting = async (): Promise<void> => {
    await standby.close();
    await server?.close();
    server = null;
  };
  return {
    watch,
    standby,
    prepare,
    async serve() {
      if (server !== null) return;
      server = await serveWhileWaiting({ environment, metrics, version, state: watch.state });
      print(`predictd: ${server.url}/readyz says how that goes`);
    },
    async took(taken) {
      await closeWaiting();
      owned.shard = taken;
      owned.sinceMs = nowMs();
      watch.became({ kind: 'owner' });
      metrics.count('shard_takeovers_total', { cause: taken.cause });
      metrics.gauge('shard_taken_timestamp_seconds', Date.now() / 1_000);
    },
    async close() {
      over.abort();
      await closeWaiting();
      await watch.close();
      await engine.close();
    },
  };
}

/** Notes how many frames are lacking, and for how long some have been. */
function createLag(metrics: PromMetrics, nowMs: () => number): (frames: number) => void {
  let sinceMs: number | null = null;
  return (frames) => {
    sinceMs = frames === 0 ? null : (sinceMs ?? nowMs());
    metrics.gauge('follower_lag_frames', frames);
    metrics.gauge('follower_lag_seconds', sinceMs === null ? 0 : (nowMs() - sinceMs) / 1_000);
  };
}

/**
 * Runs what needs the shard; where that is broken the process stays up and says so, until it is
 * asked to end.
 */
async function parking<T>(
  { watch, standby, serve }: Beside,
  { PREDICTD_SHARD: shard }: Environment,
  { print, ending }: SharedLogParts,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof BrokenShard)) throw cause;
    const { reason, message: sentence } = cause;
    watch.became({ kind: 'broken', reason, sentence });
    await standby.close();
    await serve();
    print(`predictd: shard ${shard} is broken here (${reason}): ${sentence}; ${REMEDIES[reason]}`);
    await aborted(ending);
    throw cause;
  }
}

/**
 * Opens the directory of users beside the log; null where this process has all users. Errors:
 * `config_invalid`, `store_unavailable`.
 */
export async function openUserDirectory(
  environment: Environment,
  profile: Pick<Profile, 'name' | 'world'>,
): Promise<ClusterDirectory | null> {
  const { PREDICTD_SHARD: shard, PREDICTD_SHARDS: shards } = environment;
  const options = logEngine(environment);
  if (options === null && (shard > 0 || shards > 1))
    throw new AppError(
      'config_invalid',
      `PREDICTD_SHARD=${shard} of PREDICTD_SHARDS=${shards} needs PREDICTD_LOG_URLS, where the shards agree on whose users are whose.`,
    );
  if (options === null) return null;
  if (profile.world !== null)
    throw new AppError(
      'config_invalid',
      `PREDICTD_LOG_URLS does not go with the profile ${profile.name}: its venues and chains are kept in the folder of one machine.`,
    );
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { openDirectory } = await import('../adapters/postgres/user-directory.ts');
  const engine = await openEngine(options, `predictd directory ${shard}`);
  try {
    return await openDirectory(engine, { shard, shards });
  } catch (cause) {
    await engine.close();
    throw cause;
  }
}

/**
 * Returns how the nodes that keep the log are reached; null where this machine keeps it for itself.
 * Errors: `config_invalid`.
 */
export function logEngine(environment: Environment): EngineAddress | null {
  const { PREDICTD_LOG_URLS: urls } = environment;
  return urls === undefined ? null : { urls, tls: tlsOf(environment, urls) };
}

/** Errors: `config_invalid` where nodes elsewhere are to be reached without certificates. */
function tlsOf(environment: Environment, urls: readonly string[]) {
  const {
    PREDICTD_LOG_CA_FILE: ca,
    PREDICTD_LOG_CERT_FILE: cert,
    PREDICTD_LOG_KEY_FILE: key,
  } = environment;
  if (ca !== undefined && cert !== undefined && key !== undefined)
    return { ca: read(ca), cert: read(cert), key: read(key) };
  const isPart = ca !== undefined || cert !== undefined || key !== undefined;
  const isElsewhere = urls.some((url) => !LOOPBACK.includes(new URL(url).hostname));
  if (!isPart && !isElsewhere) return null;
  throw new AppError(
    'config_invalid',
    'PREDICTD_LOG_URLS beyond this machine need PREDICTD_LOG_CA_FILE, PREDICTD_LOG_CERT_FILE and PREDICTD_LOG_KEY_FILE; set all three.',
  );
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new AppError('config_invalid', `${file} cannot be read`, { cause });
  }
}
