import type { JournalEntry } from '../../../src/domain/events.ts';
import type { NotificationFacts } from '../../../src/domain/notification.ts';
import { factsOf, repeated } from './journal.ts';

/** A message that a push service may have brought to a browser. */
export interface Delivery {
  readonly endpoint: string;
  /** Names the notification. */
  readonly topic: string;
}

/** What may be reported once only, by its subject; null for what may happen again. */
function subjectOf(facts: NotificationFacts): string | null {
  switch (facts.kind) {
    case 'trade':
      return `trade ${facts.intentId}`;
    case 'trade_reversed':
      return `trade_reversed ${facts.intentId} ${facts.tradeId}`;
    case 'position_redeemed':
    case 'position_lost':
    case 'position_removed':
      return `${facts.kind} ${facts.tokenId}`;
    default:
      return null;
  }
}

/**
 * What users were notified of twice, over all lives of the service: in the list of the service, or
 * in a browser.
 */
export function notifiedTwice(
  journal: readonly JournalEntry[],
  deliveries: readonly Delivery[],
): readonly string[] {
  const made = factsOf(journal, 'notification.made');
  return [
    ...repeated(
      made.map(({ userId, notification }) => `${userId} notification ${notification.number}`),
    ),
    ...repeated(subjectsOf(made)),
    ...repeated(deliveries.map(({ endpoint, topic }) => `${topic} at ${endpoint}`)),
  ];
}

/**
 * A trade is reported once more where all of its order was taken back and it trades again, and a
 * position paid once more where its payout was.
 */
function subjectsOf(
  made: readonly Extract<JournalEntry['event'], { readonly type: 'notification.made' }>[],
): readonly string[] {
  const reversals = new Map<string, number>();
  const countReversal = (of: string) => reversals.set(of, (reversals.get(of) ?? 0) + 1);
  return made.flatMap(({ userId, notification: { facts } }) => {
    if (facts.kind === 'payout_taken_back') countReversal(facts.tokenId);
    const subject = subjectOf(facts);
    if (subject === null) return [];
    if (facts.kind === 'trade_reversed') countReversal(facts.intentId);
    const after =
      facts.kind === 'trade'
        ? (reversals.get(facts.intentId) ?? 0)
        : facts.kind === 'position_redeemed'
          ? (reversals.get(facts.tokenId) ?? 0)
          : 0;
    return [`${userId} ${subject}${after === 0 ? '' : ` after ${after}`}`];
  });
}

/**
 * Trades of agents that filled and whose users, who want to hear of them, were not notified;
 * deposits booked and not reported.
 */
export function notNotified(journal: readonly JournalEntry[]): readonly string[] {
  const reported = new Set<string>();
  const wants = new Map<string, boolean>();
  const due: string[] = [];
  const agents = new Map<string, string>();
  const deposits = new Map<string, number>();
  for (const { event } of journal) {
    if (event.type === 'agent.changed')
      wants.set(`${event.userId} ${event.agent.agentId}`, event.agent.settings.notifyOnTrade);
    if (event.type === 'order.intended' && event.intent.origin.kind === 'agent')
      agents.set(event.intent.intentId, `${event.userId} ${event.intent.origin.agentId}`);
    if (event.type === 'fill.recorded') {
      const agent = agents.get(event.fill.intentId);
      const isFirst = agent !== undefined && agents.delete(event.fill.intentId);
      if (isFirst && wants.get(agent) !== false)
        due.push(`${event.userId} trade ${event.fill.intentId}`);
    }
    if (
      event.type === 'ledger.posted' &&
      event.entry.kind === 'deposit' &&
      event.isToldByTransfer !== true
    )
      deposits.set(event.userId, (deposits.get(event.userId) ?? 0) + 1);
    if (event.type !== 'notification.made') continue;
    const subject = subjectOf(event.notification.facts);
    if (subject !== null) reported.add(`${event.userId} ${subject}`);
    if (event.notification.facts.kind === 'deposit_booked')
      deposits.set(event.userId, (deposits.get(event.userId) ?? 0) - 1);
  }
  return [
    ...due.filter((subject) => !reported.has(subject)),
    ...[...deposits]
      .filter(([, left]) => left !== 0)
      .map(([userId, left]) => `${userId}: ${left} deposits more than were reported`),
  ];
}
