import { z } from 'zod';
import type { Hex } from 'viem';
import { asId, type Address } from '../../../../domain/ids.ts';
import type { ApiKey } from '../../../engine/api-keys.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineOrder } from '../../../engine/exchange-types.ts';
import {
  derivePrice,
  GTD_THRESHOLD_MS,
  isMarketType,
  offTickRefusal,
  REFUSALS,
} from '../../../engine/order-rules.ts';
import type { CallerTime } from '../../../wire/caller-times.ts';
import { isSignedBy, orderIdOf, type SignedFields } from './order-signature.ts';
import { readAddress } from './venue-auth.ts';
import { deriveWallets, type DerivedWallets } from '../wallets/wallet-derivation.ts';

const digits = z.string().regex(/^\d{1,78}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

/** Body of POST /order (venue_a.md section 4.1). */
const orderBodySchema = z.object({
  deferExec: z.boolean().optional(),
  postOnly: z.boolean().optional(),
  owner: z.string(),
  orderType: z.enum(['GTC', 'GTD', 'FOK', 'FAK']),
  order: z.object({
    salt: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    maker: address,
    signer: address,
    tokenId: digits,
    makerAmount: digits,
    takerAmount: digits,
    side: z.enum(['BUY', 'SELL']),
    signatureType: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    timestamp: z.string().regex(/^\d{1,15}$/),
    expiration: z
      .string()
      .regex(/^\d{1,12}$/)
      .optional(),
    metadata: bytes32,
    builder: bytes32,
    signature: z
      .string()
      .regex(/^0x[0-9a-fA-F]+$/)
      .max(2_048),
  }),
});

type OrderBody = z.infer<typeof orderBodySchema>;

/** An order fit for the engine, or the venue's refusal. */
export type AdmissionInput =
  | { readonly kind: 'order'; readonly order: EngineOrder }
  | { readonly kind: 'refused'; readonly status: number; readonly error: string };

/** Who sent an order. */
export interface Caller {
  readonly key: ApiKey;
  /** The clock the caller goes by. */
  readonly time: CallerTime;
}

/**
 * Reads, checks and hashes an order body for the key that sent it: format, owner, market,
 * signature, price.
 */
export function admit(body: unknown, { key, time }: Caller, exchange: VenueModel): AdmissionInput {
  if (isOldFormat(body)) return refused(REFUSALS.version);
  const parsed = orderBodySchema.safeParse(body);
  if (!parsed.success) return refused(REFUSALS.payload);
  const { order, owner, orderType, postOnly = false } = parsed.data;
  if (owner !== key.apiKey) return refused(REFUSALS.owner);
  const tokenId = asId<EngineOrder['tokenId']>(order.tokenId);
  const market = exchange.marketOfToken(tokenId);
  if (market === null) return { kind: 'refused', status: 404, error: REFUSALS.noBook };
  const maker = readAddress(order.maker);
  const [makerMicros, takerMicros] = [Number(order.makerAmount), Number(order.takerAmount)];
  if (maker === null || !Number.isSafeInteger(makerMicros) || !Number.isSafeInteger(takerMicros))
    return refused(REFUSALS.payload);
  const fields = fieldsOf(order);
  const account = accountRefusal(order, key.address);
  if (account !== null) return refused(account);
  const orderId = orderIdOf(fields, market.negRisk);
  const signature = hex(order.signature);
  if (!isSignedBy(hex(key.address), fields, { negRisk: market.negRisk, orderId, signature }))
    return refused(REFUSALS.signature);
  const side = order.side === 'BUY' ? 'buy' : 'sell';
  const derived = derivePrice({
    side,
    makerMicros,
    takerMicros,
    tickSize: market.tickSize,
    marketType: isMarketType({ timeInForce: orderType }),
  });
  if (derived.kind === 'off_tick')
    return refused(offTickRefusal(orderId, derived.text, market.tickSize));
  const expiration = Number(order.expiration ?? '0');
  return {
    kind: 'order',
    order: {
      orderId,
      maker,
      owner,
      tokenId,
      side,
      timeInForce: orderType,
      price: derived.price,
      makerMicros,
      takerMicros,
      postOnly,
      // The venue's minute at the end is one of the caller's clock, as the stated time is.
      expiresAtMs:
        expiration === 0
          ? null
          : time.toMarketMs(expiration * 1_000 - GTD_THRESHOLD_MS) + GTD_THRESHOLD_MS,
      ...(expiration === 0 ? {} : { expiration: String(expiration) }),
      signed: {
        salt: String(order.salt),
        signer: order.signer,
        signatureType: order.signatureType,
        timestamp: order.timestamp,
        metadata: order.metadata,
        builder: order.builder,
        signature: order.signature,
      },
    },
  };
}

/**
 * Whose funds a signature type moves for an account; null for a type the venue does not know. Of
 * the two forms of deposit wallet the one that holds something counts, the default form when
 * neither does.
 */
export function fundsAddress(
  owner: Address,
  signatureType: number,
  exchange: VenueModel,
): Address | null {
  const [first, ...others] = makersOf(owner, signatureType);
  return (
    [first, ...others].find((maker) => maker !== undefined && exchange.balanceOf(maker) !== 0) ??
    first ??
    null
  );
}

function makersOf(owner: Address, signatureType: number): readonly Address[] {
  if (signatureType === 0) return [owner];
  if (signatureType === 1) return [walletsOf(owner).proxy];
  if (signatureType === 2) return [walletsOf(owner).safe];
  return signatureType === 3 ? walletsOf(owner).deposit : [];
}

/**
 * True for an order of the old exchange: it has a nonce and no timestamp (venue_a.md section 4.1).
 */
function isOldFormat(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('order' in body)) return false;
  const { order } = body;
  return typeof order === 'object' && order !== null && 'nonce' in order && !('timestamp' in order);
}

