import { z } from 'zod';
import { ORDER } from '../../../config/limits.ts';
import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketId, VenueId } from '../../domain/ids.ts';
import { defaultLife } from '../../domain/order.ts';
import { lifeOf, timeInForceOf, type TimeInForce } from '../../domain/time-in-force.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import type { PlaceOrder } from '../../services/orders/place-order.ts';
import { preferredWaitMs } from '../prefer.ts';
import type { UserContext } from '../route.ts';
import type { VenueIds } from '../venue-api.ts';
import { amountField, decimalField, idField, priceOf } from './fields.ts';

/** What the order calls of a venue are made of. */
export interface OrderCalls<Path extends string = string> {
  readonly venue: VenueId;
  /** Path of the venue's orders, without its trailing slash. */
  readonly path: Path;
  readonly ids: VenueIds;
  /**
   * Ends the names of the calls and of their request, each of which is there once for all venues.
   */
  readonly suffix: string;
  /**
   * An order that could not leave within the window is stale; a limit order rests at least so long.
   */
  readonly traits: StatedTraits;
  /** The traits of another mechanism of the venue, and what its markets are called. */
  readonly other?: { readonly markets: string; readonly traits: StatedTraits };
  /** Which orders are listed where the caller does not say. */
  readonly listed: 'open' | 'all';
  /** Set where `orderType` may come by the query. */
  readonly typeInQuery?: true;
  readonly amount: {
    /** Says what amounts come in. */
    readonly description: string;
    /** Words for an amount in shares, `shares` first. */
    readonly shareWords: readonly ['shares', ...string[]];
  };
  readonly price: {
    readonly description: string;
    /** Of all markets of the venue; absent where they differ. */
    readonly tick?: PriceTicks;
    /** Reads a limit price in plain digits. Errors: `price_out_of_range`, `price_off_tick`. */
    read(text: string, tick?: PriceTicks): LimitPrice;
  };
}

type StatedTraits = Pick<VenueTraits, 'sendWindowMs' | 'lives'>;

/** The order's type by the query, for the venues that take it there. */
export function typeByQuery({ typeInQuery }: Pick<OrderCalls, 'typeInQuery'>) {
  return typeInQuery === true ? { query: TYPE_QUERY, bodyFromQuery: ['orderType'] } : {};
}

const TYPE_QUERY = z.strictObject({
  orderType: z.enum(['market', 'limit']).optional().meta({ description: 'Here, or in the body.' }),
});

/** Reads a limit price in decimal dollars, as `priceOf` does. */
export function dollarsOf(text: string, tick?: PriceTicks): LimitPrice {
  return { price: priceOf(text, 'price', tick) };
}

/** A limit price as it was read. */
export interface LimitPrice {
  readonly price: PriceTicks;
  /** As it was sent, where the venue's prices are sent in whole cents. */
  readonly cents?: number;
}

/**
 * Makes the order request of the interface: every venue takes this shape, with ids and prices of
 * its own.
 */
