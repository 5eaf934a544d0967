import type { Address, VenueId } from '../domain/ids.ts';
import type { ViewedPositions } from '../domain/viewed-position.ts';

/** A view-only venue: positions are shown, is traded through this service. */
export interface PositionsView {
  readonly id: VenueId;
  /**
   * What the venue says that an EVM account holds there. Errors: `rate_limited`, `overloaded`,
   * `venue_unavailable` (retryable), `venue_restricted`, `venue_protocol`.
   */
  positions(address: Address, signal: AbortSignal): Promise<ViewedPositions>;
  close(): Promise<void>;
}
