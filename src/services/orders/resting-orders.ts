import { ORDER } from '../../../config/limits.ts';
import type { BookView } from '../../domain/book.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { Market } from '../../domain/market.ts';
import {
  isAtRest,
  isTerminal,
  lastAttempt,
  withAttempt,
  type AttemptPart,
  type OrderIntent,
  type OrderRecord,
} from '../../domain/order.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OrderSigner, Prepared } from '../../ports/order-signer.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { foldWaitingEnd, intentOfPart, type WaitingEnd } from '../books/kept-order.ts';
import type { OrderUpdates } from '../books/order-updates.ts';
import { putOrder } from '../books/record-changes.ts';
import { assertUndisputed } from '../books/funds-disputes.ts';
import { assertWalletMatches } from '../books/wallet-mismatches.ts';
import { assertSettling } from '../books/settlement-health.ts';
import { ORDERS, TRADED_MARKETS } from '../books/tables.ts';
import type { TradedVenue, Venues } from '../venues.ts';
import type { CashLocks } from './cash-locks.ts';
import { bookFault, sendWindowOf } from './order-draft.ts';
import type { OrderDriver } from './order-driver.ts';
import { claimTrials, fenceOver } from './admission.ts';
import { createRestingBoard } from './resting-board.ts';
import { stopOver } from './stop-check.ts';
import { assertAccess, accessRefusal } from './access-gate.ts';

/** The limit orders that this service keeps, for a venue that keeps none. */
export interface RestingOrders {
  /**
   * Waits with an order as stored until its price is in the book, its time is over, or it is taken
   * back.
   */
  keep(record: OrderRecord): void;
  stop(): void;
}

/** An order on the board. */
interface Waiting {
  readonly intent: OrderIntent;
  readonly market: Market;
  /** Null where it could not be opened: the order can still end. */
  readonly venue: TradedVenue | null;
  readonly attempts: number;
  /** Not tried before this, epoch ms. */
  readonly pausedUntilMs: number;
  /** Not ended before this, for its end could not be stored; epoch ms. */
  readonly heldUntilMs: number;
}

/** Something to be done about an order, one at a time of what it is of. */
interface Work {
  readonly of: string;
  readonly run: () => Promise<void>;
}

/**
 * Creates the keeper of resting orders. An order waits as its record alone, without an attempt;
 * when the trusted book has its price (L8) one attempt at all that is left of it is signed under
 * the lock of its cash account (L7), in a transaction that looks again at everything that may hold
 * it back (L1, L2, L6), and goes the way of every order. When that has ended and something is left,
 * the order waits again.
 */
