import type { GasPaid, VenueFill } from '../domain/fill.ts';
import type { AttemptId, OrderId, UserId } from '../domain/ids.ts';
import type { OrderHandle } from '../domain/order.ts';
import type { ShareMicros } from '../domain/units.ts';
import type { Listener } from './listener.ts';

/**
 * What became of a submission. `unknown` means the answer was lost or unclear: query the order,
 * never send a new one.
 */
export type SubmitOutcome =
  | {
      readonly kind: 'accepted';
      readonly orderId: OrderId;
      readonly status: 'live' | 'delayed' | 'matched';
    }
  | { readonly kind: 'rejected'; readonly reason: string }
  /**
   * Handed to a chain: no answer of the venue yet, and no doubt either. It is asked about, and may
   * be sent again.
   */
  | { readonly kind: 'sent' }
  /**
   * Proven dead before it was booked, for nothing that is wrong with the order: the same intent may
   * be signed once more.
   */
  | { readonly kind: 'reissue'; readonly reason: string }
  /** Not taken in, and no order of anybody would be: the venue turns us away for where we are. */
  | { readonly kind: 'restricted'; readonly reason: string }
  /**
   * Not taken in: the venue, its view of the account made fresh, does not find the money or the
   * shares.
   */
  | { readonly kind: 'underfunded'; readonly reason: string; readonly lacksAllowance: boolean }
  /** Taken and ended at once: an order for what is to be had now that found nothing. */
  | { readonly kind: 'unfilled'; readonly reason: string }
  | { readonly kind: 'duplicate' }
  /**
   * Surely not taken in, may be sent again (the same bytes) after the wait: 429, post-only or
   * cancel-only mode.
   */
  | { readonly kind: 'deferred'; readonly retryAfterMs: number; readonly reason: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * What became of a cancel. `unclear` covers "already canceled or matched": ask by id before
 * concluding anything.
 */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'unclear'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/** The venue's own word about one order, asked by id. */
export type LookupOutcome =
  /**
   * `fills`: all that the venue states of this order; absent where they come by
   * `OrderGateway.fills`.
   */
  | {
      readonly kind: 'found';
      readonly order: VenueOrder;
      readonly fills?: readonly VenueFill[];
    }
  /**
   * Not there. `proof` says why it can never be, for ever; null where that is not known. `gas`:
   * what its own transaction cost all the same, where that failed on its chain.
   */
  | { readonly kind: 'absent'; readonly proof: string | null; readonly gas?: GasPaid }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** An order as the venue states it. */
export interface VenueOrder {
  readonly orderId: OrderId;
  /** The name it was sent under, where the venue states that beside an id of its own. */
  readonly attemptId?: AttemptId;
  readonly status: 'live' | 'delayed' | 'matched' | 'unmatched' | 'cancelled' | 'expired';
  readonly matchedShares: ShareMicros;
  readonly reason: string | null;
  /**
   * What the network took of the user's own account for all of the order, once it is over and final
   * and where no fill states it.
   */
  readonly gas?: GasPaid;
}

/**
 * What the user channel says. A gap is announced by the listener's `error`; the reader re-reads
 * orders and trades.
 */
export type UserEvent =
  | { readonly kind: 'order'; readonly order: VenueOrder }
  | { readonly kind: 'fill'; readonly fill: VenueFill }
  /** The channel is open and subscribed: the moment to re-read what was missed. */
  | { readonly kind: 'connected' };

/**
 * A list of the venue's, as far as it can be read: one row without meaning does not keep the others
 * from being heard.
 */
export interface PartialList<T> {
  readonly read: readonly T[];
  /**
   * Rows of unknown format or status: each may be of anything, so nothing may be concluded
   * from what is not among the read (L2).
   */
  readonly unread: number;
}

/** Permission for the bytes of an order to be sent, which may be withdrawn. */
export interface SubmitPermission {
  /** Aborted once no caller waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Asked at the last moment, whether they had to wait for their turn or not: where it says no
   * nothing leaves, and the outcome is `deferred`.
   */
  readonly isGranted: () => boolean;
}

/**
 * Trading on behalf of users whose venue accounts are open. Every call has a time-out inside the
 * adapter.
 */
export interface OrderGateway {
  submit(order: OrderHandle, permission?: SubmitPermission): Promise<SubmitOutcome>;
  cancel(order: OrderHandle): Promise<CancelOutcome>;
  lookup(order: OrderHandle): Promise<LookupOutcome>;
  /**
   * Our fills at or after `sinceMs`, oldest first. Errors: `venue_unavailable`. Null where no list
   * of them is to be had: each order is looked up until its fills are final.
   */
  readonly fills: ((userId: UserId, sinceMs: number) => Promise<PartialList<VenueFill>>) | null;
  /** Orders still resting at the venue. Errors: `venue_unavailable`. */
  openOrders(userId: UserId): Promise<PartialList<VenueOrder>>;
  /** The user's own channel. */
  watch(userId: UserId, listener: Listener<UserEvent>): () => void;
}

/** A gateway of a venue that lists what a user traded. */
export interface ListingGateway extends OrderGateway {
  readonly fills: NonNullable<OrderGateway['fills']>;
}
