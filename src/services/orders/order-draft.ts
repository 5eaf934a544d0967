import { ORDER } from '../../../config/limits.ts';
import type { BookDistrust, BookView } from '../../domain/book.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type IntentId, type TokenId, type UserId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import {
  defaultLife,
  type OrderIntent,
  type OrderLife,
  type OrderOrigin,
} from '../../domain/order.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import { inWallTime, slowSinceMs, type Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { TICKS_PER_USD, priceTicks } from '../../domain/units.ts';
import type { OrderTerms } from '../../ports/order-rules.ts';
import { newIdBody } from '../new-id.ts';
import type { TradedVenue } from '../venues.ts';
import type { PlaceOrder } from './place-order.ts';

/** How long an order lives, as a person reads it. */
const LIFE_SENTENCES: Readonly<Record<OrderLife, string>> = {
  all_now: 'all of it at once or nothing',
  part_now: 'what is to be had at once',
  rests: 'to rest until it trades',
};

type LimitType = Extract<PlaceOrder['type'], { readonly kind: 'limit' }>;

export interface DraftDeps extends Pick<Runtime, 'clock' | 'random'> {}

/** The venue an intent is made for. */
type DraftVenue = Pick<TradedVenue, 'cashAccount' | 'books' | 'traits'> & {
  readonly rules: Pick<TradedVenue['rules'], 'terms'>;
};

/** What is requested, and where. */
export interface DraftInput {
  readonly venue: DraftVenue;
  readonly market: Market;
  readonly request: PlaceOrder;
  /** When it was asked for: from then on the request grows stale, whatever it waits for. */
  readonly requestedAtMs: number;
  /** Names the trace that an order of this id is in; null or absent where none is kept. */
  readonly trace?: { traceparentOf(intentId: IntentId): string } | null;
}

/**
 * Makes the intent of a request, by the venue's rules. A market order lives as `defaultLife` says
 * unless the caller chose. Errors: as `Orders.place`, for market, price and size.
 */
export function draftIntent(
  deps: DraftDeps,
  userId: UserId,
  { venue, market, request, requestedAtMs, trace = null }: DraftInput,
): OrderIntent {
  const nowMs = deps.clock.nowMs();
  const { side, amount, type, clientOrderId } = request;
  if (type.kind !== 'redemption') assertOpen(market, nowMs);
  const atOnce =
    (type.kind === 'market' ? type.life : undefined) ?? defaultLife(side, venue.traits.lives);
  const life = type.kind === 'limit' ? 'rests' : atOnce;
  assertLife(venue.traits, life);
  const terms =
    type.kind === 'redemption'
      ? redemptionTerms(amount)
      : venue.rules.terms({
          market,
          side,
          amount,
          type:
            type.kind === 'limit'
              ? type
              : {
                  ...type,
                  life: atOnce,
                  book: trustedBook(deps.clock, venue, market.outcomes[request.outcome].tokenId),
                },
        });
  const intentId = asId<IntentId>(`int_${newIdBody(deps)}`);
  return {
    intentId,
    userId,
    venue: market.venue,
    ...(market.mechanism === undefined ? {} : { mechanism: market.mechanism }),
    cashAccount: venue.cashAccount,
    origin: request.origin,
    marketId: market.marketId,
    tokenId: market.outcomes[request.outcome].tokenId,
    outcome: request.outcome,
    side,
    ...(type.kind === 'redemption' ? { isRedemption: true } : {}),
    life,
    ...(life === 'rests' && venue.traits.restsAt === 'service' ? { restsAt: 'service' } : {}),
    ...terms,
    createdAtMs: nowMs,
    expiresAtMs:
      type.kind === 'limit' ? expiryOf(deps.clock, venue.traits, { ...request, type }) : null,
    sendUntilMs: requestedAtMs + sendWindowOf(deps.clock, venue.traits, request.origin),
    requested: amount,
    ...(type.kind === 'limit' && type.cents !== undefined ? { requestedCents: type.cents } : {}),
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
    ...(trace === null ? {} : { traceparent: trace.traceparentOf(intentId) }),
  };
}
/**
 * A winning share pays a dollar, which no price of a trade is: the nearest price is used for it.
 */
function redemptionTerms({ micros }: PlaceOrder['amount']): OrderTerms {
  return {
    price: priceTicks(TICKS_PER_USD - 1),
    spendMicros: micros,
    receiveMicros: micros,
    exact: 'spend',
  };
}

/**
 * Returns how long an order is good for before it must have left, ms of the market clock: a
 * person's is counted in wall time, an agent's in the markets'.
 */
