import { z } from 'zod';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { ok, readJson, type Call, type Reply, type SlowRoute } from '../../../wire/http-server.ts';
import { contractsOf } from '../chain-addresses.ts';
import { lockedMicros } from '../model/exchange-state.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { VenueOrder } from '../model/order.ts';
import type { Quotes } from '../model/quotes.ts';
import type { Access, Profile } from './access.ts';
import { guarded, type OwnRoute } from './guarded.ts';
import { fieldErrors, orderSchema, termsOf, type OrderBody } from './order-intake.ts';
import { orderShape, userOrderShape } from './order-shapes.ts';
import { isOrderSigned } from '../order-type.ts';
import { created, formatted, refused } from './replies.ts';

/** What the routes of orders go by. */
export interface OrderRoutesParts {
  readonly exchange: BookExchange;
  readonly quotes: Quotes;
  readonly access: Access;
  /** Newest of the clocks that callers may go by: `timestamp` in a body is of one of them. */
  readonly nowMs: () => number;
}

/** How late an answer is by the fault. */
const LATE_ACK_MS = 8_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const batchSchema = z.object({
  orderIds: z.array(z.string()).min(1).max(POOL_VENUE.cancelBatchMaximum),
});
const statusSchema = z.object({
  items: z
    .array(z.union([z.object({ orderId: z.string() }), z.object({ clientOrderId: z.string() })]))
    .min(1)
    .max(POOL_VENUE.statusBatchMaximum),
});

/** Orders: place, cancel, ask (venue_c.md section 8). */
export function orderRoutes(parts: OrderRoutesParts): readonly SlowRoute[] {
  const { exchange, access } = parts;
  const trading = (method: 'GET' | 'POST' | 'DELETE', path: string, run: OwnRoute): SlowRoute =>
    guarded(access, { method, path, scope: 'trading' }, run);

  /** An order of the caller's. */
  const openOrder = (orderId: string, { id }: Profile): VenueOrder | null => {
    const order = exchange.order(orderId);
    return order !== null && order.ownerId === id ? order : null;
  };

  /** An order of the caller's by either name, open or not. */
  const orderNamed = (
    item: { readonly orderId: string } | { readonly clientOrderId: string },
    profile: Profile,
  ): VenueOrder | null =>
    'orderId' in item
      ? openOrder(item.orderId, profile)
      : (exchange
          .ordersOf(profile.id)
          .find(({ clientOrderId }) => clientOrderId === item.clientOrderId) ?? null);

  function cancelOne({ params }: Call, profile: Profile): Reply {
    const orderId = params['orderId'] ?? '';
    if (!UUID.test(orderId)) return refused(400, 'orderId must be a UUIDv4');
    const order = openOrder(orderId, profile);
    if (order === null) return refused(404, 'Order not found');
    if (order.status === 'DELAYED') return refused(400, 'Order is delayed');
    return exchange.cancel(order)
      ? ok({ message: 'Order canceled successfully' })
      : refused(400, `Order is already ${order.status === 'MATCHED' ? 'matched' : 'canceled'}`);
  }

  function cancelMany(orderIds: readonly string[], profile: Profile): Reply {
    const canceled: string[] = [];
    const failed: { orderId: string; reason: string; message: string }[] = [];
    for (const orderId of orderIds) {
      const order = openOrder(orderId, profile);
      if (order !== null && exchange.cancel(order)) canceled.push(orderId);
      else failed.push({ orderId, reason: 'ORDER_NOT_FOUND', message: 'Order not found' });
    }
    const status = failed.length === 0 ? 200 : 207;
    return {
      kind: 'json',
      status,
      body: {
        message: failed.length === 0 ? 'Orders canceled successfully' : 'Some orders failed',
        canceled,
        failed,
      },
    };
  }

  function cancelAll({ params }: Call, profile: Profile): Reply {
    const slug = params['slug'] ?? '';
    if (exchange.market(slug) === null) return refused(404, 'Market not found');
    const mine = exchange
      .openOf(profile.account)
      .filter((order) => order.slug === slug && order.status === 'LIVE');
    return cancelMany(
      mine.map(({ orderId }) => orderId),
      profile,
    );
  }

  function userOrders({ params, query }: Call, profile: Profile): Reply {
    const market = exchange.market(params['slug'] ?? '');
    if (market === null) return refused(404, 'Market not found');
    const asked = query.getAll('statuses');
    const rows = exchange
      .ordersOf(profile.id)
      .filter(({ slug }) => slug === market.slug)
      .map((order) => userOrderShape(order, market))
      .filter(({ status }) => (asked.length === 0 ? ['LIVE'] : asked).includes(status))
      .reverse();
    const limit = Number(query.get('limit') ?? rows.length);
    return ok(Number.isInteger(limit) && limit > 0 ? rows.slice(0, limit) : rows);
  }

  function lockedBalance({ params }: Call, profile: Profile): Reply {
    const slug = params['slug'] ?? '';
    if (exchange.market(slug) === null) return refused(404, 'Market not found');
    const buys = exchange
      .openOf(profile.account)
      .filter((order) => order.slug === slug && order.side === 'buy');
    const locked = buys.reduce((sum, order) => sum + lockedMicros(order), 0);
    return ok({
      lockedBalance: String(locked),
      lockedBalanceFormatted: formatted(locked),
      currency: 'USDC',
      orderCount: buys.length,
    });
  }

  return [
    trading('POST', '/orders', (call, { profile }) => place(parts, call, profile)),
    trading('POST', '/orders/cancel-batch', ({ body }, { profile }) => {
      const read = batchSchema.safeParse(readJson(body));
      return read.success
        ? cancelMany(read.data.orderIds, profile)
        : refused(400, 'orderIds must be an array of 1 to 50 ids');
    }),
    trading('POST', '/orders/status/batch', ({ body }, { profile }) => {
      const read = statusSchema.safeParse(readJson(body));
      if (!read.success) return refused(400, 'items must be an array of 1 to 50 orders');
      const results = read.data.items.map((item, index) => {
        const order = orderNamed(item, profile);
        return order === null
          ? { index, status: 'not_found', ...item }
          : {
              index,
              status: 'found',
              ...item,
              orderId: order.orderId,
              data: orderShape(exchange, order),
            };
      });
      return ok({ results });
    }),
    trading('DELETE', '/orders/all/:slug', (call, { profile }) => cancelAll(call, profile)),
    trading('DELETE', '/orders/:orderId', (call, { profile }) => cancelOne(call, profile)),
    trading('GET', '/markets/:slug/user-orders', (call, { profile }) => userOrders(call, profile)),
    trading('GET', '/markets/:slug/locked-balance', (call, { profile }) =>
      lockedBalance(call, profile),
    ),
  ];
}

