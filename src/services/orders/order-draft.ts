import { ORDER } from '../../../config/limits.ts';
import type { BookDistrust, BookView } from '../../domain/book.ts';
import { cashAccountOf } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { IntentId, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { limitAmounts, marketAmounts } from '../../domain/order-amounts.ts';
import type { OrderAmounts } from '../../domain/order-amounts.ts';
import { defaultTimeInForce } from '../../domain/order.ts';
import type { OrderIntent, TimeInForce } from '../../domain/order.ts';
import { sweepShares, sweepUsdc } from '../../domain/sweep.ts';
import type { PriceTicks } from '../../domain/units.ts';
import {
  TICKS_PER_USD,
  formatMicros,
  formatPrice,
  mulDiv,
  priceTicks,
  shareMicros,
  usdcMicros,
} from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import { inWallTime, slowSinceMs } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { newIdBody } from '../new-id.ts';
import type { BookReader, PlaceOrder } from './place-order.ts';

/** The venue refuses a marketable buy worth less (venue_a.md section 5.2). */
const MARKET_BUY_MINIMUM_MICROS = 1_000_000;
/** Bound of the salt: integers up to 2^53 − 1 (venue_a.md section 5.1). */
const SALT_BOUND = 2 ** 53;

/** What an intent is made with. */
export interface DraftDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly books: BookReader;
}

/** What is wished, and where. */
export interface DraftInput {
  readonly market: Market;
  readonly request: PlaceOrder;
  /** When it was asked for: from then on the wish grows stale, whatever it waits for. */
  readonly wishedAtMs: number;
}

/** Price, amounts and life of an order. */
interface Terms extends OrderAmounts {
  readonly price: PriceTicks;
  readonly timeInForce: TimeInForce;
  readonly expiresAtMs: number | null;
}

/**
 * Makes the intent of a wish: everything the venue will be told is fixed here, salt and time included, so the order id
 * is fixed too (L1). Its life is `defaultTimeInForce` unless the caller chose. Errors: as `Orders.place`, for market, price and size.
 */
export function draftIntent(
  deps: DraftDeps,
  userId: UserId,
  { market, request, wishedAtMs }: DraftInput,
): OrderIntent {
  const nowMs = deps.clock.nowMs();
  assertOpen(market, nowMs);
  const terms =
    request.type.kind === 'market'
      ? marketTerms(deps, market, request)
      : limitTerms(deps.clock, market, request);
  return {
    intentId: newIntentId(deps),
    userId,
    venue: market.venue,
    cashAccount: cashAccountOf(market.venue),
    origin: request.origin,
    marketId: market.marketId,
    tokenId: market.outcomes[request.outcome].tokenId,
    outcome: request.outcome,
    side: request.side,
    timeInForce: terms.timeInForce,
    price: terms.price,
    makerMicros: terms.makerMicros,
    takerMicros: terms.takerMicros,
    negRisk: market.negRisk,
    salt: deps.random.integer(SALT_BOUND),
    createdAtMs: nowMs,
    expiresAtMs: terms.expiresAtMs,
    sendUntilMs: wishedAtMs + sendWindowOf(deps.clock, request),
    requested: request.amount,
    ...(request.clientOrderId === undefined ? {} : { clientOrderId: request.clientOrderId }),
  };
}

/** Returns how long an order is good for before it must have left, ms of the markets' clock: a person's is counted in wall time, an agent's in the markets'. */
export function sendWindowOf(clock: Clock, { origin }: Pick<PlaceOrder, 'origin'>): number {
  return spanOf(clock, origin, ORDER.sendWindowMs);
}

/** How much of the markets' clock a span is, ms: a person means wall time, an agent the markets'. */
function spanOf(clock: Clock, { kind }: PlaceOrder['origin'], spanMs: number): number {
  return kind === 'manual' ? inWallTime(clock, spanMs) : spanMs;
}

/** The same wish as an intent of its own, in the place of one the venue refused for its format: the terms stay, and the moment after which it is stale. */
export function draftAnew(
  deps: Pick<DraftDeps, 'clock' | 'random'>,
  refused: OrderIntent,
): OrderIntent {
  return {
    ...refused,
    intentId: newIntentId(deps),
    salt: deps.random.integer(SALT_BOUND),
    createdAtMs: deps.clock.nowMs(),
    replaces: refused.intentId,
  };
}

