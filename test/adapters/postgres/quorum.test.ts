import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { assertDurable } from '../../../src/adapters/postgres/durability.ts';
import { openEngine } from '../../../src/adapters/postgres/engine.ts';
import { takeShard, type OwnedShard } from '../../../src/adapters/postgres/shard.ts';
import type { SharedFrame } from '../../../src/ports/shared-log.ts';
import {
  NO_POSTGRES,
  startPostgresCluster,
  type Postgres,
  type PostgresCluster,
} from '../../support/fixtures/postgres.ts';

const SHARD = 1;
const frame = (seq: number): SharedFrame => ({
  seq,
  hash: String(seq).padStart(64, 'f'),
  bytes: Buffer.from(`frame ${seq}`),
});
const WAITS_FOR_STANDBY = "select pid from pg_stat_activity where wait_event = 'SyncRep'";

describe.skipIf(NO_POSTGRES !== null)('a shard whose log lies on two of three nodes', () => {
  let cluster: PostgresCluster;
  let owned: OwnedShard;
  beforeEach(async () => {
    cluster = await startPostgresCluster();
    owned = await take('owner');
    await owned.append(frame(1));
  });
  afterEach(async () => {
    await owned.close();
    await cluster.end();
  });

  const take = async (owner: string): Promise<OwnedShard> => {
    const engine = await openEngine({ urls: cluster.urls, tls: null }, owner);
    await assertDurable(engine, 'quorum');
    return takeShard(engine, {
      shard: SHARD,
      owner,
      wallClock: createWallClock(),
      ending: new AbortController().signal,
      waits: () => undefined,
      meanwhile: async () => undefined,
      fenced: () => undefined,
    });
  };
  const framesOf = async (shard: OwnedShard): Promise<readonly number[]> => {
    const found: number[] = [];
    for await (const { seq } of shard.read(0)) found.push(seq);
    return found;
  };
  /** Waits until a commit of a node waits for the others. */
  const untilItWaits = (node: Postgres) =>
    expect.poll(() => node.ask(WAITS_FOR_STANDBY)).not.toEqual([]);

  it('commits nothing before a second node has it, and goes on once one is there', async () => {
    const [first, ...others] = cluster.nodes;
    for (const node of others) await node.kill();
    let isDone = false;
    const added = owned.append(frame(2)).then(() => (isDone = true));
    await untilItWaits(first);
    expect(isDone).toBe(false);
    await others[0]?.start();
    await added;
    expect(await framesOf(owned)).toEqual([1, 2]);
  });

  it('does not believe a commit whose wait was called off, and has it once in the end', async () => {
    const [first, ...others] = cluster.nodes;
    for (const node of others) await node.kill();
    const added = owned.append(frame(2));
    await untilItWaits(first);
    await first.ask(`select pg_cancel_backend(pid) from (${WAITS_FOR_STANDBY}) as waiting`);
    await untilItWaits(first);
    await others[1]?.start();
    await added;
    expect(await framesOf(owned)).toEqual([1, 2]);
  });

  it('keeps its owner, and all that was committed, as another node takes the place of a lost one', async () => {
    const [first, second, third] = cluster.nodes;
    await first.kill();
    const added = owned.append(frame(2));
    await cluster.promote(second, third);
    await added;
    await owned.append(frame(3));
    expect([await framesOf(owned), owned.epoch]).toEqual([[1, 2, 3], 1]);
    // one that got no turn for some seconds holds it again once it has asked
    await expect.poll(() => owned.isHeld()).toBe(true);
    await owned.close();
    const next = await take('next');
    expect([await framesOf(next), next.epoch]).toEqual([[1, 2, 3], 2]);
    await next.close();
  });
});
