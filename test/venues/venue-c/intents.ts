import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { OrderHandle, OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { VENUE_C_ID } from '../../../src/venues/venue-c/id.ts';
import type { PreparedOrder } from '../../../src/venues/venue-c/order-book/prepared.ts';
import { T0 } from '../../support/builders.ts';

export const ADA = asId<UserId>('usr_ada');
export const SLUG = 'will-a-happen-1768933068297';
/** The venue's order books settle there (venue_c.md section 5). */
export const EXCHANGE = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5';
export const YES = '56151234567890123456789012345678901234567890123456789012345678901234567890123';

/** What an order of hers is signed with. */
export const PREPARED: PreparedOrder = {
  salt: 1_795_248_075_130_877,
  exchange: EXCHANGE,
  feeRateBps: 300,
  ownerId: 7,
};

/** An intent at venue_c: ten shares at 0.5, to rest. */
export function anOrderIntent(change: Partial<OrderIntent> = {}): OrderIntent {
  return {
    intentId: asId('int_1'),
    userId: ADA,
    venue: VENUE_C_ID,
    cashAccount: 'usdc:base',
    origin: { kind: 'manual' },
    marketId: asId(SLUG),
    tokenId: asId(YES),
    outcome: 0,
    side: 'buy',
    life: 'rests',
    price: priceTicks(5_000),
    spendMicros: 5_000_000,
    receiveMicros: 10_000_000,
    exact: 'receive',
    createdAtMs: T0,
    expiresAtMs: null,
    sendUntilMs: T0 + 5_000,
    ...change,
  };
}

/** The venue's own id of an order, and ours. */
export const ORDER_ID = 'c4b1a83a-219f-48db-a9be-1ddadf0bc14c';
export const CLIENT_ID = '0b7f3c0e-5d0a-4a8c-9a55-0d8a9a3c1f10';

/** An attempt of it that has left; the venue's id is not known unless given. */
export function anOrder(
  change: Partial<OrderIntent> = {},
  orderId: string | null = null,
): OrderHandle {
  return {
    intent: anOrderIntent(change),
    attempt: {
      attemptId: asId(CLIENT_ID),
      orderId: orderId === null ? null : asId(orderId),
      body: '{"order":{}}',
      extra: PREPARED,
      sends: 1,
      lastSentAtMs: T0,
      ended: null,
    },
  };
}
