import type { UserId } from '../domain/ids.ts';
import { transferBy, type UserTransfer } from '../domain/user-transfer.ts';
import type { StoreReader } from '../ports/store.ts';
import { OPEN_SWAPS } from './swaps/tables.ts';
import { openTransactions } from './transactions/transaction-records.ts';

/**
 * Returns what of a user's money or entries is under way, in no order: as much as the queues of
 * their accounts and their open swaps hold.
 */
export function transfersUnderWay(reader: StoreReader, userId: UserId): readonly UserTransfer[] {
  const swaps = reader
    .range(OPEN_SWAPS, { prefix: [userId] })
    .map(({ key }): UserTransfer => ({ kind: 'swap', id: String(key[1]), isOver: false }));
  const others = openTransactions(reader, userId).flatMap((transaction): UserTransfer[] => {
    const { purpose } = transaction;
    if (purpose.kind === 'launch')
      return [{ kind: 'launch', id: purpose.data.launchId, isOver: false }];
    if (purpose.kind === 'registry')
      return [{ kind: 'registry', id: purpose.data.entryId, isOver: false }];
    const own = transferBy(transaction);
    return own === null ? [] : [own];
  });
  return [...swaps, ...others];
}
