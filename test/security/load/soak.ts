import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { ask, loopback } from '../ask.ts';
import { numbersOf } from './arguments.ts';
import { mean, megabytes, slope } from './figures.ts';
import { heapGrowth } from './heap-growth.ts';
import { standingMarket } from './markets.ts';
import { openReaders } from './readers.ts';
import { createTrader } from './trader.ts';
import { startEnvironment, type Citizen, type Environment } from './environment.ts';

// `npm run sim -- soak`: a daemon on its sandbox with agents, traders, readers and sockets that
// come and go; does its memory grow?

const { minutes, people, speed, every, snapshots } = numbersOf({
  minutes: 30,
  people: 12,
  speed: 20,
  every: 5,
  snapshots: 0,
});
/**
 * Traffic begins, caches fill and code is compiled: what comes before this share of the run does
 * not count.
 */
const WARM_UP_SHARE = 1 / 3;
/**
 * Flat: what the live heap would grow by in half an hour, by its slope, is less than a tenth of it.
 */
const GROWTH_MAXIMUM_SHARE = 0.1;
const HALF_HOUR_MS = 30 * 60_000;
const TRADERS = 3;
const READS_PER_SECOND = 40;
const SOCKETS = 24;
/** A socket lives this long, then its reader comes back. */
const SOCKET_LIFE_MS = 20_000;
/** Access tokens live fifteen minutes. */
const REFRESH_MS = 10 * 60_000;
const ROUND_SECONDS = 30;

interface Sample {
  readonly atMs: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly anonymous: number;
  readonly mapped: number;
}

const folder = mkdtempSync(join(tmpdir(), 'predictd-soak-'));
const report = join(folder, 'heap.jsonl');
const environment = await startEnvironment(
  {
    PREDICTD_SANDBOX_SPEED: String(speed),
    SOAK_REPORT: report,
    SOAK_EVERY_MS: String(every * 1_000),
  },
  fileURLToPath(new URL('heap-reporter.mjs', import.meta.url)),
);
const beganMs = performance.now();
const endMs = beganMs + minutes * 60_000;
let snapshotsTaken = 0;
const faults: string[] = [];
try {
  let citizens: readonly Citizen[] = await settleAll(environment);
  const [first] = citizens;
  if (first === undefined) throw new Error('a soak needs people');
  const { marketId, tokenId } = await standingMarket(environment, first);
  const live = { sockets: 0, messages: 0, answered: 0, refused: 0, placed: 0 };
  const sockets = Array.from({ length: SOCKETS }, (_, index) =>
    keepSocket(index, () => citizens[index % citizens.length]?.token ?? '', tokenId, live),
  );
  let refreshedAtMs = performance.now();
  let round = 0;
  while (performance.now() < endMs) {
    round += 1;
    if (performance.now() - refreshedAtMs > REFRESH_MS) {
      citizens = await Promise.all(citizens.map((citizen) => refreshed(environment, citizen)));
      refreshedAtMs = performance.now();
    }
    // everything is opened anew each round: what is left behind by a connection shows over many of
    // them
    const traders = citizens
      .slice(0, TRADERS)
      .map((citizen, index) =>
        createTrader(environment.port, citizen, marketId, loopback(100_000 + index)),
      );
    if (round === 1) await Promise.all(traders.map((trader) => trader.ready()));
    const readers = await openReaders(environment.port, citizens.slice(TRADERS), tokenId, 32);
    const [read, ...traded] = await Promise.all([
      readers.flood(READS_PER_SECOND, ROUND_SECONDS),
      ...traders.map((trader) => trader.trade(ROUND_SECONDS)),
    ]);
    live.answered += read.answered;
    live.refused += read.refused;
    live.placed += traded.reduce((sum, { placed }) => sum + placed, 0);
    faults.push(...read.faults, ...traded.flatMap((each) => each.faults));
    readers.close();
    for (const trader of traders) trader.close();
    if (
      snapshots > 0 &&
      snapshotsTaken === 0 &&
      performance.now() - beganMs > minutes * 60_000 * WARM_UP_SHARE
    )
      await takeSnapshot(environment);
    const [newest] = samplesOf(report).slice(-1);
    if (newest !== undefined)
      console.log(
        `${(newest.atMs / 60_000).toFixed(1)} min: live heap ${megabytes(newest.heapUsed)}, buffers ${megabytes(newest.external)}, own memory ${megabytes(newest.anonymous)}, mapped store and code ${megabytes(newest.mapped)}; ${live.answered} reads, ${live.refused} refused, ${live.placed} orders, ${live.sockets} sockets, ${live.messages} messages`,
      );
  }
  for (const socket of sockets) socket.stop();
  if (snapshots > 0) {
    await takeSnapshot(environment);
    for (const line of heapGrowth(`${report}.1.heapsnapshot`, `${report}.2.heapsnapshot`, 25))
      console.log(line);
  }
} finally {
  const code = await environment.leave();
  if (code !== 0)
    faults.push(
      `the daemon ended with ${String(code)}: ${environment.daemon.complained().slice(0, 500)}`,
    );
}
const samples = samplesOf(report);
rmSync(folder, { recursive: true, force: true });
const counted = samples.filter(
  ({ atMs }) =>
    atMs - (samples[0]?.atMs ?? 0) >=
    ((samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0)) * WARM_UP_SHARE,
);
for (const name of ['heapUsed', 'external', 'anonymous', 'mapped'] as const) {
  const level = mean(counted.map((sample) => sample[name]));
  console.log(
    `${name}: ${megabytes(level)} on average, ${megabytes(slope(counted.map((sample) => [sample.atMs, sample[name]])) * HALF_HOUR_MS)} in half an hour by its slope`,
  );
}
const growth =
  slope(counted.map(({ atMs, heapUsed, external }) => [atMs, heapUsed + external])) * HALF_HOUR_MS;