async function place(parts: OrderRoutesParts, { body }: Call, profile: Profile): Promise<Reply> {
  const read = orderSchema.safeParse(readJson(body));
  if (read.success) return submit(parts, read.data, profile);
  return {
    kind: 'json',
    status: 400,
    body: { message: fieldErrors(read.error), error: 'Bad Request', statusCode: 400 },
  };
}

/** Takes an order in, and answers as POST /orders does. */
export async function submit(
  { exchange, quotes, nowMs }: OrderRoutesParts,
  body: OrderBody,
  profile: Profile,
): Promise<Reply> {
  const { timestamp, recvWindow, marketSlug, order } = body;
  const isLate =
    timestamp !== undefined && recvWindow !== undefined && nowMs() > timestamp + recvWindow;
  if (isLate || exchange.faults.take('stale-timestamp', { owner: profile.account }) !== null)
    return refused(425, 'Request timestamp is outside of the recvWindow');
  const market = exchange.market(marketSlug);
  if (market === null) return refused(404, 'Market not found');
  if (market.tradeType !== 'clob') return refused(400, 'Market is not a CLOB market');
  if (exchange.clock.nowMs() >= market.endsAtMs) return refused(400, 'Market is not active');
  const terms = termsOf(body, market, profile);
  if (typeof terms === 'string') return refused(400, terms);
  if (!(await isOrderSigned(order, contractsOf(market).exchange)))
    return refused(400, 'Invalid signature');
  quotes.read(market);
  const placed = await exchange.place(market, terms);
  if (placed.kind === 'refused') return refused(placed.status, placed.message);
  const subject = { address: profile.account, marketId: market.slug, path: '/orders' };
  if (exchange.faults.take('lost-ack', subject) !== null) return { kind: 'cut' };
  if (exchange.faults.take('retry-duplicated', subject) !== null)
    return refused(409, 'Order with this clientOrderId already exists');
  const late = exchange.faults.take('late-ack', subject);
  const answer = created(orderShape(exchange, placed.order, placed));
  return late === null ? answer : { ...answer, delayMs: late.delayOr(LATE_ACK_MS) };
}
