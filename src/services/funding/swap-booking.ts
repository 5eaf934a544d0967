import type { CashAccount } from '../../domain/cash.ts';
import { receivedSide, type SwapRecord, type SwapSide } from '../../domain/swap.ts';
import type { StoreReader } from '../../ports/store.ts';
import { isDepositBooked } from './movement-booking.ts';
import { ARRIVALS } from './tables.ts';

/**
 * Reports whether money that a swap brought, or gave back, is on its way into the books: the chain
 * has shown it in the wallet, and the reading of that wallet which books it is still to come. Once
 * booked it stays so, whatever is taken back later; a sum that was booked without a transaction
 * since the swap began may have it in it, and counts as that.
 */
export function awaitsBooking(
  reader: StoreReader,
  swap: SwapRecord,
  cashAccountOf: (side: SwapSide) => CashAccount | null,
): boolean {
  const { userId, state, receivedHash, createdAtMs } = swap;
  const side = receivedSide(swap);
  if (side === null || receivedHash === null || state === 'failed') return false;
  if (cashAccountOf(side) === null) return false;
  const transferId = `${side.chain}:${receivedHash}`;
  if (isDepositBooked(reader, { userId, transferId })) return false;
  return !reader
    .range(ARRIVALS, { prefix: [userId], after: [userId, createdAtMs] })
    .some(({ value }) => value.transactionHash === null);
}
