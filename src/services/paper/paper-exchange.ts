import { ORDER } from '../../../config/limits.ts';
import { PAPER } from '../../../config/limits/paper.ts';
import type { BookView } from '../../domain/book.ts';
import { SAFE_CASH, type CashAccount } from '../../domain/cash.ts';
import type { VenueFill } from '../../domain/fill.ts';
import {
  asId,
  type AttemptId,
  type OrderId,
  type TokenId,
  type TradeId,
  type UserId,
} from '../../domain/ids.ts';
import {
  isResting,
  type OrderAttempt,
  type OrderIntent,
  type SignedAttempt,
} from '../../domain/order.ts';
import { rest, takeVisible, type PaperTrade } from '../../domain/paper-fill.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { OrderSigner } from '../../ports/order-signer.ts';
import type { VenueAccounts } from '../../ports/venue.ts';
import type {
  LookupOutcome,
  OrderGateway,
  PartialList,
  SubmitOutcome,
  UserEvent,
  VenueOrder,
} from '../../ports/order-gateway.ts';
import type { TradedVenue } from '../venues.ts';
import { createPaperQueue, type PaperQueued } from './paper-queue.ts';
import { PAPER_EXCHANGE, PAPER_RESTING, type PaperFill, type PaperOrder } from './tables.ts';

/**
 * A venue as it trades on paper: orders are matched against the books the real one shows, and
 * nothing leaves this process.
 */
export interface PaperExchange {
  readonly gateway: OrderGateway;
  readonly accounts: Pick<VenueAccounts, 'deposits'>;
  /** Writes the intent down; no key is asked for anything. */
  readonly signer: OrderSigner;
  /** Takes in a trade of the real venue. */
  onTrade(tokenId: TokenId, trade: PaperTrade): void;
  /** Takes up what rested when the process ended; each goes to the end of its queue. */
  recover(): void;
  stop(): void;
}

const NOTHING = shareMicros(0);

/**
 * Makes the exchange. Its orders meet the book PAPER.latencyMs after they were sent; one that the
 * end of the process met on its way never arrived.
 */
