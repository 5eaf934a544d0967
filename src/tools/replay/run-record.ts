import { createHash } from 'node:crypto';
import type { DecisionRecord, SignalReceipt } from '../../domain/agent.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Bus } from '../../ports/bus.ts';

/** What a run came to, kept while it runs. */
export interface RunRecord {
  /**
   * SHA-256 over everything recorded so far, in the order in which it became known, as 64 hex
   * digits.
   */
  hash(): string;
  /**
   * The same over decisions alone: verdicts with their inputs and criteria, without the names drawn
   * for them.
   */
  decisionHash(): string;
  readonly counts: RunCounts;
  /** Adds a decision of the shared signal. */
  note(receipt: SignalReceipt): void;
  stop(): void;
}

/** How often what happened. */
export interface RunCounts {
  readonly decisions: number;
  readonly orders: number;
  readonly fills: number;
  readonly postings: number;
}

type Recorded = Exclude<
  DomainEvent['type'],
  | 'user.created'
  | 'audit.recorded'
  | 'transaction.changed'
  | 'agent.changed'
  | 'signal.judged'
  | 'paper.recorded'
>;

/** Decisions, orders, fills, ledger and what follows from them are a run; who ran it is not. */
const RECORDED: ReadonlySet<DomainEvent['type']> = new Set<Recorded>([
  'decision.made',
  'order.intended',
  'order.signed',
  'order.changed',
  'fill.recorded',
  'fill.settled',
  'fill.reversed',
  'ledger.posted',
  'position.changed',
  'market.resolved',
  'agent.traded',
]);

/** Records a run from the journal's facts. */
export function recordRun(bus: Bus): RunRecord {
  const digest = createHash('sha256');
  const decisions = createHash('sha256');
  const counts = { decisions: 0, orders: 0, fills: 0, postings: 0 };
  const add = (fact: unknown): void => void digest.update(canonicalJson(fact)).update('\n');
  const stop = bus.subscribe(({ event }) => {
    if (!RECORDED.has(event.type)) return;
    add(event);
    if (event.type === 'decision.made') {
      counts.decisions += 1;
      decisions.update(canonicalJson(decided(event.decision))).update('\n');
    }
    if (event.type === 'order.intended') counts.orders += 1;
    if (event.type === 'fill.recorded') counts.fills += 1;
    if (event.type === 'ledger.posted') counts.postings += event.entry.postings.length;
  });
  return {
    hash: () => digest.copy().digest('hex'),
    decisionHash: () => decisions.copy().digest('hex'),
    counts,
    note(receipt) {
      counts.decisions += 1;
      add(receipt);
      decisions.update(canonicalJson(decided(receipt))).update('\n');
    },
    stop,
  };
}

/** What a receipt says of its decision, without its own name and its order's. */
function decided(receipt: DecisionRecord | SignalReceipt): unknown {
  const { agentId, strategy, marketId, atMs, inputs, decision } = receipt;
  const became =
    'outcome' in receipt ? { amountUsdc: receipt.amountUsdc, outcome: receipt.outcome.kind } : {};
  return { agentId, strategy, marketId, atMs, inputs, decision, ...became };
}

/** JSON with the names of every object in order: the same facts give the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
