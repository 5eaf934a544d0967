import type {
  AgentActivity,
  AgentMode,
  AgentProfile,
  StopPolicy,
  StrategyId,
  UnwindRecord,
} from '../../domain/agent.ts';
import type { AgentId } from '../../domain/ids.ts';
import type { DegradedReason } from '../../domain/degraded.ts';
import type { FieldError } from '../../domain/errors.ts';
import type { Comparison } from '../../domain/paper-comparison.ts';
import type { SettingsView } from '../../domain/settings.ts';
import type { UsdcMicros } from '../../domain/units.ts';

/** An agent of a user as it is now. */
export interface AgentView {
  readonly profile: AgentProfile;
  /** Names of its strategies, the default one first. */
  readonly strategies: readonly StrategyId[];
  readonly enabled: boolean;
  /** By what each enters and leaves, for people. */
  readonly rules: readonly { readonly strategy: StrategyId; readonly rule: string }[];
  /** With what it trades, or did when it was enabled last. */
  readonly mode: AgentMode;
  readonly activity: AgentActivity;
  readonly settings: SettingsView;
  /** Why it does not decide just now; empty when it does, or is disabled. */
  readonly degraded: readonly DegradedReason[];
  /** What a stop of it does. */
  readonly onStop: StopPolicy;
  /** What its stop is still ending; null when nothing. */
  readonly unwind: Pick<UnwindRecord, 'policy' | 'sinceMs'> | null;
  /**
   * What enabling would be refused for now; empty when it would succeed or the agent is enabled.
   */
  readonly missing: readonly FieldError[];
  /** Null while it is untouched. */
  readonly updatedAtMs: number | null;
}

/**
 * How an agent of a user, or all of them together, has done. Money in USDC micros, from positions
 * and fills, fees included.
 */
export interface AgentPerformance {
  /** Entry orders made. */
  readonly trades: number;
  /** Those of them that bought something. */
  readonly filledTrades: number;
  /**
   * Ended entries that bought something ÷ ended entries, in millionths; null before the first
   * ended.
   */
  readonly fillRateMicros: number | null;
  /** Positions that ended with a profit, and without one. */
  readonly wins: number;
  readonly losses: number;
  /** wins ÷ (wins + losses) in millionths; null before the first ended. */
  readonly winRateMicros: number | null;
  readonly realizedPnl: UsdcMicros;
  /**
   * Furthest the realised profit fell below its highest, over the results in the order in which
   * they came.
   */
  readonly drawdownUsdc: UsdcMicros;
  /**
   * Worth of open positions at the best bid less their cost; positions without a trusted bid are
   * left out and counted.
   */
  readonly unrealizedPnl: UsdcMicros;
  readonly unpricedPositions: number;
  readonly openPositions: number;
  /** Cost of open positions. */
  readonly exposureUsdc: UsdcMicros;
  readonly feesUsdc: UsdcMicros;
}

/** What an agent did on paper. */
export interface PaperPerformance {
  /** Enabled on paper, with the paper money of its user. */
  readonly own: AgentPerformance;
  /**
   * Of the shadow run that is beside it while it trades for real, shared by all agents with its
   * signal and sizes; null where it has none.
   */
  readonly shadow: AgentPerformance | null;
  /** Its real entries beside the shadow run's. */
  readonly difference: Comparison;
}

/**
 * How an agent has done for real, and on paper; `paper` is null where there is no paper trading.
 */
export interface AgentPerformanceView extends AgentPerformance {
  readonly paper: PaperPerformance | null;
}

/** Each agent and all of them together. */
export interface AgentsPerformance {
  readonly agents: readonly { readonly agentId: AgentId; readonly performance: AgentPerformance }[];
  readonly total: AgentPerformance;
}
