import { AGENT_IDS, asId, type OrderId, type TokenId, type UserId } from '../../domain/ids.ts';
import { isTerminal, type OrderIntent, type OrderRecord } from '../../domain/order.ts';
import { askedBy } from '../../domain/reservation.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import { WEB3_CHAINS } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { RecordedOrder } from '../../ports/order-records.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { isUndecided } from '../books/order-fold.ts';
import { assignHoldingsToAgent, putOrder } from '../books/record-changes.ts';
import {
  AGENT_MARKETS,
  AGENTS,
  OPEN_FILLS,
  OPEN_ORDERS,
  ORDER_IDS,
  ORDERS,
  POSITIONS,
  TRADED_MARKETS,
} from '../books/tables.ts';
import { isDepartureBooked } from '../funding/movement-booking.ts';
import { newIdBody } from '../new-id.ts';
import type { OrderDriver } from '../orders/order-driver.ts';
import type { UserStreams } from '../orders/place-order.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import type { OpenVenue, TradedVenue, Venues } from '../venues.ts';

/** What adopting a user's orders came to. */
interface OrdersAdopted {
  /** Orders that are ours again, and were not before this call. */
  readonly adopted: number;
  /** Nothing may be concluded from money before all of them are 0. */
  readonly undecided: Undecided;
}

/** How much is not decided yet: not final, or not enough of it is on record. */
export interface Undecided {
  readonly orders: number;
  readonly trades: number;
  /** Venues that are not open, and may have any of both. */
  readonly venues: number;
}

/** Makes orders that venues have on record, and the store lacks, ours again. */
export interface OrderAdoption {
  /**
   * Adopts what the venues have of a user from a moment on, each order once by its name there, and
   * books its trades as those of any order. Errors: `venue_unavailable`, `venue_protocol`,
   * `chain_unavailable`, `store_unavailable`.
   */
  adopt(userId: UserId, sinceMs: number): Promise<OrdersAdopted>;
}

/** Why an adopted order is not decided yet. */
const REASON = 'adopted after a restore';

/** Makes the service. */
export function createOrderAdoption(
  deps: Pick<Runtime, 'store' | 'commit' | 'random' | 'log'> & {
    readonly venues: Venues;
    readonly driver: Pick<OrderDriver, 'resume'>;
    readonly portfolio: Pick<Portfolio, 'recordFill'>;
    readonly sync: Pick<UserStreams, 'activate'>;
    /** Market time. */
    readonly clock: Clock;
  },
): OrderAdoption {
  const { store, commit, random, log, venues, driver, portfolio, sync, clock } = deps;
  /** False where it is known by now. */
  async function take(stranger: Stranger): Promise<boolean> {
    const { userId, venue, order } = stranger;
    const intent = intentOf({ clock, random }, stranger);
    const record = recordOf(stranger, intent, clock.nowMs());
    if (!(await commit((tx) => putAdopted(tx, stranger, record)))) return false;
    const { intentId } = intent;
    log.warn(
      { userId, venue: venue.id, orderId: order.attempt.orderId, intentId },
      'order.adopted',
    );
    driver.resume(record);
    return true;
  }
  return {
    async adopt(userId, sinceMs) {
      let adopted = 0;
      const unread = { orders: 0, trades: 0 };
      for (const venue of venues.mechanisms()) {
        if (venue.records === undefined) continue;
        const strangers = await venue.records.strangers(userId, sinceMs, {
          has: (orderId) => isKnown(store, userId, orderId),
          tokens: tokensOf(store, userId, venue),
        });
        unread.orders += strangers.unread;
        for (const order of strangers.read) if (await take({ userId, venue, order })) adopted += 1;
        const fills = (await venue.gateway.fills?.(userId, sinceMs)) ?? { read: [], unread: 0 };
        for (const fill of fills.read) await portfolio.recordFill(fill);
        unread.trades += fills.unread;
        if (strangers.read.length > 0) sync.activate(userId, venue.id);
      }
      const moving = inMotion(store, userId);
      const undecided = {
        orders: unread.orders + moving.orders,
        trades: unread.trades + moving.trades,
        venues: venues.closed.length,
      };
      return { adopted, undecided };
    },
  };
}

