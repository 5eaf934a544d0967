import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHARED_LOG } from '../../../config/limits/shared-log.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { assertDurable, assertSameTime } from '../../../src/adapters/postgres/durability.ts';
import { openEngine, type Engine } from '../../../src/adapters/postgres/engine.ts';
import { AppError } from '../../../src/domain/errors.ts';
import {
  takeShard,
  type OwnedShard,
  type ShardOptions,
} from '../../../src/adapters/postgres/shard.ts';
import type { SharedFrame } from '../../../src/ports/shared-log.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../../support/fixtures/postgres.ts';

const NEVER = new AbortController().signal;
const frame = (seq: number, text = `frame ${seq}`): SharedFrame => ({
  seq,
  hash: String(seq).padStart(64, 'f'),
  bytes: Buffer.from(text),
});
const AWAY = new AppError('store_unavailable', 'away', { retryable: true });

/** What becomes of the next statements of a kind, one after another; then all goes well. */
type Accident = 'lost' | 'unanswered' | 'doubtful';

/** A process: its way to the engine, and what is lost on it. */
interface Process {
  readonly engine: Engine;
  /** Nothing more arrives, and nothing is answered, as of a process that is gone. */
  cut(): void;
  mend(): void;
  befall(text: string, ...accidents: readonly Accident[]): void;
}

function processOver(engine: Engine): Process {
  let isCut = false;
  const accidents = new Map<string, Accident[]>();
  return {
    cut: () => void (isCut = true),
    mend: () => void (isCut = false),
    befall: (text, ...next) => void accidents.set(text, [...next]),
    engine: {
      session: engine.session,
      isConnected: () => engine.isConnected(),
      async ask(text, values) {
        if (isCut) throw AWAY;
        const [, next] = [...accidents].find(([part]) => text.includes(part)) ?? [];
        const accident = next?.shift();
        if (accident === 'lost') throw AWAY;
        const answer = await engine.ask<never>(text, values);
        if (accident === 'unanswered') throw AWAY;
        return accident === 'doubtful' ? { ...answer, isDoubtful: true } : answer;
      },
      close: () => engine.close(),
    },
  };
}

