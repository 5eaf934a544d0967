import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { openFollower } from '../../src/adapters/lmdb/shared-tail.ts';
import { openEngine, type Engine } from '../../src/adapters/postgres/engine.ts';
import { otherShardOf, readsOf } from '../../src/adapters/postgres/shard.ts';
import { prepareFolder } from '../../src/app/shared-folder.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../support/fixtures/postgres.ts';
import {
  notesIn,
  notesOf,
  ownShard,
  tempFolders,
  type ShardOwner,
} from '../support/fixtures/shard-owner.ts';

describe.skipIf(NO_POSTGRES !== null)('the folder of a process that is to follow a log', () => {
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

  const own = (folder = folders.fresh(), number = (shards += 1)): Promise<ShardOwner> =>
    ownShard(postgres, number, folder);
  /** A log of six frames, whose first ones were trimmed: snapshots at 2 and 4. */
  const trimmed = async (): Promise<ShardOwner> => {
    const owner = await own();
    await owner.note('a', 'b');
    await owner.make();
    await owner.note('c', 'd');
    await owner.make();
    await owner.note('e', 'f');
    await owner.trimAll();
    return owner;
  };
  const prepare = async (
    { number, snapshots }: ShardOwner,
    path: string,
  ): Promise<{ readonly isBegun: boolean; readonly printed: string }> => {
    const lines: string[] = [];
    const isBegun = await prepareFolder({
      path,
      scratch: join(folders.fresh(), 'scratch'),
      reads: readsOf(engine, number),
      otherShardOf: (frame) => otherShardOf(engine, { ...frame, shard: number }),
      snapshots,
      print: (line) => lines.push(line),
    });
    return { isBegun, printed: lines.join('\n') };
  };
  /** Follows the log up to its newest frame. */
  const follow = async ({ number }: ShardOwner, path: string): Promise<void> => {
    const follower = await openFollower(path);
    await follower.follow(readsOf(engine, number));
    await follower.close();
  };
  const fresh = (): string => join(folders.fresh(), 'store');
  const damage = ({ number }: ShardOwner, seq: number): Promise<unknown> =>
    postgres.ask(
      `update shard_snapshot set bytes = set_byte(bytes, 9, 0) where shard = ${number} and seq = ${seq} and part = 0`,
    );
  /** As a failover to a node that lacked it does. */
  const takeBack = async ({ number }: ShardOwner, seq: number): Promise<void> => {
    await postgres.ask(`delete from shard_log where shard = ${number} and seq >= ${seq}`);
    await postgres.ask(`update shard set head = ${seq - 1} where id = ${number}`);
  };

  it('begins with the newest snapshot and goes on with the rest of the log', async () => {
    const owner = await trimmed();
    const path = fresh();
    const { isBegun, printed } = await prepare(owner, path);
    expect([isBegun, printed]).toEqual([true, expect.stringContaining('snapshot at frame 4')]);
    expect(await notesIn(path)).toEqual(['a', 'b', 'c', 'd']);
    await follow(owner, path);
    await owner.end();
    const next = await own(join(path, '..'), owner.number);
    expect(notesOf(next.store)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await next.note('g');
    await next.end();
  });

  it('is left as it is where the log is empty, and begins that', async () => {
    const alone = fresh();
    await (await openLmdbStore({ path: alone })).close();
    const owner = await own();
    expect(await prepare(owner, alone)).toEqual({ isBegun: false, printed: '' });
    await owner.end();
  });

  it('is made anew where it ended before the log begins, and what it had is in it', async () => {
    const owner = await own();
    await owner.note('a');
    const path = fresh();
    await follow(owner, path);
    await owner.note('b');
    await owner.make();
    await owner.note('c');
    await owner.make();
    await owner.trimAll();
    expect((await prepare(owner, path)).printed).toContain('ended at frame 1, before the log');
    await follow(owner, path);
    expect(await notesIn(path)).toEqual(['a', 'b', 'c']);
    await owner.end();
  });

  it('begins with the snapshot before one that is damaged, which counts no longer', async () => {
    const owner = await trimmed();
    await damage(owner, 4);
    const path = fresh();
    const { printed } = await prepare(owner, path);
    expect(printed).toMatch(/frame 4 has a damaged part 0 of \d; the one before it is used/);
    await follow(owner, path);
    expect(await notesIn(path)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect((await owner.snapshots.restored()).map(({ seq }) => seq)).toEqual([2]);
    await owner.end();
  });

  it('is broken where the log begins later and no snapshot can be restored', async () => {
    const owner = await trimmed();
    for (const seq of [2, 4]) await damage(owner, seq);
    await expect(prepare(owner, fresh())).rejects.toMatchObject({
      code: 'store_corrupt',
      reason: 'snapshot_missing',
      message: expect.stringContaining('the log begins at frame 2'),
    });
    await owner.end();
  });

  it('reads the whole log where no snapshot can be restored and none of it was trimmed', async () => {
    const owner = await own();
    await owner.note('a');
    await owner.make();
    await damage(owner, 1);
    const path = fresh();
    await prepare(owner, path);
    await follow(owner, path);
    expect(await notesIn(path)).toEqual(['a']);
    await owner.end();
  });

  it('lets go of the one frame that a failover has taken back, and keeps it beside', async () => {
    const owner = await own();
    await owner.note('r', 's');
    const path = fresh();
    await follow(owner, path);
    await takeBack(owner, 2);
    expect((await prepare(owner, path)).printed).toContain('frame 2 was taken back');
    expect(readdirSync(path).filter((name) => name.startsWith('frame.2.'))).toHaveLength(1);
    expect(await notesIn(path)).toEqual(['r']);
    await owner.end();
  });

  it('is broken where the log lost two frames: people decide, and the folder is kept', async () => {
    const owner = await own();
    await owner.note('k', 'l', 'm');
    const path = fresh();
    await follow(owner, path);
    await takeBack(owner, 2);
    await expect(prepare(owner, path)).rejects.toMatchObject({ reason: 'commit_log_lost' });
    expect(await notesIn(path)).toEqual(['k', 'l', 'm']);
    await owner.end();
  });

  it('is broken where the log lost a frame that this machine had acknowledged', async () => {
    const owner = await own();
    await owner.note('n', 'o');
    // As it is left where its process is killed.
    const path = fresh();
    cpSync(owner.path, path, { recursive: true });
    await takeBack(owner, 2);
    await expect(prepare(owner, path)).rejects.toMatchObject({ reason: 'commit_log_lost' });
    expect(await notesIn(path)).toEqual(['n', 'o']);
    await owner.end();
  });

  it('is broken where it is that of another shard, and names that one', async () => {
    const [owner, other] = [await own(), await own()];
    await owner.note('p');
    await other.note('q');
    const path = fresh();
    await follow(other, path);
    await expect(prepare(owner, path)).rejects.toMatchObject({
      reason: 'folder_foreign',
      message: expect.stringContaining(`has the log of shard ${other.number}`),
    });
    expect(await notesIn(path)).toEqual(['q']);
    for (const one of [owner, other]) await one.end();
  });

  it('is broken where it is that of another log, and is not changed', async () => {
    const path = fresh();
    const alone = await openLmdbStore({ path });
    await alone.write((tx) => void tx.put({ name: 'notes' }, ['z'], 'z'));
    await alone.close();
    const owner = await trimmed();
    await expect(prepare(owner, path)).rejects.toMatchObject({ reason: 'folder_foreign' });
    expect(await notesIn(path)).toEqual(['z']);
    await owner.end();
  });
});
