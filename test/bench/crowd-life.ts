import { readFileSync } from 'node:fs';
import { createDigests } from '../../src/adapters/identity/sign-in-secrets.ts';
import { ONLY_SHARD } from '../../src/ports/user-directory.ts';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { createMemoryBus } from '../../src/adapters/bus/memory-bus.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openKeyVault } from '../../src/adapters/keys/key-vault.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { createWalletAddresses } from '../../src/adapters/safe-relayer/derive.ts';
import { createOrderSigner } from '../../src/venues/venue-a/sign.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { boundHeapGrowth } from '../../src/app/heap-growth.ts';
import { AGENT_IDS, asId, type TokenId, type UserId } from '../../src/domain/ids.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import type { OrderGateway } from '../../src/ports/order-gateway.ts';
import { createAgents } from '../../src/services/agents/agents.ts';
import type { MarketReader } from '../../src/services/venues.ts';
import { createAccounts } from '../../src/services/sign-in/accounts.ts';
import { createPaperTrading } from '../../src/services/paper/paper-trading.ts';
import { createTrading } from '../../src/services/trading.ts';
import { createSignals } from '../../streams/signal.ts';
import { createThreadClock } from './thread-clock.ts';
import { crowdEncryptor, fillCrowd, ROUND_AGENTS } from './crowd-store.ts';
import { NO_FARMING } from '../support/fakes/no-farming.ts';
import type { CrowdFigures } from './crowd-figures.ts';
import { createCrowdRounds } from './crowd-rounds.ts';
import { heapAfterCollection } from './measure.ts';
import { onOneVenue } from '../support/traded-venues.ts';
import { VENUE_A } from '../support/venue-ids.ts';

/** What the venue takes to answer an order, ms: a good line. */
const VENUE_MS = 30;
/** Feeds speak this often, and rounds are shown anew. */
const FEED_MS = 200;
/** The loop is watched this often at most, ms: without a pause the watching is measured too. */
const WATCH_MS = 1;
const TICKS = 2_000;
/** What is left of the shortest round when it begins: who has not ordered by then never will. */
const ROUND_MS = 280_000;

// One crowd in a process of its own: fills a store, or lives on it and tells what it came to.
const [, , task, path = '', users = '0', fires = '1'] = process.argv;
if (task === 'fill') {
  await fillCrowd(path, Number(users));
  process.exit(0);
}
const figures = await measure(path, Number(users), Number(fires));
process.send?.(figures, () => process.exit(0));

async function measure(folder: string, count: number, rounds: number): Promise<CrowdFigures> {
  const startedAt = performance.now();
  const store = await openLmdbStore({ path: folder });
  const life = await start(store);
  const heapBefore = await heapAfterCollection();
  const enrolledAt = performance.now();
  const enrolled = await life.agents.recover();
  const startMs = life.openedMs - startedAt + performance.now() - enrolledAt;
  boundHeapGrowth();
  if (enrolled.enabled !== count * AGENT_IDS.length)
    throw new Error(`${enrolled.enabled} agents run, not ${count * AGENT_IDS.length}`);
  const bytesEach = ((await heapAfterCollection()) - heapBefore) / enrolled.enabled;
  const residentMegabytes = process.memoryUsage().rss / 2 ** 20;
  life.rounds.begin();
  const tickMicros = timeTicks(life.rounds);
  const places = new Map<UserId, number[]>();
  const fired: CrowdFigures['fires'][number][] = [];
  for (let round = 0; round < rounds; round += 1)
    fired.push(await fire(life, count * ROUND_AGENTS.length, places));
  const after = {
    residentAfterMegabytes: process.memoryUsage().rss / 2 ** 20,
    anonymousAfterMegabytes: anonymousMegabytes(),
  };
  await life.stop();
  await store.close();
  return {
    agents: enrolled.enabled,
    startMs,
    residentMegabytes,
    bytesEach,
    tickMicros,
    fires: fired,
    ...after,
    ...fairness([...places.values()]),
  };
}

function fairness(
  places: readonly (readonly number[])[],
): Pick<CrowdFigures, 'worstBestPlace' | 'meanPlaces'> {
  const means = places.map((of) => of.reduce((sum, place) => sum + place, 0) / of.length);
  // Not by spreading: there are tens of thousands.
  const largest = (values: readonly number[]): number =>
    values.reduce((most, value) => Math.max(most, value), 0);
  const lowest = means.reduce((least, mean) => Math.min(least, mean), 1);
  return {
    worstBestPlace: largest(places.map((of) => Math.min(...of))),
    meanPlaces: { lowest, highest: largest(means) },
  };
}

/** Memory that is no file's, as Linux says it. */
function anonymousMegabytes(): number {
  try {
    const [, kilobytes] =
      /^Anonymous:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8')) ?? [];
    return kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1_024;
  } catch {
    return Number.NaN;
  }
}

type Crowd = Awaited<ReturnType<typeof start>>;

/**
 * Everything of the daemon that agents touch, with a venue that answers and takes nothing, so that
 * no past piles up.
 */
