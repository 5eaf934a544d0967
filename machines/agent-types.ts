import type { Decision, DecisionInput, StrategyId } from '../src/domain/agent.ts';
import type { DecisionBasis } from '../src/domain/decision-basis.ts';
import type { AgentId, MarketId, UserId } from '../src/domain/ids.ts';
import type { OutcomeIndex } from '../src/domain/market.ts';
import type { PriceTicks, UsdcMicros } from '../src/domain/units.ts';

/** Whose agent acts in which market. */
export interface AgentRef {
  readonly userId: UserId;
  readonly agentId: AgentId;
  readonly marketId: MarketId;
}

/** How an actor comes to a round. */
export interface AgentInput extends AgentRef {
  /** Until the round ends. */
  readonly lifeMs: number;
  /**
   * Outcome held already, or bid for, when a start takes it up; null for a round not yet traded.
   */
  readonly held: OutcomeIndex | null;
  /** Until a bid that rests already is to be gone; null when none does. */
  readonly bidLeftMs: number | null;
  /** Sales tried in this round already; none unless stated. */
  readonly exits?: number;
}

/** A judged decision with what it was judged by, ready for its receipt (L11). */
export interface Advice {
  readonly strategy: StrategyId;
  readonly decision: Decision;
  readonly inputs: readonly DecisionInput[];
  /** What it can be decided by again; absent where no strategy decided. */
  readonly basis?: DecisionBasis;
  readonly atMs: number;
}

/**
 * How an entry is ordered: at once and no share above `worstPrice`, or by a bid that rests until
 * `expiresAtMs` (epoch ms).
 */
export type EntryType =
  | { readonly kind: 'market'; readonly worstPrice?: PriceTicks }
  | { readonly kind: 'limit'; readonly price: PriceTicks; readonly expiresAtMs: number };

/** An entry decided: what to buy, how, for how much. */
export interface EntryPlan extends Advice {
  readonly outcome: OutcomeIndex;
  readonly type: EntryType;
  readonly amountUsdc: UsdcMicros;
  /** Most the order may set aside: the amount and the largest fee it can meet. */
  readonly mostUsdc: UsdcMicros;
}

/**
 * Outcome of deciding. A pass has a short reason, so that one reason leaves one receipt; it is
 * `again` when it may differ a moment later without the signal changing its mind.
 */
export type DecideResult =
  | { readonly kind: 'enter'; readonly plan: EntryPlan }
  | { readonly kind: 'pass'; readonly reason: string; readonly again: boolean };
/**
 * Outcome of an entry: an order was made, whatever becomes of it, and a bid rests until it is gone;
 * it has ended with nothing filled; or none was made.
 */
export type EnterResult =
  | { readonly kind: 'traded' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'resting'; readonly bidLeftMs: number }
  | { readonly kind: 'refused'; readonly retryable: boolean };
/**
 * Outcome of taking a bid back: it remains for now (it is worth its price again, or the venue has
 * yet to say), or it has ended.
 */
export type WithdrawResult =
  | { readonly kind: 'standing'; readonly bidLeftMs: number }
  | { readonly kind: 'ended'; readonly isHeld: boolean };
/**
 * Outcome of leaving: nothing is left to sell, a sale was tried, or it is not the moment (shares
 * not final, signal back).
 */
export type LeaveResult =
  | { readonly kind: 'left' }
  | { readonly kind: 'tried' }
  | { readonly kind: 'waiting' };

/** Events of an agent actor. Ticks never come here, only changes of mind of a signal. */
export type AgentEvent =
  | { readonly type: 'signal.ready' }
  /** What is held should be sold, what rests be taken back. */
  | { readonly type: 'exit.advised' }
  /** The venue has ended the entry; `isHeld` when something of it was filled. */
  | { readonly type: 'entry.ended'; readonly isHeld: boolean }
  | { readonly type: 'agent.stop' };

/** What the machine does to the world. */
export interface AgentEffects {
  decide(input: AgentRef & { readonly lastPass: string | null }): Promise<DecideResult>;
  enter(input: AgentRef & { readonly plan: EntryPlan }): Promise<EnterResult>;
  leave(input: AgentRef & { readonly held: OutcomeIndex }): Promise<LeaveResult>;
  withdraw(input: AgentRef & { readonly held: OutcomeIndex }): Promise<WithdrawResult>;
}
