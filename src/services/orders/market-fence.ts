import { ORDER } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoreReader } from '../../ports/store.ts';
import { ORDERS } from '../books/tables.ts';
import type { Venues } from '../venues.ts';
import { fenceOver } from './admission.ts';
import type { PlaceOrder } from './place-order.ts';

export interface FenceDeps {
  readonly store: StoreReader;
  readonly venues: Pick<Venues, 'trading'>;
  readonly clock: Clock;
}

/**
 * Returns the order of the user that fences the market and that the venue holds for a time that is
 * known; null without one. How long an `unknown` one takes is not known, so that nothing
 * waits for it.
 */
export function heldOrder(
  { store, venues }: Pick<FenceDeps, 'store' | 'venues'>,
  userId: UserId,
  { marketId }: Pick<PlaceOrder, 'marketId'>,
): OrderRecord | null {
  const fence = fenceOver(store, { userId, marketId });
  const record = fence === null ? null : store.get(ORDERS, [userId, fence])?.value;
  if (record?.state !== 'delayed') return null;
  return venues.trading(record.intent).traits.heldMaximumMs === null ? null : record;
}

/** Has a refusal by a fence say what the market waits for, since when, and for how long. */
export function withFence(
  { store, venues, clock }: FenceDeps,
  error: unknown,
  { userId, marketId }: Pick<PlaceOrder, 'marketId'> & { readonly userId: UserId },
): unknown {
  if (!(error instanceof AppError) || error.code !== 'market_fenced') return error;
  const fence = fenceOver(store, { userId, marketId });
  const record = fence === null ? null : store.get(ORDERS, [userId, fence])?.value;
  if (!record) return error;
  const { heldMaximumMs } = venues.trading(record.intent).traits;
  const seconds = (ms: number) => `${(ms / (clock.speed ?? 1) / 1_000).toFixed(1)} s`;
  const sinceText = `for ${seconds(clock.nowMs() - record.updatedAtMs)} so far`;
  const what =
    record.state === 'unknown'
      ? `is being looked up, since the venue's answer is missing, ${sinceText}`
      : record.state !== 'delayed'
        ? `is on its way to the venue, ${sinceText}`
        : heldMaximumMs === null
          ? `waits at the venue for its match, ${sinceText}`
          : `is held by the venue before it is matched, ${sinceText}, ${seconds(heldMaximumMs)} at most`;
  const message = `order ${record.intent.intentId} ${what}`;
  return new AppError('market_fenced', `${message}; nothing was sent`, {
    retryable: true,
    retryAfterMs: ORDER.retryAfterMs,
    fields: [{ path: '/marketId', message }],
    cause: error,
  });
}
