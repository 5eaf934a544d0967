import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createOrderSigner } from '../../src/venues/venue-a/sign.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import type { Tracing } from '../../src/ports/tracing.ts';
import type { OrderGateway, SubmitOutcome } from '../../src/ports/order-gateway.ts';
import { createTrading, type Trading } from '../../src/services/trading.ts';
import { aLimitBuy, aMarket, aUserId } from '../support/builders.ts';
import { vaultOf } from '../support/known-keys.ts';
import { TEST_KEY } from '../conformance/venue-a-fixture.ts';
import { createKeptBus, createKeptMetrics } from '../support/quiet.ts';
import type { Row } from './row.ts';
import { timeSignature } from './signature.ts';
import { onOneVenue } from '../support/traded-venues.ts';

const WORK = 'decision to bytes on the socket, durable';
/** Beside the disk's own part: reading, checking, signing and the socket. */
const TIMES_APPEND = 2.5;
/** An order of a burst, in signatures. */
const TIMES_SIGNATURE = 6;
const ROUNDS = 3_000;
const WARM_UP = 500;
const BATCHES = 20;
/** Users who decide in the same turn; one order of each. */
const CROWDS = [64, 512] as const;
const CROWD_ROUNDS = 20;

/**
 * From a caller's request to its signed bytes written to a socket, everything on disk before: LMDB,
 * real signer, loopback TCP.
 */
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
    const together = [];
    for (const users of CROWDS)
      together.push({ users, ...(await timeTogether(trading, line.leftAtOf, users)) });
    const peer = timeAppend(join(folder, 'log'), line.lastBody());
    const signature = await timeSignature();
    await trading.orders.stop();
    const name = 'append + fdatasync of the same bytes';
    return [
      {
        work: `${WORK}, p50`,
        ours: ours.p50,
        peer: { name, figure: peer.p50 },
        unit: 'µs',
        bar: { timesPeer: TIMES_APPEND },
      },
      {
        work: `${WORK}, p99`,
        ours: ours.p99,
        peer: { name, figure: peer.p99 },
        unit: 'µs',
        bar: null,
      },
      ...together.flatMap(({ users, p50, p99, processor }): readonly Row[] => [
        {
          work: `… ${users} users decide at once, p50`,
          ours: p50,
          peer: { name, figure: peer.p50 },
          unit: 'µs',
          bar: null,
        },
        {
          work: `… ${users} users decide at once, the last of a hundred (p99)`,
          ours: p99,
          peer: { name, figure: peer.p50 },
          unit: 'µs',
          bar: null,
        },
        {
          work: `… ${users} users decide at once: processor time an order, answer stored`,
          ours: processor,
          peer: { name: 'one order built and signed', figure: signature.p50 },
          unit: 'µs',
          bar: { timesPeer: TIMES_SIGNATURE },
        },
      ]),
    ];
  } finally {
    await store.close();
    socket.destroy();
    sink.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * A gateway that writes the bytes to a socket and answers at once with what ends the order, so that
 * nothing piles up.
 */
export function wireTo(
  socket: Socket,
  answer: SubmitOutcome = { kind: 'rejected', reason: 'measured' },
) {
  let leftAtNs = 0n;
  let body = '';
  const leftAtNsOf = new Map<UserId, bigint>();
  const gateway: OrderGateway = {
    submit({ intent: { userId }, attempt }, permission) {
      if (permission?.isGranted() === false) throw new Error('nothing is stopped here');
      socket.write(attempt.body);
      leftAtNs = process.hrtime.bigint();
      leftAtNsOf.set(userId, leftAtNs);
      body = attempt.body;
      return Promise.resolve(answer);
    },
    cancel: () => Promise.resolve({ kind: 'unclear', reason: 'none' }),
    lookup: () => Promise.resolve({ kind: 'absent', proof: null }),
    fills: () => Promise.resolve({ read: [], unread: 0 }),
    openOrders: () => Promise.resolve({ read: [], unread: 0 }),
    watch: () => () => undefined,
  };
  return {
    gateway,
    leftAt: () => leftAtNs,
    leftAtOf: (userId: UserId) => leftAtNsOf.get(userId) ?? 0n,
    lastBody: () => body,
  };
}

/** Trading with users who have money, over a store and a gateway. */
export async function tradingOver(
  store: Awaited<ReturnType<typeof openLmdbStore>>,
  gateway: OrderGateway,
  tracing?: Tracing,
): Promise<Trading> {
  const keccak = await loadKeccak();
  const users = Array.from({ length: Math.max(...CROWDS) }, (_, index) => aUserId(index + 1));
  const clock = createWallClock();
  const market = aMarket(1, { endsAtMs: clock.nowMs() + 86_400_000 });
  const { chainId, domainName, domainVersion } = POLYGON_CHAIN;
  const signer = createOrderSigner({
    vault: await vaultOf(
      keccak,
      users.map((userId) => ({ userId, privateKey: TEST_KEY })),
    ),
    keccak,
    random: createSeededRandom('salts'),
    config: {
      chainId,
      domainName,
      domainVersion,
      exchange: asId(POLYGON_CHAIN.exchange),
      negRiskExchange: asId(POLYGON_CHAIN.negRiskExchange),
      account: { signatureType: 0 },
      ownerOf: () => '00000000-0000-0000-0000-000000000001',
    },
  });
  const quiet = () => undefined;
  const trading = createTrading({
    store,
    bus: createKeptBus(),
    clock,
    random: createSeededRandom('bench'),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    metrics: createKeptMetrics(),
    tracing,
    venues: onOneVenue({
      signer,
      gateway,
      accounts: {
        deposits: (userId) =>
          Promise.resolve([{ depositId: `of ${userId}`, usdc: usdcMicros(20_000_000), atMs: 1 }]),
      },
      markets: { known: () => market, find: () => Promise.resolve(market) },
    }),
  });
  await trading.orders.recover();
  for (const userId of users) await trading.funding.syncDeposits(userId);
  return trading;
}

async function timePlacing(
  trading: Trading,
  leftAt: () => bigint,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const startedAt = process.hrtime.bigint();
    await trading.orders.place(
      aUserId(1),
      aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } }),
    );
    // What follows the answer to this order is not to be the next one's wait: a user decides in a
    // turn of their own.
    await new Promise((resolve) => setImmediate(resolve));
    if (round >= WARM_UP) times.push(Number(leftAt() - startedAt) / 1_000);
  }
  return quantiles(times);
}

