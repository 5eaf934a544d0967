import { assert } from './errors.ts';
import type { DecisionBasis } from './decision-basis.ts';
import type { FarmSettings } from './farming/settings.ts';
import {
  asId,
  type AgentId,
  type Asset,
  type DecisionId,
  type IntentId,
  type MarketId,
  type UserId,
  type VenueId,
} from './ids.ts';
import type { OutcomeIndex } from './market.ts';
import type { UsdcMicros } from './units.ts';

/**
 * Name of a strategy among those of its agent, such as `up_down`: a row of the strategy table. What
 * is no row is refused where it comes in.
 */
export type StrategyId = string;

/** Settings of one agent of one user, validated. Sizes in USDC micros. */
export interface AgentSettings {
  readonly minPositionSize: UsdcMicros;
  readonly avgPositionSize: UsdcMicros;
  readonly maxPositionSize: UsdcMicros;
  readonly strategy: StrategyId;
  /**
   * Smallest |prediction − price| ÷ price for entry, in millionths: 500 is 0.05 %. Read by
   * strategies that say so.
   */
  readonly inferenceDifferenceMicros: number;
  readonly notifyOnTrade: boolean;
  /** Only of farming agents, and always there. */
  readonly farming?: FarmSettings;
}

/**
 * What a stop does: leaves orders and positions as they are, cancels open orders, or cancels them
 * and sells the positions.
 */
export type StopPolicy = 'keep' | 'cancel_only' | 'close';

/** Every policy, in the order of what they end. */
export const STOP_POLICIES: readonly StopPolicy[] = ['keep', 'cancel_only', 'close'];

/** With what an agent trades: real money at the venue, or paper money against the same books. */
export type AgentMode = 'live' | 'paper';

/** Every mode. */
export const AGENT_MODES: readonly AgentMode[] = ['live', 'paper'];

/** The durable record of an agent of a user. */
export interface AgentRecord {
  readonly userId: UserId;
  readonly agentId: AgentId;
  readonly enabled: boolean;
  readonly settings: AgentSettings;
  /**
   * Chosen at the last enabling; absent in records of before there was a choice. See
   * `stopPolicyOf`.
   */
  readonly onStop?: StopPolicy;
  /** Chosen at the last enabling; absent: live. See `modeOf`. */
  readonly mode?: AgentMode;
  readonly updatedAtMs: number;
}

/** With what an agent trades; live unless it was enabled on paper. */
export function modeOf({ mode }: Pick<AgentRecord, 'mode'>): AgentMode {
  return mode ?? 'live';
}

/**
 * True for an agent that is enabled and trades with real money. Where paper trading reads records
 * it finds its own agents as such, and no others.
 */
export function isTrading(record: Pick<AgentRecord, 'enabled' | 'mode'>): boolean {
  return record.enabled && modeOf(record) === 'live';
}

/**
 * What a stop of this agent does. By default a stop cancels open orders and keeps
 * positions: a resting order that fills after the stop would be an unwanted trade, while a sale
 * costs the spread and a fee, which is for the user to decide.
 */
export function stopPolicyOf({ onStop }: Pick<AgentRecord, 'onStop'>): StopPolicy {
  return onStop ?? 'cancel_only';
}

/**
 * That a stopped agent's open orders are being cancelled, and with `close` its positions sold,
 * until none is left.
 */
export interface UnwindRecord {
  readonly userId: UserId;
  readonly agentId: AgentId;
  readonly policy: Exclude<StopPolicy, 'keep'>;
  readonly sinceMs: number;
}

/** What an agent trades: the rounds of a recurring market. */
export interface RoundAgentProfile {
  readonly kind: 'round';
  readonly agentId: AgentId;
  readonly title: string;
  readonly venue: VenueId;
  readonly asset: Asset;
  readonly minutes: 5 | 15;
}

/** What an agent trades: long-running markets of a venue that are all but decided. */
interface FarmingAgentProfile {
  readonly kind: 'farming';
  readonly agentId: AgentId;
  readonly title: string;
  readonly venue: VenueId;
}

/** What an agent trades, by its kind. */
export type AgentProfile = RoundAgentProfile | FarmingAgentProfile;

const VENUE_A = asId<VenueId>('venue_a');

