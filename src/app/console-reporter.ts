import { DEGRADED_REPORT } from '../../config/limits/log.ts';
import { AGENT_PROFILES, type Criterion } from '../domain/agent.ts';
import type { DomainEvent } from '../domain/events.ts';
import type { FillRecord } from '../domain/fill.ts';
import type { AgentId, IntentId, MarketId, OrderId, TradeId, UserId } from '../domain/ids.ts';
import type { Market, OutcomeIndex, Resolution } from '../domain/market.ts';
import type { OrderIntent } from '../domain/order.ts';
import { timeInForceOf } from '../domain/time-in-force.ts';
import type { PositionRecord } from '../domain/position.ts';
import { plainText } from '../domain/plain-text.ts';
import { formatTokenAmount } from '../domain/token-amount.ts';
import { formatMicros, formatPrice, shareMicros, usdcMicros } from '../domain/units.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { ENABLED_PERIODS } from '../services/execution/tables.ts';
import { FILLS, ORDERS, TOKEN_FILLS } from '../services/books/tables.ts';

/**
 * Tells decisions, orders, fills and settlements as lines a person reads on the terminal. Gives the
 * function that ends it.
 */
export function reportToConsole({
  bus,
  nameOf,
  print,
  marketOf,
  store,
  clock,
}: {
  readonly bus: Bus;
  /** The name set before what a user does; null for the one whose story it is. */
  readonly nameOf: (userId: UserId) => string | null;
  readonly print: (line: string) => void;
  /** Names a market for people. */
  readonly marketOf: (marketId: MarketId) => Market | null;
  /**
   * What was requested and what was traded, so that later words about them need not say an id only.
   */
  readonly store: Pick<Store, 'get' | 'range'>;
  /**
   * Market time. A line bears the time it is printed at: some facts bear wall time, and a
   * decision the earlier one it was judged at.
   */
  readonly clock: Pick<Clock, 'nowMs'>;
}): () => void {
  const words = createWords(marketOf, store);
  const holds = foldedHolds();
  return bus.subscribe(({ event }) => {
    const held = event.type === 'decision.made' ? holds(event) : 0;
    const said = held === null ? null : sentence(event, words);
    if (said === null) return;
    const text =
      held === null || held === 0
        ? said
        : said.replace(
            /^.*/,
            (first) => `${first} It was held ${held} more ${held === 1 ? 'time' : 'times'} before.`,
          );
    const who = 'userId' in event ? nameOf(event.userId) : null;
    print(
      `${time(clock.nowMs())}  ${who === null ? text : `${text.slice(0, KIND_WIDTH)}[${who}] ${text.slice(KIND_WIDTH)}`}`,
    );
  });
}

/**
 * Folds what an agent decides again and again while it holds: null for a hold after the first in a
 * market, which is not printed; for every other decision how many such came before it.
 */
function foldedHolds(): (
  event: Extract<DomainEvent, { readonly type: 'decision.made' }>,
) => number | null {
  const repeats = new Map<string, number>();
  return ({
    userId,
    decision: {
      agentId,
      marketId,
      decision: { verdict },
    },
  }) => {
    const key = `${userId} ${agentId} ${marketId}`;
    const before = repeats.get(key);
    repeats.delete(key);
    if (verdict !== 'hold') return before ?? 0;
    repeats.set(key, before === undefined ? 0 : before + 1);
    const [oldest] = repeats.keys();
    if (oldest !== undefined && repeats.size > DEGRADED_REPORT.heldMarketsMaximum)
      repeats.delete(oldest);
    return before === undefined ? 0 : null;
  };
}

/** Columns of the word that begins each line. */
const KIND_WIDTH = 10;

/**
 * Third parties' words on our terminal: one line, nothing that moves its cursor or its colours.
 */
function quoted(text: string): string {
  return plainText(text, QUOTED_MAXIMUM_CHARS);
}

/**
 * What a person or a token's maker was free to write, in quotation marks of its own: it cannot pass
 * for words of the daemon.
 */
function free(text: string): string {
  return `“${quoted(text).replaceAll(/[“”]/g, '"')}”`;
}

/** The symbol of a token, as it is where it is no more than one. */
function symbolOf(text: string): string {
  return /^[\w.$-]{1,16}$/.test(text) ? text : free(text);
}

/** Longer ones fill the screen and say no more. */
const QUOTED_MAXIMUM_CHARS = 240;

/** Words for people. */
interface Words {
  slugOf(marketId: MarketId): string;
  labelOf(marketId: MarketId, outcome: OutcomeIndex): string;
  intent(intent: OrderIntent): string;
  order(userId: UserId, intentId: IntentId): string;
  fill(fill: FillRecord): string;
  trade(event: {
    readonly userId: UserId;
    readonly orderId: OrderId;
    readonly tradeId: TradeId;
  }): string;
  /**
   * False of an agent that was never enabled: what is chosen for it is printed when a user
   * enables it.
   */
  wasEnabled(event: {
    readonly userId: UserId;
    readonly agent: { readonly agentId: AgentId };
  }): boolean;
  /** True of a position that ended because the venue took back whatever was traded of it. */
  isTakenBack(position: PositionRecord): boolean;
}

