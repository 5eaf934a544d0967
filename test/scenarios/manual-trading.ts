import { watchUser } from '../support/watched-users.ts';
import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import type { DirectService } from '../../src/tools/replay/direct-service.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { UserId } from '../../src/domain/ids.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { Random } from '../../src/ports/random.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import type { ExchangeMarket } from '../../src/sandbox/engine/exchange-types.ts';
import type { WorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';
import { VENUE_A } from '../support/venue-ids.ts';

/** Whose hand it is, and what it reaches. */
export interface ManualTradingOptions {
  /** The service as it runs now; null while it is down. */
  service(): DirectService | null;
  readonly model: WorldModel;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly userId: UserId;
  /**
   * How often it moves; often enough to sell shares whose trade is not final yet, unless stated.
   */
  readonly pace?: Pace;
}

/** The wait between two moves of a hand: `leastMs`, and up to `jitterMs` more. */
export interface Pace {
  readonly leastMs: number;
  readonly jitterMs: number;
}

const USUAL_PACE: Pace = { leastMs: 2_000, jitterMs: 5_000 };

/**
 * Buys, sells, rests and cancels at random in the running round. Refusals are part of it. Gives the
 * function that ends it.
 */
export function tradeManually(options: ManualTradingOptions): () => void {
  const { clock, random, userId, pace: { leastMs, jitterMs } = USUAL_PACE } = options;
  let isOver = false;
  let known: DirectService | null = null;
  const act = (): void => {
    if (isOver) return;
    const service = options.service();
    if (service !== null && service !== known) watchUser(service.core.trading, userId);
    known = service;
    const done =
      service === null
        ? Promise.resolve()
        : random.integer(4) === 0
          ? cancelOne(options, service)
          : placeOne(options, service);
    done.catch((error: unknown) => {
      // A refusal is an answer, and failures of a dead process do not count; anything else
      // ends the test as an unhandled failure.
      if (!(error instanceof AppError) && options.service() === service) throw error;
    });
    clock.after(leastMs + random.integer(jitterMs), act);
  };
  act();
  return () => {
    isOver = true;
  };
}

async function cancelOne(
  { random, userId }: ManualTradingOptions,
  service: DirectService,
): Promise<void> {
  const open = service.core.orders.listOpen(userId);
  const order = open[random.integer(Math.max(1, open.length))];
  if (order !== undefined) await service.core.orders.cancel(userId, order.intent.intentId);
}

async function placeOne(options: ManualTradingOptions, service: DirectService): Promise<void> {
  const market = runningMarket(options.model);
  if (market !== undefined)
    await service.core.orders.place(options.userId, draw(options, service, market));
}

function runningMarket({ exchange, clock }: WorldModel): ExchangeMarket | undefined {
  return exchange
    .markets()
    .find(
      ({ slug, endsAtMs }) =>
        slug.includes('-updown-') &&
        endsAtMs > clock.nowMs() &&
        endsAtMs <= clock.nowMs() + 300_000,
    );
}

function draw(
  { random, userId, model }: ManualTradingOptions,
  service: DirectService,
  market: ExchangeMarket,
): PlaceOrder {
  const outcome = random.integer(2) === 0 ? 0 : 1;
  const shared = {
    venue: VENUE_A,
    marketId: market.marketId,
    outcome,
    origin: { kind: 'manual' },
  } as const;
  const held = service.core.trading.portfolio
    .holdings(userId, { marketId: market.marketId })
    .find(({ position }) => position.outcome === outcome && position.shares > 5_000_000);
  const kind = random.integer(4);
  if (kind <= 1 && held !== undefined)
    return {
      ...shared,
      side: 'sell',
      amount: { unit: 'shares', micros: Math.floor(held.position.shares / 10_000) * 10_000 },
      type: { kind: 'market' },
    };
  if (kind === 2) {
    const best = model.exchange.book(market.tokens[outcome]).bids[0]?.price ?? 4_000;
    const price = priceTicks(
      Math.min(9_000, Math.max(500, Math.floor(best / 100) * 100 - 100 * random.integer(3))),
    );
    return {
      ...shared,
      side: 'buy',
      amount: { unit: 'shares', micros: (5 + random.integer(10)) * 1_000_000 },
      type: { kind: 'limit', price, expiresAtMs: null },
    };
  }
  return {
    ...shared,
    side: 'buy',
    amount: { unit: 'usdc', micros: (2 + random.integer(5)) * 1_000_000 },
    type: { kind: 'market' },
  };
}
