import type { TransactionId } from '../../domain/ids.ts';
import { isTransactionOver } from '../../domain/transaction.ts';
import type { PurposeKind } from '../../domain/transaction-purpose.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Store } from '../../ports/store.ts';
import { transactionAt } from './stored-transactions.ts';
import { OPEN_TRANSACTIONS } from './tables.ts';

/** Transactions that have not ended: how many, and how old the oldest of each kind is. */
export interface TransactionFigures {
  /** The start: takes up those on record. */
  recover(): void;
  /** Sets the gauges. */
  tell(): void;
  stop(): void;
}

const KINDS: readonly PurposeKind[] = [
  'deploy',
  'allowances',
  'withdraw',
  'redeem',
  'transfer',
  'wrap',
  'send',
  'swap_approval',
  'swap',
  'launch',
  'registry',
  'venue_call',
  'venue_redemption',
];

/** Makes the figures; they follow the facts, and hold what is open, which its queues bound. */
export function followTransactionFigures({
  store,
  bus,
  clock,
  metrics,
}: {
  readonly store: Store;
  readonly bus: Bus;
  /** Wall time, in which transactions are made. */
  readonly clock: Clock;
  readonly metrics: Metrics;
}): TransactionFigures {
  const open = new Map<TransactionId, { readonly kind: PurposeKind; readonly sinceMs: number }>();
  const stop = bus.subscribe(({ event }) => {
    if (event.type !== 'transaction.changed') return;
    const { transactionId, state, purpose } = event.transaction;
    if (isTransactionOver(state)) open.delete(transactionId);
    else if (!open.has(transactionId))
      open.set(transactionId, { kind: purpose.kind, sinceMs: event.atMs });
  });
  return {
    recover() {
      for (const { key, value } of store.range(OPEN_TRANSACTIONS)) {
        const record = transactionAt(store, [key[0] ?? '', key.at(-1) ?? '']);
        if (record !== null)
          open.set(record.transactionId, { kind: record.purpose.kind, sinceMs: value.sinceMs });
      }
    },
    tell() {
      const nowMs = clock.nowMs();
      const found = new Map(KINDS.map((kind) => [kind, { count: 0, oldestMs: 0 }]));
      for (const { kind, sinceMs } of open.values()) {
        const one = found.get(kind);
        if (one === undefined) continue;
        one.count += 1;
        one.oldestMs = Math.max(one.oldestMs, nowMs - sinceMs);
      }
      for (const [kind, { count, oldestMs }] of found) {
        metrics.gauge('transactions_open', count, { kind });
        metrics.gauge('transactions_oldest_seconds', oldestMs / 1_000, { kind });
      }
    },
    stop,
  };
}
