import { asId } from '../../../src/domain/ids.ts';
import type { OrderHandle, OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { PreparedOrder } from '../../../src/venues/venue-b/prepared.ts';
import { T0 } from '../../support/builders.ts';
import { TICKER, YES } from './wire.ts';

/** An intent at venue_b: five contracts for at most 2.55 USDC. */
export function aVenueIntent(change: Partial<OrderIntent> = {}): OrderIntent {
  return {
    intentId: asId('int_1'),
    userId: asId('usr_ada'),
    venue: asId('venue_b'),
    cashAccount: 'usdc:solana',
    origin: { kind: 'manual' },
    marketId: asId(TICKER),
    tokenId: asId(YES),
    outcome: 0,
    side: 'buy',
    life: 'part_now',
    price: priceTicks(5_100),
    spendMicros: 2_550_000,
    receiveMicros: 5_000_000,
    exact: 'receive',
    createdAtMs: T0,
    expiresAtMs: null,
    sendUntilMs: T0 + 60_000,
    ...change,
  };
}

/** What an attempt of it was signed from. */
const PREPARED: PreparedOrder = {
  transaction: 'AQ==',
  blockhash: 'Hash',
  lastValidBlockHeight: 150,
  seenAtHeight: 10,
  amountMicros: 2_600_000,
  isSponsored: false,
};

/** An attempt that has left, by its signature. */
export function aVenueOrder(change: Partial<OrderIntent> = {}): OrderHandle {
  return {
    intent: aVenueIntent(change),
    attempt: {
      attemptId: asId('Sig1'),
      orderId: asId('Sig1'),
      body: Buffer.from('signed').toString('base64'),
      extra: PREPARED,
      sends: 1,
      lastSentAtMs: T0,
      ended: null,
    },
  };
}
