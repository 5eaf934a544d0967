import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createOrderSigner } from '../../src/adapters/venue-a/sign.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { asId } from '../../src/domain/ids.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import type { OrderGateway } from '../../src/ports/venue.ts';
import { createTrading } from '../../src/services/trading.ts';
import type { Trading } from '../../src/services/trading.ts';
import { aLimitBuy, aMarket, aUserId } from '../support/builders.ts';
import { vaultWith } from '../support/known-keys.ts';
import { TEST_KEY } from '../conformance/venue-a-stand.ts';
import { createKeptBus, createKeptMetrics } from '../support/quiet.ts';
import type { Row } from './row.ts';

const WORK = 'decision to bytes on the socket, durable';
const BAR_MICROS = 500;
const ROUNDS = 3_000;
const WARM_UP = 500;
const BATCHES = 20;

/** From a caller's wish to its signed bytes written to a socket, everything on disk before: LMDB, real signer, loopback TCP. */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'decision-to-wire-'));
  const sink = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await new Promise((resolve) => sink.once('listening', resolve));
  // A listening TCP server has an address with a port.
  const socket = connect((sink.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const store = await openLmdbStore({ path: join(folder, 'store') });
  try {
    const line = wireTo(socket);
    const trading = await tradingOver(store, line.gateway);
    const ours = await timePlacing(trading, line.leftAt);
    const peer = timeAppend(join(folder, 'log'), line.lastBody());
    await trading.orders.stop();
    const name = 'append + fdatasync of the same bytes';
    return [
      { work: `${WORK}, p50`, ours: ours.p50, peer: { name, figure: peer.p50 }, unit: 'µs', bar: BAR_MICROS },
      { work: `${WORK}, p99`, ours: ours.p99, peer: { name, figure: peer.p99 }, unit: 'µs', bar: null },
    ];
  } finally {
    await store.close();
    socket.destroy();
    sink.close();
    rmSync(folder, { recursive: true });
  }
}

/** A gateway that writes the bytes to a socket and refuses the order, so that nothing piles up. */
function wireTo(socket: Socket) {
  let leftAtNs = 0n;
  let body = '';
  const gateway: OrderGateway = {
    submit(_, signed) {
      socket.write(signed.body);
      leftAtNs = process.hrtime.bigint();
      body = signed.body;
      return Promise.resolve({ kind: 'rejected', reason: 'measured' });
    },
    cancel: () => Promise.resolve({ kind: 'unclear', reason: 'none' }),
    lookup: () => Promise.resolve({ kind: 'absent' }),
    fills: () => Promise.resolve([]),
    openOrders: () => Promise.resolve([]),
    watch: () => () => undefined,
  };
  return { gateway, leftAt: () => leftAtNs, lastBody: () => body };
}

async function tradingOver(store: Awaited<ReturnType<typeof openLmdbStore>>, gateway: OrderGateway): Promise<Trading> {
  const keccak = await loadKeccak();
  const userId = aUserId(1);
  const clock = createWallClock();
  const market = aMarket(1, { endsAtMs: clock.nowMs() + 86_400_000 });
  const { chainId, domainName, domainVersion } = POLYGON_CHAIN;
  const signer = createOrderSigner({
    vault: await vaultWith(keccak, userId, TEST_KEY),
    keccak,
    config: { chainId, domainName, domainVersion, exchange: asId(POLYGON_CHAIN.exchange), negRiskExchange: asId(POLYGON_CHAIN.negRiskExchange), account: { signatureType: 0 }, ownerOf: () => '00000000-0000-0000-0000-000000000001' },
  });
  const quiet = () => undefined;
  const trading = createTrading({
    store,
    bus: createKeptBus(),
    clock,
    random: createSeededRandom('bench'),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    metrics: createKeptMetrics(),
    signer,
    gateway,
    accounts: { deposits: () => Promise.resolve([{ depositId: 'one', usdc: usdcMicros(20_000_000), atMs: 1 }]) },
    directory: { resolution: () => Promise.resolve(null) },
    markets: { known: () => market, find: () => Promise.resolve(market) },
    books: () => null,
  });
  await trading.orders.recover();
  await trading.funding.syncDeposits(userId);
  return trading;
}

async function timePlacing(trading: Trading, leftAt: () => bigint): Promise<{ readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const startedAt = process.hrtime.bigint();
    await trading.orders.place(aUserId(1), aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } }));
    if (round >= WARM_UP) times.push(Number(leftAt() - startedAt) / 1_000);
  }
  return quantiles(times);
}

function timeAppend(path: string, body: string): { readonly p50: number; readonly p99: number } {
  const file = openSync(path, 'a');
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = process.hrtime.bigint();
    writeSync(file, body);
    fdatasyncSync(file);
    times.push(Number(process.hrtime.bigint() - startedAt) / 1_000);
  }
  closeSync(file);
  return quantiles(times);
}

/** The figures of the quietest of twenty batches, as in `measure.ts`: what else the machine does must not stand for the work. */
function quantiles(times: readonly number[]): { readonly p50: number; readonly p99: number } {
  const size = Math.floor(times.length / BATCHES);
  const batches = Array.from({ length: BATCHES }, (_, batch) => times.slice(batch * size, (batch + 1) * size).toSorted((a, b) => a - b));
  const least = (share: number) => Math.min(...batches.map((sorted) => sorted[Math.floor(size * share)] ?? Number.NaN));
  return { p50: least(0.5), p99: least(0.99) };
}
