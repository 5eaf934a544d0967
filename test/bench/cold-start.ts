import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT } from '../../config/limits.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createCore } from '../../src/app/core.ts';
import type { IntentId, OrderId } from '../../src/domain/ids.ts';
import { asId } from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { defaultSettings } from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Store } from '../../src/ports/store.ts';
import type { MarketDirectory } from '../../src/ports/venue.ts';
import { putOrder } from '../../src/services/portfolio/record-changes.ts';
import { AGENTS, ORDERS, ORDER_IDS } from '../../src/services/tables.ts';
import { aLimitBuy, aMarket, aUserId } from '../support/builders.ts';
import { createFakeBookSource } from '../support/fake-book-source.ts';
import { createFakeDirectory } from '../support/fake-directory.ts';
import { createFakeInference, createFakePriceFeed } from '../support/fake-feeds.ts';
import { createFakeSigner, FakeVenue } from '../support/fake-venue.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { aWorld, during } from '../support/trading-world.ts';
import { NO_FARMING } from '../support/no-farming.ts';
import type { World } from '../support/trading-world.ts';
import type { Row } from './row.ts';

const ENDED = 100_000;
const OPEN = 1_000;
const AGENTS_ENABLED = 10_000;
const BATCH = 1_000;
/** Bars: trading-ready in a second, everything with ten thousand agents in two. */
const BAR_TRADING_SECONDS = 1;
const BAR_ALL_SECONDS = 2;

/**
 * From opening the store to trading-ready, over 100 000 ended orders and 1 000 open ones of a hundred users; and to streams,
 * trading and ten thousand enabled agents all running. Nothing outside answers before it is asked: feeds and venue are fakes.
 */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cold-start-'));
  const path = join(folder, 'store');
  try {
    const world = aWorld();
    const first = await openLmdbStore({ path });
    await fill(first, await templateOf(world));
    await first.close();
    return [
      { work: `cold start, ${ENDED} ended and ${OPEN} open orders in the store: trading ready`, ours: await startTrading(world, path), peer: null, unit: 's', bar: BAR_TRADING_SECONDS },
      { work: `cold start, the same and ${AGENTS_ENABLED} enabled agents: everything runs`, ours: await startAll(path), peer: null, unit: 's', bar: BAR_ALL_SECONDS },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function startTrading(world: World, path: string): Promise<number> {
  const startedAt = process.hrtime.bigint();
  const store = await openLmdbStore({ path });
  const life = world.live(store, { seed: 'cold' });
  const report = await life.orders.recover();
  const seconds = secondsSince(startedAt);
  if (report.openOrders !== OPEN) throw new Error(`${report.openOrders} orders were taken up, not ${OPEN}`);
  await life.orders.stop();
  await store.close();
  return seconds;
}

/** The daemon's own core on the wall clock, without sockets of its own. */
async function startAll(path: string): Promise<number> {
  const clock = createWallClock();
  const venue = new FakeVenue(clock, [aMarket(1)]);
  const log = createKeptLog();
  const startedAt = process.hrtime.bigint();
  const store = await openLmdbStore({ path });
  const core = createCore({
    store, clock, log,
    bus: createKeptBus(),
    random: createSeededRandom('cold'),
    metrics: createKeptMetrics(),
    signer: createFakeSigner(),
    gateway: venue,
    accounts: venue,
    directory: emptyDirectory(clock),
    books: createFakeBookSource(clock, aMarket(1)),
    oracle: createFakePriceFeed('oracle'),
    venueOracle: createFakePriceFeed('venue_oracle'),
    exchange: createFakePriceFeed('exchange'),
    inference: createFakeInference(clock),
    scan: NO_FARMING.scan,
  });
  await core.start();
  const seconds = secondsSince(startedAt);
  const recovered = log.lines.find(({ event }) => event === 'agents.recovered');
  if (recovered?.fields['enabled'] !== AGENTS_ENABLED) throw new Error(`not all agents run: ${JSON.stringify(recovered?.fields)}`);
  await core.stop();
  await store.close();
  return seconds;
}

function secondsSince(startedAt: bigint): number {
  return Number(process.hrtime.bigint() - startedAt) / 1e9;
}

/** A venue that lists rounds and nothing else. */
function emptyDirectory(clock: Clock): MarketDirectory {
  const { round, market } = createFakeDirectory(clock);
  const none = { data: [], nextCursor: null };
  return {
    round, market,
    marketOfToken: async () => null,
    markets: async () => none,
    events: async () => none,
    event: async () => null,
    series: async () => none,
    resolution: async () => null,
    whaleTrades: async () => [],
  };
}

async function templateOf(world: World): Promise<OrderRecord> {
  const life = world.live(createMemoryStore());
  await life.funding.syncDeposits(world.user);
  const record = await during(world, life.orders.place(world.user, aLimitBuy()));
  await life.orders.stop();
  return record;
}

async function fill(store: Store, template: OrderRecord): Promise<void> {
  const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);
  await store.write((tx) => {
    for (let number = 0; number < AGENTS_ENABLED; number += 1) {
      const userId = aUserId(number);
      tx.put(AGENTS, [userId, 'btc_5min'], { userId, agentId: 'btc_5min', enabled: true, settings, sizeChosen: true, strategyChosen: true, updatedAtMs: 1 });
    }
  });
  for (let from = 0; from < ENDED + OPEN; from += BATCH) {
    await store.write((tx) => {
      for (let number = from; number < from + BATCH; number += 1) {
        const intentId = asId<IntentId>(`int_${String(number).padStart(26, '0')}`);
        const intent = { ...template.intent, userId: aUserId(number % 100), intentId };
        const orderId = asId<OrderId>(`0x${number.toString(16).padStart(64, '0')}`);
        tx.put(ORDER_IDS, [orderId], { userId: intent.userId, intentId });
        if (number >= ENDED) putOrder(tx, null, { ...template, intent });
        else tx.put(ORDERS, [intent.userId, intentId], { ...template, intent, state: 'cancelled', reserved: { usdc: usdcMicros(0), shares: shareMicros(0) } });
      }
    });
  }
}
