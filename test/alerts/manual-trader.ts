import { AppError } from '../../src/domain/errors.ts';
import { asId, type OrderId, type UserId } from '../../src/domain/ids.ts';
import type { PriceTicks } from '../../src/domain/units.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { orderIdOf } from '../support/attempts.ts';
import { VENUE_A } from '../support/venue-ids.ts';

type Parts = Pick<Scenario, 'service' | 'model' | 'clock'>;

/** The hand of the scenario, by the name it is opened under. */
const MANUAL_TRADER = asId<UserId>('usr_cyd');

/** Has the hand buy for this much in the running round, again and again. */
export function handBuys(
  parts: Parts,
  {
    fromMs,
    usdc,
    times,
  }: { readonly fromMs: number; readonly usdc: number; readonly times: number },
): void {
  for (let index = 0; index < times; index += 1)
    parts.clock.after(fromMs + index * 5_000, () =>
      place(parts, {
        side: 'buy',
        amount: { unit: 'usdc', micros: usdc * 1_000_000 },
        type: { kind: 'market' },
      }),
    );
}

/**
 * Has the hand rest this many bids far below the market, and the venue's dead-man switch cancel all
 * orders of its key.
 */
export function loseHeartbeat(
  parts: Parts,
  {
    atMs,
    orders,
    price,
  }: { readonly atMs: number; readonly orders: number; readonly price: PriceTicks },
): void {
  const {
    clock,
    service,
    model: { exchange },
  } = parts;
  const owners = new Map<OrderId, string>();
  exchange.subscribe(
    (event) =>
      void (
        event.kind === 'order' &&
        event.type === 'PLACEMENT' &&
        owners.set(event.orderId, event.owner)
      ),
  );
  for (let index = 0; index < orders; index += 1)
    clock.after(atMs + index * 1_000, () =>
      place(parts, {
        side: 'buy',
        amount: { unit: 'shares', micros: 10_000_000 },
        type: { kind: 'limit', price, expiresAtMs: null },
      }),
    );
  clock.after(atMs + orders * 1_000 + 10_000, () => {
    for (const order of service.core.orders.listOpen(MANUAL_TRADER)) {
      const owner = owners.get(orderIdOf(order));
      if (owner !== undefined) exchange.cancel(owner, orderIdOf(order));
    }
  });
}

function place(
  { service, model, clock }: Parts,
  request: Pick<PlaceOrder, 'side' | 'amount' | 'type'>,
): void {
  const market = model.exchange
    .markets()
    .find(
      ({ endsAtMs }) => endsAtMs > clock.nowMs() + 30_000 && endsAtMs <= clock.nowMs() + 330_000,
    );
  if (market === undefined) throw new Error('a round is running');
  service.core.orders
    .place(MANUAL_TRADER, {
      venue: VENUE_A,
      marketId: market.marketId,
      outcome: 0,
      origin: { kind: 'manual' },
      ...request,
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof AppError)) throw cause;
    });
}
