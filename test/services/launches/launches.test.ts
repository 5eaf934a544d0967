import { getBase58Encoder } from '@solana/kit';
import { afterEach, describe, expect, it } from 'vitest';
import { PUBLIC_FILES } from '../../../config/limits/launches.ts';
import { launchMessages } from '../../../src/adapters/solana/launch-messages.ts';
import { asId, type ImageId } from '../../../src/domain/ids.ts';
import type { LaunchRecord } from '../../../src/domain/launch.ts';
import type { LaunchCall } from '../../../src/services/launches/launch-intent.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { PUMP_PROGRAM_ID, PUMP_SDK, platformEvent } from '../../peers/launch-platform.ts';
import { IMAGES } from '../../../src/services/launches/tables.ts';
import { PICTURES, pngOf } from '../../support/pictures.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import {
  createLaunchWorld,
  TEXTS,
  transactionOf,
  USER,
  type LaunchWorld,
} from '../../support/worlds/launch-world.ts';

const PERSON: LaunchCall = { isFresh: false, waitMs: 5_000 };
const open: LaunchWorld[] = [];
afterEach(() => open.splice(0).forEach((world) => world.close()));

async function aWorld(options: Parameters<typeof createLaunchWorld>[0] = {}) {
  const world = await createLaunchWorld(options);
  open.push(world);
  const life = world.live();
  const { imageId } = await world.until(life.launches.addImage(USER, PICTURES.png));
  const launch = (
    change: Partial<typeof TEXTS> = {},
    call: Partial<LaunchCall> = {},
  ): Promise<LaunchRecord> =>
    world.until(
      life.launches.launch(
        USER,
        { ...TEXTS, ...change, imageId },
        { isFresh: false, waitMs: 5_000, ...call },
      ),
    );
  const ended = async (record: LaunchRecord): Promise<LaunchRecord | null> => {
    await world.clock.advance(60_000);
    return life.launches.get(USER, record.launchId);
  };
  return { ...world, life, imageId, launch, ended };
}

