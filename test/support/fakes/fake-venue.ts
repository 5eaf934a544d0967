import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { Random } from '../../../src/ports/random.ts';
import type { TradeStatus, VenueFill } from '../../../src/domain/fill.ts';
import { takerFeeMicros } from '../../../src/domain/fees.ts';
import {
  asId,
  type AttemptId,
  type MarketId,
  type OrderId,
  type TokenId,
  type TradeId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { Market, Resolution } from '../../../src/domain/market.ts';
import {
  isResting,
  type OrderHandle,
  type OrderIntent,
  type SignedAttempt,
} from '../../../src/domain/order.ts';
import { AppError } from '../../../src/domain/errors.ts';
import {
  costMicros,
  priceTicks,
  shareMicros,
  sharesFor,
  usdcMicros,
  type PriceTicks,
} from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { OrderSigner } from '../../../src/ports/order-signer.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import type { Deposit, VenueAccounts } from '../../../src/ports/venue.ts';
import type {
  CancelOutcome,
  SubmitPermission,
  LookupOutcome,
  OrderGateway,
  SubmitOutcome,
  PartialList,
  UserEvent,
  VenueOrder,
} from '../../../src/ports/order-gateway.ts';

/** What the venue does with one submission instead of answering as it should. */
export type SubmitFault =
  /** Books it and answers after `ms`. */
  | { readonly kind: 'late-ack'; readonly ms: number }
  /** Books it; the adapter learns nothing. */
  | { readonly kind: 'lost-ack' }
  /** Books it after `ms`; the adapter learns nothing. */
  | { readonly kind: 'late-book'; readonly ms: number }
  /** Never reads it; the adapter learns nothing. */
  | { readonly kind: 'refused-silently' }
  /** Never answers at all. */
  | { readonly kind: 'hangs' }
  | { readonly kind: 'deferred'; readonly retryAfterMs: number }
  /** Has it wait for its turn on our side for `ms`, and sends it then if it still may leave. */
  | { readonly kind: 'queued'; readonly ms: number }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'restricted'; readonly reason: string }
  /** Refuses the version of its format, after `ms`. */
  | { readonly kind: 'reissue'; readonly reason: string; readonly ms?: number }
  | { readonly kind: 'underfunded'; readonly reason: string }
  /** Holds it for `ms`, then matches or kills it. */
  | { readonly kind: 'delayed'; readonly ms: number }
  /** Takes it, tells the fill on the channel, and answers after `ms`. */
  | { readonly kind: 'trade-before-response'; readonly ms: number }
  /** A killed order that is reported live for `ms`. */
  | { readonly kind: 'fok-stuck-live'; readonly ms: number }
  /** Books it, but says the bytes are known. */
  | { readonly kind: 'duplicate' };

/** How the next trades settle. */
export type SettlementScript = readonly {
  readonly afterMs: number;
  readonly word: TradeStatus;
}[];

/** One order as the fake keeps it. */
export interface FakeOrder {
  readonly userId: UserId;
  readonly intent: OrderIntent;
  status: VenueOrder['status'];
  matchedShares: number;
  matchedUsdc: number;
  reason: string | null;
  readonly submissions: number[];
}

/** What the venue books. */
interface Booked {
  readonly orderId: OrderId;
  readonly body: string;
}

interface Quote {
  bid: { price: PriceTicks; shares: number } | null;
  ask: { price: PriceTicks; shares: number } | null;
}

const SETTLES: SettlementScript = [
  { afterMs: 1_000, word: 'mined' },
  { afterMs: 3_000, word: 'confirmed' },
];

/** Signs by writing the intent down: the order id is a digest of the intent, as at the venue. */
export function createFakeSigner(random: Random = createSeededRandom('salts')): OrderSigner {
  return {
    prepare: ({ atMs }) => ({ atMs, salt: random.integer(2 ** 53) }),
    sign(intent, extra): SignedAttempt {
      const body = JSON.stringify({ ...intent, extra });
      const id = `0x${digest(body)}`;
      return { attemptId: asId<AttemptId>(id), orderId: asId<OrderId>(id), body, extra };
    },
  };
}

/**
 * A small working model of the venue: it books orders once by id, matches them against a quote,
 * settles trades in steps.
 */
