import type { AgentSettings, Decision, StrategyId } from '../agent.ts';
import type { AgentId } from '../ids.ts';
import type { OutcomeIndex } from '../market.ts';
import type { RoundView } from '../signal.ts';
import type { EvaluationWindow } from './terms.ts';
import { judgeExit } from './exit.ts';
import { FIFTEEN_MIN_WINDOW, fifteenMinUpDown, fifteenMinUpOnly } from './fifteen-min.ts';
import { UP_DOWN_5MIN_WINDOW, upDown5Min } from './up-down-5min.ts';

/** What a strategy sends when it enters. Limit strategies join with a price of their own. */
export type EntryOrder = { readonly kind: 'market' };

/** One strategy of one agent: a row of the table. */
export interface StrategyRow {
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  readonly order: EntryOrder;
  readonly window: EvaluationWindow;
  /** Names the settings the judge reads; agents with the same key share one judge, and so one signal. */
  groupKey(settings: AgentSettings): string;
  /** Makes the judge of rounds for these settings. It is pure: the same view gives the same decision. */
  judgeFor(settings: AgentSettings): (view: RoundView) => Decision;
  /** Judges a position again after entry. */
  judgeExit(view: RoundView, held: OutcomeIndex): Decision;
}

const BTC_5MIN_UP_DOWN: StrategyRow = {
  agentId: 'btc_5min',
  strategy: 'up_down',
  order: { kind: 'market' },
  window: UP_DOWN_5MIN_WINDOW,
  groupKey: (settings) => `btc_5min:up_down:${settings.inferenceDifferenceMicros}`,
  judgeFor: ({ inferenceDifferenceMicros }) => (view) => upDown5Min({ inferenceDifferenceMicros }, view),
  judgeExit,
};

function fifteenMinRow(agentId: AgentId, strategy: StrategyId, judge: (view: RoundView) => Decision): StrategyRow {
  return {
    agentId, strategy, order: { kind: 'market' }, window: FIFTEEN_MIN_WINDOW,
    groupKey: () => `${agentId}:${strategy}`,
    judgeFor: () => judge,
    judgeExit,
  };
}

/** Every strategy of every agent. A new strategy is one pure file, one row here, and its tests. */
export const STRATEGY_TABLE: readonly StrategyRow[] = [
  BTC_5MIN_UP_DOWN,
  fifteenMinRow('eth_15min', 'up_down', fifteenMinUpDown),
  fifteenMinRow('eth_15min', 'up_only', fifteenMinUpOnly),
  fifteenMinRow('btc_15min', 'up_down', fifteenMinUpDown),
  fifteenMinRow('btc_15min', 'up_only', fifteenMinUpOnly),
  fifteenMinRow('sol_15min', 'up_down', fifteenMinUpDown),
  fifteenMinRow('sol_15min', 'up_only', fifteenMinUpOnly),
];

/** The row of a strategy of an agent; null when the agent has no such strategy. */
export function strategyRow(agentId: AgentId, strategy: StrategyId): StrategyRow | null {
  return STRATEGY_TABLE.find((row) => row.agentId === agentId && row.strategy === strategy) ?? null;
}
