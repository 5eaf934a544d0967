import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { VenueOrder } from '../../../src/ports/order-gateway.ts';
import type { FillAmounts } from '../../../src/services/books/kept-order.ts';
import type { FoldContext } from '../../../src/services/books/order-fold.ts';
import { anAttempt } from '../attempts.ts';
import { aMarketId, aTokenId, aUserId, T0 } from '../builders.ts';
import { VENUE_A } from '../venue-ids.ts';

/** The venue's id of the attempt that is out. */
export const ORDER_ID = asId<VenueOrder['orderId']>('0x01');

/** Folding at a moment, at a venue whose dust is a hundredth of a share and a cent. */
export function at(nowMs: number = T0): FoldContext {
  return { nowMs, traits: VENUE_A_TRAITS };
}

/** A signed buy of 20 shares at 0.50: it rests at the venue unless said otherwise. */
export function aSignedOrder(
  changes: Partial<OrderRecord> = {},
  intent: Partial<OrderRecord['intent']> = {},
): OrderRecord {
  return {
    intent: {
      intentId: asId('int_1'),
      userId: aUserId(1),
      venue: VENUE_A,
      cashAccount: 'usdc:safe',
      origin: { kind: 'manual' },
      marketId: aMarketId(1),
      tokenId: aTokenId(1, 0),
      outcome: 0,
      side: 'buy',
      life: 'rests',
      price: priceTicks(5_000),
      spendMicros: 10_000_000,
      receiveMicros: 20_000_000,
      exact: 'receive',
      createdAtMs: T0,
      expiresAtMs: T0 + 3_600_000,
      sendUntilMs: T0 + 5_000,
      ...intent,
    },
    attempts: [anAttempt(ORDER_ID, { lastSentAtMs: T0 })],
    state: 'signed',
    reason: null,
    filledShares: shareMicros(0),
    filledUsdc: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    matchedShares: null,
    ending: null,
    reserved: { usdc: usdcMicros(10_701_000), shares: shareMicros(0) },
    cancelWanted: false,
    updatedAtMs: T0,
    ...changes,
  };
}

/** The venue's word about the attempt that is out. */
export function aWord(
  status: VenueOrder['status'],
  matched = 0,
  reason: string | null = null,
): VenueOrder {
  return { orderId: ORDER_ID, status, matchedShares: shareMicros(matched), reason };
}

/** A fill of the attempt that is out, or of another one. */
export function aFillOf(
  shares: number,
  usdc: number,
  fee = 0,
  orderId: FillAmounts['orderId'] = ORDER_ID,
): FillAmounts {
  return { orderId, shares: shareMicros(shares), usdc: usdcMicros(usdc), fee: usdcMicros(fee) };
}
