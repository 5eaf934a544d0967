import { z } from 'zod';
import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import {
  asId,
  type IntentId,
  type MarketId,
  type OrderId,
  type VenueId,
} from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { DRAFT_ERRORS, ORDER_ERRORS } from '../../domain/order-refusals.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { preferHeader, waitMsOf } from '../prefer.ts';
import { userRoute, type UserContext } from '../route.ts';
import type { VenueIds } from '../venue-api.ts';
import { listedOrderOut, orderOut, viewListedOrder, viewOrder } from '../views/order.ts';
import type { OrderListQuery } from '../../services/history/trade-history.ts';
import type { PlaceOrder } from '../../services/orders/place-order.ts';
import { confirmationOut, viewConfirmation } from '../views/confirmation.ts';
import { estimateOut, viewEstimate } from '../views/estimate.ts';
import { idField, pageFields, pageOf, pageOut } from './fields.ts';
import { orderRequest, toPlaceOrder, typeByQuery, type OrderCalls } from './order-request.ts';

/** The calls that place, show and cancel orders at a venue. */
export function orderRoutes<const Path extends string>(calls: OrderCalls<Path>) {
  return [...placingRoutes(calls), ...readRoutes(calls), ...cancelRoutes(calls)];
}

/** The calls that place orders at a venue, or say what placing one would do. */
export function placingRoutes<const Path extends string>(calls: OrderCalls<Path>) {
  const request = orderRequest(calls);
  return [
    placeRoute(calls, request),
    proposeRoute(calls, request),
    estimateRoute(calls, request),
  ] as const;
}

/** The path of one order, by either id. */
export function orderPath({ order }: VenueIds) {
  return z.object({
    id: z
      .string()
      .regex(new RegExp(`^(int_[0-9A-Za-z]{1,40}|${order.pattern})$`), order.refusal)
      .meta({ description: "Our id or the venue's." }),
  });
}

/** Returns how long the answer waits for the order's end; says what was made of a preference. */
export function waitMs(context: UserContext, orderType: 'market' | 'limit'): number {
  return waitMsOf(context, orderType === 'market' ? API.orderWaitDefaultMs : 0);
}

/** Returns an order of the caller's at a venue. Errors: `not_found`. */
export function orderOf(
  { services, userId }: UserContext,
  venue: VenueId,
  id: string,
): OrderRecord {
  const record = services.orders.get(
    userId,
    id.startsWith('int_') ? asId<IntentId>(id) : asId<OrderId>(id),
  );
  if (record === null || record.intent.venue !== venue)
    throw new AppError('not_found', 'you have no such order');
  return record;
}

const cancelledOut = z
  .object({
    outcome: z.enum(['cancelled', 'filled', 'pending', 'refused']).meta({
      description:
        'It ended; a fill was faster; it is being cancelled, also over a restart; or it cannot be cancelled now, which reason explains.',
    }),
    reason: z.string().nullable(),
    order: orderOut,
  })
  .meta({ id: 'CancelledOrder' });

/** How long an answer waits, as the caller prefers it. */
export const PREFER_HEADER = preferHeader(
  `${API.orderWaitDefaultMs / 1_000} for a market order and 0 for a limit order. Before that an order waits, as long at most (absent, ${API.orderWaitDefaultMs / 1_000}), for an earlier one of yours on the market that the venue holds before it matches it; with 0 it is refused with \`market_fenced\` at once`,
);

