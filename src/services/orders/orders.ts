import { AppError } from '../../domain/errors.ts';
import {
  asId,
  type AgentId,
  type IntentId,
  type MarketId,
  type OrderId,
  type UserId,
  type VenueId,
} from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { inWallTime } from '../../ports/clock.ts';
import type { OpenVenue, Venues } from '../venues.ts';
import { sendWindowOf } from './order-draft.ts';
import { byNextReading, prepareOrder } from './prepare-order.ts';
import { cancelAll, type CancelledOrder } from './cancel-all.ts';
import { estimateOrder, type CoinPrice, type OrderEstimate } from './estimate.ts';
import { identityProblem } from './identity-gate.ts';
import type { OrderDriver } from './order-driver.ts';
import type { OrderFigures } from './order-figures.ts';
import { counted } from './counted-orders.ts';
import type { OrderStory } from './order-story.ts';
import type { OrderTraces } from './order-traces.ts';
import { madeBefore } from './admission.ts';
import { admitDurably } from './admit-durably.ts';
import { foldCancelWanted } from '../books/kept-order.ts';
import type { OrderUpdates } from '../books/order-updates.ts';
import type { RestingOrders } from './resting-orders.ts';
import type { PlaceOrder, UserStreams } from './place-order.ts';
import {
  assertNotStopped,
  STOP_POLICY_DEFAULT,
  stopKey,
  writeStop,
  type StopScope,
} from './stop-check.ts';
import {
  AGENT_MARKETS,
  OPEN_ORDERS,
  ORDERS,
  ORDER_IDS,
  STOPS,
  STOP_SWEEPS,
  type OperatorStopPolicy,
  type StopRecord,
} from '../books/tables.ts';
import type { CashLocks } from './cash-locks.ts';
import { heldOrder, withFence } from './market-fence.ts';
import {
  assertCancellable,
  assertBuysAllowed,
  assertRequest,
  assertAccountSynced,
  assertStep,
  assertWallet,
  isCancelledAsWanted,
} from './order-checks.ts';

/** What a start found and did (L9). */
export interface RecoveryReport {
  readonly openOrders: number;
  readonly undecidedOrders: number;
  readonly openFills: number;
  readonly openPositions: number;
  readonly activeUsers: number;
  /** On the wall. */
  readonly tookMs: number;
}

