import { Subject } from 'rxjs';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { AGENT } from '../../config/limits.ts';
import type { AgentRecord } from '../../src/domain/agent.ts';
import { asId, type IntentId, type TokenId } from '../../src/domain/ids.ts';
import type { OrderIntent } from '../../src/domain/order.ts';
import { defaultSettings } from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import type { RoundView } from '../../src/domain/signal.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Store, StoreWriter } from '../../src/ports/store.ts';
import { createAgents, type AgentsDeps } from '../../src/services/agents/agents.ts';
import type { Agents } from '../../src/services/agents/agents-types.ts';
import { AGENTS } from '../../src/services/books/tables.ts';
import { createSignals } from '../../streams/signal.ts';
import { aMarket, aUserId } from '../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { NO_FARMING } from '../support/fakes/no-farming.ts';
import { aPrediction, aPrice, observed } from '../support/worlds/round-views.ts';
import type { Row } from './row.ts';
import { heapAfterCollection } from './measure.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CROWD = [10, 1_000, 10_000] as const;
const TICKS = 2_000;
const TURNS = 15;
/**
 * Bars: ten thousand agents start in two seconds and take six kilobytes each; a signal for all
 * holds the loop under 50 ms.
 */
const BAR_START_MS = 2_000;
const BAR_KILOBYTES = 6;
const BAR_HOLD_MS = 50;
/** The same with many as with few; what is above it is the noise of two medians. */
const BAR_TICK = 1.25;

/** A daemon's agents with everything around them but venue and disk. */
interface Crowd {
  readonly agents: Agents;
  readonly tick: (view: RoundView) => void;
  readonly placed: () => number;
  readonly startMs: number;
  readonly kilobytesEach: number;
}

/**
 * Memory and start of enabled agents, what a tick costs few and many, and how long a signal for all
 * holds the event loop.
 */
export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const crowds: Crowd[] = [];
  // What the first agents bring with them, machines and compiled code, is not theirs.
  await (await gather(100)).agents.stop();
  for (const count of CROWD) {
    const crowd = await gather(count);
    crowds.push(crowd);
    rows.push({
      work: `start ${count} enabled agents`,
      ours: crowd.startMs,
      peer: null,
      unit: 'ms',
      bar: count === 10_000 ? { atMost: BAR_START_MS } : null,
    });
    // Below a thousand the heap's own noise is larger than they are.
    if (count >= 1_000)
      rows.push({
        work: `memory of one of ${count} enabled agents`,
        ours: crowd.kilobytesEach,
        peer: null,
        unit: 'KB',
        bar: count === 10_000 ? { atMost: BAR_KILOBYTES } : null,
      });
  }
  const [few, , many] = crowds;
  if (few === undefined || many === undefined) throw new Error('the crowds are gathered above');
  rows.push(tickRow(few, many));
  rows.push(...(await fire(many, 10_000)));
  for (const { agents } of crowds) await agents.stop();
  return rows;
}

async function gather(count: number): Promise<Crowd> {
  const records = createMemoryStore();
  await fill(records, count);
  const store = forgetful(records);
  const views = new Subject<RoundView>();
  let newest: RoundView | null = null;
  let placed = 0;
  const signals = createSignals({
    views: (asset) => (asset === 'BTC' ? views : new Subject<RoundView>()),
    roundView: () => newest,
  });
  const surroundings = around(store, () => (placed += 1));
  const before = await heapAfterCollection();
  const startedAt = performance.now();
  const agents = createAgents({ ...surroundings, signals });
  await agents.recover();
  const startMs = performance.now() - startedAt;
  const subscription = signals.transitions().subscribe((transition) => agents.onSignal(transition));
  const kilobytesEach = ((await heapAfterCollection()) - before) / 1_024 / count;
  return {
    agents: {
      ...agents,
      stop: async () => {
        subscription.unsubscribe();
        await agents.stop();
      },
    },
    tick(view) {
      newest = view;
      views.next(view);
    },
    placed: () => placed,
    startMs,
    kilobytesEach,
  };
}