function newIntentId(deps: Pick<DraftDeps, 'clock' | 'random'>): IntentId {
  return asId<IntentId>(`int_${newIdBody(deps)}`);
}

function assertOpen(market: Market, nowMs: number): void {
  if (market.closed || market.endsAtMs <= nowMs)
    throw new AppError('market_closed', `market ${market.marketId} has ended`);
  if (!market.acceptingOrders)
    throw new AppError('market_not_ready', `market ${market.marketId} takes no orders now`, {
      retryable: true,
    });
}

function limitTerms(clock: Clock, market: Market, request: PlaceOrder): Terms {
  if (request.type.kind !== 'limit')
    throw new AppError('invalid_request', 'a limit order needs a price');
  const { price } = request.type;
  const { unit, micros } = request.amount;
  const shares = unit === 'shares' ? micros : mulDiv(micros, TICKS_PER_USD, price, 'floor');
  if (shares > ORDER.sharesMaximumMicros)
    throw new AppError(
      'invalid_request',
      `an order is for at most ${formatMicros(shareMicros(ORDER.sharesMaximumMicros))} shares`,
      { fields: [{ path: '/amount', message: 'more shares than an order may be for' }] },
    );
  const amounts = limitAmounts({
    side: request.side,
    price,
    shares: shareMicros(shares),
    tick: market.tickSize,
  });
  const size = request.side === 'buy' ? amounts.takerMicros : amounts.makerMicros;
  if (size < market.minSize) {
    throw new AppError(
      'size_too_small',
      `${formatMicros(shareMicros(size))} shares are below the market's minimum of ${formatMicros(market.minSize)}`,
      { fields: [{ path: '/amount', message: `at least ${formatMicros(market.minSize)} shares` }] },
    );
  }
  return { ...amounts, price, ...restingLife(clock, request, request.type) };
}

/** How long a limit order rests. Errors: `invalid_request` for an expiry of a GTC order, and one too near or too far. */
function restingLife(
  clock: Clock,
  { origin, side }: PlaceOrder,
  type: Extract<PlaceOrder['type'], { readonly kind: 'limit' }>,
): Pick<Terms, 'timeInForce' | 'expiresAtMs'> {
  const { timeInForce = defaultTimeInForce('limit', side), expiresAtMs: asked } = type;
  if (timeInForce === 'GTC') {
    if (asked !== null)
      throw new AppError('invalid_request', 'a GTC order has no expiry', {
        fields: [{ path: '/expiresAtMs', message: 'not taken by a GTC order' }],
      });
    return { timeInForce, expiresAtMs: null };
  }
  const nowMs = clock.nowMs();
  const inLife = (spanMs: number) => nowMs + spanOf(clock, origin, spanMs);
  const expiresAtMs = asked ?? inLife(ORDER.limitLifeDefaultMs);
  if (expiresAtMs <= inLife(ORDER.sendWindowMs) || expiresAtMs > inLife(ORDER.limitLifeMaximumMs)) {
    const life = `${ORDER.sendWindowMs / 1_000} seconds to ${ORDER.limitLifeMaximumMs / 86_400_000} days`;
    const message = `must be ${life} from now`;
    throw new AppError('invalid_request', `expiresAtMs: ${message}`, {
      fields: [{ path: '/expiresAtMs', message }],
    });
  }
  return { timeInForce, expiresAtMs };
}

function marketTerms(deps: DraftDeps, market: Market, request: PlaceOrder): Terms {
  const { side, amount, outcome } = request;
  const book = trustedBook(deps, market, outcome);
  const levels = side === 'buy' ? book.asks : book.bids;
  const sweep =
    amount.unit === 'usdc'
      ? sweepUsdc(levels, usdcMicros(amount.micros))
      : sweepShares(levels, shareMicros(amount.micros));
  const type = request.type.kind === 'market' ? request.type : null;
  const timeInForce = type?.timeInForce ?? defaultTimeInForce('market', side);
  if (sweep === null || (timeInForce === 'FOK' && !sweep.complete)) {
    throw new AppError(
      'no_liquidity',
      `the book of ${book.tokenId} cannot fill ${amountText(amount)}`,
      { retryable: true, fields: [{ path: '/amount', message: 'more than the book offers' }] },
    );
  }
  const price = bounded(cap(sweep.worstPrice, side, market.tickSize), {
    side,
    worst: type?.worstPrice,
    tick: market.tickSize,
    reached: sweep.worstPrice,
  });
  // The other unit is converted by what the book asks: by the worst price accepted it would be a multiple where prices are low.
  const given =
    side === 'buy'
      ? { side, usdc: usdcMicros(amount.unit === 'usdc' ? amount.micros : sweep.costMicros) }
      : { side, shares: shareMicros(amount.unit === 'shares' ? amount.micros : sweep.shares) };
  const amounts = marketAmounts({ price, tick: market.tickSize, ...given });
  if (side === 'buy' && amounts.makerMicros < MARKET_BUY_MINIMUM_MICROS) {
    throw new AppError(
      'amount_too_small',
      `a market buy is worth at least 1 USDC, not ${formatMicros(usdcMicros(amounts.makerMicros))}`,
      { fields: [{ path: '/amount', message: 'at least 1 USDC' }] },
    );
  }
  return { ...amounts, price, timeInForce, expiresAtMs: null };
}