export function createRestingOrders(
  deps: Pick<Runtime, 'store' | 'commit' | 'bus' | 'clock' | 'log' | 'metrics'> & {
    readonly updates: OrderUpdates;
    readonly driver: Pick<OrderDriver, 'durable' | 'acknowledgement' | 'isFollowing'>;
    readonly locks: CashLocks;
    readonly venues: Venues;
  },
): RestingOrders {
  const { store, updates, venues, clock, log, metrics } = deps;
  const followed = new Map<string, () => void>();
  /**
   * Orders whose end is being stored, and cash accounts of users of which an attempt is being made:
   * more of them would wait for its lock.
   */
  const busy = new Set<string>();
  const board = createRestingBoard<Waiting>({ clock, intervalMs: ORDER.restingIntervalMs, check });
  const endFacts = deps.bus.subscribe(({ event }) => {
    if (event.type !== 'order.changed') return;
    const record = store.get(ORDERS, [event.userId, event.intentId])?.value;
    if (record === undefined) return;
    if (isAtRest(record)) keep(record);
    else if (isTerminal(record.state)) release(record.intent);
  });

  function keep(record: OrderRecord): void {
    const { intent, attempts } = record;
    const market = store.get(TRADED_MARKETS, [intent.marketId])?.value;
    assert(market !== undefined, `the market of order ${intent.intentId} is known`);
    const venue = venues.isOpen(intent.venue) ? venues.trading(intent) : null;
    const token = tokenOf(intent);
    if (venue !== null && !followed.has(token)) followed.set(token, venue.followBook(market));
    board.keep(token, intent.intentId, {
      intent,
      market,
      venue,
      attempts: attempts.length,
      pausedUntilMs: pausedUntil(record),
      heldUntilMs: 0,
    });
    metrics.gauge('resting_orders_open', board.size());
  }

  function release(intent: OrderIntent): void {
    const token = tokenOf(intent);
    board.release(token, intent.intentId);
    metrics.gauge('resting_orders_open', board.size());
    if (board.has(token)) return;
    followed.get(token)?.();
    followed.delete(token);
  }

  function check(_: string, orders: ReadonlyMap<string, Waiting>): void {
    const [first] = orders.values();
    const book =
      first === undefined || first.venue === null ? null : bookOf(first.venue, first.intent);
    for (const order of orders.values()) {
      if (busy.size >= ORDER.restingAtOnceMaximum) return;
      const work = workOn(order, book);
      if (work !== null && !busy.has(work.of)) void carryOut(order, work);
    }
  }

  /** What is to be done about an order now; null for nothing. */
  function workOn(
    { intent, market, venue, attempts, pausedUntilMs, heldUntilMs }: Waiting,
    book: BookView | null,
  ): Work | null {
    const nowMs = clock.nowMs();
    if (nowMs < heldUntilMs) return null;
    const over = (how: WaitingEnd): Work => ({ of: intent.intentId, run: () => end(intent, how) });
    if (intent.expiresAtMs !== null && nowMs >= intent.expiresAtMs)
      return over({ state: 'expired', reason: null });
    if (nowMs >= market.endsAtMs)
      return over({ state: 'cancelled', reason: 'the market has ended' });
    if (venue === null || nowMs < pausedUntilMs) return null;
    if (attempts >= venue.traits.attemptsMaximum)
      return over({ state: 'cancelled', reason: `given up after ${attempts} attempts` });
    if (!isAtPrice(intent, book) || deps.driver.isFollowing(intent.intentId)) return null;
    // Looked at before its account is busy with it: what is held back keeps no other waiting.
    if (isHeldBack(store, updates.read(intent), nowMs)) return null;
    const account = `${intent.userId} ${intent.cashAccount}`;
    return { of: account, run: () => attempt(venue, market, intent) };
  }

  async function carryOut(order: Waiting, { of, run }: Work): Promise<void> {
    const { intentId, userId } = order.intent;
    busy.add(of);
    try {
      await run();
    } catch (cause) {
      // Nothing left, or the next start takes it up (L9): it is looked at again after a pause.
      log.warn({ intentId, userId, cause }, 'resting_order.held_back');
      if (cause instanceof AppError && cause.code === 'wallet_not_ready')
        await noteWait(order.intent, cause.message);
      const untilMs = clock.nowMs() + ORDER.restingPauseMs;
      pause(order, of === intentId ? { heldUntilMs: untilMs } : { pausedUntilMs: untilMs });
    } finally {
      busy.delete(of);
    }
  }

  /** What its owner can mend is said of the order; it is over with the next attempt. */
  async function noteWait(intent: OrderIntent, reason: string): Promise<void> {
    const note = (known: OrderRecord, nowMs: number): OrderRecord =>
      isAtRest(known) && known.reason !== reason ? { ...known, reason, updatedAtMs: nowMs } : known;
    await updates
      .apply(intent, note, 'outside')
      .catch((cause: unknown) =>
        log.warn({ intentId: intent.intentId, cause }, 'resting_order.not_noted'),
      );
  }

  function pause(order: Waiting, until: Partial<Waiting>): void {
    const { intentId, userId } = order.intent;
    const record = store.get(ORDERS, [userId, intentId])?.value;
    if (record === undefined || isTerminal(record.state)) return;
    board.keep(tokenOf(order.intent), intentId, { ...order, ...until });
  }

  /**
   * Makes one attempt at what is left of an order, if nothing holds it back, and waits for the
   * venue's first answer of it.
   */
  async function attempt(venue: TradedVenue, market: Market, intent: OrderIntent): Promise<void> {
    const { signer } = venue;
    const asked = deps.locks.acquire(intent.userId, intent.cashAccount);
    const lock = asked instanceof Promise ? await asked : asked;
    try {
      const record = updates.read(intent);
      if (isHeldBack(store, record, clock.nowMs())) return;
      const part = partOf(clock, venue, record);
      if (part === null) return await end(intent, { state: 'filled', reason: null });
      const ofPart = { intent: intentOfPart(intent, part), market, atMs: clock.nowMs() };
      const preparing = signer.prepare?.(ofPart) ?? null;
      const prepared = preparing instanceof Promise ? await preparing : preparing;
      // What was prepared may have taken its time.
      if (!isAtPrice(intent, bookOf(venue, intent))) return;
      const signed = await deps.commit(
        (tx) => signPart(tx, { record, part, prepared, signer, nowMs: clock.nowMs() }),
        (made) => made !== null && deps.driver.durable(made),
      );
      if (signed !== null) await deps.driver.acknowledgement(intent);
    } finally {
      lock.release();
    }
  }

  /** An untrusted book counts as absent (L8). */
  function bookOf({ books }: TradedVenue, { tokenId }: OrderIntent): BookView | null {
    const book = books(tokenId);
    return bookFault(clock, tokenId, book) === null ? book : null;
  }

  async function end(intent: OrderIntent, how: WaitingEnd): Promise<void> {
    await updates.apply(intent, (known, nowMs) => foldWaitingEnd(known, how, nowMs), 'outside');
  }

  return {
    keep,
    stop() {
      endFacts();
      board.stop();
      for (const leave of followed.values()) leave();
    },
  };
}

