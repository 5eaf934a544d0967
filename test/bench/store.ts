import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { anOrder } from '../support/worlds/money-records.ts';
import { makeDurable, OPEN, ORDERS } from './durable-order.ts';
import { timeEach } from './measure.ts';
import type { Row } from './row.ts';
import { createThreadClock } from './thread-clock.ts';

const ROUNDS = 2_000;
const WARM_UP = 200;
const TOGETHER = 64;
/** Turns of as many orders under load: some twenty files of the log. */
const LOADED = 800;
const KEPT = 100_000;
const PER_COMMIT = 500;
/**
 * Cold start of the whole service over this many orders is to take a second (design.md section 5).
 */
const BAR_OPEN_MS = 1_000;

const PEER = 'append + fdatasync of the same bytes';

/**
 * One order made durable, alone and in company, beside a bare file; and a start over a full store.
 */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'store-bench-'));
  try {
    return [
      ...(await commitRows(folder)),
      ...(await loadRows(folder)),
      ...(await startRows(folder)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function commitRows(folder: string): Promise<readonly Row[]> {
  const store = await openLmdbStore({ path: join(folder, 'commits') });
  const bytes = Buffer.from(JSON.stringify(anOrder()).repeat(2));
  const file = openSync(join(folder, 'peer'), 'a');
  const rounds = { rounds: ROUNDS, warmUp: WARM_UP };
  const one = await timeEach((round) => makeDurable(store, round), rounds);
  const peer = await timeEach(() => {
    writeSync(file, bytes);
    fdatasyncSync(file);
  }, rounds);
  const company = await timeEach(
    (round) =>
      Promise.all(
        Array.from({ length: TOGETHER }, (_, index) =>
          makeDurable(store, 1_000_000 + round * TOGETHER + index),
        ),
      ),
    { rounds: ROUNDS / 10, warmUp: WARM_UP / 10 },
  );
  closeSync(file);
  await store.close();
  return [
    {
      work: 'store: one order written and flushed, p50',
      ours: one.p50,
      peer: { name: PEER, figure: peer.p50 },
      unit: 'µs',
      bar: null,
    },
    {
      work: 'store: one order written and flushed, p99',
      ours: one.p99,
      peer: { name: PEER, figure: peer.p99 },
      unit: 'µs',
      bar: null,
    },
    {
      work: `store: an order among ${TOGETHER} of one turn, p50`,
      ours: company.p50 / TOGETHER,
      peer: { name: PEER, figure: peer.p50 },
      unit: 'µs',
      bar: null,
    },
  ];
}

/**
 * Orders as fast as they become durable, each of a user of its own, so that LMDB catches up with
 * the log all the while.
 */
async function loadRows(folder: string): Promise<readonly Row[]> {
  const store = await openLmdbStore({ path: join(folder, 'load') });
  const thread = createThreadClock();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const load = async (from: number): Promise<void> => {
    for (let round = from; round < from + LOADED; round += 1)
      await Promise.all(
        Array.from({ length: TOGETHER }, (_, index) =>
          makeDurable(store, round * TOGETHER + index, `usr_${(index * 7_919 + round) % 10_000}`),
        ),
      );
  };
  await load(0);
  const [startedAt, ranFrom, used] = [performance.now(), thread.nowMs(), process.cpuUsage()];
  delay.enable();
  await load(LOADED);
  delay.disable();
  const orders = LOADED * TOGETHER;
  const { user, system } = process.cpuUsage(used);
  const [passedMs, ranMs] = [performance.now() - startedAt, thread.nowMs() - ranFrom];
  thread.close();
  await store.close();
  const work = `store: ${TOGETHER} orders a turn, LMDB catching up`;
  return [
    {
      work: `${work}: time the event loop ran, each order`,
      ours: (ranMs * 1_000) / orders,
      peer: null,
      unit: 'µs',
      bar: null,
    },
    {
      work: `${work}: processor time of all threads, each order`,
      ours: (user + system) / orders,
      peer: null,
      unit: 'µs',
      bar: null,
    },
    {
      work: `${work}: time that passed, each order`,
      ours: (passedMs * 1_000) / orders,
      peer: null,
      unit: 'µs',
      bar: null,
    },
    {
      work: `${work}: longest hold of the event loop`,
      ours: delay.max / 1e6,
      peer: null,
      unit: 'ms',
      bar: null,
    },
    {
      work: `${work}: hold of the event loop, p99`,
      ours: delay.percentile(99) / 1e6,
      peer: null,
      unit: 'ms',
      bar: null,
    },
  ];
}

async function startRows(folder: string): Promise<readonly Row[]> {
  const path = join(folder, 'full');
  const filled = await openLmdbStore({ path });
  for (let from = 0; from < KEPT; from += PER_COMMIT) {
    await filled.write((tx) => {
      for (let index = from; index < from + PER_COMMIT; index += 1) {
        tx.put(
          ORDERS,
          [asId<UserId>(`usr_${index % 1_000}`), `int_${index}`],
          anOrder({ state: 'filled' }),
        );
        tx.append({
          type: 'market.resolved',
          atMs: index,
          marketId: anOrder().intent.marketId,
          resolution: {
            marketId: anOrder().intent.marketId,
            payoutTicks: [10_000, 0],
            resolvedAtMs: index,
          },
        });
      }
    });
  }
  await filled.close();
  const startedAt = performance.now();
  const store = await openLmdbStore({ path });
  store.range(OPEN);
  const openMs = performance.now() - startedAt;
  const read = await timeEach(
    (round) => store.get(ORDERS, [`usr_${round % 1_000}`, `int_${round}`]),
    { rounds: 20_000, warmUp: 1_000 },
  );
  const page = await timeEach(
    (round) => store.range(ORDERS, { prefix: [`usr_${round % 1_000}`], limit: 50 }),
    { rounds: 1_000, warmUp: 100 },
  );
  await store.close();
  return [
    {
      work: `store: opened over ${KEPT} orders`,
      ours: openMs,
      peer: null,
      unit: 'ms',
      bar: { atMost: BAR_OPEN_MS },
    },
    { work: 'store: one order read, p50', ours: read.p50, peer: null, unit: 'µs', bar: null },
    {
      work: 'store: 50 orders of a user read, p50',
      ours: page.p50,
      peer: null,
      unit: 'µs',
      bar: null,
    },
  ];
}
