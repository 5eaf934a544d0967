import { z } from 'zod';
import type { MarketId } from '../../domain/ids.ts';
import { userRoute, type Route } from '../route.ts';
import { orderOut, viewOrder } from '../views/order.ts';
import { amountField, idField } from './fields.ts';
import type { OrderCalls } from './order-request.ts';
import { ORDER_ERRORS, PREFER_HEADER, waitMs } from './orders.ts';

/** The call that closes a position at a venue. */
export function closePositionRoute({
  venue,
  ids,
  suffix,
  path,
}: Pick<OrderCalls, 'venue' | 'ids' | 'suffix'> & { readonly path: string }): Route {
  return userRoute({
    family: venue,
    method: 'POST',
    path,
    budget: 'writes',
    status: 201,
    movesMoney: true,
    operationId: `closePosition${suffix}`,
    summary: 'Close a position: sell it at the best bid',
    description:
      'Sells what you hold of a market at the best bid and answers the order, as placing one does. Send an Idempotency-Key, so that repeating the call sells nothing twice. ' +
      'What a market that has ended pays comes by itself.',
    body: z.strictObject({
      marketId: idField<MarketId>(ids.market),
      side: z
        .enum(['yes', 'no'])
        .optional()
        .meta({ description: 'Which outcome you hold; needed where you hold both.' }),
      amount: amountField
        .optional()
        .meta({ description: 'Shares; absent for all that no open sale has set aside.' }),
    }),
    headers: PREFER_HEADER,
    output: orderOut,
    errors: ORDER_ERRORS,
    async run(context, { body: { marketId, side, amount } }) {
      const { services, userId, idempotencyKey, header } = context;
      const placed = await services.closing.close(userId, {
        venue,
        marketId,
        outcome: side === undefined ? null : side === 'yes' ? 0 : 1,
        shareMicros: amount ?? null,
        ...(idempotencyKey === null
          ? {}
          : { idempotencyKey, clientOrderId: header('idempotency-key') ?? idempotencyKey }),
      });
      return viewOrder(
        await services.orders.ended(userId, placed.intent.intentId, waitMs(context, 'market')),
      );
    },
  });
}