export function createPaperExchange({
  store,
  clock,
  log,
  venue: { id: venue, cashAccount, books, markets, traits },
  startingUsdc,
}: Pick<Runtime, 'store' | 'clock' | 'log'> & {
  readonly venue: Pick<TradedVenue, 'id' | 'cashAccount' | 'books' | 'markets' | 'traits'>;
  /** Paper money a user begins with in each cash account. */
  readonly startingUsdc: (userId: UserId) => number;
}): PaperExchange {
  const listeners = new Map<UserId, Set<Listener<UserEvent>>>();
  let count = 0;
  let isOver = false;

  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const bookOf = (tokenId: TokenId) => trusted(books(tokenId), clock);
  const queue = createPaperQueue({
    clock,
    bookOf,
    onMove: (order, filled, isExpired) =>
      void moved(order, filled, isExpired).catch((error: unknown) =>
        log.error({ orderId: order.orderId, error }, 'paper.order_failed'),
      ),
  });
  const read = (userId: UserId, orderId: OrderId) =>
    store.get(PAPER_EXCHANGE, [userId, orderId])?.value ?? null;

  function tell(userId: UserId, event: UserEvent): void {
    for (const listener of listeners.get(userId) ?? []) listener.next(event);
  }

  /**
   * Changes an order, null before its first record, and, once that would survive a power failure,
   * tells of it; false where nothing was to change.
   */
  async function change(
    userId: UserId,
    orderId: OrderId,
    edit: (order: PaperOrder | null) => PaperOrder | null,
  ): Promise<boolean> {
    const { order, before } = await store.write((tx) => {
      const known = tx.get(PAPER_EXCHANGE, [userId, orderId])?.value ?? null;
      const edited = edit(known);
      if (edited !== null) tx.put(PAPER_EXCHANGE, [userId, orderId], edited);
      if (edited?.status === 'live')
        tx.put(PAPER_RESTING, [userId, orderId], { sinceMs: edited.intent.createdAtMs });
      else if (edited !== null) tx.remove(PAPER_RESTING, [userId, orderId]);
      return { order: edited, before: known?.fills.length ?? 0 };
    });
    if (order === null) return false;
    await store.flushed();
    for (const fill of order.fills.slice(before))
      tell(userId, { kind: 'fill', fill: venueFill(orderId, order, fill, clock.nowMs()) });
    tell(userId, { kind: 'order', order: venueOrder(orderId, order) });
    return true;
  }

  async function arrive(
    userId: UserId,
    orderId: OrderId,
    intent: OrderIntent,
  ): Promise<SubmitOutcome> {
    if (read(userId, orderId) !== null) return { kind: 'duplicate' };
    const market = markets.known(intent.marketId);
    if (market === null || market.closed || market.endsAtMs <= clock.nowMs())
      return { kind: 'rejected', reason: 'the market has ended' };
    const book = bookOf(intent.tokenId);
    const taken =
      book === null
        ? { legs: [], shares: NOTHING, isWhole: false }
        : takeVisible(intent, book, traits.fillStepMicros);
    const fills = taken.shares > 0 ? [fillOf('taker', taken.legs)] : [];
    if (!isResting(intent)) {
      const reason =
        book === null
          ? 'no trusted book when the order arrived'
          : 'the book had not enough at its price when it arrived';
      if (fills.length === 0) {
        await change(userId, orderId, () => ({ intent, status: 'cancelled', reason, fills }));
        return { kind: 'unfilled', reason };
      }
      const { isWhole } = taken;
      await change(userId, orderId, () => ({
        intent,
        status: isWhole ? 'matched' : 'cancelled',
        reason: isWhole ? null : 'the rest found no seller',
        fills,
      }));
      return { kind: 'accepted', orderId, status: 'matched' };
    }
    const place = rest(intent, book, taken.shares);
    if (place.remaining > 0 && queue.size() >= PAPER.restingMaximum)
      return { kind: 'rejected', reason: `${PAPER.restingMaximum} orders rest on paper already` };
    await change(userId, orderId, () => ({
      intent,
      status: place.remaining > 0 ? 'live' : 'matched',
      reason: null,
      fills,
    }));
    if (place.remaining > 0) queue.keep({ userId, orderId, intent, place });
    return { kind: 'accepted', orderId, status: fills.length > 0 ? 'matched' : 'live' };
  }

  function fillOf(role: PaperFill['role'], legs: PaperFill['legs']): PaperFill {
    count += 1;
    return {
      tradeId: asId<TradeId>(`paper-${clock.nowMs()}-${count}`),
      role,
      legs,
      matchedAtMs: clock.nowMs(),
    };
  }

  async function moved(
    { userId, orderId, intent, place }: PaperQueued,
    filled: number,
    isExpired: boolean,
  ): Promise<void> {
    const fill =
      filled === 0 ? [] : [fillOf('maker', [{ price: intent.price, shares: shareMicros(filled) }])];
    const isDone = place.remaining === 0;
    await change(userId, orderId, (order) =>
      order?.status !== 'live'
        ? null
        : {
            ...order,
            fills: [...order.fills, ...fill],
            status: isDone ? 'matched' : isExpired ? 'expired' : 'live',
          },
    );
  }

  const gateway: OrderGateway = {
    async submit({ attempt }, permission) {
      if (permission?.isGranted() === false)
        return { kind: 'deferred', retryAfterMs: 0, reason: 'given up before its turn' };
      // Our own signer wrote the intent down.
      const intent = JSON.parse(attempt.body) as OrderIntent;
      const isTaking = !isResting(intent) && markets.known(intent.marketId)?.takerDelay === true;
      await wait(PAPER.latencyMs + (isTaking ? PAPER.takerDelayMs : 0));
      return isOver
        ? { kind: 'unknown', cause: 'the process ends' }
        : arrive(intent.userId, idOf(attempt), intent);
    },
    async cancel({ intent: { userId }, attempt }) {
      const orderId = idOf(attempt);
      await wait(PAPER.latencyMs);
      const intent = read(userId, orderId)?.intent;
      if (intent !== undefined) queue.release({ orderId, intent });
      const isCancelled = await change(userId, orderId, (order) =>
        order?.status !== 'live'
          ? null
          : { ...order, status: 'cancelled', reason: 'cancelled by its agent' },
      );
      return isCancelled
        ? { kind: 'cancelled' }
        : { kind: 'unclear', reason: 'already cancelled or matched' };
    },
    async lookup({ intent: { userId }, attempt }): Promise<LookupOutcome> {
      const orderId = idOf(attempt);
      const order = read(userId, orderId);
      return order === null
        ? { kind: 'absent', proof: null }
        : { kind: 'found', order: venueOrder(orderId, order) };
    },
    fills: async (userId, sinceMs) =>
      everything(
        store
          .range(PAPER_EXCHANGE, {
            prefix: [userId],
            reverse: true,
            limit: PAPER.ordersReadMaximum,
          })
          .toReversed()
          .filter(({ value }) => value.intent.venue === venue)
          .flatMap(({ key, value }) =>
            value.fills
              .filter(({ matchedAtMs }) => matchedAtMs >= sinceMs)
              .map((fill) => venueFill(asId<OrderId>(String(key[1])), value, fill, clock.nowMs())),
          ),
      ),
    openOrders: async (userId) =>
      everything(
        store.range(PAPER_RESTING, { prefix: [userId] }).flatMap(({ key }) => {
          const orderId = asId<OrderId>(String(key[1]));
          const order = read(userId, orderId);
          return order?.intent.venue === venue ? [venueOrder(orderId, order)] : [];
        }),
      ),
    watch(userId, listener) {
      const heard = listeners.get(userId) ?? new Set();
      listeners.set(userId, heard.add(listener));
      clock.after(0, () => {
        if (heard.has(listener)) listener.next({ kind: 'connected' });
      });
      return () => {
        heard.delete(listener);
        if (heard.size === 0 && listeners.get(userId) === heard) listeners.delete(userId);
      };
    },
  };

  return {
    gateway,
    accounts: {
      deposits: async (userId) => [
        {
          depositId: depositIdOf(userId, cashAccount),
          usdc: usdcMicros(startingUsdc(userId)),
          atMs: 0,
        },
      ],
    },
    signer: {
      sign: (intent): SignedAttempt => ({
        attemptId: asId<AttemptId>(`paper:${intent.intentId}`),
        orderId: asId<OrderId>(`paper:${intent.intentId}`),
        body: JSON.stringify(intent),
        extra: null,
      }),
    },
    onTrade: queue.onTrade,
    recover() {
      for (const { key } of store.range(PAPER_RESTING)) {
        const [userId, orderId] = [asId<UserId>(String(key[0])), asId<OrderId>(String(key[1]))];
        const order = read(userId, orderId);
        if (order?.intent.venue === venue)
          queue.keep({
            userId,
            orderId,
            intent: order.intent,
            place: rest(order.intent, null, matchedOf(order)),
          });
      }
    },
    stop() {
      isOver = true;
      queue.stop();
      listeners.clear();
    },
  };
}