/** As an order, or as a movement that the venue did not know to be one when it was read. */
function isKnown(reader: StoreReader, userId: UserId, orderId: OrderId): boolean {
  return (
    reader.get(ORDER_IDS, [orderId]) !== null ||
    WEB3_CHAINS.some(({ chain }) =>
      isDepartureBooked(reader, { userId, transferId: `${chain}:${orderId}` }),
    )
  );
}

function tokensOf(
  reader: StoreReader,
  userId: UserId,
  { cashAccount }: OpenVenue,
): readonly TokenId[] {
  return reader
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => value.cashAccount === cashAccount && value.shares !== 0)
    .map(({ value: { tokenId } }) => tokenId);
}

interface Stranger {
  readonly userId: UserId;
  readonly venue: TradedVenue;
  readonly order: RecordedOrder;
}

function recordOf(
  { venue, order }: Stranger,
  intent: OrderIntent,
  updatedAtMs: number,
): OrderRecord {
  const worstFee =
    order.side === 'buy'
      ? venue.rules.worstFee(order.market, order.spendMicros, order.price)
      : usdcMicros(0);
  return {
    intent,
    attempts: [{ ...order.attempt, sends: 1, lastSentAtMs: intent.createdAtMs, ended: null }],
    state: 'unknown',
    reason: REASON,
    filledShares: shareMicros(0),
    filledUsdc: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    matchedShares: null,
    ending: null,
    reserved: askedBy({ order: intent, worstFee }),
    cancelWanted: false,
    updatedAtMs,
  };
}

function intentOf(
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  { userId, venue, order }: Stranger,
): OrderIntent {
  const { attempt: _names, market, ...terms } = order;
  const createdAtMs = Math.min(order.createdAtMs, clock.nowMs());
  return {
    ...terms,
    intentId: asId(`int_${newIdBody({ clock: { ...clock, nowMs: () => createdAtMs }, random })}`),
    userId,
    venue: venue.id,
    ...(market.mechanism === undefined ? {} : { mechanism: market.mechanism }),
    cashAccount: venue.cashAccount,
    // No record says who asked for it.
    origin: { kind: 'manual' },
    marketId: market.marketId,
    createdAtMs,
    // What it was made of is lost: it is asked about, and never sent.
    sendUntilMs: createdAtMs,
  };
}

function putAdopted(
  tx: StoreWriter,
  { userId, venue, order: { attempt, market, side } }: Stranger,
  record: OrderRecord,
): boolean {
  if (tx.get(ORDER_IDS, [attempt.attemptId]) !== null) return false;
  const { intent, updatedAtMs: atMs } = record;
  if (tx.get(TRADED_MARKETS, [market.marketId]) === null)
    tx.put(TRADED_MARKETS, [market.marketId], market);
  audit(tx, {
    userId,
    atMs,
    action: 'order_adopted',
    subject: attempt.orderId ?? attempt.attemptId,
    detail: `on record at ${venue.id} and not here: ${REASON}`,
  });
  tx.append({ type: 'order.intended', userId, atMs, intent });
  putOrder(tx, null, record);
  if (side === 'buy') keepAgentsOut(tx, intent);
  return true;
}

/** It may have been an agent's own entry: none trades the market again (L7). */
function keepAgentsOut(tx: StoreWriter, { userId, marketId, intentId }: OrderIntent): void {
  for (const agentId of AGENT_IDS) {
    const key = [userId, agentId, marketId];
    if (tx.get(AGENTS, [userId, agentId]) === null || tx.get(AGENT_MARKETS, key) !== null) continue;
    tx.put(AGENT_MARKETS, key, { intentId, atMs: 0 });
    assignHoldingsToAgent(tx, { userId, agentId, marketId });
  }
}

/** Orders that are not decided, or not reported in full, and fills that are not final. */
function inMotion(reader: StoreReader, userId: UserId): Pick<Undecided, 'orders' | 'trades'> {
  const orders = reader
    .range(OPEN_ORDERS, { prefix: [userId] })
    .flatMap(({ key }) => reader.get(ORDERS, key)?.value ?? [])
    .filter(({ state }) => !isTerminal(state) && (isUndecided(state) || state === 'matched'));
  const trades = reader.range(OPEN_FILLS, { prefix: [userId] });
  return { orders: orders.length, trades: trades.length };
}