export function sendWindowOf(
  clock: Clock,
  { sendWindowMs }: VenueTraits,
  origin: OrderOrigin,
): number {
  return spanOf(clock, origin, sendWindowMs);
}

/**
 * How much of the market clock a span is, ms: a person means wall time, an agent market time.
 */
function spanOf(clock: Clock, { kind }: OrderOrigin, spanMs: number): number {
  return kind === 'manual' ? inWallTime(clock, spanMs) : spanMs;
}

function assertLife({ lives }: VenueTraits, life: OrderLife): void {
  if (lives.includes(life)) return;
  const message = `not taken by this venue: ${LIFE_SENTENCES[life]}`;
  throw new AppError('invalid_request', `the order is ${message}`, {
    fields: [{ path: '/timeInForce', message }],
  });
}

function assertOpen(market: Market, nowMs: number): void {
  if (market.notTradeable !== undefined)
    throw new AppError('market_not_supported', market.notTradeable);
  if (market.closed || market.endsAtMs <= nowMs)
    throw new AppError('market_closed', `market ${market.marketId} has ended`);
  if (!market.acceptingOrders)
    throw new AppError('market_not_ready', `market ${market.marketId} takes no orders now`, {
      retryable: true,
    });
}

/**
 * When a limit order ends; null where it rests until it is cancelled. Errors: `invalid_request` for
 * an expiry too near or too far, and one of an order that has none.
 */
function expiryOf(
  clock: Clock,
  { sendWindowMs }: VenueTraits,
  {
    origin,
    type: { untilCancelled = false, expiresAtMs: asked },
  }: { readonly origin: OrderOrigin; readonly type: LimitType },
): number | null {
  if (untilCancelled) {
    if (asked === null) return null;
    throw new AppError('invalid_request', 'a GTC order has no expiry', {
      fields: [{ path: '/expiresAtMs', message: 'not taken by a GTC order' }],
    });
  }
  const nowMs = clock.nowMs();
  const inLife = (spanMs: number) => nowMs + spanOf(clock, origin, spanMs);
  const expiresAtMs = asked ?? inLife(ORDER.limitLifeDefaultMs);
  if (expiresAtMs <= inLife(sendWindowMs) || expiresAtMs > inLife(ORDER.limitLifeMaximumMs)) {
    const life = `${sendWindowMs / 1_000} seconds to ${ORDER.limitLifeMaximumMs / 86_400_000} days`;
    const message = `must be ${life} from now`;
    throw new AppError('invalid_request', `expiresAtMs: ${message}`, {
      fields: [{ path: '/expiresAtMs', message }],
    });
  }
  return expiresAtMs;
}

/** Why a book is not trusted, as a person reads it. */
const DISTRUST_SENTENCES: Readonly<Record<BookDistrust, string>> = {
  no_snapshot: 'it has not come yet',
  gap: 'an update of it is missing',
  crossed: 'its bids and asks cross',
  tick_changed: 'its tick has just changed',
  stale: 'nothing was heard of it for too long',
  disconnected: 'its connection was lost and is being made again',
  mirror_broken: 'the books of the two outcomes contradict each other',
};

function trustedBook(clock: Clock, { books }: DraftVenue, tokenId: TokenId): BookView {
  const book = books(tokenId);
  const fault = bookFault(clock, tokenId, book);
  if (book === null || fault !== null) throw fault;
  return book;
}

/**
 * Returns why a book decides nothing, since it is unknown or older than its limit (L8); null when
 * it may.
 */
export function bookFault(clock: Clock, tokenId: TokenId, book: BookView | null): AppError | null {
  if (book === null || book.distrust === 'no_snapshot') {
    return new AppError(
      'preparation_timeout',
      `the order book of ${tokenId} was asked for and has not come yet; nothing was sent`,
      { retryable: true, retryAfterMs: ORDER.retryAfterMs },
    );
  }
  if (book.distrust !== null)
    return new AppError(
      'book_untrusted',
      `the order book of ${tokenId} cannot be trusted now: ${DISTRUST_SENTENCES[book.distrust]}`,
      { retryable: true, retryAfterMs: ORDER.retryAfterMs },
    );
  // While it waits for a wall that was set back our clock goes at half speed: what came in
  // meanwhile is at most twice as old as it looks.
  const isSlow = slowSinceMs(clock) !== null;
  const ageMs = (clock.nowMs() - book.receivedAtMs) * (isSlow ? 2 : 1);
  if (ageMs <= inWallTime(clock, ORDER.bookAgeMaximumMs)) return null;
  return new AppError('book_untrusted', `the book of ${tokenId} is ${ageMs} ms old`, {
    retryable: true,
    retryAfterMs: ORDER.retryAfterMs,
  });
}
