import { FEEDS } from '../../../config/limits/market-data.ts';
import type { DecisionInput } from '../../../src/domain/agent.ts';
import type { JournalEntry } from '../../../src/domain/events.ts';
import type { ClockMoment } from '../machine-time.ts';
import { factsOf } from './journal.ts';

/**
 * L8: orders decided on an input older than its limit, or one that had no age because it was not
 * there.
 */
export function staleDecisions(journal: readonly JournalEntry[]): readonly string[] {
  return factsOf(journal, 'decision.made').flatMap(
    ({ decision: { decisionId, outcome, inputs } }) => {
      const stale =
        outcome.kind === 'order'
          ? inputs.filter(({ value, ageMs, limitMs }) =>
              ageMs !== null ? ageMs > limitMs || ageMs < 0 : value !== null && limitMs > 0,
            )
          : [];
      return stale.length === 0
        ? []
        : [
            `${decisionId} by ${stale.map(({ name, ageMs, limitMs }) => `${name} of ${ageMs ?? 'no'} ms, at most ${limitMs}`).join(', ')}`,
          ];
    },
  );
}

/** Inputs that are dated by those who tell them; others are dated by us, when they arrive. */
const DATED_OUTSIDE: ReadonlySet<string> = new Set([
  'oracle price',
  'exchange price',
  'prediction',
  'volatility',
]);
/** What a reading of a clock and of another may differ by. */
const READING_MS = 500;

/**
 * L8: orders decided on an input that was older than its limit in the world's time, whatever the
 * clock of the service said: it may have been set wrong, or have run slow. A stamp from outside
 * that is ahead of our clock by `FEEDS.futureMaximumMs` is believed by design.
 */
export function staleInTruth(
  journal: readonly JournalEntry[],
  moments: ReadonlyMap<string, ClockMoment>,
): readonly string[] {
  return factsOf(journal, 'decision.made').flatMap(
    ({ decision: { decisionId, outcome, inputs } }) => {
      const moment = moments.get(decisionId);
      if (moment === undefined || outcome.kind !== 'order') return [];
      const stale = inputs.filter(
        (input) =>
          trueAgeMs(input, moment) >
          input.limitMs + (DATED_OUTSIDE.has(input.name) ? FEEDS.futureMaximumMs : READING_MS),
      );
      return stale.length === 0
        ? []
        : [
            `${decisionId} by ${stale.map((input) => `${input.name} of ${Math.round(trueAgeMs(input, moment))} ms, at most ${input.limitMs}`).join(', ')}; the clock was ahead by ${Math.round(moment.aheadMs)} ms`,
          ];
    },
  );
}

/** At least so old the input was; no age where none matters. */
function trueAgeMs(
  { name, ageMs, limitMs }: DecisionInput,
  { aheadMs, sinceSlowMs, slowMs }: ClockMoment,
): number {
  if (
    ageMs === null ||
    limitMs === 0 ||
    name === 'exchange price at start' ||
    name === 'price to beat'
  )
    return 0;
  if (DATED_OUTSIDE.has(name)) return ageMs - aheadMs;
  return ageMs + Math.min(Math.max(0, ageMs - sinceSlowMs), slowMs);
}

/** L7: markets an agent entered twice. */
export function enteredTwice(journal: readonly JournalEntry[]): readonly string[] {
  const entered = new Set<string>();
  return journal.flatMap(({ seq, event }) => {
    if (
      event.type !== 'order.intended' ||
      event.intent.origin.kind !== 'agent' ||
      event.intent.origin.purpose !== 'entry'
    )
      return [];
    const entry = `${event.userId} ${event.intent.origin.agentId} ${event.intent.marketId}`;
    return entered.size === entered.add(entry).size ? [`${seq}: ${entry}`] : [];
  });
}

/** L5: entries above the largest size the user allows the agent. */
export function aboveSize(journal: readonly JournalEntry[]): readonly string[] {
  const sizes = new Map<string, number>();
  return journal.flatMap(({ seq, event }) => {
    if (event.type === 'agent.changed')
      sizes.set(`${event.userId} ${event.agent.agentId}`, event.agent.settings.maxPositionSize);
    if (
      event.type !== 'order.intended' ||
      event.intent.origin.kind !== 'agent' ||
      event.intent.origin.purpose !== 'entry'
    )
      return [];
    const { userId, spendMicros, origin } = event.intent;
    return spendMicros > (sizes.get(`${userId} ${origin.agentId}`) ?? 0)
      ? [`${seq}: ${userId} ${origin.agentId} for ${spendMicros}`]
      : [];
  });
}

/** L4: ledger entries posted twice under one name. */
export function postedTwice(journal: readonly JournalEntry[]): readonly string[] {
  const posted = new Set<string>();
  return factsOf(journal, 'ledger.posted').flatMap(({ entry: { entryId } }) =>
    posted.size === posted.add(entryId).size ? [entryId] : [],
  );
}
