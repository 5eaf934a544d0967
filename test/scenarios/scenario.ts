import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import {
  createDirectService,
  type DirectService,
  type DirectUser,
} from '../../src/tools/replay/direct-service.ts';
import { recordRun } from '../../src/tools/replay/run-record.ts';
import type { UserId } from '../../src/domain/ids.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import type { Metrics } from '../../src/ports/metrics.ts';
import type { Random } from '../../src/ports/random.ts';
import type { Store } from '../../src/ports/store.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { ROUND_SERIES } from '../../src/sandbox/venues/venue-a/markets/rounds.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { createKeptLog } from '../support/quiet.ts';
import { driveOn } from './drive-on.ts';
import { tradeManually } from './manual-trading.ts';
import { chainIds } from '../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import { type WorldModel, startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

/** A fault of a scenario and when it is armed, ms after the beginning. */
export interface ScenarioFault {
  readonly name: FaultName;
  readonly afterMs: number;
  readonly rule: FaultRule;
}

/** The whole service after a scenario, at rest. */
export interface Scenario {
  readonly seed: number;
  readonly service: DirectService;
  readonly model: WorldModel;
  readonly clock: VirtualClock;
  readonly users: readonly DirectUser[];
  /** False when orders, fills or positions were still in motion at the end. */
  readonly isAtRest: boolean;
  /** Faults that came to happen. */
  readonly met: ReadonlySet<FaultName>;
  /** Over decisions, orders, fills and postings. */
  readonly hash: string;
  readonly log: ReturnType<typeof createKeptLog>;
  end(): Promise<void>;
}

const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
/** An eight-hour topic looks nine hours back. */
const HISTORY_SECONDS = 36_000;
const FUNDS = usdcMicros(200_000_000);
/** A round and a half in which things go wrong. */
const BUSY_MS = 7 * 60_000;
/**
 * Time in which all must come to its end: the last round, its resolution, and the slowest of
 * retries.
 */
const REST_MS = 30 * 60_000;
const LATENCY_MS = 20;

/**
 * Who looks on. What is observed is the fault: such a scenario ends with it, and nothing comes
 * to rest.
 */
export interface ScenarioWitness {
  readonly metrics: Metrics;
  /** Keeps the service's records; a fresh one unless stated. */
  readonly store?: Store;
  /** Gets the outside world before the service is made. */
  found?(model: WorldModel): void;
  /** Called once the service is made and before it starts. */
  begins(parts: Pick<Scenario, 'service' | 'model' | 'clock'>): void;
}

/**
 * Runs two agents and a hand through faults drawn beforehand, then lets everything come to rest.
 * Books come by frames where their faults are asked for.
 */
export async function runScenario(
  seed: number,
  faults: readonly ScenarioFault[],
  books: 'channel' | 'direct' = 'direct',
  witness: ScenarioWitness | null = null,
): Promise<Scenario> {
  const clock = createVirtualClock(START_MS);
  const model = await startModel(clock, seed);
  const met = noteFaults(model.faults);
  const log = createKeptLog();
  witness?.found?.(model);
  const service = await createDirectService({
    model,
    clock,
    seed,
    latencyMs: LATENCY_MS,
    books,
    log,
    ...(witness === null
      ? {}
      : {
          metrics: witness.metrics,
          ...(witness.store === undefined ? {} : { store: witness.store }),
        }),
  });
  witness?.begins({ service, model, clock });
  const run = recordRun(service.bus);
  const users = await driveOn(clock, setUp(service));
  const random = createSeededRandom(`${seed}:scenario`);
  for (const { name, afterMs, rule } of faults)
    clock.after(afterMs, () => model.faults.arm(name, rule));
  const hand = users.at(-1);
  const stopTrading =
    hand === undefined
      ? () => undefined
      : tradeManually({ service: () => service, model, clock, random, userId: hand.userId });
  await clock.advance(BUSY_MS);
  stopTrading();
  model.faults.clearAll();
  for (const { userId } of users) await driveOn(clock, disable(service, userId));
  const isAtRest =
    witness === null &&
    (await clock.advanceUntil(() => users.every(({ userId }) => isIdle(service, userId)), REST_MS));
  // What the venue says after the last word is in changes nothing any more.
  if (witness === null) await clock.advance(60_000);
  return {
    seed,
    service,
    model,
    clock,
    users,
    isAtRest,
    met,
    hash: run.hash(),
    log,
    async end() {
      run.stop();
      model.stop();
      await driveOn(clock, service.stop());
    },
  };
}

/** Draws when a fault comes, how often and how surely. */
export function drawFault(random: Random, name: FaultName): ScenarioFault {
  return {
    name,
    afterMs: 10_000 + random.integer(BUSY_MS / 3),
    rule: { times: 1 + random.integer(4), percent: 75 + random.integer(26) },
  };
}

async function startModel(clock: VirtualClock, seed: number): Promise<WorldModel> {
  const keccak = await loadKeccak();
  return startWorldModel({
    clock,
    seed,
    prices: createPriceProcess(seed, startingPrices(START_MS / 1_000 - HISTORY_SECONDS)),
    inferenceSkill: 0.9,
    foundedAtMs: START_MS,
    delays: { listingHorizonMs: 900_000, hydrationDelayMs: 5_000, resolutionDelayMs: 20_000 },
    recorded: {
      series: ROUND_SERIES.filter(({ asset, minutes }) => asset === 'BTC' && minutes === 5),
      idsOf: (slug) => chainIds(keccak, conditionTerms(seed), slug),
      knownPayout: () => null,
    },
  });
}

async function setUp({ core, addUser }: DirectService): Promise<readonly DirectUser[]> {
  await core.start();
  const users: DirectUser[] = [];
  for (const name of ['usr_ada', 'usr_bob', 'usr_cyd']) users.push(await addUser(name, FUNDS));
  for (const [index, { userId }] of users.slice(0, 2).entries()) {
    await core.agents.updateSettings(userId, 'btc_5min', {
      minPositionSize: '2',
      avgPositionSize: String(5 + index),
      maxPositionSize: '20',
      strategy: 'up_down',
      inferenceDifferencePercent: '0',
    });
    await core.agents.enable(userId, 'btc_5min');
  }
  return users;
}

async function disable({ core }: DirectService, userId: UserId): Promise<void> {
  await core.agents.disable(userId, 'btc_5min');
  for (const { intent } of core.orders.listOpen(userId))
    await core.orders.cancel(userId, intent.intentId).catch(() => undefined);
}

function isIdle({ core }: DirectService, userId: UserId): boolean {
  const { provisional } = core.trading.portfolio.cash(userId, 'usdc:safe');
  return (
    core.orders.listOpen(userId).length === 0 &&
    provisional === 0 &&
    core.trading.portfolio.holdings(userId, { type: 'open' }).length === 0
  );
}
