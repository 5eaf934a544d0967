import { z } from 'zod';
import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { BoundedMap } from '../../../domain/bounded-map.ts';
import { AppError } from '../../../domain/errors.ts';
import {
  asId,
  type AttemptId,
  type OrderId,
  type TokenId,
  type UserId,
} from '../../../domain/ids.ts';
import { shareMicros } from '../../../domain/units.ts';
import type { Metrics } from '../../../ports/metrics.ts';
import type { OrderGateway, UserEvent, VenueOrder } from '../../../ports/order-gateway.ts';
import type { Catalogue } from '../../../ports/catalogue.ts';
import type { VenueClient } from '../client.ts';
import { VENUE_C_ID } from '../id.ts';
import { fillsOf } from './fills.ts';
import type { OrderAccounts } from './gateway.ts';
import type { StatedOrder } from './schema.ts';
import { readStatuses } from './status.ts';
import { openMarketsSocket, type MarketsSocketParts } from '../socket.ts';
import { sharesOf } from './write-outcomes.ts';

export interface OrderSocketParts extends Omit<MarketsSocketParts, 'account'> {
  readonly client: VenueClient;
  readonly accounts: OrderAccounts;
  readonly catalogue: Pick<Catalogue, 'marketOfToken'>;
  readonly metrics: Metrics;
}

/** What is read of an event of matching (venue_c.md section 12). */
const matchingSchema = z.object({
  source: z.literal('OME'),
  orderId: z.string(),
  remainingSize: z.union([z.number(), z.string()]).transform(Number).pipe(z.int().nonnegative()),
  type: z.enum(['PLACEMENT', 'UPDATE', 'CANCELLATION', 'EXECUTION']),
});
/** What is read of an event of settlement: whose it is. */
const settlementSchema = z.object({
  source: z.literal('SETTLEMENT'),
  orderId: z.string().nullish(),
  takerOrderId: z.string().nullish(),
  txHash: z.string().nullish(),
});
const orderEventSchema = z.union([matchingSchema, settlementSchema]);
const transactionSchema = z.object({ txHash: z.string().nullish() });

type Matching = z.output<typeof matchingSchema>;

/**
 * Watches a user's own channel. Its events name an order and say little of it, so they are reason
 * to read what is stated of the order: its fills come from there, as they do when it is asked
 * about. There is no replay: `connected` has all that is in motion read again, and comes as well
 * after what cannot be read.
 */
export function createOrderSocket(parts: OrderSocketParts): OrderGateway['watch'] {
  return (userId, listener) => {
    const reader = new EventReader(parts, userId, (event) => listener.next(event));
    let socket: { close(): void } | null = null;
    let isStopped = false;
    const fail = (cause: unknown): void => {
      if (isStopped) return;
      reader.stop();
      if (cause instanceof AppError && cause.code === 'venue_restricted')
        parts.accounts.refused(userId);
      listener.error(cause);
    };
    parts.accounts
      .accountOf(userId)
      .then((account) => {
        if (isStopped) return;
        socket = openMarketsSocket(
          { ...parts, account },
          {
            joined(joined) {
              joined.emit('subscribe_order_events', {});
              joined.emit('subscribe_transactions', {});
              listener.next({ kind: 'connected' });
            },
            event: (name, payload) => reader.take(name, payload),
            unreadable: () => reader.reread('not_json'),
            lost: fail,
          },
        );
      })
      .catch(fail);
    return () => {
      isStopped = true;
      reader.stop();
      socket?.close();
    };
  };
}

/** Reads what is stated of the orders that events name, a batch at a time. */
class EventReader {
  readonly #parts: OrderSocketParts;
  readonly #userId: UserId;
  readonly #report: (event: UserEvent) => void;
  /** Orders to read, with what matching said of each, oldest first. */
  readonly #due = new Map<OrderId, readonly Matching[]>();
  /** Orders whose matches a transaction settles, by its hash. */
  readonly #settling = new BoundedMap<string, OrderId>(VENUE_C_ORDER.settlingRemembered);
  #isReading = false;
  #isStopped = false;

