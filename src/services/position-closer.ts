import { AppError } from '../domain/errors.ts';
import type { MarketId, UserId, VenueId } from '../domain/ids.ts';
import type { OutcomeIndex } from '../domain/market.ts';
import type { OrderRecord } from '../domain/order.ts';
import { formatMicros } from '../domain/units.ts';
import type { StoreReader } from '../ports/store.ts';
import { madeBefore } from './orders/admission.ts';
import type { OrderEstimate } from './orders/estimate.ts';
import type { Orders } from './orders/orders.ts';
import type { PlaceOrder } from './orders/place-order.ts';
import type { Holding, Portfolio } from './portfolio/portfolio.ts';

/** A position to close. */
export interface ClosePosition
  extends Pick<PlaceOrder, 'idempotencyKey' | 'clientOrderId' | 'fenceWaitMs'> {
  readonly venue: VenueId;
  readonly marketId: MarketId;
  /** Null where the user holds one outcome of the market alone. */
  readonly outcome: OutcomeIndex | null;
  /** Shares in micros; null for all that is not set aside for open sales. */
  readonly shareMicros: number | null;
  /** The API key the call came by; null for a signed-in user. */
  readonly keyId: string | null;
}

/** A trade is final on every chain here after this, mostly. */
const SETTLES_WITHIN_MS = 15_000;

/** Closes positions, whatever their market has come to. */
export interface PositionCloser {
  /**
   * Sells at the best bid, or redeems what won where the venue pays by orders, and gives the
   * order's record as `Orders.place` does. Errors: `insufficient_shares` where nothing of it is
   * held or free, `settlement_pending` (retryable) while its trade is not final, `invalid_request`
   * for an outcome that must be named, `market_closed` once the market has ended: what it pays
   * comes by itself; those of `Orders.place`.
   */
  close(userId: UserId, request: ClosePosition): Promise<OrderRecord>;
  /** Returns the sale that closing would place now. Errors: those of `close` for what is held. */
  saleOf(userId: UserId, request: ClosePosition): PlaceOrder;
  /**
   * Says what closing would do now, without doing it. Errors: those of `close` for what is held,
   * and of `Orders.estimate`.
   */
  estimate(userId: UserId, request: ClosePosition): Promise<OrderEstimate>;
}

/** Makes the service. */
export function createPositionCloser({
  store,
  orders,
  portfolio,
  redeemsByOrder,
}: {
  readonly store: StoreReader;
  readonly orders: Pick<Orders, 'place' | 'estimate'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  /** Reports whether a venue pays what was won by an order. */
  readonly redeemsByOrder: (venue: VenueId) => boolean;
}): PositionCloser {
  function saleFor(userId: UserId, request: ClosePosition): PlaceOrder {
    const { venue, marketId, outcome } = request;
    const holding = chosen(portfolio.holdings(userId, { type: 'open', marketId }), outcome);
    const { resolution, redeemable } = holding;
    const isRedemption = resolution !== null && redeemable && redeemsByOrder(venue);
    if (resolution !== null && !isRedemption)
      throw new AppError('market_closed', 'the market has ended: what it pays comes by itself');
    return saleOf(
      holding,
      request,
      isRedemption ? { kind: 'redemption' } : { kind: 'market', life: 'part_now' },
    );
  }
  return {
    async close(userId, request) {
      const { idempotencyKey } = request;
      // What was sold is held no more: the order made before is the answer.
      const made = idempotencyKey === undefined ? null : madeBefore(store, userId, idempotencyKey);
      return made ?? orders.place(userId, saleFor(userId, request));
    },
    saleOf: saleFor,
    estimate: async (userId, request) => orders.estimate(userId, saleFor(userId, request)),
  };
}

function saleOf(holding: Holding, request: ClosePosition, type: PlaceOrder['type']): PlaceOrder {
  const { venue, marketId, shareMicros, keyId } = request;
  const { idempotencyKey, clientOrderId, fenceWaitMs } = request;
  return {
    venue,
    marketId,
    outcome: holding.position.outcome,
    side: 'sell',
    amount: { unit: 'shares', micros: shareMicros ?? freeShares(holding) },
    type,
    origin: { kind: 'manual', ...(keyId === null ? {} : { keyId }) },
    ...(fenceWaitMs === undefined ? {} : { fenceWaitMs }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
  };
}

function chosen(held: readonly Holding[], outcome: OutcomeIndex | null): Holding {
  const wanted = held.filter(({ position }) => outcome === null || position.outcome === outcome);
  const [first, second] = wanted;
  if (first === undefined)
    throw new AppError(
      'insufficient_shares',
      outcome === null
        ? 'you hold nothing of this market'
        : `you hold nothing of its ${outcome === 0 ? 'Yes' : 'No'}`,
    );
  if (second === undefined) return first;
  const message = 'yes or no: you hold both outcomes of this market';
  throw new AppError('invalid_request', `side: ${message}`, {
    fields: [{ path: '/side', message }],
  });
}

function freeShares({ position, provisionalShares, availableShares }: Holding): number {
  if (availableShares > 0) return availableShares;
  if (provisionalShares > 0)
    throw new AppError(
      'settlement_pending',
      `the trade of ${formatMicros(provisionalShares)} of them is not final yet`,
      { retryable: true, retryAfterMs: SETTLES_WITHIN_MS },
    );
  throw new AppError(
    'insufficient_shares',
    `all ${formatMicros(position.shares)} of them are set aside for open sales`,
  );
}
