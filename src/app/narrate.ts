import { AGENT_PROFILES } from '../domain/agent.ts';
import type { Criterion } from '../domain/agent.ts';
import type { DomainEvent } from '../domain/events.ts';
import type { FillRecord } from '../domain/fill.ts';
import type { MarketId, UserId } from '../domain/ids.ts';
import type { Market, OutcomeIndex, Resolution } from '../domain/market.ts';
import { plainText } from '../domain/plain-text.ts';
import { formatMicros, formatPrice, shareMicros, usdcMicros } from '../domain/units.ts';
import type { Bus } from '../ports/bus.ts';

/** What the story needs to know beyond the facts themselves. */
export interface NarratorOptions {
  readonly bus: Bus;
  /** The name set before what a user does; null for the one whose story it is. */
  readonly nameOf: (userId: UserId) => string | null;
  readonly print: (line: string) => void;
  /** Names a market for people. */
  readonly marketOf: (marketId: MarketId) => Market | null;
}

/** Tells decisions, orders, fills and settlements as lines a person reads on the terminal. Gives the function that ends it. */
export function narrate(options: NarratorOptions): () => void {
  const told = { intents: createMemory(), fills: createMemory() };
  let lastAtMs = 0;
  const names: Names = {
    slugOf: (marketId) => quoted(options.marketOf(marketId)?.slug ?? `${marketId.slice(0, 10)}…`),
    labelOf: (marketId, outcome) => quoted(options.marketOf(marketId)?.outcomes[outcome].label ?? (outcome === 0 ? 'Yes' : 'No')),
  };
  return options.bus.subscribe(({ event }) => {
    const text = sentence(event, told, names);
    if (text === null) return;
    const who = 'userId' in event ? options.nameOf(event.userId) : null;
    // A decision bears the time it was judged at and is committed later, in its user's turn: the story's time never steps back.
    lastAtMs = Math.max(lastAtMs, event.atMs);
    options.print(`${time(lastAtMs)}  ${who === null ? text : `${text.slice(0, KIND_WIDTH)}[${who}] ${text.slice(KIND_WIDTH)}`}`);
  });
}

/** Lines remembered of each sort; the oldest is forgotten beyond this. */
const REMEMBERED = 1_000;
/** Columns of the word that begins each line. */
const KIND_WIDTH = 10;

/** What was told of orders and fills, so that later words about them need not say an id only. */
interface Told {
  readonly intents: Memory;
  readonly fills: Memory;
}

interface Memory {
  keep(id: string, line: string): void;
  /** The line, or the id in short when it was not heard or is forgotten. */
  recall(id: string): string;
}

function createMemory(): Memory {
  const lines = new Map<string, string>();
  return {
    keep(id, line) {
      lines.set(id, line);
      const oldest = lines.size > REMEMBERED ? lines.keys().next().value : undefined;
      if (oldest !== undefined) lines.delete(oldest);
    },
    recall: (id) => lines.get(id) ?? short(id),
  };
}

/** Somebody else's words on our terminal: one line, nothing that moves its cursor or its colours. */
function quoted(text: string): string {
  return plainText(text, QUOTED_MAXIMUM_CHARS);
}

/** Longer ones fill the screen and say no more. */
const QUOTED_MAXIMUM_CHARS = 240;

/** Words for people. */
interface Names {
  slugOf(marketId: MarketId): string;
  labelOf(marketId: MarketId, outcome: OutcomeIndex): string;
}