function placeRoute<const Path extends string>(
  calls: OrderCalls<Path>,
  request: ReturnType<typeof orderRequest>,
) {
  return userRoute({
    family: calls.venue,
    method: 'POST',
    path: `${calls.path}/` as const,
    budget: 'writes',
    status: 201,
    movesMoney: true,
    operationId: `placeOrder${calls.suffix}`,
    summary: 'Place an order (market or limit)',
    description:
      'Places one order at the venue. It is checked against the book, your balance and your limits, stored, and ' +
      'then sent. Send an Idempotency-Key, so that repeating the call after a lost answer places nothing twice. ' +
      `The answer to a market order waits up to ${API.orderWaitDefaultMs / 1_000} s for its end and says how it ended: state, filledShares, averagePrice; \`Prefer: wait=0\` asks for it at once. ` +
      'An order that the venue refuses is no error of the call: it is answered like any other, its state `rejected` and why in `reason`.',
    ...typeByQuery(calls),
    body: request,
    output: orderOut,
    errors: ORDER_ERRORS,
    headers: PREFER_HEADER,
    async run(context, { body }) {
      const { services, userId } = context;
      assertNotAsked(context);
      const traceparent = context.header('traceparent');
      const placed = await services.orders.place(userId, {
        ...toPlaceOrder(calls, body, context),
        ...(traceparent === null ? {} : { traceparent }),
      });
      return viewOrder(
        await services.orders.ended(
          userId,
          placed.intent.intentId,
          waitMs(context, body.orderType),
        ),
        services.coinPrice,
      );
    },
  });
}

function proposeRoute<const Path extends string>(
  calls: OrderCalls<Path>,
  request: ReturnType<typeof orderRequest>,
) {
  return userRoute({
    family: calls.venue,
    method: 'POST',
    path: `${calls.path}/proposal` as const,
    budget: 'writes',
    status: 201,
    operationId: `proposeOrder${calls.suffix}`,
    summary: 'Put an order of an assistant forward, for its person to confirm',
    description:
      'For API keys that ask before they trade: the order is kept with its worst price fixed, and the person is notified. Nothing is placed until they confirm it. The same Idempotency-Key gives what was put forward first, as it is now.',
    ...typeByQuery(calls),
    body: request,
    output: confirmationOut,
    errors: ORDER_ERRORS,
    run: (context, { body }) => propose(context, toPlaceOrder(calls, body, context)),
  });
}

/**
 * Puts an order forward for the key the call came by. Errors: `forbidden` for a user who signed in;
 * `invalid_request` for an invalid key; those of `Confirmations.propose`.
 */
export async function propose(
  { services, userId, keyId, wallNowMs, header }: UserContext,
  request: PlaceOrder,
): Promise<z.input<typeof confirmationOut>> {
  if (keyId === null)
    throw new AppError('forbidden', 'proposals are for API keys: place the order yourself');
  const clientRequestId = idempotencyKeyOf(header('idempotency-key'));
  const record = await services.confirmations.propose(userId, {
    keyId,
    request: clientRequestId === null ? request : { ...request, clientOrderId: clientRequestId },
    clientRequestId,
  });
  return viewConfirmation(record, wallNowMs);
}

/**
 * Refuses a call that was put forward under the same Idempotency-Key: whatever it would meet now,
 * its state is for the proposal to say. Errors: those of `Confirmations.assertNotAsked`.
 */
export function assertNotAsked({ services, userId, keyId, header }: UserContext): void {
  const clientRequestId = idempotencyKeyOf(header('idempotency-key'));
  if (clientRequestId !== null)
    services.confirmations.assertNotAsked(userId, keyId, clientRequestId);
}

function estimateRoute<const Path extends string>(
  calls: OrderCalls<Path>,
  request: ReturnType<typeof orderRequest>,
) {
  return userRoute({
    family: calls.venue,
    method: 'POST',
    path: `${calls.path}/estimate` as const,
    budget: 'reads',
    scope: 'read',
    operationId: `estimateOrder${calls.suffix}`,
    summary: 'Say what placing an order would do, without placing it',
    description:
      'Takes the request of an order and answers what it would trade at, cost and set aside now, what balances and caps ' +
      'leave, and what it would be refused for. Nothing is made, stored or sent, and the next moment may differ. What is ' +
      'wrong with the request, its market or its book fails as placing it would.',
    ...typeByQuery(calls),
    body: request,
    output: estimateOut,
    errors: DRAFT_ERRORS,
    run: async (context, { body }) =>
      viewEstimate(
        await context.services.orders.estimate(context.userId, toPlaceOrder(calls, body, context)),
      ),
  });
}