/** The agents and what each trades (spec.md, Trading agents). */
export const AGENT_PROFILES: Readonly<Record<AgentId, AgentProfile>> = {
  btc_5min: {
    kind: 'round',
    agentId: 'btc_5min',
    title: 'BTC 5-minute',
    venue: VENUE_A,
    asset: 'BTC',
    minutes: 5,
  },
  eth_15min: {
    kind: 'round',
    agentId: 'eth_15min',
    title: 'ETH 15-minute',
    venue: VENUE_A,
    asset: 'ETH',
    minutes: 15,
  },
  btc_15min: {
    kind: 'round',
    agentId: 'btc_15min',
    title: 'BTC 15-minute',
    venue: VENUE_A,
    asset: 'BTC',
    minutes: 15,
  },
  sol_15min: {
    kind: 'round',
    agentId: 'sol_15min',
    title: 'SOL 15-minute',
    venue: VENUE_A,
    asset: 'SOL',
    minutes: 15,
  },
  venue_a_farming: {
    kind: 'farming',
    agentId: 'venue_a_farming',
    title: 'venue_a farming',
    venue: VENUE_A,
  },
  venue_b_farming: {
    kind: 'farming',
    agentId: 'venue_b_farming',
    title: 'venue_b farming',
    venue: asId<VenueId>('venue_b'),
  },
};

/** Profile of an agent that trades rounds; asking for another's is a programmer's error. */
export function roundProfile(agentId: AgentId): RoundAgentProfile {
  const profile = AGENT_PROFILES[agentId];
  assert(profile.kind === 'round', `${agentId} trades rounds`);
  return profile;
}

/** One criterion of a decision, value against threshold, in words a trader reads (L11). */
export interface Criterion {
  readonly name: string;
  readonly value: string;
  readonly threshold: string;
  readonly passed: boolean;
}

/** One input of a decision with its age. `ageMs` is null when the input was absent. */
export interface DecisionInput {
  readonly name: string;
  readonly value: string | null;
  readonly ageMs: number | null;
  readonly limitMs: number;
}

/** What a strategy says. */
export interface Decision {
  readonly verdict: 'enter' | 'hold' | 'exit' | 'skip';
  /** Outcome to buy, keep or sell; null for `skip`. */
  readonly outcome: OutcomeIndex | null;
  readonly criteria: readonly Criterion[];
  /** One sentence. */
  readonly reason: string;
}

/** Receipt of one decision (L11): inputs, ages, thresholds, verdict, and what became of it. */
export interface DecisionRecord {
  readonly decisionId: DecisionId;
  readonly userId: UserId;
  readonly agentId: AgentId;
  readonly marketId: MarketId;
  readonly strategy: StrategyId;
  /** Absent: decided for real money. */
  readonly mode?: 'paper';
  readonly atMs: number;
  readonly inputs: readonly DecisionInput[];
  readonly decision: Decision;
  /** Absent of what no strategy decided, and in older records. */
  readonly basis?: DecisionBasis;
  readonly amountUsdc: UsdcMicros | null;
  /** The trace of it and of its order; absent where nothing was traced. */
  readonly traceparent?: string;
  readonly outcome:
    | { readonly kind: 'none' }
    | { readonly kind: 'order'; readonly intentId: IntentId }
    | { readonly kind: 'refused'; readonly code: string; readonly message: string };
}

/**
 * A receipt of a shared signal: what every agent of the group heard, written once for all of them.
 */
export interface SignalReceipt {
  readonly decisionId: DecisionId;
  readonly groupKey: string;
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  readonly marketId: MarketId;
  readonly atMs: number;
  readonly inputs: readonly DecisionInput[];
  readonly decision: Decision;
  /** Absent in older records. */
  readonly basis?: DecisionBasis;
}

/**
 * What an agent does just now. `watching` is enabled without a trade of its own in the current
 * round, `resting` has a bid at the venue; `degraded` would watch, and does not decide for the
 * reasons it gives; `stopping` is disabled, with orders or positions its stop is still ending.
 */
export const AGENT_ACTIVITIES = [
  'disabled',
  'stopping',
  'degraded',
  'watching',
  'deciding',
  'trading',
  'resting',
  'holding',
  'leaving',
] as const;
/** One of them. */
export type AgentActivity = (typeof AGENT_ACTIVITIES)[number];
