import type { DomainEvent, JournalEntry } from '../../../src/domain/events.ts';
import { isTerminal, type OrderState } from '../../../src/domain/order.ts';
import { factsOf, repeated } from './journal.ts';

/** L1: intents made or signed more than once, and order ids that two intents share. */
export function notOneOrderPerIntent(journal: readonly JournalEntry[]): readonly string[] {
  const signed = factsOf(journal, 'order.signed');
  return [
    ...repeated(factsOf(journal, 'order.intended').map(({ intent }) => intent.intentId)).map(
      (id) => `${id} was made twice`,
    ),
    ...signedBesides(signed).map((id) => `${id} was signed twice`),
    ...repeated(signed.map(({ attemptId }) => attemptId)).map((id) => `${id} is of two intents`),
  ];
}

/**
 * Intents signed again for another reason than the proof that their last attempt can never land.
 */
function signedBesides(
  signed: readonly Extract<DomainEvent, { readonly type: 'order.signed' }>[],
): readonly string[] {
  const last = new Map<string, string>();
  return signed.flatMap(({ intentId, attemptId, follows }) => {
    const isNext = last.get(intentId) === follows?.attemptId;
    last.set(intentId, attemptId);
    return isNext ? [] : [intentId];
  });
}

/**
 * L2: orders whose story has no end, goes on behind it, or does not follow from what came before.
 */
export function notEnded(journal: readonly JournalEntry[]): readonly string[] {
  const states = new Map<string, OrderState>();
  /** Those the service keeps: attempts are signed for them while they wait. */
  const kept = new Set<string>();
  const found: string[] = [];
  for (const { seq, event } of journal) {
    if (event.type === 'order.intended') {
      const { intentId, restsAt } = event.intent;
      if (restsAt === 'service') kept.add(intentId);
      states.set(intentId, restsAt === 'service' ? 'live' : 'intended');
    }
    if (event.type === 'order.signed' && !kept.has(event.intentId))
      states.set(event.intentId, 'signed');
    if (event.type !== 'order.changed') continue;
    const before = states.get(event.intentId);
    if (before === undefined) found.push(`${seq}: ${event.intentId} changed before it was made`);
    else if (isTerminal(before))
      found.push(`${seq}: ${event.intentId} became ${event.to} when it was ${before} for good`);
    else if (before !== event.from)
      found.push(
        `${seq}: ${event.intentId} became ${event.to} from ${event.from}, but was ${before}`,
      );
    states.set(event.intentId, event.to);
  }
  return [
    ...found,
    ...[...states]
      .filter(([, state]) => !isTerminal(state))
      .map(([intentId, state]) => `${intentId} is ${state} in the end`),
  ];
}
