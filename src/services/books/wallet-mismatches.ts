import { WALLET } from '../../../config/limits/funds.ts';
import { AppError } from '../../domain/errors.ts';
import { spentAsset } from '../../domain/funds-dispute.ts';
import type { UserId } from '../../domain/ids.ts';
import type { OrderIntent, OrderRecord } from '../../domain/order.ts';
import { availableShares, availableUsdc } from '../../domain/risk.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import {
  blocksSpending,
  mismatchText,
  type WalletDifference,
  type WalletMismatch,
} from '../../domain/wallet-mismatch.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { riskOf } from './record-changes.ts';
import { WALLET_MISMATCHES } from './tables.ts';

const NOTHING = { usdc: usdcMicros(0), shares: shareMicros(0) };

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
 * Refuses an order of more than the chain shows where the books have it: it would fail at the
 * venue. What is set aside for the order itself counts as free. Errors: `funds_disputed`.
 */
export function assertWalletMatches(
  reader: StoreReader,
  intent: OrderIntent,
  reserved: OrderRecord['reserved'] = NOTHING,
): void {
  const mismatch = blockingMismatch(reader, intent.userId, spentAsset(intent));
  const own = intent.side === 'buy' ? reserved.usdc : reserved.shares;
  if (mismatch === null || intent.spendMicros <= shownFor(reader, intent, mismatch) + own) return;
  throw new AppError(
    'funds_disputed',
    `${mismatchText(mismatch)}: an order of more than is there waits until both agree, and nothing was sent`,
    { retryable: true, retryAfterMs: WALLET.againMs },
  );
}

/** What is free of an asset as the chain shows it, micros. */
function shownFor(
  reader: StoreReader,
  { userId, side, cashAccount, tokenId }: OrderIntent,
  { booked, onChain }: WalletMismatch,
): number {
  const risk = riskOf(reader, userId);
  const shown = Math.min(booked, onChain);
  return side === 'buy'
    ? availableUsdc(risk, cashAccount, shown)
    : availableShares(risk, tokenId, shown);
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
