import type { Address, UserId } from '../domain/ids.ts';
import type { OrderIntent, SignedOrder } from '../domain/order.ts';

/**
 * Turns an intent into the exact bytes that may leave. Pure given the key: the same intent gives the same order id and,
 * by RFC 6979, the same bytes. Signing and sending are two steps behind two ports.
 */
export interface OrderSigner {
  /** Whose funds an order of this user moves. */
  makerOf(userId: UserId): Address;
  /** Synchronous on purpose: nothing may come between the durable record and the bytes. Errors: `internal` on an intent that should never have been made, `not_found` when the user holds no key. */
  sign(intent: OrderIntent): SignedOrder;
}
