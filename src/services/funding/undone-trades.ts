import type { TransactionRecord } from '../../domain/transaction.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { FillRecord } from '../../domain/fill.ts';
import { takeBackSettled } from '../books/fill-reversals.ts';
import { FILLS } from '../books/tables.ts';
import { findTransaction } from '../transactions/stored-transactions.ts';
import { namesOf } from './own-transactions.ts';

/**
 * Takes back the settled fills of a transaction that was not carried out after all, in the change
 * that writes so. What stays of it is the gas that it took when it failed.
 */
export function undoTrades(tx: StoreWriter, record: TransactionRecord, atMs: number): void {
  const paid = BigInt(findTransaction(tx, record)?.fee ?? 0);
  const withGas = (fill: FillRecord): FillRecord => {
    const { gas } = fill;
    if (gas === undefined) return fill;
    const units = BigInt(gas.units) - paid + BigInt(record.fee ?? 0);
    return { ...fill, gas: { ...gas, units: String(units > 0n ? units : 0n) } };
  };
  const names = new Set(namesOf([record]));
  const undone = tx
    .range(FILLS, { prefix: [record.userId] })
    .map(({ value }) => value)
    .filter(
      ({ settlement, transactionHash }) =>
        settlement === 'settled' && transactionHash !== null && names.has(transactionHash),
    );
  for (const fill of undone) takeBackSettled(tx, withGas(fill), atMs);
}