/** Everything outside agents and signals, answering at once. */
function around(store: Store, onPlace: () => void): Omit<AgentsDeps, 'signals'> {
  const bus = createKeptBus();
  const metrics = createKeptMetrics();
  const cash = {
    settled: usdcMicros(100_000_000),
    provisional: usdcMicros(0),
    reserved: usdcMicros(0),
    available: usdcMicros(100_000_000),
  };
  return {
    store,
    bus,
    metrics,
    farming: () => NO_FARMING,
    commit: (change) => store.write(change),
    clock: createWallClock(),
    random: createSeededRandom('bench'),
    log: createKeptLog(),
    portfolio: { cashAt: () => cash, holdings: () => [] },
    userStreams: { problem: () => null, listen: () => () => undefined },
    orders: {
      hasTraded: () => false,
      mostSetAside: (_market, amountUsdc) => amountUsdc,
      get: () => null,
      listOpen: () => [],
      cancel: () => Promise.reject(new Error('no agent of this benchmark bids')),
      async place(userId, request) {
        onPlace();
        const now = Date.now();
        const intent: OrderIntent = {
          intentId: asId<IntentId>('int_bench'),
          userId,
          venue: VENUE_A,
          cashAccount: 'usdc:safe',
          origin: request.origin,
          marketId: request.marketId,
          tokenId: asId<TokenId>('1'),
          outcome: request.outcome,
          side: request.side,
          life: 'all_now',
          price: priceTicks(5_000),
          spendMicros: 0,
          receiveMicros: 0,
          exact: 'spend',
          createdAtMs: now,
          expiresAtMs: null,
          sendUntilMs: now,
        };
        await store.write((tx) => request.alongside?.(tx, intent));
        return {
          intent,
          attempts: [],
          state: 'matched',
          reason: null,
          filledShares: shareMicros(0),
          filledUsdc: usdcMicros(0),
          feesUsdc: usdcMicros(0),
          matchedShares: null,
          ending: null,
          reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
          cancelWanted: false,
          updatedAtMs: now,
        };
      },
    },
  };
}

/** The records, with writes that are worked out and dropped: the disk has its own benchmark. */
function forgetful(records: Store): Store {
  const tx: StoreWriter = {
    get: (table, key) => records.get(table, key),
    range: (table, range) => records.range(table, range),
    put: () => undefined,
    remove: () => undefined,
    append: () => 0,
  };
  return { ...records, get: tx.get, range: tx.range, write: async (change) => change(tx) };
}

async function fill(store: Store, count: number): Promise<void> {
  const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);
  await store.write((tx) => {
    for (let number = 0; number < count; number += 1) {
      const userId = aUserId(number);
      const record: AgentRecord = {
        userId,
        agentId: 'btc_5min',
        enabled: true,
        settings,
        updatedAtMs: 1,
      };
      tx.put(AGENTS, [userId, 'btc_5min'], record);
    }
  });
}

/**
 * Ticks with few and with many agents, in turns so that both meet the same machine: the median of
 * each.
 */
function tickRow(few: Crowd, many: Crowd): Row {
  const times: { readonly few: number; readonly many: number }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1)
    times.push({ few: tickMicroseconds(few), many: tickMicroseconds(many) });
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(TURNS / 2)] ?? Number.NaN;
  return {
    work: 'judge one tick with 10,000 enabled agents',
    ours: median(times.map((time) => time.many)),
    peer: { name: 'with 10 enabled agents', figure: median(times.map((time) => time.few)) },
    unit: 'µs',
    bar: { timesPeer: BAR_TICK },
  };
}

/** Ticks that change no verdict: the ordinary case, by far. */
function tickMicroseconds({ tick }: Crowd): number {
  const quiet = Array.from({ length: TICKS }, (_, number) =>
    aView(70_070 + (number % 100) / 100, null),
  );
  const startedAt = performance.now();
  for (const view of quiet) tick(view);
  return ((performance.now() - startedAt) * 1_000) / TICKS;
}

/**
 * Lets the signal say enter for everybody and watches the event loop until the last has ordered.
 */
async function fire({ tick, placed }: Crowd, count: number): Promise<readonly Row[]> {
  let longestMs = 0;
  const before = await heapAfterCollection();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  tick(aView(70_070, 70_150));
  for (let last = startedAt; placed() < count; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return [
    {
      work: 'memory of one of 10,000 agents that act',
      ours: ((await heapAfterCollection()) - before) / 1_024 / count,
      peer: null,
      unit: 'KB',
      bar: null,
    },
    {
      work: 'signal for 10,000 agents: all have decided and ordered',
      ours: tookMs,
      peer: null,
      unit: 'ms',
      bar: null,
    },
    {
      work: 'signal for 10,000 agents: processor time of each',
      ours: (user + system) / count,
      peer: null,
      unit: 'µs',
      bar: null,
    },
    {
      work: 'signal for 10,000 agents: longest hold of the event loop',
      ours: longestMs,
      peer: null,
      unit: 'ms',
      bar: { atMost: BAR_HOLD_MS },
    },
  ];
}

/** A round a minute old; without a prediction no strategy enters. */
function aView(oracleUsd: number, predictedUsd: number | null): RoundView {
  const now = Date.now();
  const market = aMarket(1, { endsAtMs: now + 240_000 });
  const top = observed({ bid: null, ask: null }, now);
  return {
    market,
    asset: 'BTC',
    minutes: 5,
    startsAtMs: now - 60_000,
    endsAtMs: now + 240_000,
    atMs: now,
    oracle: observed(aPrice(oracleUsd), now),
    exchange: observed(aPrice(oracleUsd), now),
    exchangeAtStart: aPrice(70_000),
    prediction: predictedUsd === null ? null : observed(aPrediction(predictedUsd), now),
    strike: { price: aPrice(70_000), source: 'captured' },
    volatility: 0.00005,
    books: [
      observed(
        { bid: null, ask: { price: priceTicks(7_200), size: shareMicros(1_000_000_000) } },
        now,
      ),
      top,
    ],
  };
}
