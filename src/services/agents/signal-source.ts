import type { Decision, StrategyId } from '../../domain/agent.ts';
import type { AgentId, MarketId } from '../../domain/ids.ts';
import type { RoundView } from '../../domain/signal.ts';

/** One judge of rounds, shared by all agents with the same thresholds. */
export interface JudgeGroup {
  readonly groupKey: string;
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  judge(view: RoundView): Decision;
}

/** What is known about rounds; the composition root joins it with the signal stream. */
export interface SignalSource {
  /** Adds a judge; its transitions arrive at `Agents.onSignal`, the first one at its next evaluation. Gives what removes it. */
  register(group: JudgeGroup): () => void;
  /** The newest view of a market's round; null when it is not watched. */
  roundView(marketId: MarketId): RoundView | null;
}
