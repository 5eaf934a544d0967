import type { Output } from '../../api/routes.ts';
import { sentence, words } from '../../format/text.ts';
import type { DotState } from '../../ui/state.tsx';

/** An agent as the daemon shows it. */
export type Agent = Output<'GET /api/agents/'>['data'][number];
/** What a stop of all says of one agent. */
type Stopped = Output<'POST /api/agents/stop-all'>['data'][number];

const ACTIVITY: Readonly<Record<Agent['activity'], string>> = {
  disabled: 'Off',
  stopping: 'Winding down',
  degraded: 'Waiting',
  watching: 'Watching',
  deciding: 'Deciding',
  trading: 'Placing an order',
  resting: 'An order rests',
  holding: 'Holding a position',
  leaving: 'Leaving a position',
};

/** The state of an agent, as a word and a dot. */
export function agentState(agent: Agent): { readonly dot: DotState; readonly word: string } {
  if (agent.stopping !== null) return { dot: 'late', word: ACTIVITY.stopping };
  if (!agent.enabled) return { dot: 'off', word: ACTIVITY.disabled };
  if (agent.degraded.length > 0) return { dot: 'late', word: ACTIVITY.degraded };
  return { dot: 'on', word: ACTIVITY[agent.activity] };
}

/** What a stop of an agent does, in words. */
export const STOP_WORDS: Readonly<Record<Agent['onStop'], string>> = {
  keep: 'keeps its orders and positions',
  cancel_only: 'cancels its orders, keeps its positions',
  close: 'cancels its orders and sells its positions',
};

/** What a stop of all did with an agent and what it had open, with money or on paper. */
export function stopReport(
  { wasEnabled, orders, positions }: Stopped,
  mode: Agent['mode'],
): string {
  if (!wasEnabled) return 'was off';
  const counted = (count: number, what: string): string =>
    `${count} ${what}${count === 1 ? '' : 's'}${mode === 'paper' ? ' on paper' : ''}`;
  // the stop before this one may have cancelled them already
  const ofOrders = orders.open === 0 ? '' : `${counted(orders.open, 'order')} ${orders.handling}, `;
  return `${ofOrders}${counted(positions.open, 'position')} ${positions.handling}`;
}

/** What a stop of all trading did with the buys it found open, those of agents among them. */
export function cancelReport(openBuys: number): string {
  if (openBuys === 0) return 'No buy was open.';
  return openBuys === 1
    ? 'The cancel of 1 open buy was requested, yours or an agent’s.'
    : `The cancels of ${openBuys} open buys were requested, yours and those of agents.`;
}

/** A strategy as people read it: its name, and how risky it is. */
interface StrategyWords {
  readonly name: string;
  readonly risk: string | null;
}

/** Words of the strategies of the interface; one that is not known here is shown by its id. */
export function strategyWords(strategy: string): StrategyWords {
  return STRATEGIES[strategy] ?? { name: sentence(words(strategy)), risk: null };
}

/** By what a strategy of an agent enters, as the daemon states it; empty where it states none. */
export function strategyRule({ rules }: Pick<Agent, 'rules'>, strategy: string): string {
  return rules.find((each) => each.strategy === strategy)?.rule ?? '';
}

const STRATEGIES: Readonly<Record<string, StrategyWords>> = {
  up_down: { name: 'Up/Down', risk: 'Medium risk' },
  up_only: { name: 'Up only', risk: null },
  confirmed_lead: { name: 'Confirmed lead', risk: 'Medium risk' },
  limiter: { name: 'Limiter', risk: 'Lower risk' },
  inference_strike: { name: 'Inference strike', risk: 'Lower risk' },
  max: { name: 'Max', risk: 'Medium risk' },
};
