import { WALLET } from '../../../config/limits/funds.ts';
import type { CashAccount } from '../../domain/cash.ts';
import type { TokenId, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { WalletReads } from '../../ports/venue.ts';
import type { Commit } from '../../ports/commit.ts';
import { WALLET_MARKS } from './tables.ts';

/** One thing in a user's own wallet: an outcome's token, or the USDC. */
interface Held {
  readonly userId: UserId;
  readonly asset: TokenId | CashAccount;
}

/** Returns where the history of what is held is read from; null: from its beginning. */
export function markOf(reader: StoreReader, { userId, asset }: Held): string | null {
  return reader.get(WALLET_MARKS, [userId, asset])?.value.transactionHash ?? null;
}

/** Notes that a history is explained up to a transaction or a mark, in the caller's change. */
export function putMark(
  tx: StoreWriter,
  { userId, asset }: Held,
  {
    newest,
    wallet,
    clock,
  }: {
    readonly newest: string | null;
    readonly wallet: Pick<WalletReads, 'mark'>;
    /** Wall time. */
    readonly clock: Clock;
  },
): void {
  if (newest === null) return;
  tx.put(WALLET_MARKS, [userId, asset], {
    transactionHash: newest,
    ...(wallet.mark === undefined ? {} : { atMs: clock.nowMs() }),
  });
}

/**
 * Moves the mark on where chain and books agree and the last one has aged, so that a history never
 * grows longer than is read. Errors: `chain_unavailable`, `store_unavailable`.
 */
export async function moveMark(
  {
    store,
    commit,
    wallet,
    clock,
  }: {
    readonly store: StoreReader;
    readonly commit: Commit;
    readonly wallet: Pick<WalletReads, 'mark'>;
    readonly clock: Clock;
  },
  held: Held,
): Promise<void> {
  if (wallet.mark === undefined || !isOld(store, held, clock)) return;
  const newest = await wallet.mark();
  await commit((tx) => {
    if (isOld(tx, held, clock)) putMark(tx, held, { newest, wallet, clock });
  });
}

function isOld(reader: StoreReader, { userId, asset }: Held, clock: Clock): boolean {
  const atMs = reader.get(WALLET_MARKS, [userId, asset])?.value.atMs ?? -Infinity;
  return clock.nowMs() - atMs >= WALLET.markEveryMs;
}