export class FakeVenue implements OrderGateway, VenueAccounts {
  readonly orders = new Map<OrderId, FakeOrder>();
  readonly trades: VenueFill[] = [];
  readonly resolutions = new Map<MarketId, Resolution>();
  /** Orders that ended so long ago that the venue tells of their trades alone. */
  readonly forgotten = new Set<OrderId>();
  /** Bodies received by order id, refused copies included. */
  readonly bodies = new Map<OrderId, string[]>();
  readonly cancels: OrderId[] = [];
  /** Faults of the coming submissions, first come first served. */
  readonly submitFaults: SubmitFault[] = [];
  readonly cancelFaults: CancelOutcome[] = [];
  readonly lookupFaults: LookupOutcome[] = [];
  readonly settlements: SettlementScript[] = [];
  /** While true the channel tells nothing, as if messages were lost. */
  isChannelMute = false;
  /** While true no client gets a channel. */
  isChannelDown = false;
  /**
   * While true every channel opens and is dropped at once, as for credentials that are no longer
   * taken.
   */
  isChannelDropped = false;
  /** While true reads fail. */
  areReadsDown = false;
  /** Trades it tells of in unknown words. */
  unreadTrades = 0;
  readonly #quotes = new Map<TokenId, Quote>();
  readonly #listeners = new Map<UserId, Set<Listener<UserEvent>>>();
  readonly #deposits = new Map<UserId, Deposit[]>();
  readonly #collateral = new Map<UserId, number>();
  readonly #markets: ReadonlyMap<MarketId, Market>;
  readonly #clock: Clock;
  #tradeCount = 0;

  constructor(clock: Clock, markets: readonly Market[]) {
    this.#clock = clock;
    this.#markets = new Map(markets.map((market) => [market.marketId, market]));
    for (const market of markets) {
      for (const { tokenId } of market.outcomes)
        this.quote(tokenId, { bid: [4_800, 1_000], ask: [5_000, 1_000] });
    }
  }

  /** What takers find: price in ticks and whole shares. */
  quote(
    tokenId: TokenId,
    sides: {
      readonly bid: readonly [number, number] | null;
      readonly ask: readonly [number, number] | null;
    },
  ): void {
    const side = (level: readonly [number, number] | null) =>
      level === null ? null : { price: priceTicks(level[0]), shares: level[1] * 1_000_000 };
    this.#quotes.set(tokenId, { bid: side(sides.bid), ask: side(sides.ask) });
  }

  deposit(userId: UserId, usdc: number): void {
    const list = this.#deposits.get(userId) ?? [];
    list.push({
      depositId: `dep-${userId}-${list.length}`,
      usdc: usdcMicros(usdc),
      atMs: this.#clock.nowMs(),
    });
    this.#deposits.set(userId, list);
    this.#collateral.set(userId, (this.#collateral.get(userId) ?? 0) + usdc);
  }

