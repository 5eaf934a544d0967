import { ORDER } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { formatMicros } from '../../domain/units.ts';
import type { StoreReader } from '../../ports/store.ts';
import { balanceOf } from '../books/record-changes.ts';
import { POSITIONS } from '../books/tables.ts';
import type { PlaceOrder } from './place-order.ts';

/**
 * Refuses an amount a person gave with more decimals than an order keeps, instead of rounding it without a word. What is left of a position
 * may be sold as it is shown: of that the venue's step takes what it can, and the order says what stays. Agents size by arithmetic and are
 * rounded down. Errors: `amount_off_step`.
 */
export function assertWholeSteps(
  reader: StoreReader,
  userId: UserId,
  { market, request }: { readonly market: Market; readonly request: PlaceOrder },
): void {
  const { amount, origin, side, outcome } = request;
  if (origin.kind !== 'manual' || amount.micros % ORDER.amountStepMicros === 0) return;
  if (amount.unit === 'usdc')
    throw offStep('must have at most two decimals: orders are placed in whole cents');
  const { tokenId } = market.outcomes[outcome];
  const held =
    side === 'sell' ? (reader.get(POSITIONS, [userId, tokenId])?.value.shares ?? null) : null;
  if (held === null)
    throw offStep('must have at most two decimals: the venue takes hundredths of a share');
  if (amount.micros === balanceOf(reader, userId, tokenId).settled) return;
  if (amount.micros > held || (held - amount.micros) % ORDER.amountStepMicros !== 0) {
    throw offStep(
      `must have at most two decimals, for the venue takes hundredths of a share, or be the ${formatMicros(held)} you hold`,
    );
  }
}

function offStep(message: string): AppError {
  return new AppError('amount_off_step', `the amount ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}
