import { fork } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createCore } from '../../src/app/core.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Venue } from '../../src/ports/venue.ts';
import type { MarketDirectory, RoundDirectory } from '../../src/ports/catalogue.ts';
import { aMarket } from '../support/builders.ts';
import { createFakeBookSource } from '../support/fakes/fake-book-source.ts';
import { createFakeDirectory } from '../support/fakes/fake-directory.ts';
import { createFakeInference, createFakePriceFeed } from '../support/fakes/fake-feeds.ts';
import { createFakeSigner, FakeVenue } from '../support/fakes/fake-venue.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { NO_FARMING } from '../support/fakes/no-farming.ts';
import type { TradingReady } from './cold-start-process.ts';
import { AGENTS_ENABLED, ENDED, OPEN } from './cold-start-store.ts';
import type { Row } from './row.ts';
import { createThreadClock } from './thread-clock.ts';
import { VENUE_A_TERMS } from '../support/venue-a-terms.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const PROCESS = fileURLToPath(
  new URL(`./cold-start-process${extname(import.meta.url)}`, import.meta.url),
);
/** Starts that are timed; each over a copy of what the killed process left. */
const STARTS = 3;
/** Bars: trading-ready in a second, everything with ten thousand agents in two. */
const BAR_TRADING_SECONDS = 1;
const BAR_ALL_SECONDS = 2;

/**
 * Over 100 000 ended orders and 1 000 open ones of a hundred users, left by a process that was
 * killed, its log not taken in: from opening the store to trading-ready, in time that passes and in
 * time the thread ran; from the start of a process to the same; and to streams, trading and ten
 * thousand enabled agents all running. Nothing outside answers before it is asked: feeds and venue
 * are fakes.
 */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cold-start-'));
  const left = join(folder, 'left');
  try {
    await fillInProcess(left);
    const starts: TradingReady[] = [];
    for (let number = 0; number < STARTS; number += 1)
      starts.push(await startInProcess(copyOf(left, join(folder, `start-${number}`))));
    const median = (of: (start: TradingReady) => number): number =>
      starts.map(of).sort((one, other) => one - other)[STARTS >> 1] ?? Number.NaN;
    return [
      {
        work: `start after SIGKILL, ${ENDED} ended and ${OPEN} open orders, the log not taken in: store opened to trading ready`,
        ours: median(({ openSeconds }) => openSeconds),
        peer: null,
        unit: 's',
        bar: { atMost: BAR_TRADING_SECONDS },
      },
      {
        work: 'the same, time the thread ran',
        ours: median(({ threadSeconds }) => threadSeconds),
        peer: null,
        unit: 's',
        bar: { atMost: BAR_TRADING_SECONDS },
      },
      {
        work: 'the same, process started to trading ready',
        ours: median(({ processSeconds }) => processSeconds),
        peer: null,
        unit: 's',
        bar: { atMost: BAR_TRADING_SECONDS },
      },
      {
        work: `the same and ${AGENTS_ENABLED} enabled agents: store opened to everything running, time the thread ran`,
        ours: await startAll(copyOf(left, join(folder, 'all'))),
        peer: null,
        unit: 's',
        bar: { atMost: BAR_ALL_SECONDS },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copyOf(from: string, to: string): string {
  cpSync(from, to, { recursive: true });
  return to;
}

/** Fills a store in a process that ends by SIGKILL. */
function fillInProcess(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(PROCESS, ['fill', path], { stdio: ['ignore', 2, 2, 'ipc'] });
    child.on('exit', (code, signal) =>
      signal === 'SIGKILL'
        ? resolve()
        : reject(new Error(`the filling process ended with ${signal ?? String(code)}`)),
    );
  });
}

function startInProcess(path: string): Promise<TradingReady> {
  return new Promise((resolve, reject) => {
    const child = fork(PROCESS, ['start', path], { stdio: ['ignore', 2, 2, 'ipc'] });
    // The process sends one answer, of this type.
    child.on('message', (answer) => resolve(answer as TradingReady));
    child.on('exit', (code, signal) =>
      reject(new Error(`the starting process ended with ${signal ?? String(code)}`)),
    );
  });
}

/** The daemon's own core on the wall clock, without sockets of its own. */
async function startAll(path: string): Promise<number> {
  const clock = createWallClock();
  const log = createKeptLog();
  const thread = createThreadClock();
  const startedMs = thread.nowMs();
  const store = await openLmdbStore({ path });
  const core = createCore({
    store,
    clock,
    log,
    bus: createKeptBus(),
    random: createSeededRandom('cold'),
    metrics: createKeptMetrics(),
    venues: [fakeVenue(clock)],
    oracle: createFakePriceFeed('oracle'),
    exchange: createFakePriceFeed('exchange'),
    inference: createFakeInference(clock),
  });
  await core.start();
  const seconds = (thread.nowMs() - startedMs) / 1_000;
  thread.close();
  const recovered = log.lines.find(({ event }) => event === 'agents.recovered');
  if (recovered?.fields['enabled'] !== AGENTS_ENABLED)
    throw new Error(`not all agents run: ${JSON.stringify(recovered?.fields)}`);
  await core.stop();
  await store.close();
  return seconds;
}

function fakeVenue(clock: Clock): Venue {
  const venue = new FakeVenue(clock, [aMarket(1)]);
  const catalogue = emptyDirectory(clock);
  const books = createFakeBookSource(clock, aMarket(1));
  return {
    id: VENUE_A,
    cashAccount: 'usdc:safe',
    catalogue,
    discovery: catalogue,
    browsing: { directory: catalogue, books, candles: null },
    rounds: catalogue,
    books,
    prices: createFakePriceFeed('venue_oracle'),
    accounts: venue,
    mechanisms: {
      order_book: { ...VENUE_A_TERMS, signer: createFakeSigner(), gateway: venue },
    },
    scan: NO_FARMING.scan,
    access: null,
    identity: null,
    redemption: null,
    faucet: null,
    close: async () => undefined,
  };
}

/** A venue that lists rounds and nothing else. */
function emptyDirectory(clock: Clock): MarketDirectory & RoundDirectory {
  const { round, market } = createFakeDirectory(clock);
  const none = { data: [], nextCursor: null };
  return {
    round,
    market,
    marketOfToken: async () => null,
    markets: async () => none,
    listing: async () => null,
    events: async () => none,
    event: async () => null,
    series: async () => none,
    resolution: async () => null,
    whaleTrades: async () => [],
  };
}
