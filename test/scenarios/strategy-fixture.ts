import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { createDirectService, type DirectService } from '../../src/tools/replay/direct-service.ts';
import { roundProfile } from '../../src/domain/agent.ts';
import type { AgentId, UserId } from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { StrategyTable } from '../../src/domain/strategy/strategy-row.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { ROUND_SERIES } from '../../src/sandbox/venues/venue-a/markets/rounds.ts';
import { createKeptLog } from '../support/quiet.ts';
import { ordersOf } from '../support/worlds/trading-world.ts';
import { driveOn } from './drive-on.ts';
import { chainIds } from '../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import { startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
const HISTORY_SECONDS = 36_000;

/** What a stand is set up with. */
export interface FixtureOptions {
  readonly seed: number;
  readonly agentId: AgentId;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Takes the place of the product's. */
  readonly strategies?: StrategyTable;
}

/** The whole service with one agent of one strategy, over the models and on the virtual clock. */
export async function aStrategyFixture({ seed, agentId, settings, strategies }: FixtureOptions) {
  const { asset, minutes } = roundProfile(agentId);
  const clock = createVirtualClock(START_MS);
  const keccak = await loadKeccak();
  const model = await startWorldModel({
    clock,
    seed,
    prices: createPriceProcess(seed, startingPrices(START_MS / 1_000 - HISTORY_SECONDS)),
    inferenceSkill: 0.9,
    foundedAtMs: START_MS,
    delays: { listingHorizonMs: 900_000, hydrationDelayMs: 5_000, resolutionDelayMs: 20_000 },
    recorded: {
      series: ROUND_SERIES.filter((series) => series.asset === asset && series.minutes === minutes),
      idsOf: (slug) => chainIds(keccak, conditionTerms(seed), slug),
      knownPayout: () => null,
    },
  });
  const log = createKeptLog();
  let store = createMemoryStore();
  let life = 1;

  const open = (): Promise<DirectService> =>
    createDirectService({
      model,
      clock,
      seed,
      latencyMs: 20,
      books: 'direct',
      log,
      store,
      life,
      ...(strategies === undefined ? {} : { strategies }),
    });
  let service = await open();
  await driveOn(clock, service.core.start());
  const { userId } = await driveOn(clock, service.addUser('usr_ada', usdcMicros(200_000_000)));
  await driveOn(clock, service.core.agents.updateSettings(userId, agentId, settings));
  await driveOn(clock, service.core.agents.enable(userId, agentId));

  return {
    clock,
    model,
    log,
    agentId,
    userId: userId satisfies UserId,
    get service(): DirectService {
      return service;
    },
    get store(): MemoryStore {
      return store;
    },
    orders: (): readonly OrderRecord[] => ordersOf(store),
    /** Ends the service as a power failure does and starts the next one over what it left. */
    async restart(): Promise<void> {
      service.cut();
      const cut = store.crash();
      await driveOn(clock, service.stop());
      store = cut;
      life += 1;
      service = await open();
      await driveOn(clock, service.openUser('usr_ada'));
      await driveOn(clock, service.core.start());
    },
    async end(): Promise<void> {
      model.stop();
      await driveOn(clock, service.stop());
    },
  };
}
