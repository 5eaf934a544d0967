import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { openFollower } from '../../../src/adapters/lmdb/shared-tail.ts';
import { openEngine } from '../../../src/adapters/postgres/engine.ts';
import {
  takeShard,
  type OwnedShard,
  type ShardOptions,
} from '../../../src/adapters/postgres/shard.ts';
import type { AppError } from '../../../src/domain/errors.ts';
import type { SharedLog } from '../../../src/ports/shared-log.ts';
import type { Store, Table } from '../../../src/ports/store.ts';
import { describeStore } from '../../contracts/store.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../../support/fixtures/postgres.ts';

const NEVER = new AbortController().signal;
const NOTES: Table<string> = { name: 'notes' };

/** A process that owns a shard, and its store in a folder. */
interface Owner {
  readonly shard: OwnedShard;
  readonly store: Store;
  readonly folder: string;
  readonly lost: readonly AppError[];
}

describe.skipIf(NO_POSTGRES !== null)('a store whose log several machines keep', () => {
  let postgres: Postgres;
  let shards = 0;
  const folders: string[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres.end();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-shared-'));
    folders.push(folder);
    return folder;
  };
  const options = (shard: number, owner: string): ShardOptions => ({
    shard,
    owner,
    wallClock: createWallClock(),
    ending: NEVER,
    waits: () => undefined,
    meanwhile: async () => undefined,
    fenced: () => undefined,
  });
  const own = async (number: number, folder = newFolder()): Promise<Owner> => {
    const engine = await openEngine({ urls: [postgres.url], tls: null }, 'a test');
    const shard = await takeShard(engine, options(number, folder));
    const lost: AppError[] = [];
    const path = join(folder, 'store');
    const store = await openLmdbStore({ path, shared: shard, lost: (cause) => lost.push(cause) });
    return { shard, store, folder, lost };
  };
  const end = async ({ store, shard }: Owner): Promise<void> => {
    await store.close();
    await shard.close();
  };
  const noted = (store: Store, text: string) =>
    store.write((tx) => {
      tx.put(NOTES, [text], text);
    });
  const notesOf = ({ store }: Owner) => store.range(NOTES).map(({ value }) => value);

  describeStore('the log of a shard, taken over from a folder of its own', async () => {
    const number = (shards += 1);
    let owner = await own(number);
    return {
      store: owner.store,
      async restart() {
        await end(owner);
        owner = await own(number);
        return owner.store;
      },
      end: () => end(owner),
    };
  });

  it('goes on in the folder that it had, with what another one has added meanwhile', async () => {
    const number = (shards += 1);
    const first = await own(number);
    await noted(first.store, 'a');
    await end(first);
    const other = await own(number);
    await noted(other.store, 'b');
    await end(other);
    const again = await own(number, first.folder);
    expect(notesOf(again)).toEqual(['a', 'b']);
    await noted(again.store, 'c');
    await end(again);
    const last = await own(number, other.folder);
    expect(notesOf(last)).toEqual(['a', 'b', 'c']);
    await end(last);
  });

  it('has read what its owner commits while it waits, and nothing is left to read at the take', async () => {
    const number = (shards += 1);
    const owner = await own(number);
    await noted(owner.store, 'a');
    const folder = newFolder();
    const path = join(folder, 'store');
    const follower = await openFollower(path);
    const engine = await openEngine({ urls: [postgres.url], tls: null }, 'a test');
    const added: number[] = [];
    const shard = await takeShard(engine, {
      ...options(number, folder),
      async meanwhile(log) {
        await follower.follow(log);
        added.push(1);
        if (added.length === 1) await noted(owner.store, 'b');
        if (added.length === 3) await end(owner);
      },
    });
    await follower.close();
    let read = 0;
    const counted: SharedLog = {
      head: () => shard.head(),
      hashOf: (seq) => shard.hashOf(seq),
      append: (frame) => shard.append(frame),
      async *read(afterSeq) {
        for await (const frame of shard.read(afterSeq)) {
          read += 1;
          yield frame;
        }
      },
    };
    const store = await openLmdbStore({ path, shared: counted });
    expect([store.range(NOTES).map(({ value }) => value), read]).toEqual([['a', 'b'], 0]);
    await store.close();
    await shard.close();
  });

  it('keeps the folder of a process that waits for itself', async () => {
    const path = join(newFolder(), 'store');
    const follower = await openFollower(path);
    await expect(openFollower(path)).rejects.toMatchObject({ code: 'store_locked' });
    await follower.close();
  });

  it('loses nothing that it has committed with the folder', async () => {
    const number = (shards += 1);
    const owner = await own(number);
    const texts = Array.from({ length: 300 }, (_, index) => `n${String(index).padStart(3, '0')}`);
    await Promise.all(texts.map((text) => noted(owner.store, text)));
    // Its process is killed: nothing is closed, and its folder is lost.
    await owner.shard.close();
    const next = await own(number);
    expect(notesOf(next)).toEqual(texts);
    await end(next);
  });

  it('begins with what a single machine has in its folder', async () => {
    const number = (shards += 1);
    const folder = newFolder();
    const alone = await openLmdbStore({ path: join(folder, 'store') });
    for (const text of ['a', 'b']) await noted(alone, text);
    await alone.close();
    await end(await own(number, folder));
    const other = await own(number);
    expect(notesOf(other)).toEqual(['a', 'b']);
    await end(other);
  });

  it('refuses a folder whose log goes on otherwise, and changes nothing in either', async () => {
    const [one, two] = [(shards += 1), (shards += 1)];
    const first = await own(one);
    await noted(first.store, 'a');
    await end(first);
    const second = await own(two);
    await noted(second.store, 'b');
    await end(second);
    await expect(own(two, first.folder)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('move the folder away'),
    });
  });

  it('ends its process where another one has taken the shard: nothing more is committed', async () => {
    const number = (shards += 1);
    const owner = await own(number);
    await noted(owner.store, 'a');
    await postgres.ask(`update shard set epoch = epoch + 1, owner = 'other' where id = ${number}`);
    await expect(noted(owner.store, 'b')).rejects.toMatchObject({ code: 'store_unavailable' });
    expect([owner.lost.length, notesOf(owner), owner.shard.isHeld()]).toEqual([1, ['a'], false]);
    await end(owner);
  });
});