function amountText({ unit, micros }: PlaceOrder['amount']): string {
  return unit === 'usdc'
    ? `${formatMicros(usdcMicros(micros))} USDC`
    : `${formatMicros(shareMicros(micros))} shares`;
}

/** Why a book is in doubt, as a person reads it. */
const DISTRUST_SENTENCES: Readonly<Record<BookDistrust, string>> = {
  no_snapshot: 'it has not come yet',
  gap: 'an update of it is missing',
  crossed: 'its bids and asks cross',
  tick_changed: 'its tick has just changed',
  stale: 'nothing was heard of it for too long',
  disconnected: 'its connection was lost and is being made again',
  mirror_broken: 'the books of the two outcomes contradict each other',
};

/** A price older than its limit, or from a book in doubt, decides nothing (L8). */
function trustedBook({ clock, books }: DraftDeps, market: Market, outcome: 0 | 1): BookView {
  const { tokenId } = market.outcomes[outcome];
  const book = books(tokenId);
  if (book === null || book.distrust === 'no_snapshot') {
    throw new AppError(
      'preparation_timeout',
      `the order book of ${tokenId} was asked for and has not come yet; nothing was sent`,
      { retryable: true, retryAfterMs: ORDER.retryAfterMs },
    );
  }
  if (book.distrust !== null)
    throw new AppError(
      'book_untrusted',
      `the order book of ${tokenId} cannot be trusted now: ${DISTRUST_SENTENCES[book.distrust]}`,
      { retryable: true, retryAfterMs: ORDER.retryAfterMs },
    );
  // While it waits for a wall that was set back our clock goes at half speed: what came in meanwhile is at most twice as old as it looks.
  const isSlow = slowSinceMs(clock) !== null;
  const ageMs = (clock.nowMs() - book.receivedAtMs) * (isSlow ? 2 : 1);
  if (ageMs > ORDER.bookAgeMaximumMs)
    throw new AppError('book_untrusted', `the book of ${tokenId} is ${ageMs} ms old`, {
      retryable: true,
      retryAfterMs: ORDER.retryAfterMs,
    });
  return book;
}

/** Keeps to the caller's worst price. Errors: `no_liquidity` when the book cannot fill the order within it. */
function bounded(
  price: PriceTicks,
  {
    side,
    worst,
    tick,
    reached,
  }: {
    readonly side: 'buy' | 'sell';
    readonly worst: PriceTicks | undefined;
    readonly tick: PriceTicks;
    readonly reached: PriceTicks;
  },
): PriceTicks {
  if (worst === undefined) return price;
  const isBuy = side === 'buy';
  const limit = (isBuy ? Math.floor(worst / tick) : Math.ceil(worst / tick)) * tick;
  if (isBuy ? reached > limit : reached < limit) {
    throw new AppError(
      'no_liquidity',
      `the book reaches ${formatPrice(reached)}, the worst price accepted is ${formatPrice(worst)}`,
      { retryable: true },
    );
  }
  return priceTicks(isBuy ? Math.min(price, limit) : Math.max(price, limit));
}

/** Worst price accepted: the worst level of the sweep, a little beyond, on the tick and inside the range. */
function cap(worst: PriceTicks, side: 'buy' | 'sell', tick: PriceTicks): PriceTicks {
  const beyond =
    side === 'buy' ? worst + ORDER.marketSlippageTicks : worst - ORDER.marketSlippageTicks;
  const onTick =
    side === 'buy' ? beyond - (beyond % tick) : beyond + ((tick - (beyond % tick)) % tick);
  return priceTicks(Math.min(Math.max(onTick, tick), TICKS_PER_USD - tick));
}
