import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import type { DiskStore } from '../../src/adapters/lmdb/disk-store.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { openEngine } from '../../src/adapters/postgres/engine.ts';
import { takeShard, type OwnedShard } from '../../src/adapters/postgres/shard.ts';
import type { Store } from '../../src/ports/store.ts';
import { NO_POSTGRES, startPostgres, startPostgresCluster } from '../support/fixtures/postgres.ts';
import { makeDurable } from './durable-order.ts';
import { timeEach, type Timing } from './measure.ts';
import type { Row } from './row.ts';

const ALONE = { rounds: 1_000, warmUp: 100 };
const TOGETHER = 64;
const IN_COMPANY = { rounds: 100, warmUp: 10 };
/** Shards that add frames at once, each one after another. */
const WRITERS = [1, 32];
const FRAME_BYTES = 4_096;
const ADDING_MS = 3_000;
const PEER = 'the log of one machine';

/** One order made durable, alone and in company. */
interface Figures {
  readonly alone: Timing;
  readonly inCompany: Timing;
}

/**
 * One order made durable where several machines keep the log, beside the log of one machine: by one
 * node of PostgreSQL, and by three of which two have it before it is answered.
 */
export async function run(): Promise<readonly Row[]> {
  if (NO_POSTGRES !== null) throw new Error(NO_POSTGRES);
  const folder = mkdtempSync(join(tmpdir(), 'shared-bench-'));
  try {
    const store = await openLmdbStore({ path: join(folder, 'alone') });
    const embedded = await figuresOf(store);
    await store.close();
    const one = await startPostgres();
    const single = await sharedFigures(join(folder, 'one'), [one.url]);
    await one.end();
    const cluster = await startPostgresCluster();
    const quorum = await sharedFigures(join(folder, 'three'), cluster.urls);
    const added: Row[] = [];
    for (const writers of WRITERS) added.push(await timeAdding(cluster.urls, writers));
    await cluster.end();
    return [
      ...rowsOf('one node', single, embedded),
      ...rowsOf('two of three nodes', quorum, embedded),
      ...added,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sharedFigures(path: string, urls: readonly string[]): Promise<Figures> {
  const { store, close } = await openShared(path, urls);
  const figures = await figuresOf(store);
  await close();
  return figures;
}

/** Frames a second that owners of so many shards have added, this process's part included. */
async function timeAdding(urls: readonly string[], writers: number): Promise<Row> {
  const shards = await Promise.all(
    Array.from({ length: writers }, (_, index) => ownShard(urls, 1_000 * writers + index)),
  );
  const until = performance.now() + ADDING_MS;
  const counts = await Promise.all(
    shards.map(async (shard) => {
      const first = shard.head().seq;
      while (performance.now() < until) {
        const bytes = randomBytes(FRAME_BYTES);
        await shard.append({ seq: shard.head().seq + 1, hash: 'measured', bytes });
      }
      return shard.head().seq - first;
    }),
  );
  for (const shard of shards) await shard.close();
  return {
    work: `shared log on two of three nodes: frames of ${FRAME_BYTES / 1_024} KB added by ${writers === 1 ? 'one shard' : `${writers} shards at once`}`,
    ours: counts.reduce((sum, count) => sum + count, 0) / (ADDING_MS / 1_000),
    peer: null,
    unit: 'a second',
    bar: null,
  };
}

/** Opens a store over a shard that lies in a database, and takes that. */
export async function openShared(
  path: string,
  urls: readonly string[],
): Promise<{ readonly store: DiskStore; close(): Promise<void> }> {
  const shard = await ownShard(urls, 0);
  const store = await openLmdbStore({ path, shared: shard });
  return {
    store,
    async close() {
      await store.close();
      await shard.close();
    },
  };
}

async function ownShard(urls: readonly string[], number: number): Promise<OwnedShard> {
  return takeShard(await openEngine({ urls, tls: null }, `bench ${number}`), {
    shard: number,
    owner: 'bench',
    wallClock: createWallClock(),
    ending: new AbortController().signal,
    waits: () => undefined,
    meanwhile: async () => undefined,
    fenced: () => undefined,
  });
}

async function figuresOf(store: Store): Promise<Figures> {
  const alone = await timeEach((round) => makeDurable(store, round), ALONE);
  const inCompany = await timeEach(
    (round) =>
      Promise.all(
        Array.from({ length: TOGETHER }, (_, index) =>
          makeDurable(store, 1_000_000 + round * TOGETHER + index),
        ),
      ),
    IN_COMPANY,
  );
  return { alone, inCompany };
}

function rowsOf(where: string, ours: Figures, peer: Figures): readonly Row[] {
  const row = (work: string, pick: (figures: Figures) => number): Row => ({
    work: `shared log on ${where}: ${work}`,
    ours: pick(ours),
    peer: { name: PEER, figure: pick(peer) },
    unit: 'µs',
    bar: null,
  });
  return [
    row('one order written and flushed, p50', ({ alone }) => alone.p50),
    row('one order written and flushed, p99', ({ alone }) => alone.p99),
    row(`an order among ${TOGETHER} of one turn, p50`, ({ inCompany }) => inCompany.p50 / TOGETHER),
  ];
}
