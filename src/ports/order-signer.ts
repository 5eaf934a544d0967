import type { JsonValue } from '../domain/json-value.ts';
import type { Market } from '../domain/market.ts';
import type { OrderIntent, SignedAttempt } from '../domain/order.ts';

/**
 * What a venue wants fixed before it can sign: its own, opaque to everybody else. It is kept with
 * what is signed.
 */
export type Prepared = JsonValue;

/** An intent about to be signed. */
interface OrderDraft {
  readonly intent: OrderIntent;
  readonly market: Market;
  /** When it is signed, epoch ms. */
  readonly atMs: number;
}

/**
 * Turns an intent into the exact bytes that may leave. Pure given the key and what was prepared:
 * the same gives the same attempt id and, by RFC 6979, the same bytes. Signing and sending are two
 * steps behind two ports.
 */
export interface OrderSigner {
  /**
   * Fixes what the intent leaves open, before the transaction that signs: anew for each signature.
   * Absent where nothing is open.
   */
  prepare?(draft: OrderDraft): Prepared | Promise<Prepared>;
  /** True where preparing asks the venue, which is not to be asked for what the books refuse. */
  readonly asksVenue?: true;
  /**
   * Synchronous on purpose: nothing may come between the durable record and the bytes. Errors:
   * `internal` on an intent that should never have been made, `not_found` when the user holds no
   * key.
   */
  sign(intent: OrderIntent, prepared: Prepared | null): SignedAttempt;
}
