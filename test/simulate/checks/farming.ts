import type { AgentRecord } from '../../../src/domain/agent.ts';
import type { DomainEvent, JournalEntry } from '../../../src/domain/events.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { asId, type AgentId, type DecisionId, type OrderId } from '../../../src/domain/ids.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { FARM_VENUES } from '../../../src/domain/farming/venues.ts';
import { shareMicros, TICKS_PER_USD, usdcMicros } from '../../../src/domain/units.ts';
import { aboveCaps } from './caps.ts';
import { factsOf } from './journal.ts';

const FARMING = FARM_VENUES.map(({ agentId }) => agentId);

/**
 * L5: entries of farming agents beyond their own caps of open positions and exposure, reckoned as
 * those of the operator and of users are, from the agent's own orders alone.
 */
export function aboveFarmCaps(journal: readonly JournalEntry[]): readonly string[] {
  return FARMING.flatMap((agentId) => aboveCapsOf(agentId, journal));
}

function aboveCapsOf(agentId: AgentId, journal: readonly JournalEntry[]): readonly string[] {
  const own = new Set(
    factsOf(journal, 'order.intended').flatMap(({ intent }) =>
      isOf(agentId, intent) ? [intent.intentId] : [],
    ),
  );
  const orders = new Set(
    factsOf(journal, 'order.signed').flatMap(({ intentId, attemptId }) =>
      own.has(intentId) ? [asId<OrderId>(attemptId)] : [],
    ),
  );
  const shares = ownShares();
  return aboveCaps(
    journal.flatMap(({ seq, event }): readonly JournalEntry[] => {
      switch (event.type) {
        case 'order.intended':
          return own.has(event.intent.intentId) ? [{ seq, event }] : [];
        case 'order.changed':
          return own.has(event.intentId) ? [{ seq, event }] : [];
        case 'fill.recorded': {
          const fill = own.has(event.fill.intentId)
            ? shares.take(event.fill)
            : shares.soldByOthers(event.fill);
          return fill === null ? [] : [{ seq, event: { ...event, fill } }];
        }
        case 'fill.reversed':
          return orders.has(event.orderId) ? [{ seq, event }] : [];
        case 'market.resolved':
          return [{ seq, event }];
        case 'agent.changed':
          return event.agent.agentId === agentId
            ? [{ seq, event: capsOf(event.agent, event.atMs) }]
            : [];
        default:
          return [];
      }
    }),
    {},
  );
}

/**
 * Follows what an agent has bought. Its user may sell it too: it is the agent's no more then, and
 * whatever was paid for it is no loss of the agent's.
 */
function ownShares() {
  const held = new Map<string, number>();
  const nameOf = ({ userId, tokenId }: FillRecord): string => `${userId} ${tokenId}`;
  return {
    take(fill: FillRecord): FillRecord {
      const moved = fill.side === 'buy' ? fill.shares : -fill.shares;
      held.set(nameOf(fill), Math.max(0, (held.get(nameOf(fill)) ?? 0) + moved));
      return fill;
    },
    soldByOthers(fill: FillRecord): FillRecord | null {
      const own = held.get(nameOf(fill)) ?? 0;
      if (fill.side === 'buy' || own === 0) return null;
      const shares = shareMicros(Math.min(own, fill.shares));
      held.set(nameOf(fill), own - shares);
      return { ...fill, shares, usdc: usdcMicros(shares), fee: usdcMicros(0) };
    },
  };
}

/** The agent's caps, published as a user's are. */
function capsOf({ userId, settings: { farming } }: AgentRecord, atMs: number): DomainEvent {
  const caps = Object.entries({
    exposureUsdc: farming?.maxTotalExposure,
    openPositions: farming?.maxOpenPositions,
    dailyLossUsdc: farming?.maxDailyLoss,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  const subject = caps.length === 0 ? 'none' : caps.join(', ');
  return {
    type: 'audit.recorded',
    userId,
    atMs,
    action: 'limits_changed',
    subject,
    detail: null,
    origin: null,
  };
}

/**
 * Entries of farming agents into markets they must leave alone, by what the venue says these are.
 */
export function farmedAmiss(
  journal: readonly JournalEntry[],
  unfit: ReadonlySet<string>,
): readonly string[] {
  return factsOf(journal, 'order.intended').flatMap(({ intent }) =>
    FARMING.some((agentId) => isOf(agentId, intent)) &&
    intent.side === 'buy' &&
    unfit.has(intent.marketId)
      ? [`${intent.intentId} of ${intent.userId} in ${intent.marketId}`]
      : [],
  );
}

/**
 * Sales of farming agents while the best bid stood above the stop, reckoned anew from the fills of
 * the entry and the settings of that moment.
 */
export function soldAboveStop(journal: readonly JournalEntry[]): readonly string[] {
  return FARMING.flatMap((agentId) => soldAboveStopOf(agentId, journal));
}

function soldAboveStopOf(agentId: AgentId, journal: readonly JournalEntry[]): readonly string[] {
  const settings = new Map<string, AgentRecord['settings']>();
  const bids = new Map<DecisionId, number>();
  const entries = new Map<string, { usdc: number; shares: number }>();
  const intents = new Map<string, OrderIntent>();
  const found: string[] = [];
  for (const { seq, event } of journal) {
    if (event.type === 'agent.changed' && event.agent.agentId === agentId)
      settings.set(event.userId, event.agent.settings);
    if (event.type === 'decision.made' && event.decision.agentId === agentId) {
      const bid = event.decision.inputs.find(({ name }) => name === 'best bid')?.value ?? null;
      if (bid !== null) bids.set(event.decision.decisionId, Number(bid));
    }
    if (event.type === 'fill.recorded') {
      const { intentId, usdc, shares } = event.fill;
      const intent = intents.get(intentId);
      if (intent?.side !== 'buy') continue;
      const name = `${intent.userId} ${intent.tokenId}`;
      const entry = entries.get(name) ?? { usdc: 0, shares: 0 };
      entries.set(name, { usdc: entry.usdc + usdc, shares: entry.shares + shares });
    }
    if (event.type !== 'order.intended' || !isOf(agentId, event.intent)) continue;
    intents.set(event.intent.intentId, event.intent);
    if (
      event.intent.side === 'sell' &&
      event.intent.origin.kind === 'agent' &&
      event.intent.origin.purpose === 'exit'
    )
      found.push(...aboveStop(event.intent).map((words) => `${seq}: ${words}`));
  }
  return found;

  function aboveStop({ intentId, userId, tokenId, origin }: OrderIntent): readonly string[] {
    const bid = origin.kind === 'agent' ? bids.get(origin.decisionId) : undefined;
    const entry = entries.get(`${userId} ${tokenId}`);
    const lossPerMille = settings.get(userId)?.farming?.stopLossPerMille;
    // A sale that winds a stopped agent up looks at no bid, and has its own check.
    if (bid === undefined) return [];
    if (entry === undefined || lossPerMille === undefined)
      return [`${intentId} sells what was never bought`];
    const stop = (entry.usdc * TICKS_PER_USD * (1_000 - lossPerMille)) / (entry.shares * 1_000);
    return bid > stop
      ? [`${intentId} of ${userId} at a bid of ${bid}, the stop is ${stop.toFixed(1)}`]
      : [];
  }
}

function isOf(agentId: AgentId, { origin }: OrderIntent): boolean {
  return origin.kind === 'agent' && origin.agentId === agentId;
}
