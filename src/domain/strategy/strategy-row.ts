import type { AgentSettings, Decision, StrategyId } from '../agent.ts';
import type { AgentId } from '../ids.ts';
import type { OutcomeIndex } from '../market.ts';
import type { HeldRun, JudgedView } from '../signal.ts';
import type { PriceTicks } from '../units.ts';
import { EXIT_RULE } from './exit.ts';
import type { RoundJudge } from './round-judge.ts';
import type { EntryWindow } from './terms.ts';

/** What a strategy sends when it enters. */
export type EntryOrder =
  /** At once, all of it or nothing, and no share above `worstPrice`, if there is one. */
  | { readonly kind: 'market'; readonly worstPrice?: PriceTicks }
  /**
   * A bid at `price`, never above, that rests until `endsAfterMs` from the start of the round.
   * While it rests `judge` says again and again whether it stays (`hold`) or is taken back
   * (`exit`), or that it cannot tell (`skip`).
   */
  | {
      readonly kind: 'limit';
      readonly price: PriceTicks;
      readonly endsAfterMs: number;
      judge(view: JudgedView, outcome: OutcomeIndex): Decision;
    };

/** Settings of an agent that only some strategies read. */
export type StrategySetting = 'inferenceDifferencePercent';

/** What judges read of an agent's settings. */
export type JudgeSettings = Pick<AgentSettings, 'inferenceDifferenceMicros'>;

/** One strategy of one agent: a row of the table. */
export interface StrategyRow {
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  /** When it enters and which side, for people; `ruleOf` adds the time and the order. */
  readonly rule: string;
  /**
   * The settings its judge reads beyond those of every agent. Agents with equal ones share one
   * judge, and so one signal.
   */
  readonly reads: readonly StrategySetting[];
  readonly order: EntryOrder;
  readonly window: EntryWindow;
  /**
   * Makes the judge of one round for these settings, which has seen nothing yet, or what another
   * remembered.
   */
  judgeFor(settings: JudgeSettings, memory?: HeldRun | null): RoundJudge;
  /** Judges a position again after entry. */
  judgeExit(view: JudgedView, held: OutcomeIndex): Decision;
}

/** Says for people by what a strategy enters, when in a round and how, and when it leaves. */
export function ruleOf({
  rule,
  window,
  order,
}: Pick<StrategyRow, 'rule' | 'window' | 'order'>): string {
  const { opensAfterMs, closesAfterMs } = window;
  return `${rule} Enters between ${clockOf(opensAfterMs)} and ${clockOf(closesAfterMs)} of a round, ${describeOrder(order)}. ${EXIT_RULE}`;
}

function describeOrder(order: EntryOrder): string {
  if (order.kind === 'limit')
    return `by a bid at ${order.price / 100}¢ that ends at ${clockOf(order.endsAfterMs)}`;
  return order.worstPrice === undefined
    ? 'at the market price'
    : `at the market price, ${order.worstPrice / 100}¢ a share at most`;
}

/** Writes ms as minutes and seconds: 4:30. */
function clockOf(ms: number): string {
  const seconds = ms / 1_000;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Every strategy of every agent, by names. */
export interface StrategyTable {
  readonly rows: readonly StrategyRow[];
  /** Null when the agent has no such strategy. */
  row(agentId: AgentId, strategy: StrategyId): StrategyRow | null;
  /** The rows of an agent, the default one first. */
  of(agentId: AgentId): readonly StrategyRow[];
}

/** Makes the table of these rows. An agent's first row is its default. */
export function strategyTable(rows: readonly StrategyRow[]): StrategyTable {
  const byName = new Map(rows.map((row) => [`${row.agentId}:${row.strategy}`, row]));
  return {
    rows,
    row: (agentId, strategy) => byName.get(`${agentId}:${strategy}`) ?? null,
    of: (agentId) => rows.filter((row) => row.agentId === agentId),
  };
}

/** Names the judge of a row for these settings: equal keys judge equally. */
export function groupKeyOf(
  { agentId, strategy, reads }: StrategyRow,
  settings: AgentSettings,
): string {
  return [agentId, strategy, ...reads.map((setting) => SETTING_VALUES[setting](settings))].join(
    ':',
  );
}

const SETTING_VALUES: Readonly<Record<StrategySetting, (settings: AgentSettings) => number>> = {
  inferenceDifferencePercent: (settings) => settings.inferenceDifferenceMicros,
};
