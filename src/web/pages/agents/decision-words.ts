import { AGENT_PROFILES } from '../../../domain/agent.ts';
import type { Output } from '../../api/routes.ts';
import { cents, shares, signedUsd, usd } from '../../format/money.ts';
import { orderState } from '../../format/order-state.ts';
import { words } from '../../format/text.ts';
import { reasonText, receiptNoun } from './receipt-words.ts';

/** A decision as the daemon shows it. */
export type Decision = Output<'GET /api/agents/:agent/decisions'>['data'][number];
type Order = NonNullable<Decision['order']>;

/** What the sides of a market are called: rounds ask whether a price rises. */
const SIDES = {
  round: { yes: 'Up', no: 'Down' },
  farming: { yes: 'Yes', no: 'No' },
} as const;
const VERDICTS = { enter: 'Enter', hold: 'Hold', exit: 'Leave', skip: 'Skip' } as const;

/** What was decided, of which outcome: "Enter Up". */
export function verdictWords({
  agent,
  verdict,
  side,
}: Pick<Decision, 'agent' | 'verdict' | 'side'>): string {
  return side === null
    ? VERDICTS[verdict]
    : `${VERDICTS[verdict]} ${SIDES[AGENT_PROFILES[agent].kind][side]}`;
}

/** Counts those before a decision that were decided alike, in a sentence after its reason. */
export function alikeWords(before: number): string {
  return before === 1 ? 'An earlier decision is alike.' : `${before} earlier decisions are alike.`;
}

/** What came of a decision, in a few words: bought for how much, and won or lost once it ended. */
export function endWords({
  order,
  outcome,
  mode,
  realizedPnl,
}: Pick<Decision, 'order' | 'mode' | 'realizedPnl'> & {
  readonly outcome: Pick<Decision['outcome'], 'kind'>;
}): string {
  if (order === null) return outcome.kind === 'refused' ? 'not placed' : '';
  const traded =
    order.averagePrice === null
      ? untraded(order, mode)
      : `${usd(order.filledUsdc)} at ${cents(order.averagePrice)}`;
  const parts = [mode === 'paper' ? `on paper: ${traded}` : traded];
  if (realizedPnl !== null) parts.push(resultWords(realizedPnl));
  return parts.join(', ');
}

/** "won +$1.20", "lost $5.21". */
function resultWords(realizedPnl: string): string {
  const profit = Number(realizedPnl);
  if (profit === 0) return 'ended even';
  return profit > 0 ? `won ${signedUsd(realizedPnl)}` : `lost ${usd(realizedPnl.replace('-', ''))}`;
}

/** The order of a receipt in a sentence; one on paper was not sent, and does not settle. */
export function orderSentence(order: Order, mode: Decision['mode']): string {
  const why = order.reason === null ? '' : ` ${order.reason}`;
  if (mode === 'paper') {
    const isOver = order.state !== 'live' && order.averagePrice === null;
    return `On paper, nothing was sent: ${isOver ? untraded(order, mode) : tradedWords(order)}.${why}`;
  }
  return `Order: ${orderState(order)}, ${tradedWords(order)}${
    order.settlementState === null ? '' : `, ${words(order.settlementState)}`
  }.${why}`;
}

function tradedWords({ action, filledShares, averagePrice, state }: Order): string {
  const verb = action === 'buy' ? 'bought' : 'sold';
  return averagePrice === null
    ? `nothing ${verb}${state === 'live' ? ' yet' : ''}`
    : `${verb} ${shares(filledShares)} shares at ${cents(averagePrice)}`;
}

function untraded({ state, action }: Order, mode: Decision['mode']): string {
  const isOver = ['rejected', 'cancelled', 'expired'].includes(state);
  if (mode === 'paper' && isOver)
    return `it would have ${action === 'buy' ? 'bought' : 'sold'} nothing`;
  return words(state);
}

/** What a strategy lacked, as its receipt lists it. */
const LACKED = /^missing: (.+)$/;
/** What a round has only from its first seconds on. */
const COME_WITH_THE_ROUND = ['exchange price at start', 'price to beat', 'volatility'];

/** Why a strategy decided as it did; what a round begins without is named as that. */
export function decisionReason({
  reason,
  criteria,
}: Pick<Decision, 'reason' | 'criteria'>): string {
  const lacked = criteria.find(({ name }) => name === 'inputs')?.value ?? '';
  const names = LACKED.exec(lacked)?.[1]?.split(', ') ?? [];
  if (names.length === 0) return reasonText({ reason, criteria });
  const waits = `It waits for ${names.map((name) => `the ${receiptNoun(name)}`).join(' and ')}.`;
  return names.every((name) => COME_WITH_THE_ROUND.includes(name))
    ? `${waits} That is usual in the first seconds of a round: it comes by itself.`
    : waits;
}
