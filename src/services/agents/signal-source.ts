import type { StrategyId } from '../../domain/agent.ts';
import type { AgentId, MarketId } from '../../domain/ids.ts';
import type { RoundView } from '../../domain/signal.ts';
import type { RoundJudge } from '../../domain/strategy/round-judge.ts';

/** One judge of rounds, shared by all agents with the same thresholds. */
export interface JudgeGroup {
  readonly groupKey: string;
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  /** Judge of a round of which nothing has been seen. */
  readonly judge: RoundJudge;
}

/** What is known about rounds; the composition root joins it with the signal stream. */
export interface SignalSource {
  /**
   * Adds a judge; its transitions arrive at `Agents.onSignal`, the first one at its next
   * evaluation. Gives what removes it.
   */
  register(group: JudgeGroup): () => void;
  /** The newest view of a market's round; null when it is not watched. */
  roundView(marketId: MarketId): RoundView | null;
  /**
   * Views of the open rounds an agent trades, as they are at this moment; none while no reader
   * watches their kind.
   */
  openViews(agentId: AgentId): readonly RoundView[];
  /** A group's judge of a round with all it has seen of it; null when it has seen nothing. */
  judgeOf(groupKey: string, marketId: MarketId): RoundJudge | null;
}
