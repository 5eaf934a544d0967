import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHARD_SNAPSHOT } from '../../../config/limits/shard-snapshot.ts';
import { restoreSnapshot } from '../../../src/app/make-snapshot.ts';
import type { ShardSnapshots } from '../../../src/ports/shard-snapshots.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../../support/fixtures/postgres.ts';
import {
  notesIn,
  ownShard,
  tempFolders,
  type ShardOwner,
} from '../../support/fixtures/shard-owner.ts';

const KILLED = new Error('the process was killed');

describe.skipIf(NO_POSTGRES !== null)('snapshots of a log that several machines keep', () => {
  let postgres: Postgres;
  let shards = 0;
  const folders = tempFolders();
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres.end();
    folders.remove();
  });

  const own = (): Promise<ShardOwner> => ownShard(postgres, (shards += 1), folders.fresh());
  /** What a snapshot holds, read by a store that is made of it alone. */
  const restoredNotes = async (
    { snapshots }: ShardOwner,
    newest = 0,
  ): Promise<readonly string[]> => {
    const head = (await snapshots.restored())[newest];
    if (head === undefined) throw new Error('there is no such snapshot');
    const path = join(folders.fresh(), 'store');
    await restoreSnapshot(snapshots, head, path);
    return notesIn(path);
  };
  const heads = async ({ snapshots }: ShardOwner): Promise<readonly number[]> =>
    (await snapshots.restored()).map(({ seq }) => seq);
  /** As time does: whoever has begun and gone on with nothing is believed to be gone. */
  const leave = (): Promise<unknown> =>
    postgres.ask(
      `update shard_snapshot_head set touched_at = touched_at - interval '${SHARD_SNAPSHOT.abandonedMs} ms'`,
    );

  it('hold all that was committed before, and go with the log’s own hash', async () => {
    const owner = await own();
    expect(await owner.make()).toBeNull();
    await owner.note('a', 'b');
    expect(await owner.make()).toBe(2);
    expect([await restoredNotes(owner), await heads(owner)]).toEqual([['a', 'b'], [2]]);
    await owner.end();
  });

  it('let go of the rows before the older of the two newest, and of no other', async () => {
    const owner = await own();
    await owner.note('a', 'b');
    await owner.make();
    await owner.trimAll();
    expect(await owner.rows()).toEqual([1, 2]);
    await owner.note('c', 'd');
    await owner.make();
    await owner.note('e');
    await owner.trimAll();
    expect([await owner.rows(), await heads(owner)]).toEqual([
      [2, 3, 4, 5],
      [4, 2],
    ]);
    await owner.note('f');
    await owner.make();
    await owner.trimAll();
    expect([await owner.rows(), await heads(owner)]).toEqual([
      [4, 5, 6],
      [6, 4],
    ]);
    expect([await restoredNotes(owner), await restoredNotes(owner, 1)]).toEqual([
      ['a', 'b', 'c', 'd', 'e', 'f'],
      ['a', 'b', 'c', 'd'],
    ]);
    await owner.end();
  });

  it('are trimmed by the process that owns the shard alone', async () => {
    const owner = await own();
    await owner.note('a', 'b');
    await owner.make();
    await owner.note('c');
    await owner.make();
    expect(await owner.snapshots.trim(owner.shard.epoch - 1)).toBe(0);
    expect(await owner.rows()).toEqual([1, 2, 3]);
    await owner.end();
  });

  it.each<[string, keyof ShardSnapshots | 'add' | 'finish', 'before' | 'after']>([
    ['before it began', 'begin', 'before'],
    ['when it had begun', 'begin', 'after'],
    ['before its first part', 'add', 'before'],
    ['after its first part', 'add', 'after'],
    ['before it said that all parts are there', 'finish', 'before'],
    ['when it had said so', 'finish', 'after'],
    ['before it was restored', 'read', 'before'],
    ['before that counted', 'markRestored', 'before'],
    ['when it counted', 'markRestored', 'after'],
    ['before older ones were removed', 'prune', 'before'],
  ])('lose nothing where the process that makes one is killed %s', async (_when, step, side) => {
    const owner = await own();
    await owner.note('a');
    await owner.make();
    await owner.note('b');
    await owner.make();
    await owner.note('c');
    await expect(owner.make(killedAt(owner.snapshots, step, side))).rejects.toBe(KILLED);
    await owner.trimAll();
    const [newest = 0, older = 0] = await heads(owner);
    expect(older).toBeGreaterThan(0);
    expect((await owner.rows())[0]).toBe(older);
    expect(await restoredNotes(owner)).toEqual(['a', 'b', 'c'].slice(0, newest));
    await leave();
    await owner.note('d');
    expect(await owner.make()).toBe(4);
    await owner.trimAll();
    expect(await restoredNotes(owner)).toEqual(['a', 'b', 'c', 'd']);
    const [left] = await postgres.ask<{ readonly parts: string }>(
      `select count(distinct seq) as parts from shard_snapshot where shard = ${owner.number}`,
    );
    expect(left).toEqual({ parts: String(SHARD_SNAPSHOT.kept) });
    await owner.end();
  });

  it('are made by one process at a time, and by another one once that is gone', async () => {
    const owner = await own();
    await owner.note('a');
    const slow = await owner.snapshots.begin(owner.shard.head());
    await owner.note('b');
    expect(await owner.make()).toBeNull();
    await leave();
    expect(await owner.make()).toBe(2);
    await owner.snapshots.prune();
    const late = slow?.add({ file: 'journal.head', bytes: Buffer.from('late') });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    await owner.end();
  });

  it('count for nothing where the log has another frame in the place of their last one', async () => {
    const owner = await own();
    await owner.note('a', 'b');
    await postgres.ask(
      `update shard_log set hash = repeat('f', 64) where shard = ${owner.number} and seq = 2`,
    );
    expect(await owner.make()).toBeNull();
    expect(await heads(owner)).toEqual([]);
    await owner.end();
  });

  it.each<[string, string, RegExp]>([
    ['was changed', 'update shard_snapshot set bytes = set_byte(bytes, 9, 0)', /damaged part 0/],
    ['is missing', 'delete from shard_snapshot', /lacks part 0 of 2/],
  ])('are refused where a part %s, with its number', async (_what, change, sentence) => {
    const owner = await own();
    await owner.note('a');
    await owner.make();
    await postgres.ask(`${change} where shard = ${owner.number} and part = 0`);
    await expect(restoredNotes(owner)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringMatching(sentence),
    });
    await owner.end();
  });
});

/** The same, over which nothing more happens from one step on. */
function killedAt(
  snapshots: ShardSnapshots,
  step: keyof ShardSnapshots | 'add' | 'finish',
  side: 'before' | 'after',
): ShardSnapshots {
  const killing =
    <A extends readonly unknown[], R>(name: typeof step, run: (...args: A) => R) =>
    async (...args: A): Promise<Awaited<R>> => {
      if (name === step && side === 'before') throw KILLED;
      const done = await run(...args);
      if (name === step) throw KILLED;
      return done;
    };
  return {
    ...snapshots,
    begin: killing('begin', async (frame) => {
      const writer = await snapshots.begin(frame);
      return writer === null
        ? null
        : { add: killing('add', writer.add), finish: killing('finish', writer.finish) };
    }),
    async *read(head) {
      if (step === 'read') throw KILLED;
      yield* snapshots.read(head);
    },
    markRestored: killing('markRestored', snapshots.markRestored),
    prune: killing('prune', snapshots.prune),
  };
}
