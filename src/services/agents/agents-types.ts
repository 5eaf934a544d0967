import type { AgentId, DecisionId, UserId } from '../../domain/ids.ts';
import type { SignalTransition } from '../../domain/signal.ts';
import type { Page } from '../../ports/catalogue.ts';
import type { Calibration } from '../execution/calibration.ts';
import type { AgentPerformanceView, AgentsPerformance, AgentView } from './agent-views.ts';
import type { HealthChange } from './health.ts';
import type { EnableChoice } from './records.ts';
import type { StoppedAgent } from './stops.ts';
import type { DecisionView, PageQuery, RecordedDecision } from '../execution/receipts-list.ts';

/** What a start found. */
interface AgentsReport {
  readonly enabled: number;
  /** Agents that hold a position, or have a bid, in a round that is not over. */
  readonly holding: number;
  /** Stopped agents whose orders or positions are still being ended. */
  readonly stopping: number;
  /** On the wall. */
  readonly tookMs: number;
}

/** Agents of all users: their settings, their life, their receipts. */
export interface Agents {
  /** Every agent of the product as this user has it, in the product's order. */
  list(userId: UserId): readonly AgentView[];
  view(userId: UserId, agentId: AgentId): AgentView;
  /**
   * Changes settings; they hold from the next decision on. Errors: `unknown_setting`,
   * `setting_out_of_range`, with paths.
   */
  updateSettings(
    userId: UserId,
    agentId: AgentId,
    patch: Readonly<Record<string, unknown>>,
  ): Promise<AgentView>;
  /**
   * Enables the agent, durably, with what a stop of it shall do; absent, that stays as it was.
   * Enabling an enabled one changes nothing else, and takes back what a stop was still ending.
   * Errors: `agent_not_ready` with what is missing (cash below the size, the Safe not ready).
   */
  enable(userId: UserId, agentId: AgentId, choice?: EnableChoice): Promise<AgentView>;
  /**
   * Disables the agent, durably (L6): nothing of it is signed or sent for the first time after this
   * resolves, but sales where its policy is `close`. What the policy leaves stays until the market
   * ends; orders in motion are followed to their end.
   */
  disable(userId: UserId, agentId: AgentId): Promise<AgentView>;
  /**
   * Disables every agent of the user, in one commit, and says of each what its stop does. Manual
   * trading goes on.
   */
  stopAll(userId: UserId): Promise<readonly StoppedAgent[]>;
  /**
   * Entry and exit orders of the agent, newest first. Errors: `invalid_request` for an invalid
   * cursor.
   */
  trades(userId: UserId, agentId: AgentId, query: PageQuery): Page<DecisionView>;
  /**
   * Receipts, newest first: the agent's own and the skips and holds of the signal it shared while
   * enabled. Errors as `trades`.
   */
  decisions(userId: UserId, agentId: AgentId, query: PageQuery): Page<DecisionView>;
  /** One receipt, with what it can be decided by again; null where the agent has none such. */
  decision(userId: UserId, agentId: AgentId, decisionId: DecisionId): RecordedDecision | null;
  /** What its signal stated when it entered, against how those markets ended. */
  calibration(userId: UserId, agentId: AgentId): Calibration;
  performance(userId: UserId, agentId: AgentId): AgentPerformanceView;
  performanceOfAll(userId: UserId): AgentsPerformance;
  /** Tells of agents that begin or cease to be degraded. Gives what ends it. */
  watchHealth(listener: (change: HealthChange) => void): () => void;
  /**
   * Takes a transition of the signal stream and tells the agents that share it, in a fair and
   * bounded order.
   */
  onSignal(transition: SignalTransition): void;
  /**
   * The only start: enrols enabled agents and takes up their open positions (L9). Call once, after
   * `Orders.recover`.
   */
  recover(): Promise<AgentsReport>;
  /** Ends all actors, judges and timers. */
  stop(): Promise<void>;
}
