import type { TimeInForce } from '../../../domain/time-in-force.ts';
import type { SignatureType } from './order-hash.ts';

/** Everything the request body of POST /order says. */
export interface OrderBody {
  readonly salt: number;
  readonly maker: string;
  readonly signer: string;
  readonly tokenId: string;
  readonly makerMicros: number;
  readonly takerMicros: number;
  readonly side: 'buy' | 'sell';
  readonly signatureType: SignatureType;
  readonly timestampMs: number;
  /** Unix seconds; 0 for an order without an expiry. */
  readonly expirationS: number;
  /** 0x-prefixed hex. */
  readonly signature: string;
  /** API key. */
  readonly owner: string;
  readonly orderType: TimeInForce;
}

const ZERO_WORD = `0x${'0'.repeat(64)}`;

/**
 * Writes the exact bytes of POST /order, keys in the order the venue's own client sends them
 * (venue_a.md section 4.1). The same order gives the same text, and nothing else is ever sent for
 * it (L1). Every text that goes in is hex, digits or a UUID checked by the signer, so nothing needs
 * escaping.
 */
export function orderBody(order: OrderBody): string {
  return (
    `{"deferExec":false,"postOnly":false,"order":{"salt":${order.salt},"maker":"${order.maker}","signer":"${order.signer}",` +
    `"tokenId":"${order.tokenId}","makerAmount":"${order.makerMicros}","takerAmount":"${order.takerMicros}",` +
    `"side":"${order.side === 'buy' ? 'BUY' : 'SELL'}","signatureType":${order.signatureType},"timestamp":"${order.timestampMs}",` +
    `"expiration":"${order.expirationS}","metadata":"${ZERO_WORD}","builder":"${ZERO_WORD}","signature":"${order.signature}"},` +
    `"owner":"${order.owner}","orderType":"${order.orderType}"}`
  );
}
