import { SAFE_CASH } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type MarketId } from '../../domain/ids.ts';
import { payoutMicros } from '../../domain/ledger-entries.ts';
import { shareMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { balanceOf } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { bookPayout } from '../books/payout-booking.ts';
import { POSITIONS, RESOLUTIONS } from '../books/tables.ts';
import type { ProvenMovement } from './deposit-proof.ts';
import { bookDeposit, isDepositBooked, type BookingTime } from './movement-booking.ts';
import { bookRedemption, wonPositions } from './redemption-booking.ts';
import { REDEEMED_TRANSFERS } from './tables.ts';

/**
 * Books collateral that the chain has proven to have come to a Safe, once: what a market paid for
 * shares that left the Safe with it is a payout, all else a deposit. False when it was booked
 * before, or when the books lack what it was paid for (`mayBeLacking`). Errors:
 * `settlement_pending` while a fill of the market is not final.
 */
export function bookProvenArrival(
  tx: StoreWriter,
  movement: ProvenMovement,
  time: BookingTime,
): boolean {
  if (isDepositBooked(tx, movement)) return false;
  const { userId, transferId, transactionHash, micros } = movement;
  const marketId = paidMarket(tx, movement);
  if (marketId === null)
    return mayBeLacking(tx, movement) ? false : bookDeposit(tx, movement, time);
  bookRedemption(tx, {
    userId,
    marketId,
    cashAccount: SAFE_CASH,
    ...time,
    paidMicros: micros,
    transactionId: asId(`found:${transferId}`),
    transactionHash,
  });
  endWorthless(tx, marketId, movement, time);
  tx.put(REDEEMED_TRANSFERS, [userId, transferId], { marketId });
  return true;
}

/**
 * Ends what the same transaction took of the outcomes that won nothing: redeeming burns all that
 * there is of a market. Errors: `settlement_pending` as above.
 */
function endWorthless(
  tx: StoreWriter,
  marketId: MarketId,
  { userId, redeemed }: ProvenMovement,
  { bookedAtMs }: BookingTime,
): void {
  const resolution = tx.get(RESOLUTIONS, [marketId])?.value;
  if (resolution === undefined) return;
  for (const tokenId of redeemed) {
    const position = tx.get(POSITIONS, [userId, tokenId])?.value;
    if (position?.marketId !== marketId || resolution.payoutTicks[position.outcome] > 0) continue;
    const holder = { userId, tokenId, isRedeemed: true, nowMs: bookedAtMs };
    if (bookPayout(tx, resolution, holder) === 'pending')
      throw new AppError('settlement_pending', `a fill in market ${marketId} is not final`, {
        retryable: true,
      });
  }
}

/**
 * Reports whether an arrival may be the payout of a position that a restored store has not, or not
 * in full: only adopting, which reads orders first, says what it is.
 */
export function mayBeLacking(
  reader: StoreReader,
  { userId, redeemed }: Pick<ProvenMovement, 'userId' | 'redeemed'>,
): boolean {
  return redeemed.length > 0 && isLacking(reader, userId);
}

/** The one market whose won shares the arrival was paid for; null where the books do not say so. */
function paidMarket(
  reader: StoreReader,
  { userId, redeemed, micros }: ProvenMovement,
): MarketId | null {
  const markets = new Set(
    redeemed.flatMap((tokenId) => {
      const position = reader.get(POSITIONS, [userId, tokenId])?.value;
      return position === undefined || position.shares <= 0 ? [] : [position.marketId];
    }),
  );
  const [marketId] = markets;
  if (marketId === undefined || markets.size > 1) return null;
  const owed = wonPositions(reader, { userId, marketId, cashAccount: SAFE_CASH })
    .filter(({ position }) => redeemed.includes(position.tokenId))
    .reduce(
      (sum, { position, payoutTicks }) =>
        sum +
        payoutMicros(shareMicros(balanceOf(reader, userId, position.tokenId).settled), payoutTicks),
      0,
    );
  return owed >= micros && owed > 0 ? marketId : null;
}