export function orderRequest({ ids, suffix, traits, other, amount, price }: OrderCalls) {
  const { lives } = traits;
  return (
    z
      .strictObject({
        marketId: idField<MarketId>(ids.market),
        side: z.enum(['yes', 'no']),
        amount: amountField.meta({
          description: `In the unit given by orderMode; more than zero, ${amount.description}`,
        }),
        orderType: z.enum(['market', 'limit']),
        price: decimalField.optional().meta({ description: price.description }),
        worstPrice: decimalField.optional().meta({
          description:
            'Our extension, market orders only: the worst price a share, in decimal dollars, as the estimate says it. Absent: what the book asks then and a little beyond.',
        }),
        orderMode: z
          .enum(['dollars', ...amount.shareWords])
          .default('dollars')
          .transform((word) => (word === 'dollars' ? 'dollars' : 'shares'))
          .meta({ description: 'Unit of amount.' }),
        action: z
          .enum(['buy', 'sell'])
          .default('buy')
          .meta({ description: 'Our extension: sell closes a position.' }),
        timeInForce: z
          .enum(['FOK', 'FAK', 'GTC', 'GTD'])
          .optional()
          .meta({
            description: `Our extension. A market order is ${marketLives(lives)}${otherLives(lives, other)}. A limit order is GTD (rests until expiresAtMs; default) or GTC (rests until it is cancelled).`,
          }),
        expiresAtMs: z
          .int('epoch milliseconds, a whole number')
          .positive('epoch milliseconds, above zero')
          .optional()
          .meta({
            description: `Our extension, GTD orders only: epoch milliseconds, ${leastLife(traits, other)} to ${ORDER.limitLifeMaximumMs / 86_400_000} days from now, ended at the full second before; absent, ${ORDER.limitLifeDefaultMs / 3_600_000} hours.`,
          }),
      })
      .superRefine((order, context) => {
        for (const [field, message] of contradictions(order))
          context.addIssue({ code: 'custom', path: [field], message });
      })
      .meta({ id: `OrderRequest${suffix}` })
      // Filled in here, since a repetition is known by its request: a default given or left out is
      // the same one.
      .transform((order) => ({
        ...order,
        timeInForce: order.timeInForce ?? defaultTimeInForce(order, lives),
      }))
  );
}

/** An order as a caller states it. */
export type OrderRequest = z.output<ReturnType<typeof orderRequest>>;

/** A limit order rests until its expiry unless it says otherwise. */
function defaultTimeInForce(
  {
    orderType,
    action,
  }: {
    readonly orderType: 'market' | 'limit';
    readonly action: 'buy' | 'sell';
  },
  lives: VenueTraits['lives'],
): TimeInForce {
  return orderType === 'limit'
    ? 'GTD'
    : timeInForceOf({ life: defaultLife(action, lives), expiresAtMs: null });
}

/** What a market order may be, as a person reads it. */
function marketLives(lives: VenueTraits['lives']): string {
  const words = [
    ...(lives.includes('all_now') ? [['FOK', 'all at once or nothing']] : []),
    ...(lives.includes('part_now') ? [['FAK', 'what is to be had at once']] : []),
  ];
  const of = (action: 'buy' | 'sell') => defaultTimeInForce({ orderType: 'market', action }, lives);
  return words
    .map(([word, meaning]) => {
      const sides = [
        ...(of('buy') === word ? ['a buy'] : []),
        ...(of('sell') === word ? ['a sale'] : []),
      ];
      return `${word} (${meaning}; default of ${sides.join(' and ')})`;
    })
    .join(' or ');
}

/** What a market order may be beside that in the markets of another mechanism. */
function otherLives(lives: VenueTraits['lives'], other: OrderCalls['other']): string {
  if (other === undefined) return '';
  const more = other.traits.lives
    .filter((life) => life !== 'rests' && !lives.includes(life))
    .map((life) => timeInForceOf({ life, expiresAtMs: null }));
  return more.length === 0 ? '' : `, in ${other.markets} ${more.join(' or ')} too`;
}

/** How far off an expiry is at least: an order that could not leave within its window is stale. */
function leastLife({ sendWindowMs }: StatedTraits, other: OrderCalls['other']): string {
  const least = `${sendWindowMs / 1_000} seconds`;
  return other === undefined
    ? least
    : `${least} (in ${other.markets} ${other.traits.sendWindowMs / 1_000})`;
}

interface OrderLife {
  readonly orderType: 'market' | 'limit';
  readonly price?: string | undefined;
  readonly worstPrice?: string | undefined;
  readonly timeInForce?: TimeInForce | undefined;
  readonly expiresAtMs?: number | undefined;
}

