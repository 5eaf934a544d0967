import { z } from 'zod';
import { ORDER, SURFACE } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { asId } from '../../domain/ids.ts';
import type { IntentId, MarketId, OrderId, VenueId } from '../../domain/ids.ts';
import { defaultLife, type OrderRecord } from '../../domain/order.ts';
import { lifeOf, timeInForceOf, type TimeInForce } from '../../domain/time-in-force.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { PlaceOrder } from '../../services/orders/place-order.ts';
import { preferredWaitMs } from '../prefer.ts';
import { userRoute, type Route, type UserContext } from '../route.ts';
import type { VenueIds } from '../venue-api.ts';
import { orderOut, viewOrder } from '../views/order.ts';
import { amountField, decimalField, idField, pageFields, pageOf, pageOut } from './fields.ts';

/** What the order calls of a venue are made of. */
export interface OrderCalls {
  readonly venue: VenueId;
  readonly ids: VenueIds;
  /** Ends the names of the calls and of their request, each of which is there once for all venues. */
  readonly suffix: string;
  /** An order that could not leave within this time is stale, ms; a limit order rests at least so long. */
  readonly sendWindowMs: number;
  readonly price: {
    readonly description: string;
    /** Reads a limit price in plain digits. Errors: `price_out_of_range`, `price_off_tick`. */
    read(text: string): PriceTicks;
  };
}

/** The calls that place, show and cancel orders at a venue. */
export function orderRoutes(calls: OrderCalls): readonly Route[] {
  return [placeRoute(calls), ...readRoutes(calls), ...cancelRoutes(calls)];
}

/** The order request of the interface: every venue takes this shape, with ids and prices of its own. */
function orderRequest({ ids, suffix, sendWindowMs, price }: OrderCalls) {
  return (
    z
      .strictObject({
        marketId: idField<MarketId>(ids.market),
        side: z.enum(['yes', 'no']),
        amount: amountField.meta({
          description:
            'In the unit given by orderMode; more than zero, in whole cents or hundredths of a share. A sale may also name all you hold as it is shown: `leftoverShares` then says what stays.',
        }),
        orderType: z.enum(['market', 'limit']),
        price: decimalField.optional().meta({ description: price.description }),
        orderMode: z
          .enum(['dollars', 'shares'])
          .default('dollars')
          .meta({ description: 'Unit of amount.' }),
        action: z
          .enum(['buy', 'sell'])
          .default('buy')
          .meta({ description: 'Our extension: sell closes a position.' }),
        timeInForce: z.enum(['FOK', 'FAK', 'GTC', 'GTD']).optional().meta({
          description:
            'Our extension. A market order is FOK (all at once or nothing; default of a buy) or FAK (what is to be had at once; default of a sale). A limit order is GTD (rests until expiresAtMs; default) or GTC (rests until it is cancelled).',
        }),
        expiresAtMs: z
          .int('epoch milliseconds, a whole number')
          .positive('epoch milliseconds, above zero')
          .optional()
          .meta({
            description: `Our extension, GTD orders only: epoch milliseconds, ${sendWindowMs / 1_000} seconds to ${ORDER.limitLifeMaximumMs / 86_400_000} days from now, ended at the full second before; absent, ${ORDER.limitLifeDefaultMs / 3_600_000} hours.`,
          }),
      })
      .superRefine((order, context) => {
        for (const [field, message] of contradictions(order))
          context.addIssue({ code: 'custom', path: [field], message });
      })
      .meta({ id: `OrderRequest${suffix}` })
      // Filled in here, since a repetition is known by its request: a default given or left out is the same one.
      .transform((order) => ({
        ...order,
        timeInForce: order.timeInForce ?? defaultTimeInForce(order),
      }))
  );
}

type OrderRequest = z.output<ReturnType<typeof orderRequest>>;

/** A limit order rests until its expiry unless it says otherwise. */
function defaultTimeInForce({
  orderType,
  action,
}: {
  readonly orderType: 'market' | 'limit';
  readonly action: 'buy' | 'sell';
}): TimeInForce {
  return orderType === 'limit'
    ? 'GTD'
    : timeInForceOf({ life: defaultLife(action), expiresAtMs: null });
}

interface OrderLife {
  readonly orderType: 'market' | 'limit';
  readonly price?: string | undefined;
  readonly timeInForce?: TimeInForce | undefined;
  readonly expiresAtMs?: number | undefined;
}

