import { watchUser } from '../../support/watched-users.ts';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { DirectService } from '../../../src/tools/replay/direct-service.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type MarketId, type UserId } from '../../../src/domain/ids.ts';
import { TICKS_PER_USD, priceTicks } from '../../../src/domain/units.ts';
import type { Random } from '../../../src/ports/random.ts';
import type { Listing } from '../../../src/sandbox/venues/venue-b/model/listing.ts';
import type { MarketModel } from '../../../src/sandbox/venues/venue-b/model/market-model.ts';
import { createPositionCloser } from '../../../src/services/position-closer.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { VENUE_B } from '../../support/venue-ids.ts';

/** Whose hand it is, and what it reaches. */
export interface ContractHands {
  /** The service as it runs now; null while it is down or no user trades. */
  service(): DirectService | null;
  readonly model: MarketModel;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly userId: UserId;
}

/** The wait between two moves. */
const LEAST_MS = 2_000;
const JITTER_MS = 30_000;
/** Of the markets that end soon enough to be paid within the day. */
const SERIES = ['KXBTC15M', 'KXTEMPNYCH'];
const ENDS_WITHIN_MS = 4 * 3_600_000;
/** What is all but decided has nothing to trade on one of its sides. */
const DECIDED_TICKS = 1_000;
const MARKETS = 3;
const CONTRACT = 1_000_000;
const CENT_TICKS = 100;

/**
 * Buys, sells, rests, cancels and closes at random in the few markets that end first. Refusals are
 * part of it. Gives the function that ends it.
 */
export function tradeContracts(hands: ContractHands): () => void {
  const { clock, random, userId } = hands;
  let isOver = false;
  let known: DirectService | null = null;
  const act = (): void => {
    if (isOver) return;
    const service = hands.service();
    if (service !== null) {
      if (service !== known) watchUser(service.core.trading, userId);
      move(hands, service).catch((error: unknown) => {
        // A refusal is an answer, and failures of a dead process do not count.
        if (!(error instanceof AppError) && hands.service() === service) throw error;
      });
    }
    known = service;
    clock.after(LEAST_MS + random.integer(JITTER_MS), act);
  };
  act();
  return () => {
    isOver = true;
  };
}

async function move(hands: ContractHands, service: DirectService): Promise<void> {
  const { random, userId } = hands;
  const { orders } = service.core;
  const kind = random.integer(8);
  if (kind === 0) {
    const open = orders.listOpen(userId).filter(({ intent }) => intent.venue === VENUE_B);
    const order = open[random.integer(Math.max(1, open.length))];
    if (order !== undefined) await orders.cancel(userId, order.intent.intentId);
    return;
  }
  if (kind === 1) return close(hands, service);
  const listings = tradedNow(hands.model);
  const listing = listings[random.integer(Math.max(1, listings.length))];
  if (listing !== undefined) await orders.place(userId, draw(hands, service, listing));
}

/** All of a position, whatever its market has come to: sold, redeemed or refused. */
async function close({ random, userId }: ContractHands, service: DirectService): Promise<void> {
  const { orders, trading } = service.core;
  const held = trading.portfolio
    .holdings(userId, { type: 'open' })
    .filter(({ position }) => position.cashAccount === 'usdc:solana');
  const holding = held[random.integer(Math.max(1, held.length))];
  if (holding === undefined) return;
  const closing = createPositionCloser({
    store: service.store,
    orders,
    portfolio: trading.portfolio,
    redeemsByOrder: () => true,
  });
  const { marketId, outcome } = holding.position;
  await closing.close(userId, {
    venue: VENUE_B,
    marketId,
    outcome,
    shareMicros: null,
    keyId: null,
  });
}

function tradedNow(model: MarketModel): readonly Listing[] {
  const nowMs = model.clock.nowMs();
  return model
    .events()
    .filter(({ seriesTicker }) => SERIES.includes(seriesTicker))
    .flatMap(({ markets }) => markets)
    .filter((listing) => {
      if (listing.closeMs > nowMs + ENDS_WITHIN_MS) return false;
      if (model.state(listing).status !== 'active') return false;
      const best = bestBid(model, listing, 0);
      return best !== null && best > DECIDED_TICKS && best < TICKS_PER_USD - DECIDED_TICKS;
    })
    .toSorted((one, other) => one.closeMs - other.closeMs)
    .slice(0, MARKETS);
}

function bestBid(model: MarketModel, listing: Listing, outcome: 0 | 1): number | null {
  const book = model.book(listing);
  const [best] = (outcome === 0 ? book?.yes : book?.no)?.keys() ?? [];
  return best ?? null;
}

function draw(
  { random, userId, model, clock }: ContractHands,
  service: DirectService,
  listing: Listing,
): PlaceOrder {
  const outcome = random.integer(2) === 0 ? 0 : 1;
  const marketId = asId<MarketId>(listing.ticker);
  const shared = { venue: VENUE_B, marketId, outcome, origin: { kind: 'manual' } } as const;
  const contracts = (1 + random.integer(8)) * CONTRACT;
  const held =
    service.core.trading.portfolio
      .holdings(userId, { type: 'open', marketId })
      .find(({ position }) => position.outcome === outcome)?.settledShares ?? 0;
  const best = bestBid(model, listing, outcome) ?? TICKS_PER_USD / 2;
  const whole = Math.floor(best / CENT_TICKS) * CENT_TICKS;
  const price = (ticks: number) =>
    priceTicks(Math.min(TICKS_PER_USD - CENT_TICKS, Math.max(CENT_TICKS, ticks)));
  const expiresAtMs = clock.nowMs() + 60_000 + random.integer(1_800_000);
  const kind = random.integer(6);
  if (kind <= 1 && held >= CONTRACT)
    return {
      ...shared,
      side: 'sell',
      amount: { unit: 'shares', micros: Math.min(contracts, held) },
      type:
        kind === 0
          ? { kind: 'market' }
          : {
              kind: 'limit',
              price: price(whole + CENT_TICKS * (1 + random.integer(4))),
              expiresAtMs,
            },
    };
  if (kind === 2 || kind === 3)
    return {
      ...shared,
      side: 'buy',
      amount: { unit: 'shares', micros: contracts },
      type: {
        kind: 'limit',
        price: price(whole + CENT_TICKS * (2 - random.integer(5))),
        expiresAtMs,
      },
    };
  return {
    ...shared,
    side: 'buy',
    amount:
      kind === 4
        ? { unit: 'usdc', micros: (1 + random.integer(6)) * 1_000_000 }
        : { unit: 'shares', micros: contracts },
    type: { kind: 'market' },
  };
}
