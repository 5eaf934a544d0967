import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { StoreReader } from '../../ports/store.ts';
import { stopOver } from '../orders/stop-check.ts';

/**
 * Returns why a stop keeps a user's money in, in words for them; null without one. Whoever stopped
 * may fear that an attacker is at work (L6).
 */
export function stopOnMoney(reader: StoreReader, userId: UserId): string | null {
  const stop = stopOver(reader, { userId, origin: { kind: 'manual' }, side: 'buy' });
  return stop === null ? null : `no money is sent out: ${stop}`;
}

/** Refuses what a stop keeps in. Errors: `trading_stopped`. */
export function assertMayLeave(reader: StoreReader, userId: UserId): void {
  const stop = stopOnMoney(reader, userId);
  if (stop !== null) throw new AppError('trading_stopped', stop);
}

/**
 * Refuses the bytes of a transaction that a stop holds back. What a venue has the account do for a
 * sale is let go, as every sale is (L6). Errors: `trading_stopped`.
 */
export function assertMaySign(
  reader: StoreReader,
  { userId, purpose }: Pick<TransactionRecord, 'userId' | 'purpose'>,
): void {
  const isSale = purpose.owner === 'venue' && purpose.data.side === 'sell';
  if (!isSale) assertMayLeave(reader, userId);
}
