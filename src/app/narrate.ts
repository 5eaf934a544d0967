import { AGENT_PROFILES } from '../domain/agent.ts';
import type { Criterion } from '../domain/agent.ts';
import type { DomainEvent } from '../domain/events.ts';
import type { MarketId } from '../domain/ids.ts';
import type { Market, OutcomeIndex, Resolution } from '../domain/market.ts';
import { formatMicros, formatPrice, shareMicros, usdcMicros } from '../domain/units.ts';
import type { Bus } from '../ports/bus.ts';

/** What the story needs to know beyond the facts themselves. */
export interface NarratorOptions {
  readonly bus: Bus;
  /** Only this user's trades are told; null tells everybody's. */
  readonly userId: string | null;
  readonly print: (line: string) => void;
  /** Names a market for people. */
  readonly marketOf: (marketId: MarketId) => Market | null;
}

/** Tells decisions, orders, fills and settlements as lines a person reads on the terminal. Gives the function that ends it. */
export function narrate(options: NarratorOptions): () => void {
  const intents = new Map<string, string>();
  const names: Names = {
    slugOf: (marketId) => options.marketOf(marketId)?.slug ?? `${marketId.slice(0, 10)}…`,
    labelOf: (marketId, outcome) => options.marketOf(marketId)?.outcomes[outcome].label ?? (outcome === 0 ? 'Yes' : 'No'),
  };
  return options.bus.subscribe(({ event }) => {
    if ('userId' in event && options.userId !== null && event.userId !== options.userId) return;
    const text = sentence(event, intents, names);
    if (text !== null) options.print(`${time(event.atMs)}  ${text}`);
  });
}

/** Intents remembered for the story; old ones are forgotten beyond this. */
const REMEMBERED_INTENTS = 1_000;

/** Words for people. */
interface Names {
  slugOf(marketId: MarketId): string;
  labelOf(marketId: MarketId, outcome: OutcomeIndex): string;
}

function sentence(event: DomainEvent, intents: Map<string, string>, { slugOf, labelOf }: Names): string | null {
  switch (event.type) {
    case 'decision.made': {
      const { decision, agentId, marketId } = event.decision;
      const side = decision.outcome === null ? '' : ` ${labelOf(marketId, decision.outcome)}`;
      return `decision  ${AGENT_PROFILES[agentId].title} on ${slugOf(marketId)}: ${decision.verdict}${side}. ${decision.reason}${criteria(decision.criteria)}`;
    }
    case 'order.intended': {
      const { intent } = event;
      const what = intent.side === 'buy'
        ? `buy ${labelOf(intent.marketId, intent.outcome)} for ${usd(intent.makerMicros)} at ${formatPrice(intent.price)} or better`
        : `sell ${formatMicros(shareMicros(intent.makerMicros))} ${labelOf(intent.marketId, intent.outcome)} at ${formatPrice(intent.price)} or better`;
      const line = `${what} (${intent.timeInForce}) on ${slugOf(intent.marketId)}`;
      if (intents.size >= REMEMBERED_INTENTS) intents.clear();
      intents.set(intent.intentId, line);
      return `order     ${line}: funds set aside`;
    }
    case 'order.signed':
      return `order     signed, id ${short(event.orderId)}, on disk before it leaves`;
    case 'order.changed':
      return `order     ${intents.get(event.intentId) ?? event.intentId}: ${event.from} → ${event.to}${event.reason === null ? '' : ` (${event.reason})`}`;
    case 'fill.recorded': {
      const { fill } = event;
      return `fill      ${fill.side === 'buy' ? 'bought' : 'sold'} ${formatMicros(fill.shares)} for ${usd(fill.usdc)}, fee ${usd(fill.fee)}: provisional until settled`;
    }
    case 'fill.settled':
      return `settled   trade ${short(event.tradeId)} is final${event.transactionHash === null ? '' : `, transaction ${short(event.transactionHash)}`}`;
    case 'fill.reversed':
      return `reversed  trade ${short(event.tradeId)} failed at the venue; its postings are taken back`;
    case 'ledger.posted':
      return event.entry.kind === 'deposit' ? `deposit   ${usd(Math.max(...event.entry.postings.map((posting) => posting.micros)))} arrived` : null;
    case 'position.changed': {
      const { position } = event;
      if (position.state !== 'redeemed' && position.state !== 'lost' && position.state !== 'closed') return null;
      return `result    ${slugOf(position.marketId)} ${position.outcomeLabel}: ${position.state}, ${position.realisedPnl >= 0 ? 'profit' : 'loss'} ${usd(position.realisedPnl)}`;
    }
    case 'agent.changed':
      return `agent     ${AGENT_PROFILES[event.agent.agentId].title}: ${event.agent.enabled ? 'enabled' : 'not enabled'}, ${event.agent.settings.strategy}, ${usd(event.agent.settings.avgPositionSize)} a trade`;
    case 'market.resolved':
      return `resolved  ${slugOf(event.marketId)}: ${winner(event.resolution, (outcome) => labelOf(event.marketId, outcome))}`;
    case 'user.created':
    case 'agent.traded':
      return null;
  }
}

function winner({ payoutTicks: [first, second] }: Resolution, labelOf: (outcome: OutcomeIndex) => string): string {
  if (first === second) return 'fifty-fifty';
  return labelOf(first > second ? 0 : 1);
}

function criteria(list: readonly Criterion[]): string {
  return list.map((criterion) => `\n            ${criterion.passed ? '✓' : '✗'} ${criterion.name}: ${criterion.value} (${criterion.threshold})`).join('');
}

function usd(micros: number): string {
  return `${micros < 0 ? '−' : ''}$${formatMicros(usdcMicros(Math.abs(micros)))}`;
}

function short(id: string): string {
  return id.length > 14 ? `${id.slice(0, 10)}…` : id;
}

function time(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
