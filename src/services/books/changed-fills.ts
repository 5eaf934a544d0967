import type { FillRecord, VenueFill } from '../../domain/fill.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { bookFill, saysNothingNew, type BookingContext } from './fill-booking.ts';
import { takeBackSettled } from './fill-reversals.ts';
import { foldReplaced } from './settlement-fold.ts';
import { FILLS } from './tables.ts';

/**
 * A final fill, and its trade as the chain shows it now; null of an order that was proven to have
 * come to nothing.
 */
export interface ChangedFill {
  readonly fill: FillRecord | null;
  readonly shown: VenueFill;
}

/**
 * Reports whether a fill is booked as settled and its trade came to other amounts, or as taken back
 * or not at all and its trade was carried out after all.
 */
export function isChanged(reader: StoreReader, { fill, shown }: ChangedFill): boolean {
  if (shown.word !== 'confirmed') return false;
  if (fill === null) return !saysNothingNew(reader, shown);
  const { userId, orderId, tradeId } = fill;
  const known = reader.get(FILLS, [userId, orderId, tradeId])?.value;
  if (known === undefined) return false;
  if (known.settlement === 'reversed') return !saysNothingNew(reader, shown);
  if (known.settlement === 'provisional') return false;
  const [shares, usdc] = amountsOf(shown);
  return usdc !== null && (known.shares !== shares || known.usdc !== usdc);
}

/**
 * Books a trade anew, in the caller's transaction: the block it was in was taken back, and it came
 * to something else when it was carried out again. Of a settled fill the order counts the new
 * amounts alone.
 */
export function bookAnew(
  tx: StoreWriter,
  { fill, shown }: ChangedFill,
  context: BookingContext,
): void {
  if (fill?.settlement === 'settled') takeBackSettled(tx, fill, context.nowMs, foldReplaced);
  bookFill(tx, shown, context);
}

/** Shares, and USDC where each leg says what it came to. */
function amountsOf({ legs }: VenueFill): readonly [number, number | null] {
  return [
    legs.reduce((sum, leg) => sum + leg.shares, 0),
    legs.reduce<number | null>(
      (sum, leg) => (sum === null || leg.usdc === undefined ? null : sum + leg.usdc),
      0,
    ),
  ];
}