/**
 * One deposit for each cash account, however many venues trade from it. That of the Safe has the
 * name under which users' paper money is booked there already.
 */
function depositIdOf(userId: UserId, cashAccount: CashAccount): string {
  return cashAccount === SAFE_CASH ? `paper:${userId}` : `paper:${userId}:${cashAccount}`;
}

/** An untrusted book, or one older than its limit, counts as absent (L8). */
function trusted(book: BookView | null, clock: Clock): BookView | null {
  return book !== null &&
    book.distrust === null &&
    clock.nowMs() - book.receivedAtMs <= inWallTime(clock, ORDER.bookAgeMaximumMs)
    ? book
    : null;
}

function everything<T>(rows: readonly T[]): PartialList<T> {
  return { read: rows, unread: 0 };
}

function idOf({ attemptId }: OrderAttempt): OrderId {
  return asId<OrderId>(attemptId);
}

function matchedOf({ fills }: PaperOrder) {
  return shareMicros(
    fills.reduce((sum, { legs }) => sum + legs.reduce((shares, leg) => shares + leg.shares, 0), 0),
  );
}

function venueOrder(orderId: OrderId, order: PaperOrder): VenueOrder {
  return { orderId, status: order.status, matchedShares: matchedOf(order), reason: order.reason };
}

/** What was matched is final PAPER.settlementMs later, and never fails. */
function venueFill(
  orderId: OrderId,
  { intent }: PaperOrder,
  { tradeId, role, legs, matchedAtMs }: PaperFill,
  nowMs: number,
): VenueFill {
  const word = nowMs >= matchedAtMs + PAPER.settlementMs ? 'confirmed' : 'matched';
  return {
    tradeId,
    orderId,
    marketId: intent.marketId,
    tokenId: intent.tokenId,
    side: intent.side,
    role,
    legs,
    fee: null,
    word,
    matchedAtMs,
    transactionHash: null,
  };
}
