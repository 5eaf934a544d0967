import type { AgentId, IntentId, MarketId, UserId } from '../domain/ids.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import { TRADE_NOTICES } from './agents-tables.ts';
import type { Commit } from './commit.ts';
import type { Orders } from './orders.ts';
import { AGENTS } from './tables.ts';

/** A fill of an agent's order. */
export interface AgentFill {
  readonly userId: UserId;
  readonly agentId: AgentId;
  readonly marketId: MarketId;
  readonly order: OrderRecord;
}

/** Announces trades of agents. */
export interface Notices {
  /** Announces the trade unless that was done, ever, or the user does not want it (`notifyOnTrade`). */
  announce(order: OrderRecord): void;
  stop(): void;
}

/** What notices need. */
export interface NoticesDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly orders: Pick<Orders, 'get'>;
  readonly log: Log;
  /** Hears every fill of an agent's entry. */
  readonly onEntryFill: (fill: AgentFill) => void;
}

/**
 * Starts listening to fills. Each order of an agent is announced once, at its first fill, as `agent.traded`: the mark that
 * it was and the fact are one commit, so neither a second fill nor a restart repeats it.
 */
export function createNotices({ store, commit, clock, bus, orders, log, onEntryFill }: NoticesDeps): Notices {
  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type !== 'fill.recorded') return;
    const order = orders.get(event.userId, event.fill.intentId);
    if (order?.intent.origin.kind !== 'agent') return;
    const { agentId, purpose } = order.intent.origin;
    if (purpose === 'entry') onEntryFill({ userId: event.userId, agentId, marketId: order.intent.marketId, order });
    announce(order);
  });

  function announce({ intent }: OrderRecord): void {
    if (intent.origin.kind !== 'agent' || isAnnounced(intent.userId, intent.intentId)) return;
    const { agentId } = intent.origin;
    if (store.get(AGENTS, [intent.userId, agentId])?.value.settings.notifyOnTrade !== true) return;
    const atMs = clock.nowMs();
    commit((tx) => {
      if (tx.get(TRADE_NOTICES, [intent.userId, intent.intentId]) !== null) return;
      tx.put(TRADE_NOTICES, [intent.userId, intent.intentId], { atMs });
      tx.append({ type: 'agent.traded', userId: intent.userId, atMs, agentId, marketId: intent.marketId, intentId: intent.intentId });
    }).catch((error: unknown) => log.error({ intentId: intent.intentId, error }, 'notice.failed'));
  }

  function isAnnounced(userId: UserId, intentId: IntentId): boolean {
    return store.get(TRADE_NOTICES, [userId, intentId]) !== null;
  }

  return { announce, stop: unsubscribe };
}