/** Trading for users: the one way for people and agents alike. */
export interface Orders {
  /**
   * Makes, signs and sends one order, and gives its record once the venue's first answer is in:
   * `live`, `delayed`, `matched`, `rejected` (with the venue's reason), or `unknown` when the
   * answer was lost and the question goes on. Errors, nothing being left behind: `not_found`,
   * `market_closed`, `market_not_ready`, `market_not_supported`, `price_off_tick`,
   * `price_out_of_range`, `size_too_small`, `amount_too_small`, `amount_off_step`,
   * `book_untrusted`, `preparation_timeout`, `no_liquidity`, `insufficient_funds`,
   * `insufficient_shares`, `cap_exceeded`, `market_fenced`, `already_traded`, `trading_stopped`,
   * `agent_stopped`, `agent_degraded`, `venue_restricted`, `lock_busy`, `limit_reached`,
   * `wallet_not_ready`, `verification_required`, `venue_unavailable`, `venue_protocol`,
   * `store_unavailable`.
   */
  place(userId: UserId, request: PlaceOrder): Promise<OrderRecord>;
  /**
   * Says what placing the order would do now, and what it would be refused for; nothing is made.
   * Errors: those of `place` for market, price, size and book, and for a venue that is not open.
   */
  estimate(userId: UserId, request: PlaceOrder): Promise<OrderEstimate>;
  /**
   * Resolves with an order once it has ended, or as it is after `withinMs` of wall time. Errors:
   * `not_found`.
   */
  ended(userId: UserId, intentId: IntentId, withinMs: number): Promise<OrderRecord>;
  /**
   * Wants the order gone, durably, and gives its record once the venue has answered the first
   * attempt; a fill that was faster wins. Asked for again once it is gone, it gives the same
   * record. Errors: `not_found`; `order_not_cancellable` when it ended otherwise or the venue holds
   * it in its delay.
   */
  cancel(userId: UserId, intentId: IntentId, by?: OrderRecord['cancelledBy']): Promise<OrderRecord>;
  /**
   * Cancels every open order of the user, those at one venue where it is named, manually and by
   * agents, and gives what became of each, newest first.
   */
  cancelAll(userId: UserId, venue?: VenueId): Promise<readonly CancelledOrder[]>;
  /** One order of this user by either id; null for an unknown one and for another user's. */
  get(userId: UserId, id: IntentId | OrderId): OrderRecord | null;
  /** Orders that are not terminal, oldest first. At most ORDER.openPerUserMaximum. */
  listOpen(userId: UserId): readonly OrderRecord[];
  /** True once the agent has traded the market, for good (L7). */
  hasTraded(userId: UserId, agentId: AgentId, marketId: MarketId): boolean;
  /**
   * Returns the most that a buy for a sum of money sets aside in a market, its largest fee
   * included, by the rules of its mechanism. Errors: those of `Venues.trading`.
   */
  mostSetAside(market: Market, amountUsdc: UsdcMicros): UsdcMicros;
  /**
   * Sets or lifts a durable stop: while set no buy is signed or sent (L6); sales and cancels go on.
   * Buys that are open are cancelled with `cancel_only`, the default, also over a restart, and stay
   * with `keep`. Resolves, when it would survive a power failure, with the stop as it is then;
   * setting one that is set changes nothing, unless it now cancels or a reason is given: null
   * leaves the one it has.
   */
  setStop(
    scope: StopScope,
    stopped: boolean,
    reason: string | null,
    policy?: OperatorStopPolicy,
  ): Promise<StopRecord>;
  /** The stop as it is now; null when there never was one. */
  stopOf(scope: StopScope): StopRecord | null;
  /** True while buys a stop found open are being cancelled. */
  isSweeping(scope: StopScope): boolean;
  /**
   * The only start: rebuilds what was in motion and asks the venue before anything is sent (L9).
   * Call once, first.
   */
  recover(): Promise<RecoveryReport>;
  /** Ends all actors, watches and timers; what was in motion is found again by `recover`. */
  stop(): Promise<void>;
}

/** What the orders service is made of; `createTrading` puts it together. */
export interface OrdersDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'metrics'> {
  readonly venues: Venues;
  /** What the operator lets any one user have at risk; empty where it sets no bound. */
  readonly caps: RiskCaps;
  readonly coinPrice: CoinPrice;
  readonly locks: CashLocks;
  readonly updates: OrderUpdates;
  readonly driver: OrderDriver;
  readonly resting: Pick<RestingOrders, 'keep'>;
  readonly sync: UserStreams;
  readonly figures: Pick<OrderFigures, 'changed'>;
  /** Null where nothing is traced. */
  readonly traces: Pick<OrderTraces, 'begin' | 'made' | 'refused'> | null;
  readonly recover: () => Promise<RecoveryReport>;
  readonly stop: () => Promise<void>;
}