/** Fields that do not go together, each with what is wrong. */
function contradictions({
  orderType,
  price,
  timeInForce,
  expiresAtMs,
}: OrderLife): readonly (readonly [field: keyof OrderLife, message: string])[] {
  const rests = timeInForce === 'GTC' || timeInForce === 'GTD';
  if (orderType === 'market') {
    return [
      ...(price === undefined ? [] : [['price', 'not taken by a market order'] as const]),
      ...(rests
        ? [
            [
              'timeInForce',
              `a market order is FOK or FAK: ${timeInForce} is for limit orders`,
            ] as const,
          ]
        : []),
      ...(expiresAtMs === undefined
        ? []
        : [['expiresAtMs', 'not taken by a market order'] as const]),
    ];
  }
  return [
    ...(price === undefined ? [['price', 'required for a limit order'] as const] : []),
    ...(timeInForce === undefined || rests
      ? []
      : [
          [
            'timeInForce',
            `a limit order is GTC or GTD: ${timeInForce} is for market orders`,
          ] as const,
        ]),
    ...(timeInForce === 'GTC' && expiresAtMs !== undefined
      ? [['expiresAtMs', 'not taken by a GTC order, which rests until it is cancelled'] as const]
      : []),
  ];
}

function orderPath({ order }: VenueIds) {
  return z.object({
    id: z
      .string()
      .regex(new RegExp(`^(int_[0-9A-Za-z]{1,40}|${order.pattern})$`), order.refusal)
      .meta({ description: "Our id or the venue's." }),
  });
}

function toPlaceOrder(calls: OrderCalls, order: OrderRequest, context: UserContext): PlaceOrder {
  return {
    venue: calls.venue,
    marketId: order.marketId,
    outcome: order.side === 'yes' ? 0 : 1,
    side: order.action,
    amount: { unit: order.orderMode === 'dollars' ? 'usdc' : 'shares', micros: order.amount },
    type: typeOf(calls, order, context),
    origin: { kind: 'manual' },
    ...(context.idempotencyKey === null
      ? {}
      : {
          idempotencyKey: context.idempotencyKey,
          clientOrderId: context.header('idempotency-key') ?? context.idempotencyKey,
        }),
  };
}

/** How long the answer waits for the order's end; says what was made of a preference. */
function waitMs({ header, answerWith }: UserContext, orderType: 'market' | 'limit'): number {
  const preferredMs = preferredWaitMs(header('prefer'));
  if (preferredMs === null) return orderType === 'market' ? SURFACE.orderWaitDefaultMs : 0;
  const appliedMs = Math.min(preferredMs, SURFACE.orderWaitMaximumMs);
  answerWith('Preference-Applied', `wait=${appliedMs / 1_000}`);
  return appliedMs;
}

function typeOf(
  calls: OrderCalls,
  { price, timeInForce, expiresAtMs }: OrderRequest,
  context: UserContext,
): PlaceOrder['type'] {
  // What does not go with the kind of order was refused above.
  if (price === undefined) {
    const life = lifeOf(timeInForce);
    return { kind: 'market', ...(life === 'rests' ? {} : { life }) };
  }
  return {
    kind: 'limit',
    price: calls.price.read(price),
    expiresAtMs: expiryOf(expiresAtMs, context),
    ...(timeInForce === 'GTC' ? { untilCancelled: true } : {}),
  };
}

/** A caller says it in wall time. */
function expiryOf(
  expiresAtMs: number | undefined,
  { marketTime, wallNowMs }: UserContext,
): number | null {
  if (expiresAtMs === undefined || expiresAtMs > wallNowMs)
    return expiresAtMs === undefined ? null : marketTime.toMarketMs(expiresAtMs);
  const message = `lies in the past: it is ${wallNowMs} now, in epoch milliseconds`;
  throw new AppError('invalid_request', `expiresAtMs: ${message}`, {
    fields: [{ path: '/expiresAtMs', message }],
  });
}

