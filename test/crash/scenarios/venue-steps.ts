import { AppError, assert, type ErrorCode } from '../../../src/domain/errors.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import { isTerminal, type OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { ORDER_KEYS, ORDERS } from '../../../src/services/books/tables.ts';
import type { FaultName, FaultRule } from '../../../src/sandbox/faults.ts';
import type { Step } from './scenario.ts';
import { START_MS, userOf, type VenueLife, type VenueStage } from './venue-stage.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/**
 * What a user orders: in the stage's first round, its first outcome, for themselves as the first
 * user, unless stated.
 */
interface Request {
  readonly user?: number;
  readonly round?: number;
  readonly outcome?: OutcomeIndex;
  readonly side?: 'buy' | 'sell';
  readonly usdc?: number;
  readonly shares?: number;
  /** Ticks; absent: a market order. */
  readonly price?: number;
  readonly expiresAfterMs?: number;
}

/** A person repeats a call this long after a refusal that asks for it. */
const AGAIN_MS = 500;

/** What people and the world do on a stage. */
export interface VenueSteps {
  /**
   * Orders, with a key that stays the same over retries. `refused`: codes that are an answer to it.
   */
  place(key: string, request?: Request, refused?: readonly ErrorCode[]): Step<VenueLife>;
  /** Takes an order back by its key; one that has ended meanwhile is left alone. */
  cancel(key: string, user?: number): Step<VenueLife>;
  /** Lets the time come to this many ms after the stage's beginning. */
  until(afterMs: number): Step<VenueLife>;
  /**
   * Lets time pass until every order of the users has ended and all is final, then the time its
   * later words take.
   */
  rest(): Step<VenueLife>;
  /** Something that happens in the world once. */
  once(name: string, happen: () => void): Step<VenueLife>;
  /** The venue does wrong. */
  fault(name: FaultName, rule?: FaultRule): Step<VenueLife>;
  /** It does so no longer. */
  calm(name: FaultName): Step<VenueLife>;
  /** Repeats a call until it is answered. */
  insist<T>(call: (life: VenueLife) => Promise<T>, refused?: readonly ErrorCode[]): Step<VenueLife>;
}

/** The steps of a stage. */
export function stepsOn(stage: VenueStage): VenueSteps {
  const { clock, model, happened } = stage;
  const pass = (ms: number): Promise<void> =>
    new Promise((resolve) => void clock.after(ms, resolve));

  async function insisted<T>(
    call: () => Promise<T>,
    refused: readonly ErrorCode[],
  ): Promise<T | null> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (refused.includes(error.code)) return null;
        if (!error.retryable) throw error;
        await pass(AGAIN_MS);
      }
    }
  }

  return {
    place:
      (key, request = {}, refused = []) =>
      (life) =>
        insisted(
          () =>
            life.service.core.orders.place(
              userOf(life, request.user),
              requestOf(stage, key, request),
            ),
          refused,
        ),
    cancel:
      (key, user = 0) =>
      (life) =>
        insisted(async () => {
          const order = orderUnder(life, key, user);
          if (order !== null && !isTerminal(order.state))
            await life.service.core.orders.cancel(order.intent.userId, order.intent.intentId);
        }, ['order_not_cancellable']),
    until: (afterMs) => () => pass(Math.max(0, START_MS + afterMs - clock.nowMs())),
    rest: () => async (life) => {
      while (!isAtRest(life)) await pass(AGAIN_MS);
      await pass(20_000);
      while (!isAtRest(life)) await pass(AGAIN_MS);
    },
    once: (name, happen) => async () => {
      if (happened.has(name)) return;
      happened.add(name);
      happen();
    },
    fault:
      (name, rule = {}) =>
      async () => {
        if (happened.has(`fault ${name}`)) return;
        happened.add(`fault ${name}`);
        model.faults.arm(name, rule);
      },
    calm: (name) => async () => model.faults.clear(name),
    insist:
      (call, refused = []) =>
      (life) =>
        insisted(() => call(life), refused),
  };
}

/** The order made under a key; null without one. */
function orderUnder({ service, ...life }: VenueLife, key: string, user = 0): OrderRecord | null {
  const ref = service.store.get(ORDER_KEYS, [userOf({ service, ...life }, user), key])?.value;
  return ref === undefined
    ? null
    : (service.store.get(ORDERS, [ref.userId, ref.intentId])?.value ?? null);
}

function requestOf(
  stage: VenueStage,
  key: string,
  { round = 0, outcome = 0, side = 'buy', usdc, shares, price, expiresAfterMs }: Request,
): PlaceOrder {
  const expiresAtMs = expiresAfterMs === undefined ? null : START_MS + expiresAfterMs;
  assert(usdc === undefined || shares === undefined, 'an order is sized in one unit');
  return {
    venue: VENUE_A,
    marketId: stage.round(round).marketId,
    outcome,
    side,
    idempotencyKey: key,
    origin: { kind: 'manual' },
    amount:
      shares === undefined
        ? { unit: 'usdc', micros: Math.round((usdc ?? 5) * 1_000_000) }
        : { unit: 'shares', micros: Math.round(shares * 1_000_000) },
    type:
      price === undefined
        ? { kind: 'market' }
        : { kind: 'limit', price: priceTicks(price), expiresAtMs },
  };
}

/**
 * True when nothing of the users is in motion any more; positions that wait for their market's end
 * are not in motion.
 */
function isAtRest(life: VenueLife): boolean {
  const { orders, trading } = life.service.core;
  return life.users.every(
    ({ userId }) =>
      orders.listOpen(userId).length === 0 &&
      trading.portfolio.cash(userId, 'usdc:safe').provisional === 0 &&
      trading.portfolio
        .holdings(userId, { type: 'open' })
        .every(({ position, settledShares }) => position.shares === settledShares),
  );
}