function readRoutes<const Path extends string>({
  venue,
  path,
  ids,
  suffix,
  listed,
}: OrderCalls<Path>) {
  return [
    userRoute({
      family: venue,
      method: 'GET',
      path: `${path}/` as const,
      budget: 'reads',
      operationId: `listOrders${suffix}`,
      summary:
        listed === 'open'
          ? 'List your orders, newest first: open ones unless you ask for others'
          : 'List your orders, newest first: all of them unless you ask for some',
      description: 'Orders placed manually and by agents, a page at a time.',
      query: z.strictObject({
        state: z.enum(['open', 'ended', 'all']).default(listed).meta({
          description: 'open may still trade; ended is filled, cancelled, expired or rejected.',
        }),
        marketId: idField<MarketId>(ids.market)
          .optional()
          .meta({ description: 'Those of one market.' }),
        ...pageFields,
      }),
      output: pageOut(listedOrderOut),
      run: (context, { query: { state, marketId, ...query } }) =>
        ordersPage(context, { venue, state, marketId, ...pageOf(query) }),
    }),
    userRoute({
      family: venue,
      method: 'GET',
      path: `${path}/:id/` as const,
      budget: 'reads',
      operationId: `getOrder${suffix}`,
      summary: 'Get an order and its state',
      description: "One order of yours by our id or the venue's, with what has filled.",
      params: orderPath(ids),
      output: orderOut,
      errors: ['not_found'],
      run: (context, { params }) =>
        viewOrder(orderOf(context, venue, params.id), context.services.coinPrice),
    }),
  ];
}

interface MaybeMarket {
  readonly marketId?: MarketId | undefined;
}

/** A page of the caller's orders at a venue, newest first. */
export function ordersPage(
  { services, userId }: UserContext,
  { marketId, ...asked }: Omit<OrderListQuery, 'marketId'> & MaybeMarket,
) {
  const page = services.history.orders(userId, {
    ...asked,
    ...(marketId === undefined ? {} : { marketId }),
  });
  return {
    data: page.data.map((order) =>
      viewListedOrder(order, services.history.marketOf(order.intent.marketId), services.coinPrice),
    ),
    nextCursor: page.nextCursor,
  };
}

/** The calls that cancel orders at a venue. */
export function cancelRoutes<const Path extends string>({
  venue,
  path,
  ids,
  suffix,
}: OrderCalls<Path>) {
  return [
    userRoute({
      family: venue,
      method: 'DELETE',
      path: `${path}/` as const,
      budget: 'stops',
      operationId: `cancelAllOrders${suffix}`,
      summary: 'Cancel all your open orders at the venue, and say what became of each',
      description:
        'Cancels every open order at the venue, placed manually and by agents. Repeating it finds what is still open and changes nothing else.',
      output: z.object({ data: z.array(cancelledOut), nextCursor: z.null() }),
      errors: ['store_unavailable'],
      run: async ({ services, userId }) => ({
        data: (await services.orders.cancelAll(userId, venue)).map(
          ({ order, outcome, reason }) => ({
            outcome,
            reason,
            order: viewOrder(order, services.coinPrice),
          }),
        ),
        nextCursor: null,
      }),
    }),
    userRoute({
      family: venue,
      method: 'DELETE',
      path: `${path}/:id/` as const,
      budget: 'stops',
      operationId: `cancelOrder${suffix}`,
      summary: 'Cancel an order; a fill that was faster wins',
      description:
        'Asks the venue to cancel what has not filled. The answer carries the order as it is then; shares that ' +
        'filled before the cancel stay yours. Asked again, it answers the same.',
      params: orderPath(ids),
      output: orderOut,
      errors: ['not_found', 'order_not_cancellable', 'venue_unavailable'],
      run: async (context, { params }) =>
        viewOrder(
          await context.services.orders.cancel(
            context.userId,
            orderOf(context, venue, params.id).intent.intentId,
          ),
          context.services.coinPrice,
        ),
    }),
  ];
}