/** Makes the orders service. */
export function createOrders(deps: OrdersDeps): Orders {
  const { store, updates, driver } = deps;

  function refOf(
    userId: UserId,
    id: IntentId | OrderId,
  ): { readonly userId: UserId; readonly intentId: IntentId } | null {
    if (store.get(ORDERS, [userId, id]) !== null) return { userId, intentId: asId<IntentId>(id) };
    const ref = store.get(ORDER_IDS, [id])?.value;
    return ref !== undefined && ref.userId === userId ? ref : null;
  }

  async function cancel(
    userId: UserId,
    intentId: IntentId,
    by?: OrderRecord['cancelledBy'],
  ): Promise<OrderRecord> {
    const ref = refOf(userId, intentId);
    if (ref === null) throw new AppError('not_found', `no order ${intentId}`);
    const known = updates.read(ref);
    if (isCancelledAsWanted(known)) return known;
    assertCancellable(known);
    const record = await updates.apply(
      ref,
      (before, nowMs) =>
        isTerminal(before.state) || before.cancelWanted
          ? before
          : foldCancelWanted(before, nowMs, by),
      'actor',
    );
    // What waited with this service is gone with the request.
    if (isCancelledAsWanted(record)) return record;
    assertCancellable(record);
    return driver.cancelWanted(ref);
  }

  function get(userId: UserId, id: IntentId | OrderId): OrderRecord | null {
    const ref = refOf(userId, id);
    return ref === null ? null : updates.read(ref);
  }

  function listOpen(userId: UserId): readonly OrderRecord[] {
    return store
      .range(OPEN_ORDERS, { prefix: [userId] })
      .flatMap(({ key }) => store.get(ORDERS, key)?.value ?? []);
  }

  return {
    place: (userId, request) =>
      counted(deps, request, (story) => place(deps, userId, { request, story })),
    estimate: (userId, request) => estimate(deps, userId, request),
    cancel,
    cancelAll: (userId, venue) => cancelAll({ listOpen, cancel, get }, userId, venue),
    async ended(userId, intentId, withinMs) {
      const untilMs = deps.clock.nowMs() + inWallTime(deps.clock, withinMs);
      return driver.ended({ userId, intentId }, untilMs);
    },
    get,
    listOpen,
    hasTraded: (userId, agentId, marketId) =>
      store.get(AGENT_MARKETS, [userId, agentId, marketId]) !== null,
    mostSetAside: (market, amountUsdc) =>
      deps.venues.trading(market).rules.mostSetAside(market, amountUsdc),
    async setStop(scope, stopped, reason, policy = STOP_POLICY_DEFAULT) {
      return deps.commit((tx) =>
        writeStop(tx, { scope, stopped, reason, policy, atMs: deps.clock.nowMs() }),
      );
    },
    isSweeping: (scope) => store.get(STOP_SWEEPS, stopKey(scope)) !== null,
    stopOf: (scope) => store.get(STOPS, stopKey(scope))?.value ?? null,
    recover: deps.recover,
    stop: deps.stop,
  };
}

/**
 * One order from request to the venue's first answer, under the lock of the user's cash account
 * (L7).
 */