function createWords(
  marketOf: (marketId: MarketId) => Market | null,
  store: Pick<Store, 'get' | 'range'>,
): Words {
  const words: Words = {
    slugOf: (marketId) => quoted(marketOf(marketId)?.slug ?? `${marketId.slice(0, 10)}…`),
    labelOf: (marketId, outcome) =>
      quoted(marketOf(marketId)?.outcomes[outcome].label ?? (outcome === 0 ? 'Yes' : 'No')),
    intent(intent) {
      const label = words.labelOf(intent.marketId, intent.outcome);
      const what =
        intent.side === 'buy'
          ? `buy ${label} for ${usd(intent.spendMicros)}`
          : `sell ${formatMicros(shareMicros(intent.spendMicros))} ${label}`;
      if (intent.isRedemption === true)
        return `redeem ${formatMicros(shareMicros(intent.spendMicros))} ${label} on ${words.slugOf(intent.marketId)}`;
      return `${what} at ${formatPrice(intent.price)} or better (${timeInForceOf(intent)}) on ${words.slugOf(intent.marketId)}`;
    },
    order(userId, intentId) {
      const order = store.get(ORDERS, [userId, intentId]);
      return order === null ? short(intentId) : words.intent(order.value.intent);
    },
    fill: (fill) =>
      `${fill.side === 'buy' ? 'bought' : 'sold'} ${formatMicros(fill.shares)} ${words.labelOf(fill.marketId, fill.outcome)} on ${words.slugOf(fill.marketId)}`,
    trade({ userId, orderId, tradeId }) {
      const fill = store.get(FILLS, [userId, orderId, tradeId]);
      return fill === null ? short(tradeId) : words.fill(fill.value);
    },
    wasEnabled: ({ userId, agent: { agentId } }) =>
      store.range(ENABLED_PERIODS, { prefix: [userId, agentId], limit: 1 }).length > 0,
    isTakenBack({ userId, tokenId }) {
      const fills = store
        .range(TOKEN_FILLS, { prefix: [userId, tokenId] })
        .map(({ value: { orderId, tradeId } }) => store.get(FILLS, [userId, orderId, tradeId]));
      return fills.length > 0 && fills.every((fill) => fill?.value.settlement === 'reversed');
    },
  };
  return words;
}

