import type { AgentId } from '../../src/domain/ids.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import type { OrderIntent } from '../../src/domain/order.ts';
import { VENUE_B } from '../support/venue-ids.ts';
import type { MachineCounts } from './machines/machines.ts';
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
  /** Null where the service has one machine alone. */
  readonly machines: MachineCounts | null;
}

/** In the order of the table. */
const COUNT_NAMES = [
  'manual orders',
  'entries of rounds',
  'exits of rounds',
  'entries of farming',
  'stop losses of farming',
  'wins of farming',
  'manual orders of contracts',
  'entries of farming contracts',
  'stop losses of farming contracts',
  'fills of contracts',
  'contracts redeemed',
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
  'take-overs of the log',
  'owners that were fenced',
  'commits undecided',
  'sendings held back',
] as const;

/** A thing that is counted. */
type CountName = (typeof COUNT_NAMES)[number];

type CountedAgent = 'rounds' | 'farming' | 'farming contracts';

const AGENTS: Readonly<Record<CountedAgent, AgentId>> = {
  rounds: 'btc_5min',
  farming: 'venue_a_farming',
  'farming contracts': 'venue_b_farming',
};

/** Counts a day. */
export function countDay(journal: readonly JournalEntry[], outside: CountedExternal): DayCounts {
  const intents = factsOf(journal, 'order.intended').map(({ intent }) => intent);
  const contracts = intents.filter(({ venue }) => venue === VENUE_B);
  const of = (agent: CountedAgent, purpose: 'entry' | 'exit'): number =>
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
    'manual orders': intents.filter(
      ({ origin, venue }) => origin.kind === 'manual' && venue !== VENUE_B,
    ).length,
    'entries of rounds': of('rounds', 'entry'),
    'exits of rounds': of('rounds', 'exit'),
    'entries of farming': of('farming', 'entry'),
    'stop losses of farming': of('farming', 'exit'),
    'wins of farming': wins.filter(({ userId, own }) =>
      own.some(({ asset }) => farmed.has(`${userId} ${asset}`)),
    ).length,
    'manual orders of contracts': contracts.filter(
      ({ origin, isRedemption }) => origin.kind === 'manual' && isRedemption !== true,
    ).length,
    'entries of farming contracts': of('farming contracts', 'entry'),
    'stop losses of farming contracts': of('farming contracts', 'exit'),
    'fills of contracts': factsOf(journal, 'fill.recorded').filter(
      ({ fill }) => fill.cashAccount === 'usdc:solana',
    ).length,
    'contracts redeemed': contracts.filter(({ isRedemption }) => isRedemption === true).length,
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
    'take-overs of the log': outside.machines?.takeOvers ?? 0,
    'owners that were fenced': outside.machines?.fenced ?? 0,
    'commits undecided': outside.machines?.undecided ?? 0,
    'sendings held back': outside.machines?.heldBack ?? 0,
  };
}

function isOf({ origin }: OrderIntent, agent: CountedAgent, purpose: 'entry' | 'exit'): boolean {
  return origin.kind === 'agent' && origin.purpose === purpose && origin.agentId === AGENTS[agent];
}

/** The table of many days: in all, the mean of a day, and the share of days without any. */
export function countTable(days: readonly DayCounts[]): string {
  const rows = COUNT_NAMES.map((name) => {
    const total = days.reduce((sum, counts) => sum + counts[name], 0);
    const without = days.filter((counts) => counts[name] === 0).length;
    return `${name.padEnd(34)}${String(total).padStart(8)}${(total / Math.max(1, days.length)).toFixed(1).padStart(9)}${String(without).padStart(8)}`;
  });
  return [
    `${'what the seeds held'.padEnd(34)}${'in all'.padStart(8)}${'a seed'.padStart(9)}${'without'.padStart(8)}`,
    ...rows,
  ].join('\n');
}
