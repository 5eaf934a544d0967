import { AppError } from '../../domain/errors.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type {
  PurposeOf,
  PurposeOwner,
  TransactionPurpose,
} from '../../domain/transaction-purpose.ts';
import type { EvmReceipt } from '../../ports/evm.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import type { TransactionBooking, Verdict } from '../transactions/transaction-effects.ts';

/** What any rail reads of a final transaction that moves money. */
export type MoneyReceipt = EvmReceipt | ChainReceipt;

/** A transaction for one purpose. */
export type TransactionFor<P extends TransactionPurpose> = TransactionRecord & {
  readonly purpose: P;
};

/** What the end of a transaction for one purpose means; see `TransactionBooking`. */
export interface Closing<P extends TransactionPurpose> {
  refusal?(reader: StoreReader, record: TransactionFor<P>): string | null;
  verdict(record: TransactionFor<P>, receipt: MoneyReceipt | null): Verdict;
  close(tx: StoreWriter, record: TransactionFor<P>, receipt: MoneyReceipt | null): void;
  /**
   * Books that what was `done` was not carried out after all. Absent where the books stay as they
   * are, and the difference is found by comparing the wallet.
   */
  undo?(tx: StoreWriter, record: TransactionFor<P>): void;
  /** Books that what was `failed` was carried out after all. Absent as `undo` is. */
  redo?(tx: StoreWriter, record: TransactionFor<P>, receipt: MoneyReceipt | null): void;
}

/** The closings of one owner: one for each kind of its purposes. */
export type OwnerClosings<Owner extends PurposeOwner> = {
  readonly [P in Extract<TransactionPurpose, { readonly owner: Owner }> as P['kind']]: Closing<
    PurposeOf<P['kind']>
  >;
};

/** The closings of all owners. */
export type TransactionOwners = {
  readonly [Owner in PurposeOwner]: OwnerClosings<Owner>;
};

/** Rows by owner and kind, as a record names them, whatever it says. */
type Rows = Readonly<Record<string, Readonly<Record<string, Closing<TransactionPurpose>>>>>;

/**
 * Creates what transactions mean for the books, in the commit that writes their end: the row of its
 * owner and its kind decides. Without such a row, as of one that a newer version has stored,
 * nothing is booked. Errors: `internal`.
 */
export function createTransactionBooking(
  owners: Partial<TransactionOwners>,
): TransactionBooking<MoneyReceipt> {
  return {
    owns: (record) => rowOf(owners, record) !== null,
    refusal: (reader, record) => rowOf(owners, record)?.refusal?.(reader, record) ?? null,
    verdict: (record, receipt) => closingOf(owners, record).verdict(record, receipt),
    close: (tx, record, receipt) => closingOf(owners, record).close(tx, record, receipt),
    undo(tx, record) {
      const row = rowOf(owners, record);
      row?.undo?.(tx, record);
      return row?.undo !== undefined;
    },
    redo(tx, record, receipt) {
      const row = rowOf(owners, record);
      row?.redo?.(tx, record, receipt);
      return row?.redo !== undefined;
    },
  };
}

function closingOf(owners: Rows, record: TransactionRecord): Closing<TransactionPurpose> {
  const found = rowOf(owners, record);
  if (found !== null) return found;
  const { transactionId, purpose } = record;
  throw new AppError(
    'internal',
    `transaction ${transactionId} is of an unknown kind, "${purpose.kind}" of owner "${purpose.owner}": nothing is booked`,
  );
}

function rowOf(
  owners: Rows,
  { purpose: { owner, kind } }: Pick<TransactionRecord, 'purpose'>,
): Closing<TransactionPurpose> | null {
  const rows = Object.hasOwn(owners, owner) ? owners[owner] : undefined;
  return (rows !== undefined && Object.hasOwn(rows, kind) ? rows[kind] : undefined) ?? null;
}
