import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import { formatDecimal, mulDiv, TICKS_PER_USD } from '../units.ts';

/** What a position was bought for, fees not included. */
export interface FarmEntry {
  readonly usdc: number;
  readonly shares: number;
}

/** One reading of the best bid of a trusted book; 0 without bids. */
export interface BidLook {
  readonly bidTicks: number;
  readonly atMs: number;
}

/** Looks in a row that must all be at or below the stop: one flickering quote sells nothing. */
export const STOP_LOOKS = 3;
/** Looks older than this are forgotten: three of them must speak of the same fall. */
export const STOP_LOOKS_WITHIN_MS = 60_000;
/**
 * Two looks nearer together than this are one: a quote that is gone a moment later is one quote.
 */
const STOP_LOOKS_APART_MS = 3_000;

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
 * Takes a look in: the newest `STOP_LOOKS`, none older than the time in which they count together.
 */
export function withLook(looks: readonly BidLook[], look: BidLook): readonly BidLook[] {
  const newest = looks.at(-1);
  if (newest !== undefined && look.atMs - newest.atMs < STOP_LOOKS_APART_MS) {
    // The better of two bids so near together stands for both.
    return look.bidTicks <= newest.bidTicks
      ? looks
      : [...looks.slice(0, -1), { ...newest, bidTicks: look.bidTicks }];
  }
  return [...looks, look]
    .filter(({ atMs }) => look.atMs - atMs <= STOP_LOOKS_WITHIN_MS)
    .slice(-STOP_LOOKS);
}

/**
 * The bid that has held: the highest of the looks that count, once there are enough; null before. A
 * stop at or above it is hit.
 */
export function heldBid(looks: readonly BidLook[], nowMs: number): number | null {
  const counting = looks.filter(({ atMs }) => nowMs - atMs <= STOP_LOOKS_WITHIN_MS);
  return counting.length < STOP_LOOKS
    ? null
    : Math.max(...counting.map(({ bidTicks }) => bidTicks));
}

/** Judges a position by its stop and the looks at its bid; absent looks mean hold (L8). */
export function judgeStopLoss(
  outcome: OutcomeIndex,
  stop: number,
  looks: readonly BidLook[],
  nowMs: number,
): Decision {
  const bid = heldBid(looks, nowMs);
  const isHit = bid !== null && bid <= stop;
  const criteria: readonly Criterion[] = [
    {
      name: 'best bid',
      value:
        looks.length === 0
          ? 'not seen'
          : looks.map(({ bidTicks }) => formatDecimal(bidTicks, 4)).join(', '),
      threshold: `${STOP_LOOKS} looks in a row at or below ${formatDecimal(stop, 4)}`,
      passed: isHit,
    },
  ];
  return isHit
    ? {
        verdict: 'exit',
        outcome,
        criteria,
        reason: `Stop-loss: the bid stayed at or below ${formatDecimal(stop, 4)} for ${STOP_LOOKS} looks.`,
      }
    : { verdict: 'hold', outcome, criteria, reason: 'The stop-loss is not reached.' };
}
