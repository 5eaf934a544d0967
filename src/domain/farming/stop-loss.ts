import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import { formatDecimal, mulDiv, TICKS_PER_USD } from '../units.ts';

/** What a position was bought for, fees not included. */
export interface FarmEntry {
  readonly usdc: number;
  readonly shares: number;
}

/** One reading of the best bid of a trusted book; 0 without bids. */
export interface BidReading {
  readonly bidTicks: number;
  readonly atMs: number;
}

/** Readings in a row that must all be at or below the stop: one flickering quote sells nothing. */
export const STOP_READINGS = 3;
/** Readings older than this are forgotten: three of them must speak of the same fall. */
export const STOP_READINGS_WITHIN_MS = 60_000;
/**
 * Two readings nearer together than this are one: a quote that is gone a moment later is one quote.
 */
const STOP_READINGS_APART_MS = 3_000;

/**
 * Bid at or below which a position is closed: the entry's average price less `lossPerMille`, in
 * ticks, rounded down so that the loss is at least what was asked for. 10 percent (100) below 0.96
 * is 0.864.
 */
export function stopTicks({ usdc, shares }: FarmEntry, lossPerMille: number): number {
  return mulDiv(
    mulDiv(usdc, TICKS_PER_USD * (1_000 - lossPerMille), shares, 'floor'),
    1,
    1_000,
    'floor',
  );
}

/**
 * Adds a reading: the newest `STOP_READINGS` are kept, none older than the time in which they count
 * together.
 */
export function withReading(
  readings: readonly BidReading[],
  reading: BidReading,
): readonly BidReading[] {
  const newest = readings.at(-1);
  if (newest !== undefined && reading.atMs - newest.atMs < STOP_READINGS_APART_MS) {
    // The better of two bids so near together counts for both.
    return reading.bidTicks <= newest.bidTicks
      ? readings
      : [...readings.slice(0, -1), { ...newest, bidTicks: reading.bidTicks }];
  }
  return [...readings, reading]
    .filter(({ atMs }) => reading.atMs - atMs <= STOP_READINGS_WITHIN_MS)
    .slice(-STOP_READINGS);
}

/**
 * The bid that has held: the highest of the readings that count, once there are enough; null
 * before. A stop at or above it is hit.
 */
export function heldBid(readings: readonly BidReading[], nowMs: number): number | null {
  const counting = readings.filter(({ atMs }) => nowMs - atMs <= STOP_READINGS_WITHIN_MS);
  return counting.length < STOP_READINGS
    ? null
    : Math.max(...counting.map(({ bidTicks }) => bidTicks));
}

/** Judges a position by its stop and the readings of its bid; without any it is held (L8). */
export function judgeStopLoss(
  outcome: OutcomeIndex,
  stop: number,
  readings: readonly BidReading[],
  nowMs: number,
): Decision {
  const bid = heldBid(readings, nowMs);
  const isHit = bid !== null && bid <= stop;
  const criteria: readonly Criterion[] = [
    {
      name: 'best bid',
      value:
        readings.length === 0
          ? 'not seen'
          : readings.map(({ bidTicks }) => formatDecimal(bidTicks, 4)).join(', '),
      threshold: `${STOP_READINGS} looks in a row at or below ${formatDecimal(stop, 4)}`,
      passed: isHit,
    },
  ];
  return isHit
    ? {
        verdict: 'exit',
        outcome,
        criteria,
        reason: `Stop-loss: the bid stayed at or below ${formatDecimal(stop, 4)} for ${STOP_READINGS} looks.`,
      }
    : { verdict: 'hold', outcome, criteria, reason: 'The stop-loss is not reached.' };
}
