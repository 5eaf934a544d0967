import { SYNC } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { VenueFill } from '../../domain/fill.ts';
import { asId, type IntentId, type OrderId, type UserId, type VenueId } from '../../domain/ids.ts';
import { isTerminal, openAttempt, withGas, type OrderRecord } from '../../domain/order.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Table, Versioned } from '../../ports/store.ts';
import type { PartialList, VenueOrder } from '../../ports/order-gateway.ts';
import type { Venues } from '../venues.ts';
import type { Funding } from '../funding/venue-deposits.ts';
import { orderNamed } from '../books/named-order.ts';
import { foldVenueOrder } from '../books/order-fold.ts';
import { fillsLearned } from '../books/stated-fills.ts';
import type { OrderUpdates } from '../books/order-updates.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { marketEndOf, OPEN_FILLS, OPEN_ORDERS, ORDERS, type OpenFill } from '../books/tables.ts';

export interface VenueReadingDeps extends Pick<Runtime, 'store' | 'clock' | 'log' | 'metrics'> {
  readonly venue: { readonly id: VenueId };
  /** The mechanisms of the venue. */
  readonly venues: Pick<Venues, 'mechanisms' | 'trading'>;
  readonly updates: OrderUpdates;
  readonly portfolio: Portfolio;
  readonly funding: Funding;
  /** Has an order asked about now. */
  readonly ask: (intentId: IntentId) => void;
}

/** What to read of a user. */
export interface Reading {
  readonly userId: UserId;
  /**
   * The channel has just opened: resting orders are compared as well, and trades read though
   * nothing is known to be in motion.
   */
  readonly everything: boolean;
}

/**
 * Reads what the channel may have lost: trades while anything is in motion, resting orders. True
 * when trades were read. Errors: `venue_unavailable`, `store_unavailable`, and `venue_protocol`
 * after all that could be read has been taken in.
 */
export async function readVenue(
  deps: VenueReadingDeps,
  { userId, everything }: Reading,
): Promise<boolean> {
  if (!everything && !isInMotion(deps, userId)) return false;
  const refused = await readTrades(deps, userId);
  if (everything) await readOrders(deps, userId);
  if (refused !== null) throw refused;
  return true;
}

/**
 * Books the trades that can be read; the error tells of those that cannot, null when there are
 * none: each may be a fill of an own order.
 */
async function readTrades(deps: VenueReadingDeps, userId: UserId): Promise<AppError | null> {
  const gateways = deps.venues.mechanisms(deps.venue.id).map(({ gateway }) => gateway);
  const lists: PartialList<VenueFill>[] = [];
  for (const gateway of gateways)
    if (gateway.fills !== null)
      lists.push(await gateway.fills(userId, oldestInMotionMs(deps, userId) - SYNC.overlapMs));
  if (gateways.some(({ fills }) => fills === null)) lists.push(await readStated(deps, userId));
  const read = lists.flatMap((list) => list.read);
  const unread = lists.reduce((sum, list) => sum + list.unread, 0);
  const refused: AppError[] = [];
  for (const fill of read) {
    try {
      await takeFill(deps, fill);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'venue_protocol') throw error;
      refused.push(error);
    }
  }
  const count = unread + refused.length;
  return count === 0
    ? null
    : new AppError('venue_protocol', `${count} trades of user ${userId} cannot be read`, {
        retryable: true,
        cause: refused[0],
      });
}

/**
 * Looks up the orders of fills that are not final, where their mechanism lists none; orders that
 * are open have actors who ask. Each must be answered: what is not known is not read.
 */
async function readStated(deps: VenueReadingDeps, userId: UserId): Promise<PartialList<VenueFill>> {
  const { store, updates, venues } = deps;
  const orders = new Set(
    marks(deps, OPEN_FILLS, userId).map(({ key }) => asId<OrderId>(String(key[1]))),
  );
  const read: VenueFill[] = [];
  let unread = 0;
  for (const orderId of orders) {
    const record = orderNamed(store, orderId);
    const attempt = record?.attempts.find((one) => one.orderId === orderId);
    if (record === null || attempt === undefined) continue;
    const { intent } = record;
    const { gateway } = venues.trading(intent);
    if (gateway.fills !== null) continue;
    const handle = { intent, attempt };
    const outcome = await gateway.lookup(handle);
    if (outcome.kind === 'unreachable') unread += 1;
    if (outcome.kind === 'found') {
      const { gas } = outcome.order;
      await updates.apply(intent, (known) => withGas(known, attempt.attemptId, gas), 'outside');
    }
    read.push(...fillsLearned(store, handle, outcome));
  }
  return { read, unread };
}

/**
 * Compares resting orders; ours are asked about by id as well, so that one the list cannot tell of
 * is not forgotten.
 */
