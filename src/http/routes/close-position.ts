import { z } from 'zod';
import type { MarketId } from '../../domain/ids.ts';
import { DRAFT_ERRORS, ORDER_ERRORS } from '../../domain/order-refusals.ts';
import type { ClosePosition } from '../../services/position-closer.ts';
import { userRoute, type UserContext } from '../route.ts';
import { confirmationOut } from '../views/confirmation.ts';
import { estimateOut, viewEstimate } from '../views/estimate.ts';
import { orderOut, viewOrder } from '../views/order.ts';
import { amountField, idField } from './fields.ts';
import { fenceWaitMs, type OrderCalls } from './order-request.ts';
import { PREFER_HEADER, propose, waitMs, assertNotAsked } from './orders.ts';

/** The calls that close a position at a venue, and that say what closing it would do. */
export function closePositionRoutes<const Path extends string>(calls: CloseCalls<Path>) {
  const request = closeRequest(calls);
  return [closeRoute(calls, request), proposeRoute(calls, request), estimateRoute(calls, request)];
}

type CloseCalls<Path extends string = string> = Pick<
  OrderCalls<Path>,
  'venue' | 'path' | 'ids' | 'suffix'
>;

function closeRequest({ ids, suffix }: CloseCalls) {
  return z
    .strictObject({
      marketId: idField<MarketId>(ids.market),
      side: z
        .enum(['yes', 'no'])
        .optional()
        .meta({ description: 'Which outcome you hold; needed where you hold both.' }),
      amount: amountField
        .optional()
        .meta({ description: 'Shares; absent for all that no open sale has set aside.' }),
    })
    .meta({ id: `CloseRequest${suffix}` });
}

type CloseRequest = z.output<ReturnType<typeof closeRequest>>;

function toClosing(
  { venue }: CloseCalls,
  { marketId, side, amount }: CloseRequest,
  context: UserContext,
): ClosePosition {
  return {
    venue,
    marketId,
    outcome: side === undefined ? null : side === 'yes' ? 0 : 1,
    shareMicros: amount ?? null,
    keyId: context.keyId,
    fenceWaitMs: fenceWaitMs(context),
  };
}

function proposeRoute<const Path extends string>(
  calls: CloseCalls<Path>,
  request: ReturnType<typeof closeRequest>,
) {
  return userRoute({
    family: calls.venue,
    method: 'POST',
    path: `${calls.path}/proposal` as const,
    budget: 'writes',
    status: 201,
    operationId: `proposeClose${calls.suffix}`,
    summary: 'Put a close of an assistant forward, for its person to confirm',
    description:
      'For API keys that ask before they trade: the sale is kept with its worst price fixed, and the person is notified. Nothing is sold until they confirm it.',
    body: request,
    output: confirmationOut,
    errors: [...ORDER_ERRORS, 'settlement_pending'],
    run: (context, { body }) =>
      propose(
        context,
        context.services.closing.saleOf(context.userId, toClosing(calls, body, context)),
      ),
  });
}

function estimateRoute<const Path extends string>(
  calls: CloseCalls<Path>,
  request: ReturnType<typeof closeRequest>,
) {
  return userRoute({
    family: calls.venue,
    method: 'POST',
    path: `${calls.path}/estimate` as const,
    budget: 'reads',
    scope: 'read',
    operationId: `estimateClose${calls.suffix}`,
    summary: 'Say what closing a position would do, without closing it',
    description:
      'Takes the request of a close and answers what its sale would trade at, bring and cost now, and what it would be refused for. Nothing is made, stored or sent.',
    body: request,
    output: estimateOut,
    errors: [...DRAFT_ERRORS, 'insufficient_shares', 'settlement_pending'],
    run: async (context, { body }) =>
      viewEstimate(
        await context.services.closing.estimate(context.userId, toClosing(calls, body, context)),
      ),
  });
}

function closeRoute<const Path extends string>(
  calls: CloseCalls<Path>,
  request: ReturnType<typeof closeRequest>,
) {
  const { venue, suffix, path } = calls;
  return userRoute({
    family: venue,
    method: 'POST',
    path,
    budget: 'writes',
    status: 201,
    movesMoney: true,
    operationId: `closePosition${suffix}`,
    summary: 'Close a position: sell it at the best bid, or redeem what won',
    description:
      'Sells what you hold of a market at the best bid while it trades, redeems it for a dollar a share once it has won, and answers the order, as placing one does. ' +
      'Send an Idempotency-Key, so that repeating the call sells nothing twice. What was won is also redeemed by itself.',
    body: request,
    headers: PREFER_HEADER,
    output: orderOut,
    errors: [...ORDER_ERRORS, 'settlement_pending'],
    async run(context, { body }) {
      const { services, userId, idempotencyKey, header } = context;
      assertNotAsked(context);
      const placed = await services.closing.close(userId, {
        ...toClosing(calls, body, context),
        ...(idempotencyKey === null
          ? {}
          : { idempotencyKey, clientOrderId: header('idempotency-key') ?? idempotencyKey }),
      });
      return viewOrder(
        await services.orders.ended(userId, placed.intent.intentId, waitMs(context, 'market')),
        services.coinPrice,
      );
    },
  });
}
