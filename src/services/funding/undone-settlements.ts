import { TRANSACTION, WALLET } from '../../../config/limits/funds.ts';
import type { CashAccount } from '../../domain/cash.ts';
import type { FillRecord } from '../../domain/fill.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { WalletReads } from '../../ports/venue.ts';
import { takeBackSettled } from '../books/fill-reversals.ts';
import { FILLS, USER_FILLS } from '../books/tables.ts';

/**
 * Asks the chain once more about the transactions by which a venue settled a user's newest trades,
 * and takes those trades back whose transaction failed when it was carried out again after a
 * reorganisation: the venue does not say so of what it had called final. Resolves with whether any
 * was. Errors: `chain_unavailable`, `store_unavailable`.
 */
export type UndoneSettlements = (userId: UserId) => Promise<boolean>;

/** Makes the question. */
export function createUndoneSettlements(
  deps: Pick<Runtime, 'store' | 'commit' | 'log'> & {
    readonly cashAccount: CashAccount;
    readonly wallet: Pick<WalletReads, 'standing'>;
    /** Market time, in which the books are kept. */
    readonly marketClock: Clock;
  },
): UndoneSettlements {
  const { store, commit, cashAccount, wallet, marketClock, log } = deps;
  return async (userId) => {
    if (wallet.standing === undefined) return false;
    const failed = new Set<string>();
    const sinceMs = marketClock.nowMs() - TRANSACTION.askedAgainMs;
    for (const { transactionHash } of settledOf(store, userId, { cashAccount, sinceMs }))
      if (!failed.has(transactionHash) && (await wallet.standing(transactionHash)) === 'failed')
        failed.add(transactionHash);
    if (failed.size === 0) return false;
    const taken = await commit((tx) => {
      const still = settledOf(tx, userId, { cashAccount, sinceMs }).filter(({ transactionHash }) =>
        failed.has(transactionHash),
      );
      for (const fill of still) takeBackSettled(tx, fill, marketClock.nowMs());
      return still;
    });
    for (const { orderId, tradeId, transactionHash } of taken)
      log.error({ userId, orderId, tradeId, transactionHash }, 'money.trade_taken_back');
    return taken.length > 0;
  };
}

type SettledFill = FillRecord & { readonly transactionHash: string };

/** Newest first. */
function settledOf(
  reader: StoreReader,
  userId: UserId,
  { cashAccount, sinceMs }: { readonly cashAccount: CashAccount; readonly sinceMs: number },
): readonly SettledFill[] {
  return reader
    .range(USER_FILLS, { prefix: [userId], reverse: true, limit: WALLET.fillsAskedAgainMaximum })
    .flatMap(({ value: { orderId, tradeId } }) => {
      const fill = reader.get(FILLS, [userId, orderId, tradeId])?.value;
      if (fill === undefined || fill.transactionHash === null) return [];
      const isMeant =
        fill.settlement === 'settled' &&
        fill.cashAccount === cashAccount &&
        fill.recordedAtMs >= sinceMs;
      return isMeant ? [{ ...fill, transactionHash: fill.transactionHash }] : [];
    });
}
