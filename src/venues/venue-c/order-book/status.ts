import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import { asId, type MarketId, type OrderId } from '../../../domain/ids.ts';
import type { OrderAttempt } from '../../../domain/order.ts';
import { answerOf, type VenueClient } from '../client.ts';
import type { AccountToken } from '../auth.ts';
import {
  orderRowSchema,
  orderRowsSchema,
  positionsSchema,
  statedOrderSchema,
  statusAnswerSchema,
  type OrderRow,
  type StatedOrder,
} from './schema.ts';

/**
 * Returns what the venue states of an order, by its own id where that is known, else by ours; null
 * where it knows none. Errors: `venue_unavailable`, `rate_limited`, `overloaded` (retryable),
 * `venue_restricted`, `venue_protocol`.
 */
export async function readStatus(
  client: VenueClient,
  account: AccountToken,
  { attemptId, orderId }: Pick<OrderAttempt, 'attemptId' | 'orderId'>,
): Promise<StatedOrder | null> {
  const item = orderId === null ? { clientOrderId: String(attemptId) } : { orderId };
  const [stated = null] = await ask(client, account, [item]);
  return stated;
}

/** Returns what the venue states of those orders that it knows, at most 50. Errors: as above. */
export async function readStatuses(
  client: VenueClient,
  account: AccountToken,
  orderIds: readonly OrderId[],
): Promise<ReadonlyMap<OrderId, StatedOrder>> {
  const answers = await ask(
    client,
    account,
    orderIds.map((orderId) => ({ orderId })),
  );
  return new Map(
    answers.flatMap((stated) =>
      stated === null ? [] : [[asId<OrderId>(stated.order.id), stated] as const],
    ),
  );
}

type Item = { readonly orderId: string } | { readonly clientOrderId: string };

/** In the order of the items. */
async function ask(
  client: VenueClient,
  account: AccountToken,
  items: readonly Item[],
): Promise<readonly (StatedOrder | null)[]> {
  const call = {
    method: 'POST',
    path: '/orders/status/batch',
    isRead: true,
    body: JSON.stringify({ items }),
    account,
  } as const;
  const answer = statusAnswerSchema.safeParse(answerOf(call, await client.send(call)));
  if (!answer.success || answer.data.results.length !== items.length)
    throw unexpected('status of an order');
  return items.map((item, index) => {
    const result = answer.data.results.find((one) => one.index === index);
    if (result === undefined) throw unexpected('status of an order');
    if (result.status === 'not_found') return null;
    const stated = statedOrderSchema.safeParse(result.data);
    if (!stated.success) throw unexpected('order');
    const { order, execution } = stated.data;
    const named = [result.clientOrderId, order.clientOrderId, execution.clientOrderId];
    const isMeant =
      'orderId' in item ? item.orderId === order.id : named.includes(item.clientOrderId);
    if (!isMeant) throw unexpected('order', 'it is about another one');
    return stated.data;
  });
}

/**
 * Returns the user's orders of a market that rest or were matched; null for a list that may be cut.
 * Errors: as above.
 */
export async function readMarketRows(
  client: VenueClient,
  account: AccountToken,
  slug: MarketId,
): Promise<readonly OrderRow[] | null> {
  const path = `/markets/${encodeURIComponent(slug)}/user-orders?statuses=LIVE&statuses=MATCHED`;
  const answer = await client.read({ path, account });
  const rows = orderRowsSchema.safeParse(answer ?? []);
  if (!rows.success) throw unexpected('list of orders');
  if (rows.data.length >= VENUE_C_ORDER.rowsMaximum) return null;
  return rows.data.map((row) => {
    const read = orderRowSchema.safeParse(row);
    if (!read.success) throw unexpected('row of an order');
    return read.data;
  });
}

/** Returns the user's resting orders in all markets, and how many rows have no meaning here. */
export async function readResting(
  client: VenueClient,
  account: AccountToken,
): Promise<{ readonly rows: readonly OrderRow[]; readonly unread: number }> {
  const answer = await client.read({ path: '/portfolio/positions', account });
  const positions = positionsSchema.safeParse(answer);
  if (!positions.success) throw unexpected('list of positions');
  const given = positions.data.clob.flatMap(({ orders }) => orders.liveOrders);
  const rows = given.flatMap((row) => {
    const read = orderRowSchema.safeParse(row);
    return read.success ? [read.data] : [];
  });
  return { rows, unread: given.length - rows.length };
}

function unexpected(what: string, why?: string): AppError {
  const more = why === undefined ? '' : `: ${why}`;
  return new AppError('venue_protocol', `unexpected ${what} format from venue_c${more}`);
}
