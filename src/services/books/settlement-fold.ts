import type { OrderRecord } from '../../domain/order.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import { plusFill, type FillAmounts } from './kept-order.ts';

/**
 * Counts a fill that has become final or was taken back; the order's state, which tells what was
 * matched, stays.
 */
export function foldSettlement(
  record: OrderRecord,
  { shares, usdc, fee, feeShares }: Omit<FillAmounts, 'orderId'>,
  settlement: 'settled' | 'reversed',
  nowMs: number,
): OrderRecord {
  if (settlement === 'settled')
    return {
      ...record,
      settledShares: shareMicros((record.settledShares ?? 0) + shares),
      updatedAtMs: nowMs,
    };
  return {
    ...record,
    reversedShares: shareMicros((record.reversedShares ?? 0) + shares),
    reversedUsdc: usdcMicros((record.reversedUsdc ?? 0) + usdc),
    reversedFeesUsdc: usdcMicros((record.reversedFeesUsdc ?? 0) + fee),
    ...(feeShares === undefined
      ? {}
      : { reversedFeeShares: shareMicros((record.reversedFeeShares ?? 0) + feeShares) }),
    updatedAtMs: nowMs,
  };
}

/** Counts a fill as taken back that had become final. */
export function foldUnsettled(record: OrderRecord, fill: FillAmounts, nowMs: number): OrderRecord {
  return {
    ...foldSettlement(record, fill, 'reversed', nowMs),
    settledShares: shareMicros((record.settledShares ?? 0) - fill.shares),
  };
}

/** Counts a final fill no more, whose trade came to other amounts: another takes its place. */
export function foldReplaced(record: OrderRecord, fill: FillAmounts, nowMs: number): OrderRecord {
  const { shares, usdc, fee, feeShares } = fill;
  const opposite = {
    ...fill,
    shares: shareMicros(-shares),
    usdc: usdcMicros(-usdc),
    fee: usdcMicros(-fee),
    ...(feeShares === undefined ? {} : { feeShares: shareMicros(-feeShares) }),
  };
  return {
    ...record,
    ...plusFill(record, opposite),
    settledShares: shareMicros((record.settledShares ?? 0) - shares),
    updatedAtMs: nowMs,
  };
}
