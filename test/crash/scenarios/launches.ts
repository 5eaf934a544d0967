import type { Solana } from '../../../src/ports/solana.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { LAUNCHES } from '../../../src/services/launches/tables.ts';
import { REGISTRY_RECORDS } from '../../../src/services/registry/tables.ts';
import { PICTURES } from '../../support/pictures.ts';
import { OPEN_TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { createMortalClock } from '../../simulate/mortal-clock.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import {
  createLaunchWorld,
  TEXTS,
  USER,
  type LaunchWorld,
} from '../../support/worlds/launch-world.ts';
import { scenario, type CrashScenario, type Stage, type Step } from './scenario.ts';

type Life = ReturnType<LaunchWorld['lifeOver']>;

interface LaunchStage extends Stage<Life> {
  readonly own: LaunchWorld;
}

/** Gifts of lamports to the wallet, which are no transactions of its own. */
const GIFTS = 1;

async function openLaunchStage(): Promise<LaunchStage> {
  const own = await createLaunchWorld();
  const { clock, bus, lamports, landed } = own;
  const before = lamports();
  return {
    own,
    clock,
    pace: 'clock',
    async begin(store, number, { death }) {
      const mortal = createMortalClock(clock);
      death.addEventListener('abort', () => mortal.end(), { once: true });
      return own.lifeOver({
        store,
        commit: createCommit({ store, bus, metrics: createKeptMetrics() }),
        clock: mortal,
        solana: leashed(own.solana, death),
        name: `life ${number}`,
      });
    },
    start: async (life) => life.recover(),
    bury: (life) => life.stop(),
    world: () => ({ landed: landed().length, lamports: String(lamports()) }),
    end: (store) => ({
      launches: store.range(LAUNCHES).map(({ value: { state, symbol } }) => ({ state, symbol })),
      entries: store.range(REGISTRY_RECORDS).map(({ value: { state, agentId } }) => ({
        state,
        agentId,
      })),
      landed: landed().length,
      spent: String(before - lamports()),
    }),
    broken: (store) => [
      ...(store.range(OPEN_TRANSACTIONS).length > 0 ? ['a transaction is open at the end'] : []),
      ...(landed().length - GIFTS ===
      store.range(LAUNCHES).length + store.range(REGISTRY_RECORDS).length
        ? []
        : ['the chain has other transactions than were asked for']),
    ],
    close: () => own.close(),
  };
}

/** Hands over nothing once its process is dead. */
function leashed(solana: Solana, death: AbortSignal): Solana {
  return {
    ...solana,
    send: (bytes, options) =>
      death.aborted ? new Promise(() => undefined) : solana.send(bytes, options),
  };
}

const wait =
  ({ clock }: LaunchStage, ms: number): Step<Life> =>
  () =>
    new Promise<void>((resolve) => void clock.after(ms, resolve));

const launchTea: Step<Life> = async ({ launches }) => {
  const { imageId } = await launches.addImage(USER, PICTURES.png);
  await launches.launch(USER, { ...TEXTS, imageId }, { isFresh: false, waitMs: 5_000, key: 'tea' });
};

const registerAgent: Step<Life> = ({ registry }) =>
  registry.register(
    USER,
    {
      agentId: 'btc_5min',
      name: 'BTC',
      description: '',
      imageId: null,
      services: [],
      skills: [],
      domains: [],
    },
    { isFresh: false, waitMs: 5_000, key: 'agent' },
  );

function launching(
  name: string,
  steps: (stage: LaunchStage) => readonly Step<Life>[],
): CrashScenario {
  return scenario<Life, LaunchStage>(name, { family: 'launches', open: openLaunchStage, steps });
}

/** Tokens and entries in the agent registry: one each and one fee, whatever happens. */
export const LAUNCH_SCENARIOS: readonly CrashScenario[] = [
  launching('token-launched', (stage) => [launchTea, wait(stage, 60_000)]),
  launching('token-launched-after-its-bytes-were-lost', (stage) => [
    async () => stage.own.faults.arm('solana-transaction-lost', { times: 22 }),
    launchTea,
    wait(stage, 300_000),
  ]),
  launching('agent-registered', (stage) => [registerAgent, wait(stage, 60_000)]),
];
