import type { JournalEntry } from '../../../src/domain/events.ts';
import { factsOf } from './journal.ts';

/** L8: orders decided on an input older than its limit, or one that had no age because it was not there. */
export function staleDecisions(journal: readonly JournalEntry[]): readonly string[] {
  return factsOf(journal, 'decision.made').flatMap(({ decision: { decisionId, outcome, inputs } }) => {
    const stale = outcome.kind === 'order' ? inputs.filter(({ value, ageMs, limitMs }) => ageMs !== null ? ageMs > limitMs || ageMs < 0 : value !== null && limitMs > 0) : [];
    return stale.length === 0 ? [] : [`${decisionId} by ${stale.map(({ name, ageMs, limitMs }) => `${name} of ${ageMs ?? 'no'} ms, at most ${limitMs}`).join(', ')}`];
  });
}

/** L7: markets an agent entered twice. */
export function enteredTwice(journal: readonly JournalEntry[]): readonly string[] {
  const entered = new Set<string>();
  return journal.flatMap(({ seq, event }) => {
    if (event.type !== 'order.intended' || event.intent.origin.kind !== 'agent' || event.intent.origin.purpose !== 'entry') return [];
    const entry = `${event.userId} ${event.intent.origin.agentId} ${event.intent.marketId}`;
    return entered.size === entered.add(entry).size ? [`${seq}: ${entry}`] : [];
  });
}

/** L5: entries above the largest size the user allows the agent. */
export function aboveSize(journal: readonly JournalEntry[]): readonly string[] {
  const sizes = new Map<string, number>();
  return journal.flatMap(({ seq, event }) => {
    if (event.type === 'agent.changed') sizes.set(`${event.userId} ${event.agent.agentId}`, event.agent.settings.maxPositionSize);
    if (event.type !== 'order.intended' || event.intent.origin.kind !== 'agent' || event.intent.origin.purpose !== 'entry') return [];
    const { userId, makerMicros, origin } = event.intent;
    return makerMicros > (sizes.get(`${userId} ${origin.agentId}`) ?? 0) ? [`${seq}: ${userId} ${origin.agentId} for ${makerMicros}`] : [];
  });
}

/** L4: ledger entries posted twice under one name. */
export function postedTwice(journal: readonly JournalEntry[]): readonly string[] {
  const posted = new Set<string>();
  return factsOf(journal, 'ledger.posted').flatMap(({ entry: { entryId } }) => (posted.size === posted.add(entryId).size ? [entryId] : []));
}