async function readOrders(deps: VenueReadingDeps, userId: UserId): Promise<void> {
  for (const { gateway } of deps.venues.mechanisms(deps.venue.id))
    for (const order of (await gateway.openOrders(userId)).read)
      await takeOrder(deps, { userId, order, asked: true });
  for (const { key } of marks(deps, OPEN_ORDERS, userId)) {
    const record = deps.store.get(ORDERS, key)?.value;
    if (record !== undefined && record.state !== 'signed') deps.ask(record.intent.intentId);
  }
}

/**
 * Books what the venue says of a trade. Those of orders that were sent to another venue are
 * counted.
 */
export function takeFill(deps: VenueReadingDeps, fill: VenueFill): Promise<unknown> {
  const order = orderNamed(deps.store, fill.orderId);
  if (order === null || isHere(deps, order)) return deps.portfolio.recordFill(fill);
  deps.metrics.count('foreign_orders_total', { venue: deps.venue.id });
  return Promise.resolve();
}

/**
 * False for an own order at another venue: whatever this one says by that name is of something
 * else.
 */
function isHere({ venue }: VenueReadingDeps, { intent }: OrderRecord): boolean {
  return intent.venue === venue.id;
}

/**
 * Folds the venue's word about an order. Orders that are not ours are counted, but for one whose id
 * may still be on its way here; one we thought over is taken off the book.
 */
export async function takeOrder(
  deps: VenueReadingDeps,
  {
    userId,
    order,
    asked,
  }: { readonly userId: UserId; readonly order: VenueOrder; readonly asked: boolean },
): Promise<void> {
  const { orderId } = order;
  const own = orderNamed(deps.store, orderId);
  if (own === null && isUnnamed(deps, userId, order)) return;
  if (own === null || !isHere(deps, own)) {
    deps.log.warn({ userId, venue: deps.venue.id, orderId }, 'order.foreign');
    return deps.metrics.count('foreign_orders_total', { venue: deps.venue.id });
  }
  const record = await deps.updates.apply(
    own.intent,
    (known, nowMs) => {
      const { traits } = deps.venues.trading(known.intent);
      const marketEndsAtMs = marketEndOf(deps.store, known.intent.marketId);
      return foldVenueOrder(known, order, asked, { nowMs, traits, marketEndsAtMs });
    },
    'outside',
  );
  if (asked && order.status === 'live' && isTerminal(record.state))
    await removeOrphan(deps, record, order.orderId);
}

/**
 * True for an own order of which the venue's id is not known here: by the name it was sent under,
 * or, where a list does not state that, while one of the user's at the venue has no id yet. It is
 * read again once it has. One that ended without an id had nothing matched: what is said to have
 * more is no such order.
 */
function isUnnamed(
  deps: VenueReadingDeps,
  userId: UserId,
  { attemptId, matchedShares }: Pick<VenueOrder, 'attemptId' | 'matchedShares'>,
): boolean {
  const { store } = deps;
  if (attemptId !== undefined) {
    const record = orderNamed(store, attemptId);
    return record !== null && (!isTerminal(record.state) || matchedShares === 0);
  }
  return marks(deps, OPEN_ORDERS, userId).some(({ key }) => {
    const record = store.get(ORDERS, key)?.value;
    return record !== undefined && openAttempt(record)?.orderId === null;
  });
}

/**
 * Takes an order off the book that rests there though its record has ended: it was booked later
 * than anybody could expect. Asked by id first, for the list that named it may be older than the
 * end.
 */
async function removeOrphan(
  { venues, log }: VenueReadingDeps,
  { intent, attempts, state }: OrderRecord,
  orderId: OrderId,
): Promise<void> {
  const attempt = attempts.find((one) => one.orderId === orderId);
  if (attempt === undefined) return;
  const { gateway } = venues.trading(intent);
  const word = await gateway.lookup({ intent, attempt });
  if (word.kind !== 'found' || word.order.status !== 'live') return;
  log.error({ intentId: intent.intentId, orderId, state }, 'order.orphan');
  await gateway.cancel({ intent, attempt });
}

/** True while an order or a fill of the user at the venue may still change. */
export function isInMotion(
  deps: Pick<VenueReadingDeps, 'store' | 'venue'>,
  userId: UserId,
): boolean {
  return marks(deps, OPEN_ORDERS, userId).length > 0 || marks(deps, OPEN_FILLS, userId).length > 0;
}

function oldestInMotionMs(deps: VenueReadingDeps, userId: UserId): number {
  const sinceMs = [OPEN_ORDERS, OPEN_FILLS].flatMap((table) =>
    marks(deps, table, userId).map(({ value }) => value.sinceMs),
  );
  return Math.min(deps.clock.nowMs(), ...sinceMs);
}

/** What of the user's is in motion at the venue. */
function marks<T extends OpenFill>(
  { store, venue }: Pick<VenueReadingDeps, 'store' | 'venue'>,
  table: Table<T>,
  userId: UserId,
): readonly Versioned<T>[] {
  return store.range(table, { prefix: [userId] }).filter(({ value }) => value.venue === venue.id);
}
