import type { TransactionRecord } from '../../domain/transaction.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { takeBackSettled } from '../books/fill-reversals.ts';
import { FILLS } from '../books/tables.ts';
import { namesOf } from './own-transactions.ts';

/**
 * Takes back the settled fills of a transaction that was not carried out after all, in the caller's
 * change.
 */
export function undoTrades(tx: StoreWriter, record: TransactionRecord, atMs: number): void {
  const names = new Set(namesOf([record]));
  const undone = tx
    .range(FILLS, { prefix: [record.userId] })
    .map(({ value }) => value)
    .filter(
      ({ settlement, transactionHash }) =>
        settlement === 'settled' && transactionHash !== null && names.has(transactionHash),
    );
  for (const fill of undone) takeBackSettled(tx, fill, atMs);
}
