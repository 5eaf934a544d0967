import { setTimeout as wait } from 'node:timers/promises';
import { SHARED_LOG } from '../../config/limits/shared-log.ts';
import type { Person } from '../chaos/users.ts';
import { untilTaken, type Cluster } from './cluster.ts';
import { readBook, type BookReader } from './book-reader.ts';
import { untilSo, type ClusterFeed } from './feeds.ts';

/** What befalls a cluster, each until it is over. */
export const FAULTS = [
  'kill',
  'pause',
  'cut',
  'hand-over',
  'promote',
  'standbys',
  'feed',
  'feeds',
  'split',
] as const;
export type Fault = (typeof FAULTS)[number] | typeof OVERTAKE | typeof TORN_SPLIT;

/**
 * A split while whoever owns one of its two shards is killed, twice each: as it ends or divides the
 * shard, as it forgets the users of the other one, as it starts.
 */
export const TORN_SPLIT = 'torn-split';
const KILLED_EACH = 2;

/**
 * Both standbys are lost and writes go on, then one of them takes the place of the node that has
 * them: possible only where a commit is acknowledged alone.
 */
export const OVERTAKE = 'overtake';
const FRAMES_AHEAD = 20;
const POLL_MS = 20;

/** Longer than the lease: another process has taken over when it ends. */
const HELD_UP_MS = 2 * SHARED_LOG.leaseMs;

/** Whom it befalls. */
interface Befallen {
  readonly shard: number;
  /** Watches a book while feeds are lost. */
  readonly person: Person;
}

/**
 * Has one of them befall a shard of the cluster, the database, or feeds; resolves with the ms until
 * another process had taken over, or null where the owner stays; it waits for a machine that can
 * take over first. Errors: without an owner; books that are not trusted in time.
 */
export async function befall(
  cluster: Cluster,
  fault: Fault,
  { shard, person }: Befallen,
): Promise<number | null> {
  if (fault === 'feed') return loseFeed(cluster, person);
  if (fault === 'feeds') return loseFeeds(cluster, person);
  await cluster.standby(shard);
  const { epoch } = await cluster.shard(shard);
  const owner = await cluster.owner(shard);
  if (owner === null) throw new Error('no machine owns the shard');
  const daemon = owner.daemon();
  const begunAtMs = performance.now();
  const taken = async (): Promise<number> => {
    await untilTaken(cluster, { shard, since: epoch });
    return performance.now() - begunAtMs;
  };
  switch (fault) {
    case 'kill':
      daemon.signalGroup('SIGKILL');
      return taken();
    case 'pause': {
      daemon.signal('SIGSTOP');
      const [tookMs] = await Promise.all([taken(), wait(HELD_UP_MS)]);
      daemon.signal('SIGCONT');
      return tookMs;
    }
    case 'cut': {
      for (const link of owner.links) link.cut();
      const [tookMs] = await Promise.all([taken(), wait(HELD_UP_MS)]);
      for (const link of owner.links) link.mend();
      return tookMs;
    }
    case 'hand-over':
      daemon.signal('SIGTERM');
      return taken();
    case 'split':
    case 'torn-split': {
      const made = cluster.shards;
      await Promise.all([
        cluster.split(shard),
        ...(fault === 'split' ? [] : [killOwners(cluster, shard), killOwners(cluster, made)]),
      ]);
      await untilTaken(cluster, { shard, since: epoch });
      await untilTaken(cluster, { shard: made, since: epoch });
      return performance.now() - begunAtMs;
    }
    case 'promote':
      await cluster.promote();
      return null;
    case 'overtake': {
      const [one, other] = cluster.postgres.nodes.filter((node) => node !== cluster.primary());
      await one?.kill();
      await other?.kill();
      const { head } = await cluster.shard(shard);
      while ((await cluster.shard(shard)).head < head + FRAMES_AHEAD) await wait(POLL_MS);
      await cluster.primary().kill();
      await one?.start();
      await other?.start();
      await cluster.promote();
      return null;
    }
    case 'standbys': {
      const standbys = cluster.postgres.nodes.filter((node) => node !== cluster.primary());
      for (const node of standbys) await node.kill();
      await wait(SHARED_LOG.renewMs);
      for (const node of standbys) await node.start();
      return null;
    }
  }
}

/** Kills owners of a shard that is split one after another, from when its owner is asked to end. */
async function killOwners(cluster: Cluster, shard: number): Promise<void> {
  const killed = new Set<number>();
  while (killed.size < KILLED_EACH) {
    await wait(POLL_MS);
    const [split] = await cluster
      .primary()
      .ask<{ readonly state: string }>(
        `select state from shard_split where ${shard} in (shard, successor) and state <> 'copying'`,
      );
    const owner = split === undefined ? null : await cluster.owner(shard);
    const daemon = owner?.daemon();
    if (daemon === undefined || killed.has(daemon.pid)) continue;
    killed.add(daemon.pid);
    daemon.signalGroup('SIGKILL');
  }
}

/**
 * Kills the feed that has more readers; resolves with the ms until the other one has all of them,
 * and a book that is watched is trusted.
 */
async function loseFeed(cluster: Cluster, person: Person): Promise<number> {
  return watching(cluster, person, async (book) => {
    const counts = await Promise.all(cluster.feeds.map((feed) => feed.readers()));
    const [first, second] = cluster.feeds;
    if (first === undefined || second === undefined) throw new Error('a cluster has two feeds');
    const [lost, other] = (counts[0] ?? 0) >= (counts[1] ?? 0) ? [first, second] : [second, first];
    const begunAtMs = performance.now();
    lost.daemon().signalGroup('SIGKILL');
    await untilSo(
      'the other feed has all readers',
      async () => (await other.readers()) === cluster.shards,
    );
    await untilSo('a book is trusted', () => book.isTrusted());
    const tookMs = performance.now() - begunAtMs;
    await lost.daemon().url();
    return tookMs;
  });
}

/**
 * Kills both feeds, and starts them again once a book that is watched is in doubt; resolves with
 * the ms from then on until it is trusted, in another epoch.
 */
async function loseFeeds(cluster: Cluster, person: Person): Promise<number> {
  return watching(cluster, person, async (book) => {
    const epoch = book.epoch();
    const each = (act: (feed: ClusterFeed) => void) => cluster.feeds.forEach(act);
    each((feed) => feed.hold());
    each((feed) => feed.daemon().signalGroup('SIGKILL'));
    await untilSo('a book is in doubt', () => !book.isTrusted());
    await Promise.all(cluster.feeds.map((feed) => feed.daemon().ended));
    each((feed) => feed.release());
    const begunAtMs = performance.now();
    await untilSo('a book is trusted again', () => book.isTrusted());
    if (book.epoch() <= epoch) throw new Error('a book goes on in the epoch of before');
    return performance.now() - begunAtMs;
  });
}

/** Has something happen while a book is watched, which is trusted at its start. */
async function watching<T>(
  cluster: Cluster,
  person: Person,
  happen: (book: BookReader) => Promise<T>,
): Promise<T> {
  const [url = ''] = cluster.urls;
  const [market] = cluster.world.venues.venue_a.exchange
    .markets()
    .filter(({ slug }) => slug === 'hottest-month-on-record');
  if (market === undefined) throw new Error('the world lists a market that lasts');
  const book = readBook(url, person, market.tokens[0]);
  try {
    await untilSo('a book is trusted', () => book.isTrusted());
    return await happen(book);
  } finally {
    book.close();
  }
}