function find({ services, userId }: UserContext, id: string): OrderRecord {
  const record = services.orders.get(
    userId,
    id.startsWith('int_') ? asId<IntentId>(id) : asId<OrderId>(id),
  );
  if (record === null) throw new AppError('not_found', 'you have no such order');
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

function placeRoute(calls: OrderCalls): Route {
  return userRoute({
    family: calls.venue,
    method: 'POST',
    path: `/api/${calls.venue}/order/`,
    budget: 'writes',
    status: 201,
    movesMoney: true,
    operationId: `placeOrder${calls.suffix}`,
    summary: 'Place an order (market or limit)',
    description:
      'Places one order at the venue. It is checked against the book, your balance and your limits, stored, and ' +
      'then sent. Send an Idempotency-Key, so that repeating the call after a lost answer places nothing twice. ' +
      `The answer to a market order waits up to ${SURFACE.orderWaitDefaultMs / 1_000} s for its end and says how it ended: state, filledShares, averagePrice; \`Prefer: wait=0\` asks for it at once. ` +
      'An order that the venue refuses is no error of the call: it is answered like any other, its state `rejected` and why in `reason`.',
    body: orderRequest(calls),
    output: orderOut,
    errors: [
      'not_found',
      'market_closed',
      'market_not_ready',
      'price_off_tick',
      'price_out_of_range',
      'size_too_small',
      'amount_too_small',
      'amount_off_step',
      'book_untrusted',
      'no_liquidity',
      'insufficient_funds',
      'insufficient_shares',
      'funds_disputed',
      'cap_exceeded',
      'market_fenced',
      'wallet_not_ready',
      'trading_stopped',
      'lock_busy',
      'preparation_timeout',
      'limit_reached',
      'venue_unavailable',
      'venue_restricted',
      'venue_protocol',
      'store_unavailable',
    ],
    headers: {
      Prefer: {
        field: 'prefer',
        optional: true,
        description: `\`wait=<seconds>\` (RFC 7240): how long the answer waits for the order's end, ${SURFACE.orderWaitMaximumMs / 1_000} at most; absent, ${SURFACE.orderWaitDefaultMs / 1_000} for a market order and 0 for a limit order.`,
      },
    },
    async run(context, { body }) {
      const { services, userId } = context;
      const placed = await services.orders.place(userId, toPlaceOrder(calls, body, context));
      return viewOrder(
        await services.orders.ended(
          userId,
          placed.intent.intentId,
          waitMs(context, body.orderType),
        ),
      );
    },
  });
}

function readRoutes({ venue, ids, suffix }: OrderCalls): readonly Route[] {
  return [
    userRoute({
      family: venue,
      method: 'GET',
      path: `/api/${venue}/order/`,
      budget: 'reads',
      operationId: `listOrders${suffix}`,
      summary: 'List your orders, newest first: open ones unless you ask for others',
      description: 'Orders placed by hand and by agents, a page at a time.',
      query: z.strictObject({
        state: z.enum(['open', 'ended', 'all']).default('open').meta({
          description: 'open may still trade; ended is filled, cancelled, expired or rejected.',
        }),
        marketId: idField<MarketId>(ids.market)
          .optional()
          .meta({ description: 'Those of one market.' }),
        ...pageFields,
      }),
      output: pageOut(orderOut),
      run: ({ services, userId }, { query: { state, marketId, ...query } }) => {
        const page = services.history.orders(userId, {
          state,
          ...pageOf(query),
          ...(marketId === undefined ? {} : { marketId }),
        });
        return { data: page.data.map(viewOrder), nextCursor: page.nextCursor };
      },
    }),
    userRoute({
      family: venue,
      method: 'GET',
      path: `/api/${venue}/order/:id/`,
      budget: 'reads',
      operationId: `getOrder${suffix}`,
      summary: 'Get an order and its state',
      description: "One order of yours by our id or the venue's, with what has filled.",
      params: orderPath(ids),
      output: orderOut,
      errors: ['not_found'],
      run: (context, { params }) => viewOrder(find(context, params.id)),
    }),
  ];
}

function cancelRoutes({ venue, ids, suffix }: OrderCalls): readonly Route[] {
  return [
    userRoute({
      family: venue,
      method: 'DELETE',
      path: `/api/${venue}/order/`,
      budget: 'stops',
      operationId: `cancelAllOrders${suffix}`,
      summary: 'Cancel all your open orders, and say what became of each',
      description:
        'Cancels every open order, placed by hand and by agents. Repeating it finds what is still open and changes nothing else.',
      output: z.object({ data: z.array(cancelledOut), nextCursor: z.null() }),
      errors: ['store_unavailable'],
      run: async ({ services, userId }) => ({
        data: (await services.orders.cancelAll(userId)).map(({ order, outcome, reason }) => ({
          outcome,
          reason,
          order: viewOrder(order),
        })),
        nextCursor: null,
      }),
    }),
    userRoute({
      family: venue,
      method: 'DELETE',
      path: `/api/${venue}/order/:id/`,
      budget: 'stops',
      operationId: `cancelOrder${suffix}`,
      summary: 'Cancel an order; a fill that was faster wins',
      description:
        'Asks the venue to cancel what has not filled. The answer carries the order as it is then; shares that ' +
        'filled before the cancel stay yours.',
      params: orderPath(ids),
      output: orderOut,
      errors: ['not_found', 'order_not_cancellable', 'venue_unavailable'],
      run: async (context, { params }) =>
        viewOrder(
          await context.services.orders.cancel(
            context.userId,
            find(context, params.id).intent.intentId,
          ),
        ),
    }),
  ];
}
