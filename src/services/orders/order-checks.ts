import { ORDER } from '../../../config/limits.ts';
import { ONBOARDING } from '../../../config/limits/funds.ts';
import { DEGRADED_SENTENCES } from '../../domain/degraded.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { OpenVenue, TradedVenue } from '../venues.ts';
import type { Store } from '../../ports/store.ts';
import type { PlaceOrder, UserStreams } from './place-order.ts';
import { balanceOf } from '../books/record-changes.ts';
import { POSITIONS } from '../books/tables.ts';

/** Errors: those of a venue that takes no purchases now, or cannot settle them. */
export function assertBuysAllowed({ assertRegionAllowsBuys, assertSettles }: OpenVenue): void {
  assertRegionAllowsBuys?.();
  assertSettles?.();
}

/**
 * Errors: `wallet_not_ready`, with what it waits for; agents are not enabled before it is ready.
 */
export function assertWallet({ funds }: OpenVenue, userId: UserId): void {
  const missing = funds?.missing(userId) ?? [];
  if (missing.length === 0) return;
  throw new AppError(
    'wallet_not_ready',
    `your Safe still waits for its ${missing.join(' and ')}, which come by themselves`,
    { retryable: true, retryAfterMs: ONBOARDING.retryFirstMs },
  );
}

/**
 * Refuses an amount a person gave with more decimals than an order keeps, instead of rounding it
 * without a word. Agents size by arithmetic and are rounded down.
 */
export function assertStep(
  { store }: { readonly store: Store },
  userId: UserId,
  {
    venue,
    market,
    request,
  }: { readonly venue: TradedVenue; readonly market: Market; readonly request: PlaceOrder },
): void {
  const { amount, origin, side, outcome } = request;
  if (origin.kind !== 'manual') return;
  const { tokenId } = market.outcomes[outcome];
  const shares =
    side === 'sell' ? store.get(POSITIONS, [userId, tokenId])?.value.shares : undefined;
  const held =
    shares === undefined ? null : { shares, settled: balanceOf(store, userId, tokenId).settled };
  venue.rules.assertStep(amount, held);
}

/**
 * An agent enters nothing while what becomes of its user's orders cannot be seen: it could not tell
 * what it has. People decide for themselves.
 */
export function assertAccountSynced(
  { sync }: { readonly sync: UserStreams },
  userId: UserId,
  { venue, origin, side }: PlaceOrder,
): void {
  // Whoever finds no room among the watched is blind from here on.
  sync.activate(userId, venue);
  const problem = origin.kind === 'agent' && side === 'buy' ? sync.problem(userId, venue) : null;
  if (problem !== null)
    throw new AppError('agent_degraded', DEGRADED_SENTENCES[problem.code], { retryable: true });
}

export function assertRequest({ amount, idempotencyKey }: PlaceOrder): void {
  if (!Number.isSafeInteger(amount.micros) || amount.micros <= 0)
    throw new AppError(
      'amount_too_small',
      `an amount is a number above zero, not ${amount.micros} micros`,
      { fields: [{ path: '/amount', message: 'more than zero' }] },
    );
  if (idempotencyKey === undefined) return;
  if (idempotencyKey === '' || idempotencyKey.length > ORDER.idempotencyKeyMaximumChars) {
    throw new AppError(
      'invalid_request',
      `an idempotency key has 1 to ${ORDER.idempotencyKeyMaximumChars} characters`,
    );
  }
}

/** Reports whether an order is gone because its user wanted it so: whoever asks again has it. */
export function isCancelledAsWanted({ state, cancelWanted }: OrderRecord): boolean {
  return state === 'cancelled' && cancelWanted;
}

export function assertCancellable({ state, intent }: OrderRecord): void {
  if (isTerminal(state))
    throw new AppError('order_not_cancellable', `the order is ${state} already`);
  if (state === 'delayed' && intent.restsAt === undefined)
    throw new AppError(
      'order_not_cancellable',
      "the order is in the venue's delay and cannot be cancelled before that ends",
      { retryable: true },
    );
}