/** Tokens of two venues may have one name. */
function tokenOf({ venue, tokenId }: OrderIntent): string {
  return `${venue} ${tokenId}`;
}

/** All that is left of an order, as an attempt; null where that is less than the venue trades. */
function partOf(
  clock: Clock,
  { rules, traits }: TradedVenue,
  { intent, filledShares, filledUsdc }: OrderRecord,
): AttemptPart | null {
  assert(rules.rest !== null, 'rules of a venue that keeps no orders say what is left of one');
  const terms = rules.rest(intent, { shares: filledShares, usdc: filledUsdc });
  if (terms === null) return null;
  const sendUntilMs = clock.nowMs() + sendWindowOf(clock, traits, intent.origin);
  const life = traits.lives.includes('part_now') ? 'part_now' : 'all_now';
  return { ...terms, life, sendUntilMs, filledShares, filledUsdc };
}

interface SignPart {
  readonly record: OrderRecord;
  readonly part: AttemptPart;
  readonly prepared: Prepared | null;
  readonly signer: OrderSigner;
  readonly nowMs: number;
}

/**
 * Signs an attempt at an order that still waits as it was read, and stores it; null where something
 * has changed or holds it back. Errors: as `admit`, for the venue and the funds.
 */
function signPart(
  tx: StoreWriter,
  { record: read, part, prepared, signer, nowMs }: SignPart,
): OrderRecord | null {
  const { userId, intentId } = read.intent;
  const record = tx.get(ORDERS, [userId, intentId])?.value;
  if (record === undefined || isHeldBack(tx, record, nowMs)) return null;
  if (record.filledShares !== read.filledShares) return null;
  const now = { ...record.intent, createdAtMs: nowMs };
  assertAccess(tx, now);
  assertWalletMatches(tx, now, record.reserved);
  assertUndisputed(tx, now);
  assertSettling(tx, now);
  claimTrials(tx, now);
  const signed = signer.sign(intentOfPart(record.intent, part), prepared);
  const after: OrderRecord = {
    ...record,
    attempts: withAttempt(record.attempts, { ...signed, part }, nowMs),
    state: 'signed',
    reason: null,
    updatedAtMs: nowMs,
  };
  putOrder(tx, record, after);
  const last = lastAttempt(record);
  const follows =
    last === null
      ? {}
      : { follows: { attemptId: last.attemptId, proof: last.ended?.proof ?? null } };
  const { attemptId } = signed;
  tx.append({ type: 'order.signed', userId, atMs: nowMs, intentId, attemptId, ...follows });
  return after;
}

/**
 * Reports whether an attempt may not be made now: the order is not waiting, its time is over, a
 * stop is set (L6), the venue takes no orders, or another order of its market is not decided (L2).
 */
function isHeldBack(reader: StoreReader, record: OrderRecord, nowMs: number): boolean {
  const { intent } = record;
  return (
    !isAtRest(record) ||
    (intent.expiresAtMs !== null && nowMs >= intent.expiresAtMs) ||
    stopOver(reader, intent) !== null ||
    accessRefusal(reader, intent, nowMs) !== null ||
    fenceOver(reader, intent) !== null
  );
}

/** Reports whether the book has a counterparty at the order's price or better. */
function isAtPrice({ side, price }: OrderIntent, book: BookView | null): boolean {
  const best = side === 'buy' ? book?.asks[0] : book?.bids[0];
  return best !== undefined && (side === 'buy' ? best.price <= price : best.price >= price);
}

/**
 * An attempt that got nothing is not followed by the next at once: each may cost the network's fee.
 */
function pausedUntil(record: OrderRecord): number {
  const last = lastAttempt(record);
  const gotNothing = last?.part?.filledShares === record.filledShares;
  return gotNothing && last.ended !== null ? last.ended.atMs + ORDER.restingPauseMs : 0;
}