  constructor(parts: OrderSocketParts, userId: UserId, report: (event: UserEvent) => void) {
    this.#parts = parts;
    this.#userId = userId;
    this.#report = report;
  }

  take(name: string, payload: unknown): void {
    if (name === 'tx') {
      const { data } = transactionSchema.safeParse(payload);
      const orderId = this.#settling.get(data?.txHash ?? '');
      if (orderId !== undefined) this.#add(orderId);
      return;
    }
    if (name !== 'orderEvent') return;
    const { data } = orderEventSchema.safeParse(payload);
    if (data === undefined) return this.reread('schema');
    if (data.source === 'OME') return this.#add(asId<OrderId>(data.orderId), data);
    const named = data.takerOrderId ?? data.orderId;
    if (named === null || named === undefined) return this.reread('schema');
    const orderId = asId<OrderId>(named);
    if (typeof data.txHash === 'string') this.#settling.set(data.txHash, orderId);
    this.#add(orderId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#due.clear();
  }

  #add(orderId: OrderId, ...said: readonly Matching[]): void {
    this.#due.set(orderId, [...(this.#due.get(orderId) ?? []), ...said]);
    if (this.#due.size > VENUE_C_ORDER.eventsWaitingMaximum) {
      this.#due.clear();
      return this.reread('overflow');
    }
    void this.#read();
  }

  /** What was said may have been of anything: all that is in motion is read. */
  reread(reason: string): void {
    this.#parts.metrics.count('venue_dropped_total', {
      venue: VENUE_C_ID,
      channel: 'user',
      reason,
    });
    if (!this.#isStopped) this.#report({ kind: 'connected' });
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#due.size > 0 && !this.#isStopped) await this.#readBatch();
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
      this.#due.clear();
      this.reread(cause.code);
    } finally {
      this.#isReading = false;
    }
  }

  async #readBatch(): Promise<void> {
    const { client, accounts, catalogue } = this.#parts;
    const batch = [...this.#due].slice(0, VENUE_C_ORDER.statusBatchMaximum);
    for (const [orderId] of batch) this.#due.delete(orderId);
    const account = await accounts.accountOf(this.#userId);
    const stated = await readStatuses(
      client,
      account,
      batch.map(([orderId]) => orderId),
    );
    for (const [orderId, said] of batch) {
      const order = stated.get(orderId);
      if (order === undefined || this.#isStopped) continue;
      for (const matching of said) this.#report({ kind: 'order', order: orderOf(order, matching) });
      const market = await catalogue.marketOfToken(asId(order.order.tokenId));
      if (market === null || this.#isStopped) continue;
      const terms = {
        marketId: market.marketId,
        tokenId: asId<TokenId>(order.order.tokenId),
        side: order.order.side,
      };
      for (const fill of fillsOf(order, terms)) this.#report({ kind: 'fill', fill });
    }
  }
}

/** An order as matching says it is, its size as it is stated. */
function orderOf(stated: StatedOrder, { type, remainingSize }: Matching): VenueOrder {
  const orderId = asId<OrderId>(stated.order.id);
  const size = sharesOf(stated.order);
  const gross = stated.execution.totalsRaw.contractsGross;
  const matchedShares =
    type === 'EXECUTION' ? gross : shareMicros(Math.max(0, size - remainingSize));
  const name = stated.order.clientOrderId ?? stated.execution.clientOrderId;
  const shared = {
    orderId,
    ...(name === null ? {} : { attemptId: asId<AttemptId>(name) }),
    matchedShares,
    reason: null,
  };
  if (type === 'CANCELLATION') return { ...shared, status: 'cancelled' };
  if (matchedShares >= size) return { ...shared, status: 'matched' };
  if (type !== 'EXECUTION') return { ...shared, status: 'live' };
  return { ...shared, status: matchedShares === 0 ? 'unmatched' : 'cancelled' };
}
