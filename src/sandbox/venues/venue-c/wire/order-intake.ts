import { getAddress, isAddress, zeroAddress } from 'viem';
import { z } from 'zod';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { mulDiv, TICKS_PER_USD } from '../../../../domain/units.ts';
import type { VenueMarket } from '../model/market.ts';
import type { OrderTerms, OrderType, SelfTradePolicy, SignedOrder } from '../model/order.ts';
import type { Profile } from './access.ts';

/** A whole number, or its decimal text; the venue's own clients send both. */
const whole = z
  .union([z.number(), z.string().regex(/^\d{1,16}$/)])
  .transform(Number)
  .refine((value) => Number.isSafeInteger(value) && value >= 0);
const address = z
  .string()
  .refine((text) => isAddress(text) && getAddress(text) === text, 'must be a checksummed address');
const signedSchema = z.object({
  salt: whole,
  maker: address,
  signer: address,
  taker: address,
  tokenId: z.string().regex(/^\d{1,78}$/),
  makerAmount: whole,
  takerAmount: whole,
  expiration: z.union([z.string(), z.number()]).transform(String),
  nonce: whole,
  feeRateBps: whole,
  side: z.union([z.literal(0), z.literal(1)]),
  signatureType: whole,
  price: z.union([z.number(), z.string().transform(Number)]).optional(),
  signature: z.string(),
});
/** The body of POST /orders. */
export const orderSchema = z.object({
  order: signedSchema,
  orderType: z.enum(['GTC', 'FAK', 'FOK']),
  marketSlug: z.string(),
  ownerId: whole,
  postOnly: z.boolean().optional(),
  clientOrderId: z.string().min(1).max(POOL_VENUE.clientOrderIdLength).optional(),
  timestamp: whole.optional(),
  recvWindow: whole.optional(),
  stpPolicy: z.enum(['cancel_maker', 'cancel_taker', 'cancel_both']).optional(),
});
/** The same, read. */
export type OrderBody = z.output<typeof orderSchema>;

/** Fields of a body that are not as they must be, in the venue's form. */
export function fieldErrors(error: z.ZodError): readonly {
  readonly field: string;
  readonly message: string;
}[] {
  return error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
}

/** What an order asks for; a sentence instead where it breaks a rule (venue_c.md section 8.1). */
export function termsOf(
  { order, orderType, postOnly = false, ...body }: OrderBody,
  market: VenueMarket,
  profile: Profile,
): OrderTerms | string {
  const { price: shown, ...signed } = order;
  const broken = ownerRefusal(signed, body.ownerId, profile);
  if (broken !== null) return broken;
  const index = market.tokens.findIndex((tokenId) => tokenId === signed.tokenId);
  if (index === -1) return 'Invalid token ID';
  if (postOnly && orderType !== 'GTC') return 'postOnly is only supported for GTC orders';
  const asked = amountsOf(signed, orderType, shown);
  if (typeof asked === 'string') return asked;
  return {
    clientOrderId: body.clientOrderId ?? null,
    ownerId: profile.id,
    account: profile.account,
    slug: market.slug,
    outcome: index === 0 ? 0 : 1,
    side: signed.side === 0 ? 'buy' : 'sell',
    type: orderType,
    ...asked,
    postOnly,
    selfTrade: body.stpPolicy ?? DEFAULT_POLICY,
    signed,
  };
}

/** What happens to own orders that meet where the caller says nothing: the older one goes. */
const DEFAULT_POLICY: SelfTradePolicy = 'cancel_maker';
/** A market order takes every price of the scale. */
const LAST_TICKS = TICKS_PER_USD - POOL_VENUE.priceStepTicks;

function ownerRefusal(order: SignedOrder, ownerId: number, profile: Profile): string | null {
  if (ownerId !== profile.id) return 'ownerId does not match the authenticated profile';
  if (order.signatureType !== 0) return 'Signature type is not supported by this wallet';
  if (order.maker !== profile.account) return 'Maker does not match';
  if (order.signer !== order.maker) return 'Signer does not match';
  if (order.taker !== zeroAddress) return 'taker must be the zero address';
  if (order.expiration !== '0') return 'Order expiration is not supported';
  if (order.nonce !== 0) return 'nonce must be 0';
  return order.feeRateBps === POOL_VENUE.feeRateBps
    ? null
    : `feeRateBps must be ${POOL_VENUE.feeRateBps}`;
}

/** Worst price and size of an order from its two amounts and the price beside them. */
function amountsOf(
  { side, makerAmount, takerAmount }: SignedOrder,
  type: OrderType,
  shown: number | undefined,
): { readonly price: number; readonly originalMicros: number } | string {
  if (type === 'FOK') {
    if (shown !== undefined) return 'price is not allowed for FOK orders';
    if (takerAmount !== 1) return 'takerAmount must be 1 for FOK orders';
    if (makerAmount === 0 || (side === 1 && makerAmount % POOL_VENUE.orderStepMicros !== 0))
      return 'Invalid order size';
    const price = side === 0 ? LAST_TICKS : POOL_VENUE.priceStepTicks;
    return { price, originalMicros: makerAmount };
  }
  if (shown === undefined) return `price is required for ${type} orders`;
  const price = Math.round(shown * TICKS_PER_USD);
  const isOnStep =
    Math.abs(shown * TICKS_PER_USD - price) < 1e-6 && price % POOL_VENUE.priceStepTicks === 0;
  if (!isOnStep || price < POOL_VENUE.priceStepTicks || price > LAST_TICKS) return 'Invalid price';
  const [shares, usdc] = side === 0 ? [takerAmount, makerAmount] : [makerAmount, takerAmount];
  if (shares === 0 || shares % POOL_VENUE.orderStepMicros !== 0) return 'Invalid order size';
  if (usdc !== mulDiv(shares, price, TICKS_PER_USD, side === 0 ? 'ceil' : 'floor'))
    return 'Invalid price';
  return { price, originalMicros: shares };
}
