import { TICKS_PER_USD, type PriceTicks } from '../../../domain/units.ts';

/** What a body of POST /orders says beside what is the same in all of them. */
export interface OrderBody {
  readonly salt: number;
  /** Address with its checksum, which the venue insists on. */
  readonly maker: string;
  readonly tokenId: string;
  readonly makerMicros: number;
  readonly takerMicros: number;
  readonly feeRateBps: number;
  readonly side: 'buy' | 'sell';
  readonly price: PriceTicks;
  /** 0x-prefixed hex. */
  readonly signature: string;
  readonly orderType: 'GTC' | 'FAK';
  readonly marketSlug: string;
  /** The venue's number of the account's profile. */
  readonly ownerId: number;
  readonly clientOrderId: string;
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Writes the exact bytes of POST /orders, keys in the order in which the venue's own client sends
 * them (venue_c.md section 8.2). No `timestamp` is among them: a body that ages could not be sent
 * again (L1).
 */
export function orderBody(order: OrderBody): string {
  return JSON.stringify({
    order: {
      salt: order.salt,
      maker: order.maker,
      signer: order.maker,
      taker: ZERO_ADDRESS,
      tokenId: order.tokenId,
      makerAmount: order.makerMicros,
      takerAmount: order.takerMicros,
      expiration: '0',
      nonce: 0,
      feeRateBps: order.feeRateBps,
      side: order.side === 'buy' ? 0 : 1,
      signatureType: 0,
      price: order.price / TICKS_PER_USD,
      signature: order.signature,
    },
    orderType: order.orderType,
    marketSlug: order.marketSlug,
    ownerId: order.ownerId,
    clientOrderId: order.clientOrderId,
  });
}
