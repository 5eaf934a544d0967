import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AGENT_PROFILES } from '../../../src/domain/agent.ts';
import type { AgentId, MarketId, UserId } from '../../../src/domain/ids.ts';
import type { RoundView, SignalTransition } from '../../../src/domain/signal.ts';
import type { RoundJudge } from '../../../src/domain/strategy/round-judge.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Agents } from '../../../src/services/agents/agents-types.ts';
import type { JudgeGroup, SignalSource } from '../../../src/services/agents/signal-source.ts';
import { createAgents } from '../../../src/services/agents/agents.ts';
import { T0 } from '../builders.ts';
import { NO_FARMING } from '../fakes/no-farming.ts';
import { aRoundMarket } from './round-views.ts';
import { aWorld, type Life, type World } from './trading-world.ts';
import { SELLING_STRATEGIES } from './selling-strategies.ts';

/**
 * Signals manually: views are set, and every judge speaks when it is registered and when its
 * decision on a market changes.
 */
export class FakeSignals implements SignalSource {
  readonly views = new Map<MarketId, RoundView>();
  readonly groups = new Map<string, JudgeGroup>();
  readonly #said = new Map<string, string>();
  readonly #judges = new Map<string, RoundJudge>();
  onTransition: (transition: SignalTransition) => void = () => undefined;

  register(group: JudgeGroup): () => void {
    this.groups.set(group.groupKey, group);
    for (const view of this.views.values()) this.#judge(group, view);
    return () => {
      this.groups.delete(group.groupKey);
      for (const known of [this.#said, this.#judges])
        for (const key of known.keys()) if (key.startsWith(`${group.groupKey} `)) known.delete(key);
    };
  }

  roundView(marketId: MarketId): RoundView | null {
    return this.views.get(marketId) ?? null;
  }

  judgeOf(groupKey: string, marketId: MarketId): RoundJudge | null {
    return this.#judges.get(`${groupKey} ${marketId}`) ?? null;
  }

  openViews(agentId: AgentId): readonly RoundView[] {
    const profile = AGENT_PROFILES[agentId];
    return [...this.views.values()].filter(
      ({ asset, minutes }) =>
        'asset' in profile && asset === profile.asset && minutes === profile.minutes,
    );
  }

  /** Shows a new view of its market and tells the transitions. */
  show(view: RoundView): void {
    const { marketId } = view.market;
    this.views.set(marketId, view);
    for (const group of this.groups.values()) this.#judge(group, view);
  }

  #judge(group: JudgeGroup, view: RoundView): void {
    const { marketId } = view.market;
    const key = `${group.groupKey} ${marketId}`;
    const judge = this.#judges.get(key) ?? group.judge;
    const decision = judge.judge(view);
    this.#judges.set(key, judge.after(view));
    const said = `${decision.verdict} ${decision.outcome}`;
    if (this.#said.get(key) === said) return;
    this.#said.set(key, said);
    this.onTransition({
      groupKey: group.groupKey,
      agentId: group.agentId,
      strategy: group.strategy,
      marketId,
      view,
      decision,
    });
  }
}

/** A process with agents. */
export interface AgentsLife extends Life {
  readonly agents: Agents;
  readonly signals: FakeSignals;
}

function addAgents(life: Life, world: World): AgentsLife {
  const signals = new FakeSignals();
  const agents = createAgents({
    ...life,
    clock: world.clock,
    random: createSeededRandom('agents'),
    signals,
    strategies: SELLING_STRATEGIES,
    farming: () => NO_FARMING,
  });
  signals.onTransition = (transition) => agents.onSignal(transition);
  return { ...life, agents, signals };
}

/** Starts trading and agents over a store, as the daemon does. */
export async function startAgents(world: World, store: Store): Promise<AgentsLife> {
  const life = addAgents(world.live(store), world);
  await life.orders.recover();
  await life.agents.recover();
  return life;
}

/** The same world in which every process has agents, recovered and stopped with its orders. */
export function withAgents(world: World): World {
  return {
    ...world,
    live(store, options) {
      const life = addAgents(world.live(store, options), world);
      const orders: Life['orders'] = {
        ...life.orders,
        async recover() {
          const report = await life.orders.recover();
          await life.agents.recover();
          return report;
        },
        async stop() {
          await life.agents.stop();
          await life.orders.stop();
        },
      };
      return { ...life, orders };
    },
  };
}

/**
 * A world with two five-minute rounds one after the other, a minute into the first, and its first
 * process.
 */
export async function anAgentsWorld(depositUsdc?: number) {
  const markets = [aRoundMarket(1), aRoundMarket(2, { endsAtMs: T0 + 600_000 })];
  const world = aWorld(depositUsdc, markets);
  const store = createMemoryStore();
  const life = await startAgents(world, store);
  await life.funding.syncDeposits(world.user);
  await world.clock.advance(60_000);
  return { world, store, life };
}

/** Chooses size and strategy and enables. */
export async function enableAgent(
  life: AgentsLife,
  userId: UserId,
  agentId: AgentId = 'btc_5min',
  strategy = 'up_down',
): Promise<void> {
  await life.agents.updateSettings(userId, agentId, { avgPositionSize: 5, strategy });
  await life.agents.enable(userId, agentId);
}
