import type { SignalReceipt } from '../../domain/agent.ts';
import type { Table } from '../../ports/store.ts';
import type { Chained } from '../books/tables.ts';

/** A stretch of time in which an enabled agent shared a signal; `untilMs` is null while it does. */
export interface EnabledPeriod {
  readonly groupKey: string;
  readonly untilMs: number | null;
}

/**
 * Receipts of shared signals, pruned when their time is over; what they said stays in the journal:
 * [groupKey, atMs, decisionId].
 */
export const SIGNAL_RECEIPTS: Table<Chained<SignalReceipt>> = { name: 'signal_receipts' };
/** Which signal an agent shared when: [userId, agentId, fromMs]. */
export const ENABLED_PERIODS: Table<EnabledPeriod> = { name: 'enabled_periods' };
