import type { DomainEvent, JournalEntry } from '../../src/domain/events.ts';
import type { Store } from '../../src/ports/store.ts';

/** Where the journal, read from its beginning, breaks a law; every list is empty where all is well. */
export interface JournalFindings {
  /** L6: entries an agent made while it was disabled. */
  readonly tradedAfterStop: readonly string[];
  /** L7: markets an agent entered twice. */
  readonly enteredTwice: readonly string[];
  /** L8: orders decided on an input older than its limit. */
  readonly staleDecisions: readonly string[];
  /** L5: entries above the largest size the user allows. */
  readonly aboveSize: readonly string[];
  /** L4: postings made twice under one id, and wins paid out twice. */
  readonly postedTwice: readonly string[];
}

const PAGE = 2_000;

/** Every entry of the journal, in order. */
export function* journalOf(store: Store): Generator<JournalEntry, void> {
  for (let page = store.readJournal(0, PAGE); page.length > 0; page = store.readJournal(page.at(-1)?.seq ?? 0, PAGE)) yield* page;
}

/** Reads the journal by itself, apart from the tables the service keeps. */
export function journalFindings(store: Store): JournalFindings {
  const found = { tradedAfterStop: [] as string[], enteredTwice: [] as string[], staleDecisions: [] as string[], aboveSize: [] as string[], postedTwice: [] as string[] };
  const agents = new Map<string, Extract<DomainEvent, { type: 'agent.changed' }>['agent']>();
  const entered = new Set<string>();
  const posted = new Set<string>();
  for (const { seq, event } of journalOf(store)) {
    if (event.type === 'agent.changed') agents.set(`${event.userId} ${event.agent.agentId}`, event.agent);
    if (event.type === 'order.intended' && event.intent.origin.kind === 'agent' && event.intent.origin.purpose === 'entry') {
      const { userId, marketId, makerMicros, origin } = event.intent;
      const agent = agents.get(`${userId} ${origin.agentId}`);
      const entry = `${userId} ${origin.agentId} ${marketId}`;
      if (agent?.enabled !== true) found.tradedAfterStop.push(`${seq}: ${entry}`);
      if (entered.has(entry)) found.enteredTwice.push(`${seq}: ${entry}`);
      if (agent !== undefined && makerMicros > agent.settings.maxPositionSize) found.aboveSize.push(`${seq}: ${entry} for ${makerMicros}`);
      entered.add(entry);
    }
    if (event.type === 'decision.made' && event.decision.outcome.kind === 'order') {
      const stale = event.decision.inputs.filter(({ ageMs, limitMs }) => ageMs !== null && ageMs > limitMs).map(({ name }) => name);
      if (stale.length > 0) found.staleDecisions.push(`${seq}: ${event.decision.decisionId} by ${stale.join(', ')}`);
    }
    if (event.type === 'ledger.posted') {
      if (posted.has(event.entry.entryId)) found.postedTwice.push(`${seq}: ${event.entry.entryId}`);
      posted.add(event.entry.entryId);
    }
  }
  return found;
}