  resolve(marketId: MarketId, payoutTicks: readonly [number, number]): void {
    this.resolutions.set(marketId, { marketId, payoutTicks, resolvedAtMs: this.#clock.nowMs() });
  }

  /** Fills a resting order manually. */
  trade(orderId: OrderId, shares: number, price?: PriceTicks): void {
    const order = this.#orderOf(orderId);
    this.#fill(orderId, order, { shares, price: price ?? order.intent.price, role: 'maker' });
  }

  /** Says a trade's word again or anew. */
  say(tradeId: TradeId, word: TradeStatus): void {
    const index = this.trades.findIndex((trade) => trade.tradeId === tradeId);
    const trade = this.trades[index];
    if (trade === undefined) throw new Error(`no trade ${tradeId}`);
    this.#tellFill({ ...trade, word });
  }

  /** Ends an order from the venue's side. */
  end(orderId: OrderId, status: 'cancelled' | 'expired', reason: string): void {
    const order = this.#orderOf(orderId);
    order.status = status;
    order.reason = reason;
    this.#tellOrder(orderId, order);
  }

  /** Breaks every channel: listeners hear an error and must come again. */
  breakChannels(): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners)
        listener.error(new AppError('venue_unavailable', 'channel lost', { retryable: true }));
    }
  }

  watchers(userId: UserId): number {
    return this.#listeners.get(userId)?.size ?? 0;
  }

  async submit(
    { intent, attempt }: OrderHandle,
    permission?: SubmitPermission,
  ): Promise<SubmitOutcome> {
    const { userId } = intent;
    const signed = { orderId: asId<OrderId>(attempt.attemptId), body: attempt.body };
    const [next] = this.submitFaults;
    if (next?.kind === 'queued') {
      this.submitFaults.shift();
      await this.#wait(next.ms);
    }
    if (permission?.isGranted() === false)
      return { kind: 'deferred', retryAfterMs: 1_000, reason: 'given up before its turn' };
    const bodies = this.bodies.get(signed.orderId) ?? [];
    bodies.push(signed.body);
    this.bodies.set(signed.orderId, bodies);
    const fault = this.submitFaults.shift();
    switch (fault?.kind) {
      case undefined:
      case 'queued':
        return this.#book(userId, signed);
      case 'late-ack': {
        const answer = this.#book(userId, signed);
        await this.#wait(fault.ms);
        return answer;
      }
      case 'lost-ack':
        this.#book(userId, signed);
        return { kind: 'unknown', cause: 'connection lost' };
      case 'late-book':
        this.#clock.after(fault.ms, () => void this.#book(userId, signed));
        return { kind: 'unknown', cause: 'time-out' };
      case 'refused-silently':
        return { kind: 'unknown', cause: 'connection reset' };
      case 'hangs':
        return new Promise(() => undefined);
      case 'deferred':
        return { kind: 'deferred', retryAfterMs: fault.retryAfterMs, reason: 'post only mode' };
      case 'rejected':
        return { kind: 'rejected', reason: fault.reason };
      case 'reissue':
        await this.#wait(fault.ms ?? 0);
        return { kind: 'reissue', reason: fault.reason };
      case 'restricted':
        return { kind: 'restricted', reason: fault.reason };
      case 'underfunded':
        return {
          kind: 'underfunded',
          reason: fault.reason,
          lacksAllowance: fault.reason.includes('the allowance is not enough'),
        };
      case 'delayed':
        return this.#hold(userId, signed, fault.ms);
      case 'trade-before-response': {
        const answer = this.#book(userId, signed);
        await this.#wait(fault.ms);
        return answer;
      }
      case 'fok-stuck-live':
        return this.#stick(userId, signed, fault.ms);
      case 'duplicate':
        this.#book(userId, signed);
        return { kind: 'duplicate' };
    }
  }

  async cancel({ attempt }: OrderHandle): Promise<CancelOutcome> {
    const orderId = asId<OrderId>(attempt.attemptId);
    this.cancels.push(orderId);
    const fault = this.cancelFaults.shift();
    if (fault !== undefined) return fault;
    const order = this.orders.get(orderId);
    if (
      order === undefined ||
      order.status === 'matched' ||
      order.status === 'cancelled' ||
      order.status === 'expired'
    ) {
      return { kind: 'unclear', reason: "order can't be found - already canceled or matched" };
    }
    if (order.status === 'delayed') return { kind: 'refused', reason: 'order is delayed' };
    this.end(orderId, 'cancelled', 'cancelled by user');
    return { kind: 'cancelled' };
  }

  async lookup({ attempt }: OrderHandle): Promise<LookupOutcome> {
    const orderId = asId<OrderId>(attempt.attemptId);
    const fault = this.lookupFaults.shift();
    if (fault !== undefined) return fault;
    if (this.areReadsDown) return { kind: 'unreachable', cause: 'down' };
    const order = this.forgotten.has(orderId) ? undefined : this.orders.get(orderId);
    return order === undefined
      ? { kind: 'absent', proof: null }
      : { kind: 'found', order: venueOrder(orderId, order) };
  }

  async fills(userId: UserId, sinceMs: number): Promise<PartialList<VenueFill>> {
    this.#assertReads();
    return {
      read: this.trades.filter(
        (trade) =>
          trade.matchedAtMs >= sinceMs && this.orders.get(trade.orderId)?.userId === userId,
      ),
      unread: this.unreadTrades,
    };
  }

  async openOrders(userId: UserId): Promise<PartialList<VenueOrder>> {
    this.#assertReads();
    return {
      read: [...this.orders]
        .filter(
          ([, order]) =>
            order.userId === userId && (order.status === 'live' || order.status === 'delayed'),
        )
        .map(([orderId, order]) => venueOrder(orderId, order)),
      unread: 0,
    };
  }

  watch(userId: UserId, listener: Listener<UserEvent>): () => void {
    const listeners = this.#listeners.get(userId) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(userId, listeners);
    this.#clock.after(0, () => {
      if (!listeners.has(listener)) return;
      if (this.isChannelDown)
        listener.error(new AppError('venue_unavailable', 'no channel', { retryable: true }));
      else listener.next({ kind: 'connected' });
      if (this.isChannelDropped)
        listener.error(new AppError('venue_unavailable', 'channel dropped', { retryable: true }));
    });
    return () => void listeners.delete(listener);
  }

  async open(): Promise<void> {}

  async deposits(userId: UserId, sinceMs: number): Promise<readonly Deposit[]> {
    this.#assertReads();
    return (this.#deposits.get(userId) ?? []).filter(({ atMs }) => atMs >= sinceMs);
  }

  async collateral(userId: UserId) {
    this.#assertReads();
    return usdcMicros(this.#collateral.get(userId) ?? 0);
  }

  async resolution(marketId: MarketId): Promise<Resolution | null> {
    this.#assertReads();
    return this.resolutions.get(marketId) ?? null;
  }

  #assertReads(): void {
    if (this.areReadsDown)
      throw new AppError('venue_unavailable', 'reads are down', { retryable: true });
  }

  #book(userId: UserId, signed: Booked): SubmitOutcome {
    if (this.orders.has(signed.orderId)) return { kind: 'duplicate' };
    // The fake signer wrote the intent into the body.
    const intent = JSON.parse(signed.body) as OrderIntent;
    const order: FakeOrder = {
      userId,
      intent,
      status: 'live',
      matchedShares: 0,
      matchedUsdc: 0,
      reason: null,
      submissions: [this.#clock.nowMs()],
    };
    this.orders.set(signed.orderId, order);
    return this.#match(signed.orderId, order);
  }

  #hold(userId: UserId, signed: Booked, ms: number): SubmitOutcome {
    const intent = JSON.parse(signed.body) as OrderIntent; // as above
    const order: FakeOrder = {
      userId,
      intent,
      status: 'delayed',
      matchedShares: 0,
      matchedUsdc: 0,
      reason: null,
      submissions: [this.#clock.nowMs()],
    };
    this.orders.set(signed.orderId, order);
    this.#clock.after(ms, () => void this.#match(signed.orderId, order));
    return { kind: 'accepted', orderId: signed.orderId, status: 'delayed' };
  }

  #stick(userId: UserId, signed: Booked, ms: number): SubmitOutcome {
    const intent = JSON.parse(signed.body) as OrderIntent; // as above
    const order: FakeOrder = {
      userId,
      intent,
      status: 'live',
      matchedShares: 0,
      matchedUsdc: 0,
      reason: null,
      submissions: [this.#clock.nowMs()],
    };
    this.orders.set(signed.orderId, order);
    this.#clock.after(ms, () => this.end(signed.orderId, 'cancelled', 'FOK killed'));
    return { kind: 'accepted', orderId: signed.orderId, status: 'live' };
  }

  #match(orderId: OrderId, order: FakeOrder): SubmitOutcome {
    const { intent } = order;
    const quote = this.#quotes.get(intent.tokenId);
    const level = intent.side === 'buy' ? quote?.ask : quote?.bid;
    const crosses =
      level !== null &&
      level !== undefined &&
      (intent.side === 'buy' ? level.price <= intent.price : level.price >= intent.price);
    const wanted = crosses ? wantedShares(intent, level.price) : 0;
    const shares = crosses ? Math.min(wanted, level.shares) : 0;
    if (intent.life === 'all_now' && (shares === 0 || shares < wanted))
      return this.#kill(
        orderId,
        order,
        "order couldn't be fully filled. FOK orders are fully filled or killed.",
      );
    if (intent.life === 'part_now' && shares === 0)
      return this.#kill(orderId, order, 'no orders found to match with FAK order.');
    if (order.status === 'delayed') order.status = 'live';
    if (shares > 0 && level !== null && level !== undefined) {
      level.shares -= shares;
      this.#fill(orderId, order, { shares, price: level.price, role: 'taker' });
    }
    if (!isResting(intent)) order.status = 'matched';
    else if (order.status === 'live')
      this.#clock.after(Math.max(0, (intent.expiresAtMs ?? 0) - this.#clock.nowMs()), () => {
        if (order.status === 'live') this.end(orderId, 'cancelled', 'expired');
      });
    this.#tellOrder(orderId, order);
    return { kind: 'accepted', orderId, status: shares > 0 ? 'matched' : 'live' };
  }

  #kill(orderId: OrderId, order: FakeOrder, reason: string): SubmitOutcome {
    order.status = 'cancelled';
    order.reason = reason;
    this.#tellOrder(orderId, order);
    return { kind: 'unfilled', reason };
  }

  #fill(
    orderId: OrderId,
    order: FakeOrder,
    part: { readonly shares: number; readonly price: PriceTicks; readonly role: 'maker' | 'taker' },
  ): void {
    const { intent } = order;
    const shares = shareMicros(part.shares);
    const usdc = costMicros(shares, part.price, intent.side === 'buy' ? 'ceil' : 'floor');
    order.matchedShares += shares;
    order.matchedUsdc += usdc;
    if (isResting(intent) && order.matchedShares + 10_000 >= sharesAsked(intent))
      order.status = 'matched';
    this.#tradeCount += 1;
    const trade: VenueFill = {
      tradeId: asId<TradeId>(`trade-${this.#tradeCount}`),
      orderId,
      marketId: intent.marketId,
      tokenId: intent.tokenId,
      side: intent.side,
      role: part.role,
      legs: [{ shares, price: part.price }],
      fee: null,
      word: 'matched',
      matchedAtMs: this.#clock.nowMs(),
      transactionHash: null,
    };
    this.trades.push(trade);
    this.#tellFill(trade);
    this.#tellOrder(orderId, order);
    const index = this.trades.length - 1;
    for (const { afterMs, word } of this.settlements.shift() ?? SETTLES)
      this.#clock.after(afterMs, () => this.#settle(index, word, order.userId));
  }

  #settle(index: number, word: TradeStatus, userId: UserId): void {
    const before = this.trades[index];
    if (before === undefined) return;
    const trade: VenueFill = {
      ...before,
      word,
      transactionHash: word === 'matched' ? null : `0x${index}${word}`,
    };
    this.trades[index] = trade;
    if (word === 'confirmed' && before.word !== 'confirmed') this.#pay(trade, userId);
    this.#tellFill(trade);
  }

  #pay(trade: VenueFill, userId: UserId): void {
    const fee = this.#markets.get(trade.marketId)?.fee ?? null;
    for (const leg of trade.legs) {
      const usdc = costMicros(leg.shares, leg.price, trade.side === 'buy' ? 'ceil' : 'floor');
      const charged = trade.role === 'taker' ? takerFeeMicros(leg.shares, leg.price, fee) : 0;
      const change = trade.side === 'buy' ? -usdc - charged : usdc - charged;
      this.#collateral.set(userId, (this.#collateral.get(userId) ?? 0) + change);
    }
  }

  #tellFill(fill: VenueFill): void {
    const order = this.orders.get(fill.orderId);
    if (order !== undefined) this.#tell(order.userId, { kind: 'fill', fill });
  }

  #tellOrder(orderId: OrderId, order: FakeOrder): void {
    this.#tell(order.userId, { kind: 'order', order: venueOrder(orderId, order) });
  }

  #tell(userId: UserId, event: UserEvent): void {
    if (this.isChannelMute) return;
    for (const listener of this.#listeners.get(userId) ?? []) listener.next(event);
  }

  #orderOf(orderId: OrderId): FakeOrder {
    const order = this.orders.get(orderId);
    if (order === undefined) throw new Error(`no order ${orderId}`);
    return order;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }
}

function venueOrder(orderId: OrderId, order: FakeOrder): VenueOrder {
  return {
    orderId,
    status: order.status,
    matchedShares: shareMicros(order.matchedShares),
    reason: order.reason,
  };
}

function sharesAsked({ side, spendMicros, receiveMicros }: OrderIntent): number {
  return side === 'buy' ? receiveMicros : spendMicros;
}

/**
 * A buy sized in money spends it at the better price; everything else trades a number of shares.
 */
function wantedShares(intent: OrderIntent, price: PriceTicks): number {
  return intent.side === 'buy' && intent.exact === 'spend'
    ? sharesFor(usdcMicros(intent.spendMicros), price)
    : sharesAsked(intent);
}

/** 64 hex digits from text, the same for the same text: four FNV-1a lanes run twice. */
function digest(text: string): string {
  const lanes = [
    0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0x2545f491,
  ];
  return lanes
    .map((seed) => {
      let hash = seed;
      for (let index = 0; index < text.length; index += 1)
        hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) ^ (hash >>> 13);
      return (hash >>> 0).toString(16).padStart(8, '0');
    })
    .join('');
}
