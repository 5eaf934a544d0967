import { setTimeout as wait } from 'node:timers/promises';
import { SHARED_LOG } from '../../config/limits/shared-log.ts';
import { untilTaken, type Cluster } from './cluster.ts';

/** What befalls a cluster, each until it is over. */
export const FAULTS = ['kill', 'pause', 'cut', 'hand-over', 'promote', 'standbys'] as const;
export type Fault = (typeof FAULTS)[number] | typeof OVERTAKE;

/**
 * Both standbys are lost and writes go on, then one of them takes the place of the node that has
 * them: possible only where a commit is acknowledged alone.
 */
export const OVERTAKE = 'overtake';
const FRAMES_AHEAD = 20;
const POLL_MS = 20;

/** Longer than the lease: another process has taken over when it ends. */
const HELD_UP_MS = 2 * SHARED_LOG.leaseMs;

/**
 * Has one of them befall a shard of the cluster, or the database; resolves with the ms until
 * another process had taken over, or null where the owner stays; it waits for a machine that can
 * take over first. Errors: without an owner.
 */
export async function befall(cluster: Cluster, fault: Fault, shard = 0): Promise<number | null> {
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