/**
 * Refusal when maker or signer are not the account's own (venue_a.md section 5.1); null when they
 * are.
 */
function accountRefusal(
  { maker, signer, signatureType }: OrderBody['order'],
  owner: Address,
): string | null {
  const [makerAddress, signerAddress] = [readAddress(maker), readAddress(signer)];
  if (makerAddress === null || signerAddress === null) return REFUSALS.payload;
  if (signerAddress !== (signatureType === 3 ? makerAddress : owner)) return REFUSALS.signer;
  if (makersOf(owner, signatureType).includes(makerAddress)) return null;
  return signatureType === 3 ? REFUSALS.signer : REFUSALS.wallet;
}

const WALLETS_KEPT = 4_096;
const wallets = new Map<Address, DerivedWallets>();

/** Deriving costs four hashes; the result never changes. */
function walletsOf(owner: Address): DerivedWallets {
  const known = wallets.get(owner);
  if (known !== undefined) return known;
  const derived = deriveWallets(owner);
  if (wallets.size >= WALLETS_KEPT) wallets.clear();
  wallets.set(owner, derived);
  return derived;
}

function fieldsOf(order: OrderBody['order']): SignedFields {
  return {
    salt: BigInt(order.salt),
    // Any case is legal on the wire; the hash does not depend on it.
    maker: hex(order.maker.toLowerCase()),
    signer: hex(order.signer.toLowerCase()),
    tokenId: BigInt(order.tokenId),
    makerAmount: BigInt(order.makerAmount),
    takerAmount: BigInt(order.takerAmount),
    side: order.side === 'BUY' ? 0 : 1,
    signatureType: order.signatureType,
    timestamp: BigInt(order.timestamp),
    metadata: hex(order.metadata),
    builder: hex(order.builder),
  };
}

function hex(text: string): Hex {
  // The schema, or the address reader, has checked the 0x prefix and the digits.
  return text as Hex;
}

function refused(error: string): AdmissionInput {
  return { kind: 'refused', status: 400, error };
}
