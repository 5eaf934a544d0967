import {
  AGENTS,
  BALANCES,
  DECISIONS,
  FILLS,
  ORDERS,
  POSITIONS,
} from '../../../src/services/books/tables.ts';
import { aFarmWorld, type FarmProcess, type FarmWorld } from '../../support/worlds/farm-world.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import { sorted } from './canonical-order.ts';
import { scenario, type CrashScenario, type Stage, type Step } from './scenario.ts';

interface FarmStage extends Stage<FarmProcess> {
  readonly farm: FarmWorld;
}

const AGENT = 'venue_a_farming';

async function openFarmStage(): Promise<FarmStage> {
  const farm = aFarmWorld(3);
  const { world } = farm;
  return {
    farm,
    clock: world.clock,
    pace: 'clock',
    async begin(store, _number, { death }) {
      const life = farm.live(store);
      death.addEventListener('abort', () => life.die(), { once: true });
      return life;
    },
    async start({ orders, agents, funding }) {
      await orders.recover();
      await agents.recover();
      await funding.syncDeposits(world.user);
    },
    bury({ orders, agents }) {
      void agents.stop().catch(() => undefined);
      void orders.stop().catch(() => undefined);
    },
    world: () => ({
      orders: [...world.venue.orders.keys()],
      bodies: [...world.venue.bodies.values()],
    }),
    // Without the trades' ids and in no order: which market is farmed first is chance.
    end: (store) => ({
      orders: sorted(
        store.range(ORDERS).map(
          ({
            value: {
              intent: { tokenId, side, spendMicros },
              state,
              filledShares,
              filledUsdc,
              feesUsdc,
              reserved,
            },
          }) => ({
            tokenId,
            side,
            spendMicros,
            state,
            filledShares,
            filledUsdc,
            feesUsdc,
            reserved,
          }),
        ),
      ),
      fills: sorted(
        store.range(FILLS).map(({ value: { tokenId, side, shares, usdc, fee, settlement } }) => ({
          tokenId,
          side,
          shares,
          usdc,
          fee,
          settlement,
        })),
      ),
      positions: store
        .range(POSITIONS)
        .map(({ value: { tokenId, state, shares, costUsdc, realizedPnl } }) => ({
          tokenId,
          state,
          shares,
          costUsdc,
          realizedPnl,
        })),
      balances: store.range(BALANCES).map(({ key, value }) => ({ key, value })),
      ordersAtVenue: world.venue.orders.size,
      enabled: store.range(AGENTS).map(({ value: { agentId, enabled } }) => ({ agentId, enabled })),
      receipts: store
        .range(DECISIONS)
        .flatMap(
          ({
            value: {
              marketId,
              decision: { verdict },
              outcome,
            },
          }) => (outcome.kind === 'order' ? [`${verdict} ${marketId}`] : []),
        )
        .sort(),
    }),
    broken: (store, { log }) => [
      ...brokenLaws(store, world.user),
      ...log.lines
        .filter(({ level }) => level === 'error')
        .map(({ event, fields }) => `error ${event} ${JSON.stringify(fields)}`),
    ],
    close: () => undefined,
  };
}

const wait =
  ({ clock }: FarmStage, ms: number): Step<FarmProcess> =>
  () =>
    new Promise<void>((resolve) => void clock.after(ms, resolve));

function farming(
  name: string,
  steps: (stage: FarmStage) => readonly Step<FarmProcess>[],
): CrashScenario {
  return scenario<FarmProcess, FarmStage>(name, {
    family: 'farming',
    open: openFarmStage,
    steps: (stage) => [
      ({ agents }) => agents.updateSettings(stage.farm.world.user, AGENT, { avgPositionSize: 5 }),
      ({ agents }) => agents.enable(stage.farm.world.user, AGENT),
      ...steps(stage),
      ({ agents }) => agents.disable(stage.farm.world.user, AGENT),
      wait(stage, 20_000),
    ],
  });
}

/** Farming agents: entries in every market that qualifies, and a stop below the entry price. */
export const FARM_SCENARIOS: readonly CrashScenario[] = [
  farming('three-markets-farmed', (stage) => [wait(stage, 120_000)]),
  farming('farmed-and-stopped-out', (stage) => [
    wait(stage, 120_000),
    async () => {
      const [market] = stage.farm.markets;
      if (market !== undefined) stage.farm.quote(market, 1, { bid: 7_000, ask: 7_200 });
    },
    wait(stage, 120_000),
  ]),
];