const level = mean(counted.map(({ heapUsed, external }) => heapUsed + external));
const isFlat = growth < level * GROWTH_MAXIMUM_SHARE;
for (const fault of [...new Set(faults)].slice(0, 20)) console.log(`FAULT ${fault}`);
console.log(
  `${isFlat ? 'flat' : 'NOT flat'}: live heap and buffers of ${megabytes(level)} would change by ${megabytes(growth)} in half an hour (${samples.length} samples, each after a full collection; the last two thirds count; flat is less than ${GROWTH_MAXIMUM_SHARE * 100} %)`,
);
process.exit(isFlat && faults.length === 0 ? 0 : 1);

async function settleAll(at: Environment): Promise<readonly Citizen[]> {
  const all: Citizen[] = [];
  for (let number = 0; number < people; number += 1) all.push(await at.settle(number));
  return all;
}

async function refreshed({ port }: Environment, citizen: Citizen): Promise<Citizen> {
  const { status, text } = await ask({
    port,
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refreshToken: citizen.refreshToken }),
  });
  if (status !== 200) throw new Error(`refreshing answered ${status}: ${text.slice(0, 200)}`);
  const { accessToken, refreshToken } = JSON.parse(text);
  return { ...citizen, token: accessToken, refreshToken };
}

/** A reader of live data who leaves and comes back. */
function keepSocket(
  index: number,
  token: () => string,
  tokenId: string,
  live: { sockets: number; messages: number },
): { stop(): void } {
  let isStopped = false;
  let socket: WebSocket | null = null;
  const open = (): void => {
    if (isStopped) return;
    socket = new WebSocket(`ws://127.0.0.1:${environment.port}/ws`, {
      headers: { authorization: `Bearer ${token()}` },
    });
    const end = setTimeout(() => socket?.terminate(), SOCKET_LIFE_MS + index * 200);
    socket.on('open', () => {
      live.sockets += 1;
      socket?.send(JSON.stringify({ op: 'ping' }));
    });
    socket.on('message', (data) => {
      live.messages += 1;
      if (String(data).includes('"authenticated"'))
        socket?.send(
          JSON.stringify({
            op: 'subscribe',
            topics: [
              'orders',
              'positions',
              'agents',
              'notifications',
              'prices:BTC',
              'prices:ETH',
              `orderbook:venue_a:${tokenId}`,
            ],
          }),
        );
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(end);
      setTimeout(open, 100);
    });
  };
  open();
  return {
    stop() {
      isStopped = true;
      socket?.terminate();
    },
  };
}

/** Has the daemon write a heap snapshot down, and waits until it has. */
async function takeSnapshot({ daemon }: Environment): Promise<void> {
  snapshotsTaken += 1;
  daemon.signal('SIGUSR2');
  while (!readFileSync(report, 'utf8').includes(`{"snapshot":${snapshotsTaken}}`))
    await new Promise((resolve) => setTimeout(resolve, 200));
}

function samplesOf(file: string): readonly Sample[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"atMs"'))
    .map((line) => JSON.parse(line));
}
