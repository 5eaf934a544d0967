import type { OrderRecord } from '../../domain/order.ts';
import { shareMicros } from '../../domain/units.ts';
import type { FillAmounts } from './kept-order.ts';

/**
 * Counts a fill that has become final or was taken back; the order's state, which tells what was
 * matched, stays.
 */
export function foldSettlement(
  record: OrderRecord,
  { shares }: Pick<FillAmounts, 'shares'>,
  settlement: 'settled' | 'reversed',
  nowMs: number,
): OrderRecord {
  const counter = settlement === 'settled' ? 'settledShares' : 'reversedShares';
  return {
    ...record,
    [counter]: shareMicros((record[counter] ?? 0) + shares),
    updatedAtMs: nowMs,
  };
}

/** Counts a fill as taken back that had become final. */
export function foldUnsettled(
  record: OrderRecord,
  { shares }: Pick<FillAmounts, 'shares'>,
  nowMs: number,
): OrderRecord {
  return {
    ...foldSettlement(record, { shares }, 'reversed', nowMs),
    settledShares: shareMicros((record.settledShares ?? 0) - shares),
  };
}
