import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SHARD_SPLIT } from '../../../config/limits/shared-log.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { openEngine, type Engine } from '../../../src/adapters/postgres/engine.ts';
import { takeShard, type OwnedShard } from '../../../src/adapters/postgres/shard.ts';
import { readShardOwners } from '../../../src/adapters/postgres/shard-owner.ts';
import { openSnapshots } from '../../../src/adapters/postgres/snapshots.ts';
import {
  askedSplit,
  askOwner,
  beginSplit,
  copyLog,
  divideShard,
  dropBeforeGap,
  isOver,
  noteForgotten,
  readSplits,
} from '../../../src/adapters/postgres/split.ts';
import { makeTables } from '../../../src/adapters/postgres/tables.ts';
import { openDirectory, readSlots } from '../../../src/adapters/postgres/user-directory.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../../support/fixtures/postgres.ts';

const TABLES = ['shard', 'shard_log', 'shard_snapshot', 'shard_snapshot_head', 'shard_split'];
const AWAY = new AppError('store_unavailable', 'away', { retryable: true });
const hashOf = (seq: number, by = 'f'): string => String(seq).padStart(64, by);

describe.skipIf(NO_POSTGRES !== null)('a split of a shard in PostgreSQL', () => {
  let postgres: Postgres;
  let engine: Engine;
  const open: Engine[] = [];
  const begin = async (): Promise<Engine> => {
    const begun = await openEngine({ urls: [postgres.url], tls: null }, 'a test');
    open.push(begun);
    return begun;
  };
  /** Statements that have this in them go another way, once. */
  const failing = (part: string, way: 'lost' | 'unanswered' | 'doubtful'): Engine => {
    let hasFailed = false;
    return {
      ...engine,
      async ask(text, values) {
        if (hasFailed || !text.includes(part)) return engine.ask<never>(text, values);
        hasFailed = true;
        if (way === 'lost') throw AWAY;
        const answer = await engine.ask<never>(text, values);
        if (way === 'unanswered') throw AWAY;
        return { ...answer, isDoubtful: true };
      },
    };
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    engine = await begin();
  });
  afterAll(async () => {
    for (const one of open) await one.close();
    await postgres.end();
  });
  beforeEach(async () => {
    for (const table of [...TABLES, 'slot', 'claim', 'shared_secret'])
      await engine.ask(`drop table if exists ${table}`);
    await makeTables(engine);
    await openDirectory(engine, { shard: 0, shards: 2 });
  });

  const take = async (
    shard: number,
    change: { readonly waits?: (owner: string | null) => void } = {},
  ): Promise<OwnedShard> =>
    takeShard(await begin(), {
      shard,
      owner: 'one',
      wallClock: createWallClock(),
      ending: new AbortController().signal,
      waits: () => undefined,
      meanwhile: async () => undefined,
      fenced: () => undefined,
      ...change,
    });
  const append = async (owned: OwnedShard, count: number, by = 'f'): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      const seq = owned.head().seq + 1;
      await owned.append({ seq, hash: hashOf(seq, by), bytes: Buffer.from(`${by} ${seq}`) });
    }
  };
  const framesOf = async (owned: OwnedShard): Promise<readonly string[]> => {
    const texts: string[] = [];
    for await (const { bytes } of owned.read(0)) texts.push(Buffer.from(bytes).toString());
    return texts;
  };
  /** Shard 0 with this many frames, copied and asked for, and taken by the next owner. */
  const asked = async (frames: number): Promise<OwnedShard> => {
    const former = await take(0);
    await append(former, frames);
    await beginSplit(engine, 0);
    await copyLog(engine, PAIR, { left: SHARD_SPLIT.framesLeft });
    await askOwner(engine, PAIR);
    await former.close();
    return take(0);
  };
  const PAIR = { shard: 0, successor: 2 };
  const stateOf = async () => (await readSplits(engine)).map(({ state, seq }) => [state, seq]);
  const isWhole = async (): Promise<boolean> =>
    (await readSlots(engine)).every((shard) => shard < 2) &&
    (await readShardOwners(engine)).shards === 1;

  it('leaves both shards with the same log up to a frame, and half of the slots each', async () => {
    const owner = await asked(3);
    expect(await isWhole()).toBe(true);
    await divideShard(engine, { ...PAIR, epoch: owner.epoch });
    const slots = await readSlots(engine);
    expect([0, 1, 2].map((shard) => slots.filter((own) => own === shard).length)).toEqual([
      256, 512, 256,
    ]);
    expect([slots[0], slots[2], slots[4], slots[6]]).toEqual([0, 2, 0, 2]);
    expect(await stateOf()).toEqual([['divided', 3]]);
    const made = await take(2);
    expect([made.head(), made.epoch, made.cause]).toEqual([
      { seq: 3, hash: hashOf(3) },
      owner.epoch + 1,
      'released',
    ]);
    await append(owner, 2, 'a');
    await append(made, 1, 'b');
    const common = ['f 1', 'f 2', 'f 3'];
    expect(await framesOf(owner)).toEqual([...common, 'a 4', 'a 5']);
    expect(await framesOf(made)).toEqual([...common, 'b 4']);
    await copyLog(engine, PAIR, { left: 0 });
    expect(await framesOf(made)).toEqual([...common, 'b 4']);
    await owner.close();
    await made.close();
  });

  it('leaves the shard whole and at work until it is divided, whoever is cut off before', async () => {
    const owner = await take(0);
    await append(owner, 2);
    expect(await beginSplit(engine, 0)).toBe(2);
    await append(owner, 1);
    expect([await isWhole(), await stateOf()]).toEqual([true, [['copying', null]]]);
    const cut = failing('insert into shard_log', 'unanswered');
    await copyLog(cut, PAIR, { left: 0 });
    await append(owner, 1);
    // The command is given again, and goes on with what is there.
    expect(await beginSplit(engine, 0)).toBe(2);
    expect(await askedSplit(engine, 0)).toBeNull();
    await askOwner(engine, PAIR);
    await askOwner(engine, PAIR);
    expect(await askedSplit(engine, 0)).toBe(2);
    await append(owner, 1);
    expect(await isWhole()).toBe(true);
    await owner.close();
    const next = await take(0);
    // This owner ends before it has divided the shard: the one after it does.
    await next.close();
    const last = await take(0);
    await divideShard(engine, { ...PAIR, epoch: last.epoch });
    expect(await stateOf()).toEqual([['divided', 5]]);
    const made = await take(2);
    expect((await framesOf(made)).length).toBe(5);
    await made.close();
    await last.close();
  });

  it.each(['lost', 'unanswered', 'doubtful'] as const)(
    'is done once where the statement that divides is %s at first',
    async (way) => {
      const owner = await asked(2);
      const part = 'insert into shard (id';
      await divideShard(failing(part, way), { ...PAIR, epoch: owner.epoch });
      await append(owner, 1, 'a');
      await divideShard(engine, { ...PAIR, epoch: owner.epoch });
      expect(await stateOf()).toEqual([['divided', 2]]);
      await owner.close();
    },
  );

  it('is not done by an owner that was replaced', async () => {
    const owner = await asked(1);
    await owner.close();
    const next = await take(0);
    await expect(divideShard(engine, { ...PAIR, epoch: owner.epoch })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/another process has taken it/),
    });
    expect([await isWhole(), await stateOf()]).toEqual([true, [['asked', null]]]);
    await next.close();
  });

  it('has a process for the new shard wait until that is there', async () => {
    const waits: (string | null)[] = [];
    const owner = await asked(2);
    const taking = take(2, { waits: (who) => waits.push(who) });
    await expect.poll(() => waits).toEqual([null]);
    await divideShard(engine, { ...PAIR, epoch: owner.epoch });
    const made = await taking;
    expect(made.head().seq).toBe(2);
    await made.close();
    await owner.close();
  });

  it('copies the snapshots that count, and lets nothing be trimmed meanwhile', async () => {
    const owner = await take(0);
    await append(owner, 3);
    const snapshots = openSnapshots(engine, 0);
    for (const seq of [2, 3]) {
      const writer = await snapshots.begin({ seq, hash: hashOf(seq) });
      for (let part = 0; part <= SHARD_SPLIT.partsPerCopy; part += 1)
        await writer?.add({ file: `${part}`, bytes: Buffer.from(`${seq} ${part}`) });
      const head = await writer?.finish();
      expect(head !== undefined && (await snapshots.markRestored(head))).toBe(true);
    }
    await beginSplit(engine, 0);
    expect(await snapshots.trim(owner.epoch)).toBe(0);
    await copyLog(engine, PAIR, { left: 0 });
    await askOwner(engine, PAIR);
    await divideShard(engine, { ...PAIR, epoch: owner.epoch });
    expect(await snapshots.trim(owner.epoch)).toBe(1);
    const copied = openSnapshots(engine, 2);
    expect(await copied.restored()).toEqual(await snapshots.restored());
    const [newest] = await copied.restored();
    const parts: string[] = [];
    if (newest !== undefined)
      for await (const { bytes } of copied.read(newest)) parts.push(Buffer.from(bytes).toString());
    expect(parts.length).toBe(SHARD_SPLIT.partsPerCopy + 1);
    expect(await copied.state()).toMatchObject({ head: 3, first: 1, restoredSeq: 3 });
    await owner.close();
  });

  it('leaves out frames before those that were trimmed while it began', async () => {
    const owner = await take(0);
    await append(owner, 5);
    await beginSplit(engine, 0);
    await engine.ask(`insert into shard_log select 2, seq, epoch, hash, frame from shard_log
      where shard = 0 and seq <= 2`);
    await engine.ask('delete from shard_log where shard = 0 and seq <= 3');
    await copyLog(engine, PAIR, { left: 0 });
    await dropBeforeGap(engine, PAIR);
    const { rows } = await engine.ask('select seq from shard_log where shard = 2 order by seq');
    expect(rows).toEqual([{ seq: '4' }, { seq: '5' }]);
    await owner.close();
  });

  it('is refused where there is no such shard, none owns it, it has one slot, or another one is split', async () => {
    await expect(beginSplit(engine, 7)).rejects.toMatchObject({ code: 'not_found' });
    await expect(beginSplit(engine, 0)).rejects.toMatchObject({ code: 'conflict' });
    const [owner, other] = [await take(0), await take(1)];
    await engine.ask('update slot set shard = 0 where slot <> 1');
    await expect(beginSplit(engine, 1)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/one slot/),
    });
    expect(await Promise.all([beginSplit(engine, 0), beginSplit(engine, 0)])).toEqual([2, 2]);
    await engine.ask('update slot set shard = 1 where slot > 500');
    await expect(beginSplit(engine, 1)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/shard 0 is being split into 0 and 2/),
    });
    await owner.close();
    await other.close();
  });

  it('is read by a process that has waited for long, whose connection has gone meanwhile', async () => {
    const owner = await asked(1);
    const waiting = await begin();
    const directory = await openDirectory(waiting, { shard: 0, shards: 2 });
    await divideShard(engine, { ...PAIR, epoch: owner.epoch });
    await engine.ask(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [waiting.session],
    );
    expect((await directory.readAnew())?.slots.size).toBe(256);
    await owner.close();
  });

  it('is over once both have forgotten the users of the other one, and then there may be another', async () => {
    const owner = await asked(1);
    await divideShard(engine, { ...PAIR, epoch: owner.epoch });
    const directories = await Promise.all(
      [0, 2].map(async (shard) => openDirectory(await begin(), { shard, shards: 2 })),
    );
    const [first, made] = directories;
    const [ofFirst, ofMade] = [await first?.readAnew(), await made?.readAnew()];
    expect([ofFirst?.shard, ofFirst?.slots.size, ofFirst?.slots.has(2)]).toEqual([2, 256, true]);
    expect(ofFirst?.slots.has(0)).toBe(false);
    // Also what was never this shard's, and its folder has all the same.
    expect([ofMade?.shard, ofMade?.slots.size]).toEqual([0, 768]);
    expect([0, 1, 2].map((slot) => ofMade?.slots.has(slot))).toEqual([true, true, false]);
    expect([first?.slots?.has(0), first?.slots?.has(2), made?.slots?.has(2)]).toEqual([
      true,
      false,
      true,
    ]);
    await first?.forgot();
    expect([await first?.readAnew(), (await made?.readAnew())?.slots.size]).toEqual([null, 768]);
    await expect(beginSplit(engine, 0)).rejects.toMatchObject({ code: 'conflict' });
    await noteForgotten(engine, 2);
    expect([await made?.readAnew(), (await readSplits(engine)).every(isOver)]).toEqual([
      null,
      true,
    ]);
    expect(await beginSplit(engine, 0)).toBe(3);
    await owner.close();
  });
});