/** Fields that do not go together, each with what is wrong. */
function contradictions({
  orderType,
  price,
  worstPrice,
  timeInForce,
  expiresAtMs,
}: OrderLife): readonly (readonly [field: keyof OrderLife, message: string])[] {
  const rests = timeInForce === 'GTC' || timeInForce === 'GTD';
  if (orderType === 'market') {
    return [
      ...(price === undefined ? [] : [['price', 'not taken by a market order'] as const]),
      ...(rests
        ? [
            [
              'timeInForce',
              `a market order is FOK or FAK: ${timeInForce} is for limit orders`,
            ] as const,
          ]
        : []),
      ...(expiresAtMs === undefined
        ? []
        : [['expiresAtMs', 'not taken by a market order'] as const]),
    ];
  }
  return [
    ...(price === undefined ? [['price', 'required for a limit order'] as const] : []),
    ...(worstPrice === undefined
      ? []
      : [['worstPrice', 'not taken by a limit order, whose price it is'] as const]),
    ...(timeInForce === undefined || rests
      ? []
      : [
          [
            'timeInForce',
            `a limit order is GTC or GTD: ${timeInForce} is for market orders`,
          ] as const,
        ]),
    ...(timeInForce === 'GTC' && expiresAtMs !== undefined
      ? [['expiresAtMs', 'not taken by a GTC order, which rests until it is cancelled'] as const]
      : []),
  ];
}

/**
 * Reads a request as a manual order. Errors: `invalid_request` for an expiry in the past, and those
 * of the venue's price.
 */
export function toPlaceOrder(
  calls: OrderCalls,
  order: OrderRequest,
  context: UserContext,
): PlaceOrder {
  return {
    venue: calls.venue,
    marketId: order.marketId,
    outcome: order.side === 'yes' ? 0 : 1,
    side: order.action,
    amount: { unit: order.orderMode === 'dollars' ? 'usdc' : 'shares', micros: order.amount },
    type: typeOf(calls, order, context),
    fenceWaitMs: fenceWaitMs(context),
    origin: { kind: 'manual', ...(context.keyId === null ? {} : { keyId: context.keyId }) },
    ...(context.idempotencyKey === null
      ? {}
      : {
          idempotencyKey: context.idempotencyKey,
          clientOrderId: context.header('idempotency-key') ?? context.idempotencyKey,
        }),
  };
}

/** An order waits for an earlier one as long as its caller would for its own end. */
export function fenceWaitMs({ header }: Pick<UserContext, 'header'>): number {
  return Math.min(preferredWaitMs(header('prefer')) ?? API.orderWaitDefaultMs, API.waitMaximumMs);
}

function typeOf(
  calls: OrderCalls,
  { price, worstPrice, timeInForce, expiresAtMs }: OrderRequest,
  context: UserContext,
): PlaceOrder['type'] {
  // What does not go with the kind of order was refused above.
  if (price === undefined) {
    const life = lifeOf(timeInForce);
    return {
      kind: 'market',
      ...(worstPrice === undefined
        ? {}
        : { worstPrice: priceOf(worstPrice, 'worstPrice', calls.price.tick) }),
      ...(life === 'rests' ? {} : { life }),
    };
  }
  return {
    kind: 'limit',
    ...calls.price.read(price, calls.price.tick),
    expiresAtMs: expiryOf(expiresAtMs, context),
    ...(timeInForce === 'GTC' ? { untilCancelled: true } : {}),
  };
}

/** A caller says it in wall time. */
function expiryOf(
  expiresAtMs: number | undefined,
  { marketTime, wallNowMs }: UserContext,
): number | null {
  if (expiresAtMs === undefined || expiresAtMs > wallNowMs)
    return expiresAtMs === undefined ? null : marketTime.toMarketMs(expiresAtMs);
  const message = `lies in the past: it is ${wallNowMs} now, in epoch milliseconds`;
  throw new AppError('invalid_request', `expiresAtMs: ${message}`, {
    fields: [{ path: '/expiresAtMs', message }],
  });
}
