import type { AgentId } from '../../src/domain/ids.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import type { OrderIntent } from '../../src/domain/order.ts';
import { factsOf } from './checks/journal.ts';

/** What a day held, by name; every day counts the same things. */
export type DayCounts = Readonly<Record<CountName, number>>;

/** What happened outside the journal. */
export interface CountedExternal {
  readonly crashes: number;
  readonly faultsDrawn: number;
  /** Kinds of faults that nothing came by until the end. */
  readonly faultsIdle: number;
  readonly blocksTakenBack: number;
  readonly messages: number;
}

/** In the order of the table. */
export const COUNT_NAMES = [
  'manual orders',
  'entries of rounds',
  'exits of rounds',
  'entries of farming',
  'stop losses of farming',
  'wins of farming',
  'decisions refused',
  'paper trades',
  'fills',
  'settled',
  'reversed',
  'wins paid',
  'deposits',
  'withdrawals',
  'transactions of Safes',
  'blocks taken back',
  'faults drawn',
  'faults that met nothing',
  'power failures',
  'stops of users and operator',
  'stops of agents',
  'notifications',
  'messages to browsers',
] as const;

/** A thing that is counted. */
export type CountName = (typeof COUNT_NAMES)[number];

const FARMING: AgentId = 'venue_a_farming';

/** Counts a day. */
export function countDay(journal: readonly JournalEntry[], outside: CountedExternal): DayCounts {
  const intents = factsOf(journal, 'order.intended').map(({ intent }) => intent);
  const of = (agent: 'rounds' | 'farming', purpose: 'entry' | 'exit'): number =>
    intents.filter((intent) => isOf(intent, agent, purpose)).length;
  const farmed = new Set(
    intents
      .filter((intent) => isOf(intent, 'farming', 'entry'))
      .map(({ userId, tokenId }) => `${userId} ${tokenId}`),
  );
  const entries = factsOf(journal, 'ledger.posted').map(({ userId, entry }) => ({
    kind: entry.kind,
    own: entry.postings.filter(({ owner }) => owner === userId),
    userId,
  }));
  const wins = entries.filter(
    ({ kind, own }) =>
      kind === 'payout' && own.some(({ asset, micros }) => asset === 'usdc:safe' && micros > 0),
  );
  const many = (...types: readonly JournalEntry['event']['type'][]): number =>
    journal.filter(({ event: { type } }) => types.includes(type)).length;
  return {
    'manual orders': intents.filter(({ origin }) => origin.kind === 'manual').length,
    'entries of rounds': of('rounds', 'entry'),
    'exits of rounds': of('rounds', 'exit'),
    'entries of farming': of('farming', 'entry'),
    'stop losses of farming': of('farming', 'exit'),
    'wins of farming': wins.filter(({ userId, own }) =>
      own.some(({ asset }) => farmed.has(`${userId} ${asset}`)),
    ).length,
    'decisions refused': factsOf(journal, 'decision.made').filter(
      ({ decision: { outcome } }) => outcome.kind === 'refused',
    ).length,
    'paper trades': factsOf(journal, 'paper.recorded').filter(
      ({ fact: { type } }) => type === 'fill.recorded',
    ).length,
    fills: many('fill.recorded'),
    settled: many('fill.settled'),
    reversed: many('fill.reversed'),
    'wins paid': wins.length,
    deposits: entries.filter(({ kind }) => kind === 'deposit').length,
    withdrawals: entries.filter(({ kind }) => kind === 'hold_booked').length,
    'transactions of Safes': factsOf(journal, 'transaction.changed').filter(
      ({ transaction: { state, purpose } }) =>
        state === 'done' && (purpose.kind === 'redeem' || purpose.kind === 'withdraw'),
    ).length,
    'blocks taken back': outside.blocksTakenBack,
    'faults drawn': outside.faultsDrawn,
    'faults that met nothing': outside.faultsIdle,
    'power failures': outside.crashes,
    'stops of users and operator': many('trading.stopped', 'all_trading.stopped'),
    'stops of agents':
      many('agents.stopped') +
      factsOf(journal, 'agent.changed').filter(({ agent: { enabled } }) => !enabled).length,
    notifications: many('notification.made'),
    'messages to browsers': outside.messages,
  };
}

function isOf(
  { origin }: OrderIntent,
  agent: 'rounds' | 'farming',
  purpose: 'entry' | 'exit',
): boolean {
  return (
    origin.kind === 'agent' &&
    origin.purpose === purpose &&
    (origin.agentId === FARMING) === (agent === 'farming')
  );
}

/** The table of many days: in all, the mean of a day, and the share of days without any. */
export function countTable(days: readonly DayCounts[]): string {
  const rows = COUNT_NAMES.map((name) => {
    const total = days.reduce((sum, counts) => sum + counts[name], 0);
    const without = days.filter((counts) => counts[name] === 0).length;
    return `${name.padEnd(26)}${String(total).padStart(8)}${(total / Math.max(1, days.length)).toFixed(1).padStart(9)}${String(without).padStart(8)}`;
  });
  return [
    `${'what the seeds held'.padEnd(26)}${'in all'.padStart(8)}${'a seed'.padStart(9)}${'without'.padStart(8)}`,
    ...rows,
  ].join('\n');
}
