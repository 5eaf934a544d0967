import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { aLimitBuy, aUserId } from '../support/builders.ts';
import { NO_POSTGRES, startPostgres, startPostgresCluster } from '../support/fixtures/postgres.ts';
import { spreadOf } from './comparison.ts';
import { tradingOver, wireTo } from './decision-to-wire.ts';
import type { Row } from './row.ts';
import { openShared } from './shared-log.ts';

/**
 * A turn is so many rounds of all logs, and of each log a few decisions in each round: what else
 * the machine does lasts longer than a round.
 */
const TURNS = 9;
const ROUNDS = 20;
const DECISIONS = 8;
const WARM_UP = 200;
const PEER = 'the log of one machine';

/** A service over one log, and an order placed in it. */
interface Deciding {
  /** Resolves with how long after the decision its bytes left, µs. */
  decide(): Promise<number>;
  end(): Promise<void>;
}

/** Median of one turn, and the tail of it, µs. */
interface Turn {
  readonly p50: number;
  readonly p90: number;
}

/**
 * From a caller's request to its signed bytes on a socket, durable before: one process that does
 * all over the log of several machines, and the same over its own. Turns of both alternate, so that
 * what else the machine does meets both; each turn gives a ratio.
 */
export async function run(): Promise<readonly Row[]> {
  if (NO_POSTGRES !== null) throw new Error(NO_POSTGRES);
  const folder = mkdtempSync(join(tmpdir(), 'shared-decision-'));
  const [one, cluster] = [await startPostgres(), await startPostgresCluster()];
  const logs: readonly Deciding[] = [
    await decidingAlone(join(folder, 'alone')),
    await decidingShared(join(folder, 'one'), [one.url]),
    await decidingShared(join(folder, 'three'), cluster.urls),
  ];
  try {
    for (const log of logs) await decisions(log, WARM_UP);
    const turns: Turn[][] = logs.map(() => []);
    for (let turn = 0; turn < TURNS; turn += 1) {
      const times: number[][] = logs.map(() => []);
      for (let round = 0; round < ROUNDS; round += 1)
        for (const [index, log] of logs.entries())
          times[index]?.push(...(await decisions(log, DECISIONS)));
      for (const [index, own] of times.entries()) turns[index]?.push(turnOf(own));
    }
    const [alone = [], single = [], quorum = []] = turns;
    return [...rowsOf('one node', single, alone), ...rowsOf('two of three nodes', quorum, alone)];
  } finally {
    for (const log of logs) await log.end();
    await one.end();
    await cluster.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function decidingAlone(path: string): Promise<Deciding> {
  const store = await openLmdbStore({ path });
  return decidingOver(store, () => store.close());
}

async function decidingShared(path: string, urls: readonly string[]): Promise<Deciding> {
  const { store, close } = await openShared(path, urls);
  return decidingOver(store, close);
}

async function decidingOver(
  store: Awaited<ReturnType<typeof openLmdbStore>>,
  close: () => Promise<void>,
): Promise<Deciding> {
  const sink = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await new Promise((resolve) => sink.once('listening', resolve));
  // A listening TCP server has an address with a port.
  const socket = connect((sink.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const { gateway, leftAt } = wireTo(socket);
  const trading = await tradingOver(store, gateway);
  return {
    async decide() {
      const startedAt = process.hrtime.bigint();
      await trading.orders.place(
        aUserId(1),
        aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } }),
      );
      // A person decides in a turn of their own, once what follows this answer is done.
      await new Promise((resolve) => setImmediate(resolve));
      return Number(leftAt() - startedAt) / 1_000;
    },
    async end() {
      await trading.orders.stop();
      await close();
      socket.destroy();
      sink.close();
    },
  };
}

async function decisions({ decide }: Deciding, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let decision = 0; decision < count; decision += 1) times.push(await decide());
  return times;
}

function turnOf(times: readonly number[]): Turn {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p90: at(0.9) };
}

function rowsOf(where: string, ours: readonly Turn[], peer: readonly Turn[]): readonly Row[] {
  return (['p50', 'p90'] as const).map((quantile): Row => {
    const pick = (turns: readonly Turn[]): readonly number[] => turns.map((turn) => turn[quantile]);
    const ratios = pick(peer).map((figure, turn) => figure / (pick(ours)[turn] ?? Number.NaN));
    return {
      work: `decision to bytes on the socket, durable, shared log on ${where}, ${quantile}`,
      ours: spreadOf(pick(ours)).median,
      peer: { name: PEER, figure: spreadOf(pick(peer)).median, ratios: spreadOf(ratios) },
      unit: 'µs',
      bar: null,
    };
  });
}
