import { WALLET } from '../../../config/limits/funds.ts';
import { AppError } from '../../domain/errors.ts';
import { spentAsset } from '../../domain/funds-dispute.ts';
import type { UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import {
  blocksSpending,
  mismatchText,
  type WalletDifference,
  type WalletMismatch,
} from '../../domain/wallet-mismatch.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { WALLET_MISMATCHES } from './tables.ts';

/** Returns what of a user's own wallets differs from the books and nothing explains. */
export function walletMismatches(reader: StoreReader, userId: UserId): readonly WalletMismatch[] {
  return reader.range(WALLET_MISMATCHES, { prefix: [userId] }).map(({ value }) => value);
}

/**
 * Replaces what is known to differ, in the caller's transaction: what differed before keeps its
 * time.
 */
export function putMismatches(
  tx: StoreWriter,
  userId: UserId,
  { found, atMs }: { readonly found: readonly WalletDifference[]; readonly atMs: number },
): void {
  for (const { asset } of walletMismatches(tx, userId))
    if (!found.some((one) => one.asset === asset)) tx.remove(WALLET_MISMATCHES, [userId, asset]);
  for (const one of found) {
    const before = tx.get(WALLET_MISMATCHES, [userId, one.asset])?.value;
    const after = { ...one, sinceMs: before?.sinceMs ?? atMs };
    if (before?.booked !== one.booked || before.onChain !== one.onChain)
      tx.put(WALLET_MISMATCHES, [userId, one.asset], after);
  }
}

/**
 * Refuses an order of what the chain does not show where the books have it: it would fail at the
 * venue. Errors: `funds_disputed`.
 */
export function assertWalletMatches(reader: StoreReader, intent: OrderIntent): void {
  const mismatch = blockingMismatch(reader, intent.userId, spentAsset(intent));
  if (mismatch === null) return;
  throw new AppError(
    'funds_disputed',
    `${mismatchText(mismatch)}: orders wait until both agree, and nothing was sent`,
    { retryable: true, retryAfterMs: WALLET.againMs },
  );
}

/** Returns the difference that keeps an asset from being spent; null where none does. */
export function blockingMismatch(
  reader: StoreReader,
  userId: UserId,
  asset: string,
): WalletMismatch | null {
  const mismatch = reader.get(WALLET_MISMATCHES, [userId, asset])?.value;
  return mismatch !== undefined && blocksSpending(mismatch) ? mismatch : null;
}
