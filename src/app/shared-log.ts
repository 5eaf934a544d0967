import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Profile } from '../../config/profiles/profile.ts';
import type { Environment } from '../../config/schema.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { openFollower, type Follower } from '../adapters/lmdb/shared-tail.ts';
import { AppError } from '../domain/errors.ts';
import type { EngineOptions } from '../adapters/postgres/engine.ts';
import type { ClusterDirectory } from '../adapters/postgres/user-directory.ts';
import type { OwnedShard } from '../adapters/postgres/shard.ts';

/** What the service lends its shard. */
export interface SharedLogParts {
  /** Folder of the store, which follows the log while this process waits. */
  readonly path: string;
  readonly ending: AbortSignal;
  /** Shows a line to the person at the terminal. */
  readonly print: (line: string) => void;
  /** Called when another process has taken the shard: this one is to end. */
  readonly lost: (cause: AppError) => void;
}

/**
 * Takes the shard whose log lies in PostgreSQL, waiting while another process owns it; null where
 * this machine keeps its log for itself. Errors: `config_invalid`, `store_unavailable`.
 */
export async function openSharedLog(
  environment: Environment,
  { path, ending, print, lost }: SharedLogParts,
): Promise<OwnedShard | null> {
  const { PREDICTD_SHARD: shard } = environment;
  const options = logEngine(environment);
  if (options === null) return null;
  const { assertDurable, assertSameTime } = await import('../adapters/postgres/durability.ts');
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { takeShard } = await import('../adapters/postgres/shard.ts');
  const engine = await openEngine(options, `predictd shard ${shard}`);
  const wallClock = createWallClock();
  const standby: { follower: Follower | null } = { follower: null };
  try {
    await assertDurable(engine, environment.PREDICTD_LOG_DURABILITY);
    await assertSameTime(engine, wallClock);
    return await takeShard(engine, {
      shard,
      owner: `${hostname()}:${process.pid}`,
      wallClock,
      ending,
      waits: (owner) =>
        print(`predictd: ${owner} owns shard ${shard}; this process waits to take it over`),
      async meanwhile(log) {
        standby.follower ??= await openFollower(path);
        await standby.follower.follow(log);
      },
      fenced: () =>
        lost(
          new AppError(
            'not_owner',
            `another process has taken shard ${shard}: predictd ends, and its next start waits for it`,
          ),
        ),
    });
  } catch (cause) {
    await engine.close();
    throw cause;
  } finally {
    await standby.follower?.close();
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
  if (shard >= shards || (options === null && shards > 1))
    throw new AppError(
      'config_invalid',
      options === null
        ? `PREDICTD_SHARDS=${shards} needs PREDICTD_LOG_URLS, where the shards agree on whose users are whose.`
        : `PREDICTD_SHARD=${shard} is not one of ${shards}: shards are numbered from 0 to PREDICTD_SHARDS less one.`,
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
export function logEngine(environment: Environment): EngineOptions | null {
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
