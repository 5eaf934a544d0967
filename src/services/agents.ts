import type { AgentProfile, DecisionRecord } from '../domain/agent.ts';
import type { FieldError } from '../domain/errors.ts';
import type { AgentId, MarketId, UserId } from '../domain/ids.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { SettingsView } from '../domain/settings.ts';
import type { Decision, StrategyId } from '../domain/agent.ts';
import type { RoundView, SignalTransition } from '../domain/signal.ts';
import type { UsdcMicros } from '../domain/units.ts';
import type { Page } from '../ports/venue.ts';

/** What an agent does just now. `watching` is enabled without a trade of its own in the current round. */
export type AgentActivity = 'disabled' | 'watching' | 'deciding' | 'trading' | 'holding' | 'leaving';

/** An agent of a user as it is now. */
export interface AgentView {
  readonly profile: AgentProfile;
  readonly enabled: boolean;
  readonly activity: AgentActivity;
  readonly settings: SettingsView;
  /** What enabling would be refused for now; empty when it would succeed or the agent is enabled. */
  readonly missing: readonly FieldError[];
  /** Null while nobody has touched it. */
  readonly updatedAtMs: number | null;
}

/** A receipt with the order it led to, as the order stands now; null when it led to none. */
export interface DecisionView {
  readonly decision: DecisionRecord;
  readonly order: OrderRecord | null;
}

/** How an agent of a user has done. Money in USDC micros, from positions and fills. */
export interface AgentPerformance {
  /** Entry orders made. */
  readonly trades: number;
  /** Positions that ended with a profit, and without one. */
  readonly wins: number;
  readonly losses: number;
  /** wins ÷ (wins + losses) in millionths; null before the first ended. */
  readonly winRateMicros: number | null;
  readonly realisedPnl: UsdcMicros;
  /** Worth of open positions at the best bid less their cost; positions without a trusted bid are left out and counted. */
  readonly openPnl: UsdcMicros;
  readonly unpricedPositions: number;
  readonly openPositions: number;
  /** Cost of open positions. */
  readonly exposureUsdc: UsdcMicros;
  readonly feesUsdc: UsdcMicros;
}

/** Which page of a list, newest first. */
export interface PageQuery {
  /** From 1 to SURFACE.pageMaximum. */
  readonly limit: number;
  /** `nextCursor` of the page before; null for the first. */
  readonly cursor: string | null;
}

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

/** What a start found. */
export interface AgentsReport {
  readonly enabled: number;
  /** Agents that hold a position of a round that is not over. */
  readonly holding: number;
  readonly tookMs: number;
}

/** Agents of all users: their settings, their life, their receipts. */
export interface Agents {
  /** Every agent of the product as this user has it, in the product's order. */
  list(userId: UserId): readonly AgentView[];
  view(userId: UserId, agentId: AgentId): AgentView;
  /**
   * Changes settings; takes hold at the next decision. Errors: `unknown_setting`, `setting_out_of_range` (with paths),
   * `conflict` (retryable) when two changes meet.
   */
  updateSettings(userId: UserId, agentId: AgentId, patch: Readonly<Record<string, unknown>>): Promise<AgentView>;
  /**
   * Enables the agent, durably; enabling an enabled one changes nothing. Errors: `agent_not_ready` with what is missing
   * (size not chosen, strategy not chosen, cash below the size), `conflict` (retryable) when two changes meet.
   */
  enable(userId: UserId, agentId: AgentId): Promise<AgentView>;
  /**
   * Disables the agent, durably (L6): nothing of it is signed after this resolves. What it holds stays until the round
   * resolves; orders in motion are followed to their end.
   */
  disable(userId: UserId, agentId: AgentId): Promise<AgentView>;
  /** Entry and exit orders of the agent, newest first. Errors: `invalid_request` for a cursor that is none. */
  trades(userId: UserId, agentId: AgentId, query: PageQuery): Page<DecisionView>;
  /** Receipts, newest first: the agent's own and the skips and holds of the signal it shared while enabled. Errors as `trades`. */
  decisions(userId: UserId, agentId: AgentId, query: PageQuery): Page<DecisionView>;
  performance(userId: UserId, agentId: AgentId): AgentPerformance;
  /** Takes a transition of the signal stream and tells the agents that share it, in a fair and bounded order. */
  onSignal(transition: SignalTransition): void;
  /** The only start: enrols enabled agents and takes up their open positions (L9). Call once, after `Orders.recover`. */
  recover(): Promise<AgentsReport>;
  /** Ends all actors, judges and timers. */
  stop(): Promise<void>;
}
