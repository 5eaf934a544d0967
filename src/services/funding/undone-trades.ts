import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import { takeBackSettled } from '../books/fill-reversals.ts';
import { FILLS } from '../books/tables.ts';
import type { Commit } from '../commit.ts';

interface UndoneTradesDeps {
  readonly store: Store;
  readonly commit: Commit;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly log: Log;
}

/**
 * Takes back the settled fills of a user's transactions that did nothing after all, named by the
 * chain; resolves with how many there were. Errors: `store_unavailable`.
 */
export async function takeBackUndone(
  { store, commit, marketClock, log }: UndoneTradesDeps,
  userId: UserId,
  undone: ReadonlySet<string>,
): Promise<number> {
  if (settledOf(store, userId, undone).length === 0) return 0;
  const fills = await commit((tx) => {
    const found = settledOf(tx, userId, undone);
    for (const fill of found) takeBackSettled(tx, fill, marketClock.nowMs());
    return found;
  });
  for (const { orderId, tradeId, transactionHash } of fills)
    log.error({ userId, orderId, tradeId, transactionHash }, 'money.trade_taken_back');
  return fills.length;
}

function settledOf(reader: StoreReader, userId: UserId, undone: ReadonlySet<string>) {
  return reader
    .range(FILLS, { prefix: [userId] })
    .map(({ value }) => value)
    .filter(
      ({ settlement, transactionHash }) =>
        settlement === 'settled' && transactionHash !== null && undone.has(transactionHash),
    );
}