async function start(store: Awaited<ReturnType<typeof openLmdbStore>>) {
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const [keccak, clock, bus, metrics] = [
    await loadKeccak(),
    createWallClock(),
    createMemoryBus({ log }),
    createPromMetrics(),
  ];
  const { random, encryptor } = crowdEncryptor();
  const vault = await openKeyVault({ store, encryptor, random, keccak });
  const { safeOf } = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  const rounds = createCrowdRounds();
  const { chainId, domainName, domainVersion } = POLYGON_CHAIN;
  const signer = createOrderSigner({
    vault,
    keccak,
    random: random,
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
  const markets: MarketReader = {
    known: (marketId) => rounds.markets.get(marketId) ?? null,
    find: async () => null,
  };
  const shared = {
    store,
    clock,
    random,
    log,
    venues: onOneVenue({
      signer,
      gateway: refusingVenue(),
      markets,
      books: (tokenId: TokenId) => rounds.book(tokenId),
    }),
  };
  const trading = createTrading({
    ...shared,
    bus,
    metrics,
  });
  const paper = createPaperTrading({ ...shared, bus: createMemoryBus({ log }), realBus: bus });
  const accounts = createAccounts({
    store,
    commit: trading.commit,
    clock,
    random,
    digests: createDigests(random.bytes(32)),
    directory: ONLY_SHARD,
    vault,
    safeOf,
    grantUsdc: usdcMicros(0),
    log,
    venues: [
      {
        id: VENUE_A,
        faucet: null,
        accounts: {
          open: async () => undefined,
          deposits: async () => [],
          collateral: async () => usdcMicros(0),
        },
      },
    ],
    syncDeposits: async () => undefined,
  });
  await accounts.recover();
  await trading.orders.recover();
  const signals = createSignals(rounds);
  const agents = createAgents({
    store,
    commit: trading.commit,
    clock,
    random,
    bus,
    log,
    metrics,
    orders: trading.orders,
    portfolio: trading.portfolio,
    userStreams: trading.userStreams,
    signals,
    farming: () => NO_FARMING,
    paper,
  });
  const transitions = signals.transitions().subscribe((transition) => agents.onSignal(transition));
  return {
    agents,
    bus,
    paper,
    rounds,
    store,
    openedMs: performance.now(),
    async stop() {
      transitions.unsubscribe();
      await agents.stop();
      await trading.orders.stop();
      accounts.stop();
    },
  };
}

function refusingVenue(): OrderGateway {
  return {
    submit: (_order, permission) =>
      new Promise((resolve) => {
        if (permission?.isGranted() === false) throw new Error('nothing is stopped here');
        setTimeout(() => resolve({ kind: 'rejected', reason: 'measured' }), VENUE_MS);
      }),
    cancel: async () => ({ kind: 'unclear', reason: 'none' }),
    lookup: async () => ({ kind: 'absent', proof: null }),
    fills: async () => ({ read: [], unread: 0 }),
    openOrders: async () => ({ read: [], unread: 0 }),
    watch(_userId, listener) {
      // Without it the agents of a user whose channel stays shut hold back.
      const opening = setTimeout(() => listener.next({ kind: 'connected' }), VENUE_MS);
      return () => clearTimeout(opening);
    },
  };
}

/** Ticks that change no verdict: the ordinary case, by far. The best of several batches. */
function timeTicks(rounds: Crowd['rounds']): number {
  const batches = Array.from({ length: 10 }, () => {
    const startedAt = performance.now();
    for (let number = 0; number < TICKS; number += 1) rounds.tick(number);
    return ((performance.now() - startedAt) * 1_000) / TICKS;
  });
  return Math.min(...batches);
}

/**
 * Lets the signal of every agent say enter at one moment, feeds going on, and watches the event
 * loop until the last order has the venue's word.
 */
async function fire(
  { bus, paper, rounds }: Crowd,
  count: number,
  places: Map<UserId, number[]>,
): Promise<CrowdFigures['fires'][number]> {
  rounds.begin();
  rounds.show('quiet');
  const so = { decided: 0, answered: 0, shadows: 0 };
  const stopPaper = paper.bus.subscribe(({ event }) => {
    if (event.type === 'agent.traded') so.shadows += 1;
  });
  const stop = bus.subscribe(({ event }) => {
    if (event.type === 'agent.traded') {
      so.decided += 1;
      // A user's place is that of their last agent.
      here.set(event.userId, so.decided / count);
    }
    if (event.type === 'order.changed' && event.to === 'rejected') so.answered += 1;
  });
  const here = new Map<UserId, number>();
  const startedAt = performance.now();
  rounds.show('enter');
  let shownAt = startedAt;
  let holdMs = 0;
  const thread = createThreadClock();
  let used = thread.nowMs();
  const [threadFrom, processFrom] = [used, process.cpuUsage()];
  for (let last = startedAt; so.answered < count && last - startedAt < ROUND_MS; ) {
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    const now = performance.now();
    const usedNow = thread.nowMs();
    // On a machine with other work a turn also lasts while another process runs: what the thread
    // itself used bounds it.
    holdMs = Math.max(holdMs, Math.min(now - last, usedNow - used));
    last = now;
    used = usedNow;
    if (now - shownAt < FEED_MS) continue;
    shownAt = now;
    rounds.show('enter');
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(processFrom);
  const threadMicrosEach = ((used - threadFrom) * 1_000) / so.answered;
  thread.close();
  stop();
  stopPaper();
  for (const [userId, place] of here) places.set(userId, [...(places.get(userId) ?? []), place]);
  return {
    tookMs,
    holdMs,
    missed: count - so.answered,
    microsEach: (user + system) / so.answered,
    threadMicrosEach,
    shadowEntries: so.shadows,
  };
}
