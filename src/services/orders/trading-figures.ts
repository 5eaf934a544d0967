import type { DomainEvent } from '../../domain/events.ts';
import { isResting, type OrderRecord } from '../../domain/order.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import type { Venues } from '../venues.ts';
import type { StreamProblem, UserStreams } from './place-order.ts';
import { BREAKERS, ORDERS, STOPS, TRADED_MARKETS } from '../books/tables.ts';
import { accessProblem } from './access-gate.ts';

/**
 * What operators see of users' problems: breakers, stops, venues that turn us away, channels that
 * are blind, orders the venue ended by itself.
 */
export interface TradingFigures {
  /** Counts what is stored; the start does this once, and facts keep it true from there. */
  recover(): void;
  stop(): void;
}

type Scope = 'operator' | 'user';
const SCOPES: readonly Scope[] = ['operator', 'user'];
const SCOPE_LABELS: Readonly<Record<Scope, string>> = { operator: 'all', user: 'user' };
const PROBLEM_CODES: readonly StreamProblem['code'][] = ['user_stream_blind', 'trades_unread'];

/** Makes the figures. Labels are scopes and reasons, never users. */
export function createTradingFigures({
  store,
  bus,
  log,
  metrics,
  venues,
  userStreams,
}: Pick<Runtime, 'store' | 'bus' | 'log' | 'metrics'> & {
  readonly venues: Pick<Venues, 'open'>;
  readonly userStreams: Pick<UserStreams, 'problem' | 'listen'>;
}): TradingFigures {
  const breakers: Record<Scope, Set<string>> = { operator: new Set(), user: new Set() };
  // Those of the operator: a stop that users set for themselves is theirs to lift, and raises no
  // alarm.
  const stops: Record<Scope, Set<string>> = { operator: new Set(), user: new Set() };
  /** By user and venue. */
  const codes = new Map<string, StreamProblem['code']>();
  const counts: Record<StreamProblem['code'], number> = {
    user_stream_blind: 0,
    trades_unread: 0,
  };

  function tellHolds(): void {
    for (const scope of SCOPES) {
      metrics.gauge('settlement_breakers_open', breakers[scope].size, {
        scope: SCOPE_LABELS[scope],
      });
      metrics.gauge('trading_stops_open', stops[scope].size, { scope: SCOPE_LABELS[scope] });
    }
  }

  function countProblems(): void {
    for (const reason of PROBLEM_CODES)
      metrics.gauge('stream_trouble_users', counts[reason], { reason });
  }

  function tellUnasked({ intent: { intentId, userId, venue, marketId } }: OrderRecord): void {
    metrics.count('order_ends_unasked_total');
    log.warn({ intentId, userId, venue, marketId }, 'order.ended_unasked');
  }

  const endFacts = bus.subscribe(({ event }) => {
    if (event.type === 'order.changed' && event.to === 'cancelled') {
      const record = store.get(ORDERS, [event.userId, event.intentId])?.value;
      if (record !== undefined && isUnasked(store, record, event.atMs)) tellUnasked(record);
      return;
    }
    if (event.type === 'venue.restricted' || event.type === 'venue.admitted')
      return metrics.gauge('venue_restricted_state', event.type === 'venue.restricted' ? 1 : 0, {
        venue: event.venue,
      });
    if (event.type === 'settlement.broke') breakers[event.scope].add(breakerOf(event));
    else if (event.type === 'settlement.healed') breakers[event.scope].delete(breakerOf(event));
    else if (event.type === 'all_trading.stopped') stops.operator.add('all');
    else if (event.type === 'all_trading.resumed') stops.operator.delete('all');
    else if (event.type === 'trading.stopped' && event.by === 'operator')
      stops.user.add(event.userId);
    else if (event.type === 'trading.resumed' && event.by === 'operator')
      stops.user.delete(event.userId);
    else return;
    tellHolds();
  });
  const endProblems = userStreams.listen((userId, venue) => {
    const name = `${userId} ${venue}`;
    const code = userStreams.problem(userId, venue)?.code ?? null;
    const before = codes.get(name) ?? null;
    if (code === before) return;
    // Counted as they change: when the channel goes, every user is reported at once.
    if (before !== null) counts[before] -= 1;
    if (code !== null) counts[code] += 1;
    if (code === null) codes.delete(name);
    else codes.set(name, code);
    countProblems();
  });

  return {
    recover() {
      for (const {
        key: [kind = '', ...whose],
        value,
      } of store.range(BREAKERS))
        if (value.openedAtMs !== null) breakers[scopeOf(kind)].add(whose.join(' '));
      for (const {
        key: [kind = '', userId = 'all'],
        value,
      } of store.range(STOPS))
        if (value.stopped && kind !== 'self') stops[scopeOf(kind)].add(String(userId));
      for (const { id } of venues.open)
        metrics.gauge('venue_restricted_state', accessProblem(store, id, 0) === null ? 0 : 1, {
          venue: id,
        });
      tellHolds();
      countProblems();
    },
    stop() {
      endFacts();
      endProblems();
    },
  };
}

/** Names a breaker as its key does behind its scope. */
function breakerOf({
  scope,
  userId,
  venue,
}: Extract<DomainEvent, { readonly type: 'settlement.broke' | 'settlement.healed' }>): string {
  return scope === 'operator' ? venue : `${userId} ${venue}`;
}

/** Keys of breakers and stops begin with `user` where they are one user's. */
function scopeOf(kind: string | number): Scope {
  return kind === 'user' ? 'user' : 'operator';
}

/**
 * A resting order that the venue cancelled without a request while its market went on:
 * funds that left, or all orders of a key at once.
 */
function isUnasked(store: Store, { intent, cancelWanted }: OrderRecord, atMs: number): boolean {
  if (!isResting(intent) || cancelWanted) return false;
  const endsAtMs = store.get(TRADED_MARKETS, [intent.marketId])?.value.endsAtMs ?? 0;
  return atMs < endsAtMs;
}
