import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/schema.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openEngine, type Engine } from '../../src/adapters/postgres/engine.ts';
import { noteMember } from '../../src/adapters/postgres/shard-members.ts';
import { takeShard, type OwnedShard } from '../../src/adapters/postgres/shard.ts';
import { readSplits } from '../../src/adapters/postgres/split.ts';
import { openDirectory } from '../../src/adapters/postgres/user-directory.ts';
import { divideIfAsked, splitRound } from '../../src/app/shard-split.ts';
import { runShardsCommand } from '../../src/app/shards-cli.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../support/fixtures/postgres.ts';

const MEMBER = {
  name: 'one:/data',
  owner: 'one',
  reason: 'folder_damaged',
  sentence: '',
  seq: 0,
  version: '0',
};
const askedSplits = async (engine: Engine): Promise<readonly string[]> =>
  (await readSplits(engine)).map(({ state }) => state);

describe.skipIf(NO_POSTGRES !== null)('predictd shards split', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.end());

  const open = () => openEngine({ urls: [postgres.url], tls: null }, 'a test');
  const run = async (...words: readonly string[]) => {
    const lines: string[] = [];
    const environment = readEnvironment({ PREDICTD_LOG_URLS: postgres.url });
    const code = await runShardsCommand(words, environment, (line) => lines.push(line));
    return { code, lines };
  };
  const take = async (shard: number): Promise<OwnedShard> =>
    takeShard(await open(), {
      shard,
      owner: 'one',
      wallClock: createWallClock(),
      ending: new AbortController().signal,
      waits: () => undefined,
      meanwhile: async () => undefined,
      fenced: () => undefined,
    });

  it.each([['00'], ['1.5'], ['-1'], ['0', '1'], []])(
    'does not understand split %s %s',
    async (...words) => {
      await expect(run('split', ...words)).rejects.toMatchObject({ code: 'config_invalid' });
    },
  );

  it('has the owner end, and the next one divide the shard before anything else', async () => {
    const engine = await open();
    await openDirectory(engine, { shard: 0, shards: 1 });
    const owner = await take(0);
    const losses: string[] = [];
    const round = splitRound({
      engine,
      shard: 0,
      isOwner: () => true,
      lost: ({ code }) => losses.push(code),
    });
    await round();
    expect(losses).toEqual([]);
    expect(await divideIfAsked(engine, { shard: 0, epoch: owner.epoch })).toBe(false);
    const split = run('split', '0');
    await expect.poll(() => askedSplits(engine)).toEqual(['copying']);
    await round();
    expect(losses).toEqual([]);
    await noteMember(engine, { ...MEMBER, shard: 1, state: 'following' }, 0);
    await expect.poll(async () => (await round(), losses)).toEqual(['not_owner']);
    await round();
    expect(losses).toEqual(['not_owner']);
    await owner.close();
    const next = await take(0);
    expect(await divideIfAsked(engine, { shard: 0, epoch: next.epoch })).toBe(true);
    expect(await split).toEqual({
      code: 0,
      lines: [
        'the log of shard 0 is copied to shard 1; shard 0 goes on',
        'start two processes with PREDICTD_SHARD=1, on two machines: shard 0 is divided once one of them follows',
        'the owner of shard 0 ends in order, and the next one divides it',
        'shard 0 is divided at frame 0: half of its users are those of shard 1',
      ],
    });
    const { code, lines } = await run();
    expect([code, lines.find((line) => line.startsWith('shard 1'))]).toEqual([
      1,
      'shard 1  no owner, epoch 2, 0 frames, no snapshot yet',
    ]);
    await next.close();
    await engine.close();
  });

  it.each([['split'], ['split', 'one'], ['split', '0', '1'], ['join', '0']])(
    'is not understood as %s %s',
    async (...words) => {
      await expect(run(...words)).rejects.toMatchObject({ code: 'config_invalid' });
    },
  );

  it('is refused of a shard that there is not, and of a broken one, with what is the matter', async () => {
    const engine = await open();
    await openDirectory(engine, { shard: 0, shards: 1 }).catch(() => undefined);
    await expect(run('split', '9')).rejects.toMatchObject({ code: 'conflict' });
    await engine.ask('update shard_split set shard_forgot = true, successor_forgot = true');
    await expect(run('split', '9')).rejects.toMatchObject({ code: 'not_found' });
    await expect(run('split', '0')).rejects.toMatchObject({ code: 'conflict' });
    await noteMember(engine, { ...MEMBER, shard: 0, state: 'broken' }, 0);
    await expect(run('split', '0')).rejects.toMatchObject({ code: 'store_corrupt' });
    await engine.close();
  });
});