describe('a launch', () => {
  it('makes the token with its metadata, in one transaction and for what a trial took', async () => {
    const { launch, ended, lamports, files, chain, landed } = await aWorld();
    const before = lamports();
    const record = await launch();
    const end = await ended(record);
    expect(end).toMatchObject({ state: 'launched', reason: null, mint: record.mint });
    expect(Number(before - lamports())).toBe(record.costLamports);
    const mint = Buffer.from(chain.account(record.mint)?.data ?? []).toString('latin1');
    expect(
      [TEXTS.name, TEXTS.symbol, record.metadataUri].map((text) => mint.includes(text)),
    ).toEqual([true, true, true]);
    expect(JSON.parse(Buffer.from(files.get(record.metadataUri)?.bytes ?? []).toString())).toEqual({
      ...TEXTS,
      image: record.imageUri,
      showName: true,
    });
    // the gift of lamports, and the launch
    expect(landed().length).toBe(2);
  });

  it('costs what it takes also while the wallet pays for something else', async () => {
    const world = await createLaunchWorld();
    open.push(world);
    let paidBefore = 50_000_000n;
    const { launches } = world.lifeOver({
      store: world.store,
      commit: createCommit({ store: world.store, bus: world.bus, metrics: createKeptMetrics() }),
      clock: world.clock,
      name: 'paying',
      solana: {
        ...world.solana,
        // The first reading is from before the payment, the trial from after it.
        async lamports(address) {
          const held = (await world.solana.lamports(address)) + paidBefore;
          paidBefore = 0n;
          return held;
        },
      },
    });
    const { imageId } = await world.until(launches.addImage(USER, PICTURES.png));
    const before = world.lamports();
    const record = await world.until(launches.launch(USER, { ...TEXTS, imageId }, PERSON));
    await world.clock.advance(60_000);
    expect(launches.get(USER, record.launchId)?.state).toBe('launched');
    expect(Number(before - world.lamports())).toBe(record.costLamports);
  });

  it('is reported by a notification with its address, and by two lines of audit', async () => {
    const { launch, ended, bus } = await aWorld();
    const record = await launch();
    await ended(record);
    const reported = bus.entries.map(({ event }) => event);
    expect(
      reported.flatMap((event) => (event.type === 'launch.changed' ? [event.launch.state] : [])),
    ).toEqual(['queued', 'launched']);
    expect(
      reported.flatMap((event) => (event.type === 'audit.recorded' ? [event.action] : [])),
    ).toEqual(['launch_requested', 'launch_ended']);
  });

  it("is read by the platform's own package: its curve, and the event it published", async () => {
    const { launch, ended, chain, wallet } = await aWorld();
    const record = await launch();
    const { transactionHash } = (await ended(record)) ?? {};
    const curve = PUMP_SDK.decodeBondingCurve({
      data: Buffer.from(chain.account(launchMessages.curveOf(record.mint))?.data ?? []),
      owner: PUMP_PROGRAM_ID,
      executable: false,
      lamports: 0,
    });
    expect([curve.creator.toBase58(), curve.tokenTotalSupply.toString(), curve.complete]).toEqual([
      wallet,
      '1000000000000000',
      false,
    ]);
    const calls = chain.transaction(transactionHash ?? '')?.innerInstructions ?? [];
    const last = calls.at(-1)?.instructions.at(-1)?.data ?? '';
    const event = platformEvent(new Uint8Array(getBase58Encoder().encode(last)));
    expect(JSON.parse(JSON.stringify(event))).toMatchObject({
      name: 'CreateEvent',
      data: {
        name: TEXTS.name,
        symbol: TEXTS.symbol,
        uri: record.metadataUri,
        mint: record.mint,
        user: wallet,
      },
    });
  });

  it('costs at most what was shown before', async () => {
    const { life, imageId, launch, until } = await aWorld();
    const shown = await until(
      life.launches.estimate(USER, { ...TEXTS, imageId }, { isFresh: false }),
    );
    const { costLamports } = await launch();
    expect(costLamports).toBeLessThanOrEqual(shown.rentLamports + shown.feeLamports);
    expect(costLamports).toBeGreaterThan((shown.rentLamports + shown.feeLamports) * 0.9);
  });

  it('is one for the same key, whenever it is repeated', async () => {
    const { launch, ended, life } = await aWorld();
    const first = await launch({}, { key: 'a key' });
    await ended(first);
    const second = await launch({}, { key: 'a key' });
    expect([
      second.launchId,
      life.launches.list(USER, { limit: 9, cursor: null }).data.length,
    ]).toEqual([first.launchId, 1]);
  });

  it('is one in five minutes, also of two that are asked for at once, and each has its own mint', async () => {
    const { life, imageId, until, launch, clock } = await aWorld();
    const request = { ...TEXTS, imageId };
    const both = await until(
      Promise.allSettled([
        life.launches.launch(USER, request, { isFresh: false, waitMs: 5_000 }),
        life.launches.launch(USER, request, { isFresh: false, waitMs: 5_000 }),
      ]),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(launch()).rejects.toMatchObject({ code: 'limit_reached', retryable: true });
    await clock.advance(300_000);
    await launch();
    const { data } = life.launches.list(USER, { limit: 9, cursor: null });
    expect(new Set(data.map(({ mint }) => mint)).size).toBe(2);
  });

  it('sends the same bytes while their height lasts, and signs others on proof of never, of the same mint', async () => {
    const { launch, faults, clock, life } = await aWorld();
    faults.arm('solana-transaction-lost', { times: 22 });
    const record = await launch();
    const first = transactionOf(life, record)?.attempts[0];
    await clock.advance(30_000);
    expect(transactionOf(life, record)?.attempts).toEqual([first]);
    await clock.advance(240_000);
    expect(life.launches.get(USER, record.launchId)).toMatchObject({
      state: 'launched',
      mint: record.mint,
    });
    expect(transactionOf(life, record)?.dead).toEqual([
      { id: first?.id, proof: expect.objectContaining({ kind: 'height_passed' }) },
    ]);
  });

  it('keeps the key of its mint sealed: nothing stored holds it', async () => {
    const { launch, life } = await aWorld();
    const { body } = transactionOf(life, await launch()) ?? {};
    expect(body).toMatchObject({ coSigner: { sealed: expect.stringMatching(/^v2\./) } });
  });
});

describe('what keeps a launch from being made', () => {
  it('is a stop, at the request and at the signature', async () => {
    const { launch, state, life, clock } = await aWorld();
    state.stop = 'the operator stopped';
    await expect(launch()).rejects.toMatchObject({ code: 'trading_stopped' });
    state.stop = null;
    const asked = life.launches.launch(
      USER,
      { ...TEXTS, imageId: (await life.launches.addImage(USER, PICTURES.png)).imageId },
      { isFresh: false, waitMs: 5_000 },
    );
    const stopped = life.transactions;
    while (life.launches.list(USER, { limit: 1, cursor: null }).data.length === 0)
      await clock.advance(1);
    state.stop = 'stopped in between';
    await clock.advance(30_000);
    const record = await asked;
    expect([record.state, stopped.get(USER, record.transactionId)?.attempts]).toEqual([
      'queued',
      [],
    ]);
  });

  it('is the day’s cap, of which it counts in full, unless its user has just signed in', async () => {
    const { launch } = await aWorld({ dailyOutUsd: 1 });
    await expect(launch()).rejects.toMatchObject({ code: 'fresh_sign_in_required' });
    expect((await launch({}, { isFresh: true, waitMs: 5_000 })).state).toBe('queued');
  });

  it('is of unknown worth', async () => {
    const { launch, state } = await aWorld();
    state.priceUsd = null;
    await expect(launch()).rejects.toMatchObject({ code: 'fresh_sign_in_required' });
  });

  it('L8: is a price that is late, for a moment, which no older one replaces', async () => {
    const { launch, state, life, imageId, until } = await aWorld();
    state.isPriceLate = true;
    await expect(launch({}, { isFresh: true })).rejects.toMatchObject({
      code: 'price_late',
      retryable: true,
    });
    const shown = life.launches.estimate(USER, { ...TEXTS, imageId }, { isFresh: false });
    expect((await until(shown)).refusal).toMatchObject({ code: 'price_late' });
    state.isPriceLate = false;
    expect((await launch()).state).toBe('queued');
  });

  it('is a wallet without the SOL for it', async () => {
    const { launch } = await aWorld({ lamports: 5_000_000n });
    await expect(launch()).rejects.toMatchObject({ code: 'insufficient_funds' });
  });

  it('is a store of public files that does not answer: the metadata comes first', async () => {
    const { launch, state, life } = await aWorld();
    state.filesDown = true;
    await expect(launch()).rejects.toMatchObject({ code: 'files_unavailable' });
    expect(life.launches.list(USER, { limit: 1, cursor: null }).data).toEqual([]);
  });

  it.each([
    ['a name over 32 bytes', { name: 'ü'.repeat(17) }],
    ['a symbol over 13 bytes', { symbol: 'B'.repeat(14) }],
    ['a name with what is not seen', { name: 'Cof\u202efee' }],
    ['the ticker of a known token', { symbol: 'usdc' }],
    ['a ticker in letters similar to those of a known one', { symbol: 'USDС' }],
    ['a ticker in digits similar to its letters', { symbol: 'S0L' }],
    ['a ticker with what is not seen in it', { symbol: 'US\u200bDC' }],
    ['the name of a chain', { name: 'Solana' }],
    ['the name of a known token, however it is written', { name: 'USD-Соіn' }],
    ['a description with what is not seen', { description: 'a\u200bb' }],
  ] as const)('is %s', async (_what, change) => {
    const { launch } = await aWorld();
    await expect(launch(change as Partial<typeof TEXTS>)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is a picture that is not stored, or is another user’s', async () => {
    const { life, until } = await aWorld();
    const imageId = asId<ImageId>('img_00000000000000000000000009');
    await expect(
      until(life.launches.launch(USER, { ...TEXTS, imageId }, { isFresh: false, waitMs: 5_000 })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an estimate of a launch', () => {
  type Begun = Awaited<ReturnType<typeof aWorld>>;
  type Obstacle = readonly [
    what: string,
    code: string | null,
    options: Parameters<typeof aWorld>[0],
    set: (world: Begun) => unknown,
  ];
  const obstacles: readonly Obstacle[] = [
    ['nothing', null, {}, () => undefined],
    ['a stop', 'trading_stopped', {}, ({ state }) => (state.stop = 'stopped')],
    ['one that has just been made', 'limit_reached', {}, ({ launch }) => launch()],
    [
      'too little SOL',
      'insufficient_funds',
      { lamports: 5_000_000n },
      (_world: Begun) => undefined,
    ],
    ['the day’s cap', 'fresh_sign_in_required', { dailyOutUsd: 1 }, () => undefined],
  ];
  it.each(obstacles)('says that %s prevents it: %s', async (_what, code, options, set) => {
    const world = await aWorld(options);
    await set(world);
    const { life, imageId, until } = world;
    const request = { ...TEXTS, imageId };
    const { refusal } = await until(life.launches.estimate(USER, request, { isFresh: false }));
    expect(refusal?.code ?? null).toBe(code);
    const error: unknown = await world.launch().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toEqual(code === null ? null : expect.objectContaining({ code }));
  });

  it('says what its name would be marked with', async () => {
    const { life, imageId, until } = await aWorld();
    const request = { ...TEXTS, name: 'www.brew.example', imageId };
    const { warnings } = await until(life.launches.estimate(USER, request, { isFresh: false }));
    expect(warnings).toEqual(['odd_name']);
  });
});

describe('a picture', () => {
  it('is what its first bytes say, and nothing else is taken', async () => {
    const { life } = await aWorld();
    const { png, jpeg, gif, lossyWebp } = PICTURES;
    const kinds = [];
    for (const bytes of [png, jpeg, gif, lossyWebp])
      kinds.push(await life.launches.addImage(USER, bytes));
    expect(kinds.map(({ mediaType }) => mediaType)).toEqual([
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
    ]);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('hex');
    for (const hex of [svg, '25504446', ''])
      await expect(
        life.launches.addImage(USER, Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(32)])),
      ).rejects.toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each([
    ['cut off', PICTURES.png.subarray(0, -12), 'damaged, cut off, or has more'],
    ['its header alone', PICTURES.png.subarray(0, 33), 'a whole picture'],
    ['of 60,000 pixels a side', pngOf(60_000, 60_000), 'not 60000 by 60000'],
    ['of a side more than there may be', pngOf(1, PUBLIC_FILES.imageSideMaximum + 1), 'a side'],
    ['of no pixels', pngOf(0, 2), 'a picture of 1 to 4096 pixels a side, not 0 by 2'],
  ])('is refused, and not kept anywhere, where it is %s', async (_what, bytes, message) => {
    const { store, life } = await aWorld();
    const { length } = store.range(IMAGES);
    await expect(life.launches.addImage(USER, bytes)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '', message: expect.stringContaining(message) }],
    });
    expect(store.range(IMAGES)).toHaveLength(length);
    const { imageSideMaximum } = PUBLIC_FILES;
    await life.launches.addImage(USER, pngOf(imageSideMaximum, imageSideMaximum));
    expect(store.range(IMAGES)).toHaveLength(length + 1);
  });

  it('is one of twenty in a day', async () => {
    const { life } = await aWorld();
    for (let index = 1; index < 20; index += 1) await life.launches.addImage(USER, PICTURES.png);
    await expect(life.launches.addImage(USER, PICTURES.png)).rejects.toMatchObject({
      code: 'limit_reached',
    });
  });
});

describe('a crash', () => {
  it.each([
    ['the queueing of a launch', 1, false],
    ['its signature, which is lost', 2, true],
    ['what the node answered', 3, true],
  ])('at %s leaves one token and one fee', async (_what, step, losesLast) => {
    const { world, ends } = await crashedAt(step, losesLast);
    expect(ends).toEqual(ONE);
    world.close();
  });
});

const ONE = { launches: ['launched'], tokens: 1, cost: true };

/** Kills a launch at one of its commits, repeats the call in another life, looks at the chain. */
async function crashedAt(step: number, losesLast: boolean) {
  const world = await createLaunchWorld();
  const life = world.live();
  const { imageId } = await world.until(life.launches.addImage(USER, PICTURES.png));
  const before = world.lamports();
  world.state.losesLast = losesLast;
  world.state.dieAfter = world.state.commits + step;
  const call = { isFresh: false, waitMs: 5_000, key: 'a key' };
  void life.launches.launch(USER, { ...TEXTS, imageId }, call).catch(() => undefined);
  await world.clock.advance(60_000);
  life.stop();
  world.state.dieAfter = Number.POSITIVE_INFINITY;
  const next = world.live();
  next.recover();
  const record = await world.until(next.launches.launch(USER, { ...TEXTS, imageId }, call));
  await world.clock.advance(60_000);
  const data = next.launches.list(USER, { limit: 9, cursor: null }).data;
  next.stop();
  return {
    world,
    ends: {
      launches: data.map(({ state }) => state),
      tokens: world.landed().length - 1,
      cost: Number(before - world.lamports()) === record.costLamports,
    },
  };
}
