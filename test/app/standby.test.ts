import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { openEngine, type Engine } from '../../src/adapters/postgres/engine.ts';
import { readsOf } from '../../src/adapters/postgres/shard.ts';
import { prepareFolder } from '../../src/app/shared-folder.ts';
import { createStandby, type Standby } from '../../src/app/standby.ts';
import type { SharedReads } from '../../src/ports/shared-log.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../support/fixtures/postgres.ts';
import {
  notesIn,
  ownShard,
  tempFolders,
  type ShardOwner,
} from '../support/fixtures/shard-owner.ts';

describe.skipIf(NO_POSTGRES !== null)('a process that waits for a shard', () => {
  let postgres: Postgres;
  let engine: Engine;
  let shards = 0;
  const folders = tempFolders();
  beforeAll(async () => {
    postgres = await startPostgres();
    engine = await openEngine({ urls: [postgres.url], tls: null }, 'a test');
  });
  afterAll(async () => {
    await engine.close();
    await postgres.end();
    folders.remove();
  });

  interface Waiting {
    readonly owner: ShardOwner;
    readonly standby: Standby;
    readonly reads: SharedReads;
    readonly path: string;
    readonly states: readonly string[];
  }
  const wait = async (...notes: readonly string[]): Promise<Waiting> => {
    const owner = await ownShard(postgres, (shards += 1), folders.fresh());
    await owner.note(...notes);
    const path = join(folders.fresh(), 'store');
    const reads = readsOf(engine, owner.number);
    const states: string[] = [];
    const standby = createStandby({
      path,
      prepare: () =>
        prepareFolder({
          path,
          scratch: join(folders.fresh(), 'scratch'),
          reads,
          otherShardOf: async () => null,
          snapshots: owner.snapshots,
          print: () => undefined,
        }),
      became: ({ kind }) => states.push(kind),
    });
    await standby.follow(reads);
    return { owner, standby, reads, path, states };
  };
  /** As a failover to a node that lacked it does. */
  const takeBack = async ({ number }: ShardOwner, seq: number): Promise<void> => {
    await postgres.ask(`delete from shard_log where shard = ${number} and seq >= ${seq}`);
    await postgres.ask(`update shard set head = ${seq - 1} where id = ${number}`);
  };

  it('takes the shard with what it has read', async () => {
    const { owner, standby, reads, path, states } = await wait('a', 'b');
    expect([states, standby.head()?.seq]).toEqual([['catching_up', 'following'], 2]);
    await standby.settle(reads);
    expect(await notesIn(path)).toEqual(['a', 'b']);
    await owner.end();
  });

  it('lets the one frame go at the take that a failover has taken back', async () => {
    const { owner, standby, reads, path } = await wait('a', 'b');
    await takeBack(owner, 2);
    await standby.settle(reads);
    expect(await notesIn(path)).toEqual(['a']);
    await owner.end();
  });

  it('does not go on at the take where the log lost more than that', async () => {
    const { owner, standby, reads } = await wait('a', 'b', 'c');
    await takeBack(owner, 2);
    await expect(standby.settle(reads)).rejects.toMatchObject({ reason: 'commit_log_lost' });
    await owner.end();
  });

  it('begins with a snapshot where the log was trimmed past it while it slept', async () => {
    const { owner, standby, reads, path, states } = await wait('a');
    for (const text of ['b', 'c', 'd']) {
      await owner.note(text);
      await owner.make();
    }
    await owner.trimAll();
    await standby.follow(reads);
    await standby.follow(reads);
    expect([states.at(-2), states.at(-1)]).toEqual(['catching_up', 'following']);
    await standby.close();
    expect(await notesIn(path)).toEqual(['a', 'b', 'c', 'd']);
    await owner.end();
  });

  it('is broken where the log itself is damaged, after some attempts', async () => {
    const { owner, standby, reads } = await wait('a');
    await owner.note('b');
    await postgres.ask(
      `update shard_log set hash = repeat('f', 64) where shard = ${owner.number} and seq = 2`,
    );
    for (let tries = 0; tries < SHARD_SNAPSHOT.rebuildsMaximum; tries += 1)
      await standby.follow(reads);
    await expect(standby.follow(reads)).rejects.toMatchObject({ reason: 'log_damaged' });
    await owner.end();
  });
});
