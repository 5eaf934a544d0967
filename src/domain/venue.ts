import type { OrderLife } from './order.ts';

/** What is true of every order on a venue, as data: steps, dust and times. */
export interface VenueTraits {
  /** The lives an order may have. */
  readonly lives: readonly OrderLife[];
  /**
   * Who keeps limit orders until they trade: the venue, or this service; null where none are taken.
   */
  readonly restsAt: 'venue' | 'service' | null;
  /**
   * An order that could not leave within this time is stale: of market time for an agent, of
   * wall time for a person, who waits for the answer.
   */
  readonly sendWindowMs: number;
  /** Wall time after which a submission without an answer is `unknown`. */
  readonly submitTimeoutMs: number;
  /**
   * Attempts at one intent: bounds how often it is signed again after a proof that the last can
   * never land.
   */
  readonly attemptsMaximum: number;
  /**
   * "Not there", said this long after the last sending, is the venue's last word: never less than
   * `submitTimeoutMs`. Null where only the lookup's own proof decides.
   */
  readonly absenceFinalAfterMs: number | null;
  /**
   * How long the venue holds an order that would trade at once before it matches it, ms at most;
   * null where that is not known.
   */
  readonly heldMaximumMs: number | null;
  /**
   * Set where orders that rest at the venue know no moment at which they end: this service cancels
   * them then.
   */
  readonly endedBy?: 'service';
  /** A resting order may end this long before the moment stated to the venue. */
  readonly endsEarlyMs: number;
  /** What shares and money of an order come in. */
  readonly shareStepMicros: number;
  readonly cashStepMicros: number;
  /** What the shares of a fill come in. */
  readonly fillStepMicros: number;
  /** What may be missing of the shares or the money of an order that is done. */
  readonly dustShareMicros: number;
  readonly dustCashMicros: number;
  /**
   * USDC, in micros, that the network takes for an order; 0 where it costs no gas, null where it
   * is a transaction of the user's own account, whose chain tells (`VenueTrading.gas`).
   */
  readonly networkCostMicros: number | null;
  /**
   * Its books are read from time to time, so that one may be older than what an order meets; absent
   * where each change is reported.
   */
  readonly bookIsPolled?: true;
}