function sentence(event: DomainEvent, words: Words): string | null {
  const { slugOf, labelOf } = words;
  switch (event.type) {
    case 'decision.made': {
      const { decision, agentId, marketId } = event.decision;
      const side = decision.outcome === null ? '' : ` ${labelOf(marketId, decision.outcome)}`;
      return `decision  ${AGENT_PROFILES[agentId].title} on ${slugOf(marketId)}: ${decision.verdict}${side}. ${quoted(decision.reason)}${criteria(decision.criteria)}`;
    }
    case 'order.intended':
      return `order     ${words.intent(event.intent)}: ${event.intent.side === 'buy' ? 'money' : 'shares'} set aside`;
    case 'order.signed':
      return `order     signed, id ${short(event.attemptId)}, on disk before it leaves`;
    case 'order.changed':
      return `order     ${words.order(event.userId, event.intentId)}: ${event.from} → ${event.to}${event.reason === null ? '' : ` (${quoted(event.reason)})`}`;
    case 'fill.recorded':
      return `fill      ${words.fill(event.fill)} for ${usd(event.fill.usdc)}, fee ${usd(event.fill.fee)}: provisional until settled`;
    case 'fill.settled':
      return `settled   ${words.trade(event)}: final${event.transactionHash === null ? '' : `, transaction ${short(event.transactionHash)}`}`;
    case 'fill.reversed':
      return `reversed  ${words.trade(event)}: failed at the venue; its postings are taken back`;
    case 'ledger.posted':
      if (event.entry.kind !== 'deposit' && event.entry.kind !== 'departure') return null;
      return `deposit   ${usd(Math.max(...event.entry.postings.map((posting) => posting.micros)))} ${event.entry.kind === 'deposit' ? 'arrived' : "left by the owner's own key"}`;
    case 'funds.disputed':
      return `paused    the venue does not find funds our ledger has (${quoted(event.dispute.reason)}); the next try is in ${Math.round((event.dispute.retryAtMs - event.atMs) / 1_000)} s`;
    case 'funds.agreed':
      return 'resumed   the venue finds the funds again';
    case 'position.changed': {
      const { position } = event;
      if (
        position.state !== 'redeemed' &&
        position.state !== 'lost' &&
        position.state !== 'closed' &&
        position.state !== 'removed'
      )
        return null;
      const what = `${slugOf(position.marketId)} ${quoted(position.outcomeLabel)}`;
      if (position.state === 'closed' && words.isTakenBack(position))
        return `result    ${what}: taken back with its trade; nothing won or lost`;
      return `result    ${what}: ${END_WORDS[position.state]}; ${position.realizedPnl >= 0 ? 'profit' : 'loss'} ${usd(Math.abs(position.realizedPnl))}, sales and fees included`;
    }
    case 'agent.changed':
      if (!event.agent.enabled && !words.wasEnabled(event)) return null;
      return `agent     ${AGENT_PROFILES[event.agent.agentId].title}: ${event.agent.enabled ? 'enabled' : 'not enabled'}, ${event.agent.settings.strategy}, ${usd(event.agent.settings.avgPositionSize)} a trade`;
    case 'agents.stopped':
      return `stopped   ${event.agents.map(({ agentId, policy }) => `${AGENT_PROFILES[agentId].title} (${policy})`).join(', ')}`;
    case 'agent.unwound':
      return `stopped   ${AGENT_PROFILES[event.agentId].title}: ${event.policy === 'close' ? 'orders cancelled, positions sold' : 'orders cancelled'}`;
    case 'trading.stopped':
    case 'all_trading.stopped':
      return `stopped   nothing is bought any more: ${free(event.reason)}`;
    case 'trading.resumed':
    case 'all_trading.resumed':
      return `resumed   a stop is lifted: ${free(event.reason)}`;
    case 'settlement.broke':
      return `paused    ${event.scope === 'operator' ? 'too many trades fail' : "too many of a user's trades fail"} to settle: agents enter no more`;
    case 'settlement.healed':
      return 'resumed   trades settle again';
    case 'venue.restricted':
      return `paused    ${event.venue} takes no orders from here: ${quoted(event.reason)}`;
    case 'venue.admitted':
      return `resumed   ${event.venue} takes orders again`;
    case 'market.resolved':
      return `resolved  ${slugOf(event.marketId)}: ${winner(event.resolution, (outcome) => labelOf(event.marketId, outcome))}`;
    case 'transaction.changed':
      return event.from === null ||
        event.transaction.state === 'done' ||
        event.transaction.state === 'failed'
        ? `${event.transaction.account.rail === 'safe' ? 'safe  ' : 'wallet'}    ${event.transaction.purpose.kind}: ${event.transaction.state}${event.transaction.reason === null ? '' : ` (${quoted(event.transaction.reason)})`}`
        : null;
    case 'swap.changed': {
      const { sell, buy, state, reason } = event.swap;
      return `swap      ${symbolOf(sell.symbol)} on ${sell.chain} for ${symbolOf(buy.symbol)} on ${buy.chain}: ${state}${reason === null ? '' : ` (${quoted(reason)})`}`;
    }
    case 'launch.changed': {
      const { symbol, mint, state, reason } = event.launch;
      return `launch    ${symbolOf(symbol)}, ${short(mint)}: ${state}${reason === null ? '' : ` (${quoted(reason)})`}`;
    }
    case 'registry.changed': {
      const { kind, asset, state, reason } = event.record;
      return `registry  ${kind}, ${short(asset)}: ${state}${reason === null ? '' : ` (${quoted(reason)})`}`;
    }
    case 'token.arrived': {
      const { units, decimals, symbol, chain } = event.arrival;
      return `arrived   ${formatTokenAmount(BigInt(units), decimals)} ${symbolOf(symbol)} on ${chain}`;
    }
    case 'deposit.changed': {
      const { state, problem, transfer } = event.deposit;
      return `transfer  ${transfer.amount} units of ${short(transfer.tokenAddress)} from chain ${transfer.chainId}: ${state}${problem === null ? '' : ` (${problem.replaceAll('_', ' ')})`}`;
    }
    case 'user.created':
    case 'audit.recorded':
    case 'deposit.noticed':
    case 'tool.called':
    case 'agent.traded':
    case 'notification.made':
    case 'notifications.read':
    case 'signal.judged':
    case 'paper.recorded':
      return null;
  }
}

/**
 * How a position ended. What an exit could not sell, less than the venue's smallest step, is paid
 * out or lost with the round.
 */
const END_WORDS = {
  redeemed: 'paid out',
  lost: 'worth nothing',
  closed: 'sold',
  removed: 'no longer in the Safe',
} as const;

function winner(
  { payoutTicks: [first, second] }: Resolution,
  labelOf: (outcome: OutcomeIndex) => string,
): string {
  if (first === second) return 'fifty-fifty';
  return labelOf(first > second ? 0 : 1);
}

function criteria(list: readonly Criterion[]): string {
  return list
    .map(
      (criterion) =>
        `\n            ${criterion.passed ? '✓' : '✗'} ${quoted(criterion.name)}: ${quoted(criterion.value)} (${quoted(criterion.threshold)})`,
    )
    .join('');
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
