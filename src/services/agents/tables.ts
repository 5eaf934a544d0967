import type { Decision, DecisionInput, StrategyId } from '../../domain/agent.ts';
import type { AgentId, DecisionId, MarketId } from '../../domain/ids.ts';
import type { Table } from '../../ports/store.ts';

/** A receipt of a shared signal: what every agent of the group heard, written once for all of them. */
export interface SignalReceipt {
  readonly decisionId: DecisionId;
  readonly groupKey: string;
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  readonly marketId: MarketId;
  readonly atMs: number;
  readonly inputs: readonly DecisionInput[];
  readonly decision: Decision;
}

/** A stretch of time in which an enabled agent shared a signal; `untilMs` is null while it does. */
export interface AgentSpell {
  readonly groupKey: string;
  readonly untilMs: number | null;
}

/** Receipts of shared signals: [groupKey, atMs, decisionId]. */
export const SIGNAL_RECEIPTS: Table<SignalReceipt> = { name: 'signal_receipts' };
/** Which signal an agent shared when: [userId, agentId, fromMs]. */
export const AGENT_SPELLS: Table<AgentSpell> = { name: 'agent_spells' };
