import type { UserId } from '../../domain/ids.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreReader } from '../../ports/store.ts';
import { openTransactions } from '../transactions/transaction-records.ts';
import { transactionsOf } from '../transactions/stored-transactions.ts';

/** Returns the transactions of this service for a user on a chain, by whichever rail. */
export function ownTransactions(
  reader: StoreReader,
  userId: UserId,
  chain: Web3ChainId,
): readonly TransactionRecord[] {
  return transactionsOf(reader, userId).filter(({ account }) => account.chain === chain);
}

/** Returns the names transactions have on their chain: one of them, where any has landed. */
export function namesOf(records: readonly TransactionRecord[]): readonly string[] {
  return records.flatMap(({ attempts, transactionHash }) => [
    ...attempts.map(({ id }) => id),
    ...(transactionHash === null ? [] : [transactionHash]),
  ]);
}

/** Reports whether something of a user's is on its way on a chain, by whichever rail. */
export function isOnItsWay(reader: StoreReader, userId: UserId, chain: Web3ChainId): boolean {
  return openTransactions(reader, userId).some(({ account }) => account.chain === chain);
}