describe.skipIf(NO_POSTGRES !== null)('a shard whose log lies in PostgreSQL', () => {
  let postgres: Postgres;
  let shards = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.end());

  const fresh = (): number => (shards += 1);
  const begin = async (): Promise<Process> =>
    processOver(await openEngine({ urls: [postgres.url], tls: null }, 'a test'));
  const take = async (
    shard: number,
    change: Partial<ShardOptions> = {},
    process?: Pick<Process, 'engine'>,
  ): Promise<OwnedShard> =>
    takeShard((process ?? (await begin())).engine, {
      shard,
      owner: 'one',
      wallClock: createWallClock(),
      ending: NEVER,
      waits: () => undefined,
      meanwhile: async () => undefined,
      fenced: () => undefined,
      ...change,
    });
  /** A process that got no turn for some seconds holds its shard again once it has asked. */
  const untilHeld = (owned: OwnedShard) => expect.poll(() => owned.isHeld()).toBe(true);
  const framesOf = async (owned: OwnedShard, after = 0): Promise<readonly string[]> => {
    const texts: string[] = [];
    for await (const { bytes } of owned.read(after)) texts.push(Buffer.from(bytes).toString());
    return texts;
  };

  it('gives back what was added, in its order, and goes on behind it after a take', async () => {
    const shard = fresh();
    const one = await take(shard);
    for (const seq of [1, 2, 3]) await one.append(frame(seq));
    expect(one.head()).toEqual({ seq: 3, hash: frame(3).hash });
    expect(await framesOf(one, 1)).toEqual(['frame 2', 'frame 3']);
    await one.close();
    const other = await take(shard, { owner: 'other' });
    expect([other.head(), other.epoch]).toEqual([{ seq: 3, hash: frame(3).hash }, 2]);
    expect([one.cause, other.cause]).toEqual(['first', 'released']);
    await other.append(frame(4));
    expect(await framesOf(other, 3)).toEqual(['frame 4']);
    await other.close();
  });

  it('has one owner: who was replaced while it was cut off adds nothing, and sends nothing', async () => {
    const shard = fresh();
    const [waits, fenced]: [(string | null)[], number[]] = [[], []];
    const process = await begin();
    const former = await take(shard, { owner: 'former', fenced: () => fenced.push(1) }, process);
    await former.append(frame(1));
    process.cut();
    const next = await take(shard, { owner: 'next', waits: (owner) => waits.push(owner) });
    expect(next.cause).toBe('expired');
    expect([next.epoch, waits, former.isHeld()]).toEqual([2, ['former'], false]);
    await untilHeld(next);
    process.mend();
    await expect(former.append(frame(2, 'late'))).rejects.toMatchObject({ failure: 'fenced' });
    expect([fenced, former.isHeld()]).toEqual([[1], false]);
    await next.append(frame(2));
    await former.close();
    expect(await framesOf(next)).toEqual(['frame 1', 'frame 2']);
    await untilHeld(next);
    await next.close();
  });

  it('is taken at once where the connection of its owner has left the engine', async () => {
    const shard = fresh();
    const process = await begin();
    const former = await take(shard, { owner: 'former' }, process);
    const waits: (string | null)[] = [];
    const taking = take(shard, {
      owner: 'next',
      waits: (owner) => waits.push(owner),
      // By its clock no time passes: the lease does not end, and no poll is too long after another.
      steadyClock: { ...createWallClock(), nowMs: () => 0 },
    });
    await expect.poll(() => waits).toEqual(['former']);
    process.cut();
    await postgres.ask(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = '${process.engine.session}'`,
    );
    const next = await taking;
    expect([next.epoch, former.isHeld()]).toEqual([2, false]);
    await untilHeld(next);
    expect(next.cause).toBe('disconnected');
    await next.close();
    await former.close();
  });

  it('is taken by whoever has polled it all the while, not after a pause of its own', async () => {
    const asked: string[] = [];
    const engine: Engine = {
      session: 'mine',
      isConnected: () => true,
      async ask(text) {
        if (text.startsWith('update')) asked.push('takes');
        else if (text.startsWith('select')) {
          asked.push('polls');
          if (asked.length === 2) await wait(SHARED_LOG.leaseMs);
        }
        const row = { epoch: '1', beat: '1', owner: 'silent', head: '0', connected: true };
        return { rows: [row as never], isDoubtful: false };
      },
      close: async () => undefined,
    };
    const owned = await take(1, {}, { engine });
    expect(asked.indexOf('takes')).toBeGreaterThan(4);
    await owned.close();
  });

  it('is not taken from an owner that writes nothing but that it is there', async () => {
    const shard = fresh();
    const owner = await take(shard);
    const ending = new AbortController();
    const taken = take(shard, { owner: 'other', ending: ending.signal });
    await new Promise<void>((resolve) => {
      const polling = setInterval(() => {
        void postgres
          .ask(`select beat from shard where id = ${shard} and beat > 8`)
          .then((rows) => rows.length > 0 && (clearInterval(polling), resolve()));
      }, 100);
    });
    await untilHeld(owner);
    ending.abort(new Error('over'));
    await expect(taken).rejects.toThrow('over');
    await owner.close();
  });

  it.each<[string, readonly Accident[]]>([
    ['was lost', ['lost']],
    ['was carried out, its answer lost', ['unanswered']],
    ['was confirmed by no standby', ['doubtful']],
    ['was lost twice', ['lost', 'lost']],
    ['was carried out at the second time, unheard', ['lost', 'unanswered']],
  ])('commits a frame once whose statement %s', async (_what, accidents) => {
    const process = await begin();
    const owned = await take(fresh(), {}, process);
    await owned.append(frame(1));
    process.befall('insert into shard_log', ...accidents);
    await owned.append(frame(2));
    await owned.append(frame(3));
    expect(await framesOf(owned)).toEqual(['frame 1', 'frame 2', 'frame 3']);
    await owned.close();
  });

  it('waits for an engine that is away, sends nothing meanwhile, and goes on', async () => {
    const owned = await take(fresh());
    await owned.append(frame(1));
    await postgres.kill();
    // A backend of the killed node may answer for a moment more.
    while (owned.isHeld()) await new Promise((resolve) => setImmediate(resolve));
    let isDone = false;
    const added = owned.append(frame(2)).then(() => (isDone = true));
    await expect(openEngine({ urls: [postgres.url], tls: null }, 'a test')).rejects.toThrow();
    expect([isDone, owned.isHeld()]).toEqual([false, false]);
    await postgres.start();
    await added;
    expect(await framesOf(owned)).toEqual(['frame 1', 'frame 2']);
    await untilHeld(owned);
    await owned.close();
  });

  it('says that it is undecided where the engine has lost what it had acknowledged', async () => {
    const shard = fresh();
    const owned = await take(shard);
    for (const seq of [1, 2]) await owned.append(frame(seq));
    await postgres.ask(`update shard set head = 1 where id = ${shard}`);
    await postgres.ask(`delete from shard_log where shard = ${shard} and seq = 2`);
    await expect(owned.append(frame(3))).rejects.toMatchObject({ failure: 'undecided' });
    await owned.close();
  });

  it('is refused where the engine may lose what it acknowledges, with the setting that is missing', async () => {
    const { engine } = await begin();
    await assertDurable(engine, 'storage');
    await expect(assertDurable(engine, 'quorum')).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('set synchronous_standby_names there'),
    });
    await engine.ask("set synchronous_commit = 'off'");
    await expect(assertDurable(engine, 'storage')).rejects.toMatchObject({
      message: expect.stringContaining('set synchronous_commit there'),
    });
    await engine.close();
  });

  it('is refused to a machine whose clock is apart from that of the engine', async () => {
    const { engine } = await begin();
    await assertSameTime(engine, createWallClock());
    for (const apartMs of [-2_000, 2_000])
      await expect(
        assertSameTime(engine, { nowMs: () => Date.now() + apartMs }),
      ).rejects.toMatchObject({ code: 'config_invalid' });
    await engine.close();
  });

  it('says so where no node takes writes', async () => {
    const { port } = new URL(postgres.url);
    const urls = [postgres.url.replace(port, '1')];
    await expect(openEngine({ urls, tls: null }, 'a test')).rejects.toMatchObject({
      code: 'store_unavailable',
      retryable: true,
    });
  });
});