function sentence(event: DomainEvent, { intents, fills }: Told, { slugOf, labelOf }: Names): string | null {
  switch (event.type) {
    case 'decision.made': {
      const { decision, agentId, marketId } = event.decision;
      const side = decision.outcome === null ? '' : ` ${labelOf(marketId, decision.outcome)}`;
      return `decision  ${AGENT_PROFILES[agentId].title} on ${slugOf(marketId)}: ${decision.verdict}${side}. ${quoted(decision.reason)}${criteria(decision.criteria)}`;
    }
    case 'order.intended': {
      const { intent } = event;
      const what = intent.side === 'buy'
        ? `buy ${labelOf(intent.marketId, intent.outcome)} for ${usd(intent.makerMicros)} at ${formatPrice(intent.price)} or better`
        : `sell ${formatMicros(shareMicros(intent.makerMicros))} ${labelOf(intent.marketId, intent.outcome)} at ${formatPrice(intent.price)} or better`;
      const line = `${what} (${intent.timeInForce}) on ${slugOf(intent.marketId)}`;
      intents.keep(intent.intentId, line);
      return `order     ${line}: ${intent.side === 'buy' ? 'money' : 'shares'} set aside`;
    }
    case 'order.signed':
      return `order     signed, id ${short(event.orderId)}, on disk before it leaves`;
    case 'order.changed':
      return `order     ${intents.recall(event.intentId)}: ${event.from} → ${event.to}${event.reason === null ? '' : ` (${quoted(event.reason)})`}`;
    case 'fill.recorded': {
      const { fill } = event;
      const what = `${fill.side === 'buy' ? 'bought' : 'sold'} ${formatMicros(fill.shares)} ${labelOf(fill.marketId, fill.outcome)} on ${slugOf(fill.marketId)}`;
      fills.keep(fillKey(fill), what);
      return `fill      ${what} for ${usd(fill.usdc)}, fee ${usd(fill.fee)}: provisional until settled`;
    }
    case 'fill.settled':
      return `settled   ${fills.recall(fillKey(event))}: final${event.transactionHash === null ? '' : `, transaction ${short(event.transactionHash)}`}`;
    case 'fill.reversed':
      return `reversed  ${fills.recall(fillKey(event))}: failed at the venue; its postings are taken back`;
    case 'ledger.posted':
      return event.entry.kind === 'deposit' ? `deposit   ${usd(Math.max(...event.entry.postings.map((posting) => posting.micros)))} arrived` : null;
    case 'funds.disputed':
      return `paused    the venue does not find funds our ledger has (${quoted(event.dispute.reason)}); the next try is in ${Math.round((event.dispute.retryAtMs - event.atMs) / 1_000)} s`;
    case 'funds.agreed':
      return 'resumed   the venue finds the funds again';
    case 'position.changed': {
      const { position } = event;
      if (position.state !== 'redeemed' && position.state !== 'lost' && position.state !== 'closed' && position.state !== 'gone') return null;
      return `result    ${slugOf(position.marketId)} ${quoted(position.outcomeLabel)}: ${END_WORDS[position.state]}; ${position.realisedPnl >= 0 ? 'profit' : 'loss'} ${usd(Math.abs(position.realisedPnl))}, sales and fees included`;
    }
    case 'agent.changed':
      return `agent     ${AGENT_PROFILES[event.agent.agentId].title}: ${event.agent.enabled ? 'enabled' : 'not enabled'}, ${event.agent.settings.strategy}, ${usd(event.agent.settings.avgPositionSize)} a trade`;
    case 'agents.stopped':
      return `stopped   ${event.agents.map(({ agentId, policy }) => `${AGENT_PROFILES[agentId].title} (${policy})`).join(', ')}`;
    case 'agent.wound_up':
      return `stopped   ${AGENT_PROFILES[event.agentId].title}: ${event.policy === 'close' ? 'orders cancelled, positions sold' : 'orders cancelled'}`;
    case 'trading.stopped':
    case 'house.stopped':
      return `stopped   nothing is bought any more: ${quoted(event.reason)}`;
    case 'trading.resumed':
    case 'house.resumed':
      return `resumed   buying goes on: ${quoted(event.reason)}`;
    case 'settlement.broke':
      return `paused    ${event.scope === 'house' ? 'too many trades fail' : 'too many of a user\'s trades fail'} to settle: agents enter no more`;
    case 'settlement.healed':
      return 'resumed   trades settle again';
    case 'venue.restricted':
      return `paused    ${event.venue} takes no orders from here: ${quoted(event.reason)}`;
    case 'venue.admitted':
      return `resumed   ${event.venue} takes orders again`;
    case 'market.resolved':
      return `resolved  ${slugOf(event.marketId)}: ${winner(event.resolution, (outcome) => labelOf(event.marketId, outcome))}`;
    case 'safe_action.changed':
      return event.from === null || event.action.state === 'done' || event.action.state === 'failed'
        ? `safe      ${event.action.purpose.kind}: ${event.action.state}${event.action.reason === null ? '' : ` (${quoted(event.action.reason)})`}`
        : null;
    case 'deposit.changed': {
      const { state, problem, transfer } = event.deposit;
      return `transfer  ${transfer.amount} units of ${short(transfer.tokenAddress)} from chain ${transfer.chainId}: ${state}${problem === null ? '' : ` (${problem.replaceAll('_', ' ')})`}`;
    }
    case 'user.created':
    case 'audit.recorded':
    case 'agent.traded':
    case 'notification.made':
    case 'notifications.read':
    case 'signal.judged':
    case 'paper.recorded':
      return null;
  }
}

/** How a position ended. What an exit could not sell, less than the venue's smallest step, is paid out or lost with the round. */
const END_WORDS = { redeemed: 'paid out', lost: 'worth nothing', closed: 'sold', gone: 'no longer in the Safe' } as const;

function fillKey({ tradeId, orderId }: Pick<FillRecord, 'tradeId' | 'orderId'>): string {
  return `${tradeId} ${orderId}`;
}

function winner({ payoutTicks: [first, second] }: Resolution, labelOf: (outcome: OutcomeIndex) => string): string {
  if (first === second) return 'fifty-fifty';
  return labelOf(first > second ? 0 : 1);
}

function criteria(list: readonly Criterion[]): string {
  return list.map((criterion) => `\n            ${criterion.passed ? '✓' : '✗'} ${quoted(criterion.name)}: ${quoted(criterion.value)} (${quoted(criterion.threshold)})`).join('');
}

function usd(micros: number): string {
  return `$${formatMicros(usdcMicros(micros))}`;
}

function short(id: string): string {
  return id.length > 14 ? `${id.slice(0, 10)}…` : id;
}

function time(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