async function place(
  deps: OrdersDeps,
  userId: UserId,
  { request, story }: { readonly request: PlaceOrder; readonly story: OrderStory | null },
): Promise<OrderRecord> {
  assertRequest(request);
  // The order made before is the answer whatever has happened since: a market that ended, a stop.
  // Two at once are distinguished where they are stored.
  const made =
    request.idempotencyKey === undefined
      ? null
      : madeBefore(deps.store, userId, request.idempotencyKey);
  if (made !== null) return deps.driver.acknowledgement(made.intent);
  const open = deps.venues.of(request.venue);
  if (request.origin.kind === 'manual') assertWallet(open, userId);
  // Spares a stopped user the wait; what holds is looked at in the transaction, and where the bytes
  // leave (L6).
  assertNotStopped(deps.store, { userId, origin: request.origin, side: request.side });
  if (request.side === 'buy') assertBuysAllowed(open);
  if (open.identity !== null && request.side === 'buy') {
    const problem = await identityProblem(open, userId);
    if (problem !== null) throw problem;
  }
  let requestedAtMs = deps.clock.nowMs();
  const market = open.markets.known(request.marketId) ?? (await findMarket(open, userId, request));
  const venue = deps.venues.trading(market);
  assertStep(deps, userId, { venue, market, request });
  if (venue.warmBook !== null && needsBook(request)) {
    await venue.warmBook(market, market.outcomes[request.outcome].tokenId);
    requestedAtMs = deps.clock.nowMs();
  }
  const stopTimer = deps.metrics.startTimer('order_stage_seconds', {
    venue: venue.id,
    stage: 'queue',
  });
  let askedAtMs = deps.clock.nowMs();
  const fenceUntilMs = askedAtMs + inWallTime(deps.clock, request.fenceWaitMs ?? 0);
  const asked = deps.locks.acquire(userId, venue.cashAccount);
  let lock = asked instanceof Promise ? await asked : asked;
  let lockMs = asked instanceof Promise ? deps.clock.nowMs() - askedAtMs : 0;
  stopTimer();
  try {
    for (
      let held = heldOrder(deps, userId, request);
      held !== null && deps.clock.nowMs() < fenceUntilMs;
      held = heldOrder(deps, userId, request)
    ) {
      // Orders on other markets need not wait for it.
      lock.release();
      await deps.driver.decided(held.intent, fenceUntilMs);
      // It is drafted by the book of now: its age begins anew.
      requestedAtMs = askedAtMs = deps.clock.nowMs();
      lock = await deps.locks.acquire(userId, venue.cashAccount);
      lockMs = deps.clock.nowMs() - askedAtMs;
    }
    assertAccountSynced(deps, userId, request);
    const { sendWindowMs } = venue.traits;
    const waits = {
      preparationMs: askedAtMs - requestedAtMs,
      lockMs,
      speed: sendWindowOf(deps.clock, venue.traits, request.origin) / sendWindowMs,
      goodForMs: sendWindowMs,
    };
    const wanted = { venue, market, request, requestedAtMs, trace: story };
    const preparing = prepareOrder(deps, userId, wanted);
    const ready = preparing instanceof Promise ? await preparing : preparing;
    if (ready.kind === 'made') return await deps.driver.acknowledgement(ready.record.intent);
    const { intent, prepared } = ready;
    const taken = await admitDurably(deps, {
      venue,
      market,
      request,
      waits,
      intent,
      prepared,
      story,
    });
    return await deps.driver.acknowledgement(taken.record.intent);
  } catch (error) {
    throw withFence(deps, error, { userId, ...request });
  } finally {
    lock.release();
  }
}

/** Reads what placing would read, and asks what it would ask; takes no lock. */
async function estimate(
  deps: OrdersDeps,
  userId: UserId,
  request: PlaceOrder,
): Promise<OrderEstimate> {
  assertRequest(request);
  const open = deps.venues.of(request.venue);
  const market = open.markets.known(request.marketId) ?? (await findMarket(open, userId, request));
  const venue = deps.venues.trading(market);
  assertStep(deps, userId, { venue, market, request });
  if (venue.warmBook !== null && needsBook(request))
    await venue.warmBook(market, market.outcomes[request.outcome].tokenId);
  const [unknown, gas] = await Promise.all([
    request.side === 'buy' ? identityProblem(venue, userId) : null,
    venue.gas?.(userId, { side: request.side, outcome: request.outcome, market }) ??
      ('none' as const),
  ]);
  return byNextReading(deps, { venue, market, request }, () =>
    estimateOrder(deps, userId, {
      venue,
      market,
      request,
      assertReady() {
        if (request.side === 'buy') assertBuysAllowed(venue);
        assertWallet(venue, userId);
        if (unknown !== null) throw unknown;
      },
      gas,
      explain: (error) => withFence(deps, error, { userId, ...request }),
    }),
  );
}

async function findMarket(
  { markets }: OpenVenue,
  userId: UserId,
  { marketId }: PlaceOrder,
): Promise<Market> {
  const market = await markets.find(marketId, userId);
  if (market === null) throw new AppError('not_found', `no market ${marketId}`);
  return market;
}

function needsBook({ type, origin, fetchesBook }: PlaceOrder): boolean {
  return type.kind === 'market' && (fetchesBook ?? origin.kind === 'manual');
}
