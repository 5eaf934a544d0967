import { assert } from '../../domain/errors.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { ChainReceipt, Rail } from '../../ports/transactions.ts';

/**
 * Returns the rail of a record's account. A record of an account no rail carries is a fault of the
 * composition.
 */
export function railOf<R extends ChainReceipt>(
  rails: readonly Rail<R>[],
  { account }: Pick<TransactionRecord, 'account'>,
): Rail<R> {
  const found = rails.find(({ chain, kind }) => chain === account.chain && kind === account.rail);
  assert(found !== undefined, `something carries ${account.rail} accounts on ${account.chain}`);
  return found;
}
