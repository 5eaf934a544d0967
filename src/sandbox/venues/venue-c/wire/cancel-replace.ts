import { z } from 'zod';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { ok, readJson, type Reply, type SlowRoute } from '../../../wire/http-server.ts';
import type { VenueOrder } from '../model/order.ts';
import type { Profile } from './access.ts';
import { guarded } from './guarded.ts';
import { orderSchema } from './order-intake.ts';
import { submit, type OrderRoutesParts } from './order-routes.ts';
import { refused } from './replies.ts';

const operationSchema = z.object({
  cancel: z.union([z.object({ orderId: z.string() }), z.object({ clientOrderId: z.string() })]),
  replacement: orderSchema,
  mode: z.enum(['STOP_ON_FAILURE', 'ALLOW_FAILURE']),
});
const batchSchema = z.object({
  operations: z.array(operationSchema).min(1).max(POOL_VENUE.cancelBatchMaximum),
});
type Operation = z.output<typeof operationSchema>;

/** One order in the place of another, and many such pairs (venue_c.md section 8.2). */
export function cancelReplaceRoutes(parts: OrderRoutesParts): readonly SlowRoute[] {
  const post = (path: string) => ({ method: 'POST' as const, path, scope: 'trading' as const });
  return [
    guarded(parts.access, post('/orders/cancel-replace'), async ({ body }, { profile }) => {
      const read = operationSchema.safeParse(readJson(body));
      if (!read.success) return refused(400, 'cancel, replacement and mode are required');
      const result = await carryOut(parts, read.data, profile);
      const isWhole = result.cancel.status === 'SUCCESS' && result.replacement.status === 'SUCCESS';
      // a pair of which a half has failed has the same body, and is no error to its clients
      return { kind: 'json', status: isWhole ? 200 : 409, body: result };
    }),
    guarded(parts.access, post('/orders/cancel-replace/batch'), async ({ body }, { profile }) => {
      const read = batchSchema.safeParse(readJson(body));
      if (!read.success) return refused(400, 'operations must be an array of 1 to 50 pairs');
      const results: unknown[] = [];
      for (const [index, operation] of read.data.operations.entries())
        results.push({ index, ...(await carryOut(parts, operation, profile)) });
      return ok({ results });
    }),
  ];
}

async function carryOut(parts: OrderRoutesParts, operation: Operation, profile: Profile) {
  const { cancel: target, replacement, mode } = operation;
  const order = orderOf(parts, target, profile);
  const isCancelled = order !== null && parts.exchange.cancel(order);
  const cancel = isCancelled
    ? {
        status: 'SUCCESS' as const,
        orderId: order.orderId,
        ...(order.clientOrderId === null ? {} : { clientOrderId: order.clientOrderId }),
      }
    : {
        status: 'FAILURE' as const,
        error: { code: 'ORDER_NOT_FOUND', message: 'Order not found' },
      };
  if (!isCancelled && mode === 'STOP_ON_FAILURE')
    return { cancel, replacement: { status: 'NOT_ATTEMPTED' as const } };
  return { cancel, replacement: resultOf(await submit(parts, replacement, profile)) };
}

function orderOf(
  { exchange }: OrderRoutesParts,
  target: Operation['cancel'],
  profile: Profile,
): VenueOrder | null {
  const open = exchange.openOf(profile.account);
  const found = open.find((order) =>
    'orderId' in target
      ? order.orderId === target.orderId
      : order.clientOrderId === target.clientOrderId,
  );
  return found ?? null;
}

const refusalSchema = z.object({ message: z.string() });

/** What became of the new order; an answer that a fault has lost is unknown here as well. */
function resultOf(reply: Reply) {
  if (reply.kind !== 'json')
    return {
      status: 'UNKNOWN' as const,
      error: { code: 'UNKNOWN_ERROR', message: 'The result is unknown' },
    };
  if (reply.status === 201) return { status: 'SUCCESS' as const, data: reply.body };
  const { message } = refusalSchema.parse(reply.body);
  return { status: 'FAILURE' as const, error: { code: `HTTP_${reply.status}`, message } };
}
