import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../../src/adapters/postgres/engine.ts';
import { DIRECTORY_TABLES, makeTables } from '../../../src/adapters/postgres/tables.ts';
import {
  openDirectory,
  readSlots,
  type ClusterDirectory,
} from '../../../src/adapters/postgres/user-directory.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { slotOf, slotText } from '../../../src/domain/slot.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../../support/fixtures/postgres.ts';

const userAt = (slot: number, rest = 'a'): UserId => asId<UserId>(`usr_${slotText(slot)}${rest}`);
const NAME = { kind: 'username', name: 'ana' } as const;

describe.skipIf(NO_POSTGRES !== null)('the directory of users in PostgreSQL', () => {
  let postgres: Postgres;
  let engines: readonly [Engine, Engine];
  let shards: readonly [ClusterDirectory, ClusterDirectory];

  beforeAll(async () => {
    postgres = await startPostgres();
    const open = (): Promise<Engine> =>
      openEngine({ urls: [postgres.url], tls: null }, 'predictd test');
    engines = [await open(), await open()];
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
    await postgres.end();
  });
  beforeEach(async () => {
    for (const table of ['slot', 'claim', 'shared_secret', 'shard_split'])
      await engines[0].ask(`drop table if exists ${table}`);
    const [one, other] = await Promise.all(
      engines.map((engine, shard) => openDirectory(engine, { shard, shards: 2 })),
    );
    if (one === undefined || other === undefined) throw new Error('there are two');
    shards = [one, other];
  });

  it('has its tables made by whoever comes, however many at once', async () => {
    const url = postgres.url;
    const makers = await Promise.all(
      Array.from({ length: 6 }, () => openEngine({ urls: [url], tls: null }, 'predictd test')),
    );
    for (let round = 0; round < 10; round += 1) {
      for (const table of ['slot', 'claim', 'shared_secret', 'shard', 'shard_member'])
        await engines[0].ask(`drop table if exists ${table}`);
      await Promise.all(makers.map((maker) => makeTables(maker)));
      await Promise.all(makers.map((maker) => makeTables(maker, DIRECTORY_TABLES)));
    }
    for (const maker of makers) await maker.close();
    expect(await readSlots(engines[0])).toEqual([]);
  });

  it('deals each slot out once, and refuses another number of shards', async () => {
    expect(shards.map(({ slots }) => slots?.size)).toEqual([512, 512]);
    expect(shards[0].slots?.has(7)).toBe(false);
    expect((await readSlots(engines[0])).slice(0, 4)).toEqual([0, 1, 0, 1]);
    await expect(openDirectory(engines[0], { shard: 0, shards: 3 })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });

  it('takes as many shards as there were, or are since one was split, and no shard without users', async () => {
    const open = (shard: number, shards: number): Promise<ClusterDirectory> =>
      openDirectory(engines[0], { shard, shards });
    await expect(open(2, 2)).rejects.toMatchObject({ code: 'config_invalid' });
    await engines[0].ask(
      "insert into shard_split (successor, shard, slots, state) values (2, 0, '{0,2}', 'asked')",
    );
    expect((await open(2, 2)).slots?.size).toBe(0);
    await expect(open(2, 3)).rejects.toMatchObject({ code: 'config_invalid' });
    await engines[0].ask('update slot set shard = 2 where slot in (0, 2)');
    await engines[0].ask("update shard_split set state = 'divided'");
    expect([(await open(2, 2)).slots?.size, (await open(0, 3)).slots?.size]).toEqual([2, 510]);
    for (const [shard, shards] of [
      [0, 1],
      [0, 4],
      [3, 3],
    ] as const)
      await expect(open(shard, shards)).rejects.toMatchObject({ code: 'config_invalid' });
    await engines[0].ask('drop table slot');
    await expect(open(3, 2)).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it('gives a claim to the first who asks, whichever shard they are of', async () => {
    const all = [userAt(0), userAt(1), userAt(2), userAt(3)];
    const holders = await Promise.all(
      all.map((userId) => shards[(slotOf(userId) ?? 0) % 2]?.claim(NAME, userId)),
    );
    expect(new Set(holders).size).toBe(1);
    expect(await shards[1].claim(NAME, userAt(5))).toBe(holders[0]);
  });

  it('moves a claim only from whom it is said to be', async () => {
    await shards[0].claim(NAME, userAt(0));
    expect(await shards[1].move(NAME, { from: userAt(2), to: userAt(1) })).toBe(userAt(0));
    expect(await shards[1].move(NAME, { from: userAt(0), to: userAt(1) })).toBe(userAt(1));
    const free = { kind: 'username', name: 'ben' } as const;
    expect(await shards[0].move(free, { from: userAt(0), to: userAt(4) })).toBe(userAt(4));
  });

  it('gives up only what the user has', async () => {
    await shards[0].claim(NAME, userAt(0));
    await shards[1].release([{ ...NAME, userId: userAt(1) }]);
    expect(await shards[1].claim(NAME, userAt(1))).toBe(userAt(0));
    await shards[0].release([{ ...NAME, userId: userAt(0) }]);
    expect(await shards[1].claim(NAME, userAt(1))).toBe(userAt(1));
  });

  it('is made to say what a shard’s users are known by, and leaves those of others alone', async () => {
    await shards[1].claim({ kind: 'phone', name: 'p1' }, userAt(1));
    await shards[0].claim(NAME, userAt(0, 'gone'));
    await shards[0].claim({ kind: 'phone', name: 'stale' }, userAt(0));
    const kept = [
      { ...NAME, userId: userAt(0) },
      { kind: 'google', name: 'g', userId: userAt(2) },
    ] as const;
    await shards[0].reconcile(kept);
    const { rows } = await engines[0].ask('select kind, name, user_id from claim order by kind');
    expect(rows).toEqual([
      { kind: 'google', name: 'g', user_id: userAt(2) },
      { kind: 'phone', name: 'p1', user_id: userAt(1) },
      { kind: 'username', name: 'ana', user_id: userAt(0) },
    ]);
    await expect(
      shards[0].reconcile([{ kind: 'phone', name: 'p1', userId: userAt(0) }]),
    ).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it('keeps the secret that was proposed first, sealed as its holders seal it last', async () => {
    const first = { sealed: 'a', digest: 'one' };
    expect(await shards[0].share('key', first)).toEqual(first);
    expect(await shards[1].share('key', { sealed: 'b', digest: 'other' })).toEqual(first);
    expect(await shards[1].share('key', { sealed: 'c', digest: 'one' })).toEqual({
      sealed: 'c',
      digest: 'one',
    });
  });

  it('asks again while no standby has confirmed, and then says that it is away', async () => {
    let doubtful = 2;
    const doubting: Engine = {
      ...engines[0],
      async ask(text, values) {
        const answer = await engines[0].ask<never>(text, values);
        return { ...answer, isDoubtful: text.includes('into claim') && (doubtful -= 1) >= 0 };
      },
    };
    const directory = await openDirectory(doubting, { shard: 0, shards: 2 });
    expect(await directory.claim(NAME, userAt(0))).toBe(userAt(0));
    doubtful = 1_000;
    const failed = await directory.claim(NAME, userAt(0)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AppError);
    expect(failed).toMatchObject({ code: 'store_unavailable', retryable: true });
  });
});