/** How long after a common decision orders leave, and what one costs this process, µs. */
interface Together {
  readonly p50: number;
  readonly p99: number;
  readonly processor: number;
}

/**
 * So many users decide in one turn of the event loop: how long until the bytes of each are on the
 * socket.
 */
async function timeTogether(
  trading: Trading,
  leftAtOf: (userId: UserId) => bigint,
  users: number,
): Promise<Together> {
  const rounds: Together[] = [];
  for (let round = 0; round < CROWD_ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const startedAt = process.hrtime.bigint();
    const all = Array.from({ length: users }, (_, index) => aUserId(index + 1));
    await Promise.all(
      all.map((userId) =>
        trading.orders.place(userId, aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } })),
      ),
    );
    const times = all
      .map((userId) => Number(leftAtOf(userId) - startedAt) / 1_000)
      .sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(users * share)] ?? Number.NaN;
    const { user, system } = process.cpuUsage(before);
    rounds.push({ p50: at(0.5), p99: at(0.99), processor: (user + system) / users });
  }
  const least = (figure: keyof Together) => Math.min(...rounds.map((round) => round[figure]));
  return { p50: least('p50'), p99: least('p99'), processor: least('processor') };
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

/**
 * The figures of the quietest of twenty batches, as in `measure.ts`: what else the machine does
 * must not stand for the work.
 */
function quantiles(times: readonly number[]): { readonly p50: number; readonly p99: number } {
  const size = Math.floor(times.length / BATCHES);
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    times.slice(batch * size, (batch + 1) * size).toSorted((a, b) => a - b),
  );
  const least = (share: number) =>
    Math.min(...batches.map((sorted) => sorted[Math.floor(size * share)] ?? Number.NaN));
  return { p50: least(0.5), p99: least(0.99) };
}
