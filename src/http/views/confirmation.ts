import { z } from 'zod';
import { formatMicros, formatPrice } from '../../domain/units.ts';
import type { ConfirmationRecord } from '../../services/confirmations/tables.ts';
import { priceOut, sharesOut, timeOut, usdcOut } from '../routes/fields.ts';

/** An order that waits for its person, in answers. */
export const confirmationOut = z
  .object({
    confirmationId: z.string(),
    keyId: z.string().meta({ description: 'The API key that asks.' }),
    state: z.enum(['asked', 'confirmed', 'placed', 'refused', 'failed', 'expired']).meta({
      description:
        'It waits; it is being placed; it was placed; it was refused; placing it failed for good, which failure explains; or it ended unanswered.',
    }),
    venue: z.string(),
    marketId: z.string(),
    side: z.enum(['yes', 'no']),
    action: z.enum(['buy', 'sell']),
    orderType: z.enum(['market', 'limit']),
    worstPrice: priceOut.meta({ description: 'Fixed when it was put forward.' }),
    setsAside: z.object({ usdc: usdcOut, shares: sharesOut }),
    askedAtMs: timeOut,
    expiresAtMs: timeOut,
    orderId: z.string().nullable().meta({ description: 'Our id of the order that was placed.' }),
    failure: z.string().nullable().meta({
      description:
        'The error code of what failed for good; `api_key_invalid` for one that expired because its key was revoked.',
    }),
  })
  .meta({ id: 'Confirmation' });

/** Writes a confirmation as callers see it at `nowMs`. */
export function viewConfirmation(
  record: ConfirmationRecord,
  nowMs: number,
): z.input<typeof confirmationOut> {
  const { order, setsAside, state, expiresAtMs } = record;
  const isOver = (state === 'asked' || state === 'confirmed') && nowMs >= expiresAtMs;
  return {
    confirmationId: record.confirmationId,
    keyId: record.keyId,
    state: isOver ? 'expired' : state,
    venue: order.venue,
    marketId: order.marketId,
    side: order.outcome === 0 ? 'yes' : 'no',
    action: order.side,
    orderType: order.type.kind === 'limit' ? 'limit' : 'market',
    worstPrice: formatPrice(record.worstPrice),
    setsAside: { usdc: formatMicros(setsAside.usdc), shares: formatMicros(setsAside.shares) },
    askedAtMs: record.askedAtMs,
    expiresAtMs,
    orderId: record.intentId,
    failure: record.failure,
  };
}
