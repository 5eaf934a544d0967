import { VENUE_DOOR } from '../../../config/limits/risk.ts';
import { DEGRADED_SENTENCES } from '../../domain/degraded.ts';
import { AppError } from '../../domain/errors.ts';
import type { VenueId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { BreakerState } from '../../domain/settlement-breaker.ts';
import { CLOSED_BREAKER, shutForMs, withEntry } from '../../domain/settlement-breaker.ts';
import { afterDoorAnswer } from '../../domain/venue-door.ts';
import type { Key, Store, StoreReader, StoreWriter } from '../../ports/store.ts';
import type { SubmitOutcome } from '../../ports/venue.ts';
import type { Commit } from '../commit.ts';
import { BREAKERS } from '../tables.ts';

/** Venues whose door is watched: those that are traded. */
export const TRADED_VENUES: readonly VenueId[] = ['venue_a'];

/** The key of a venue's door among the breakers. */
export function doorKey(venue: VenueId): Key {
  return ['venue', venue];
}

function doorOf(reader: StoreReader, venue: VenueId): BreakerState {
  return reader.get(BREAKERS, doorKey(venue))?.value ?? CLOSED_BREAKER;
}

/** Since when the venue turns us away, and for how long no order is sent there yet; null while it takes orders. */
export function doorTrouble(reader: StoreReader, venue: VenueId, atMs: number): { readonly sinceMs: number; readonly shutForMs: number } | null {
  const door = doorOf(reader, venue);
  return door.openedAtMs === null ? null : { sinceMs: door.openedAtMs, shutForMs: shutForMs(door, atMs, VENUE_DOOR) };
}

/**
 * Holds every order back while the venue turns us away for where we are, sales too, for it takes none; and claims the place of the
 * probe in the order's own transaction: of all that ask after the pause one gets through. Cancels are no orders. Errors: `venue_restricted`.
 */
export function assertDoorOpen(tx: StoreWriter, { venue, intentId, createdAtMs }: OrderIntent): void {
  const door = doorOf(tx, venue);
  const waitMs = shutForMs(door, createdAtMs, VENUE_DOOR);
  if (waitMs > 0) throw new AppError('venue_restricted', DEGRADED_SENTENCES.venue_restricted, { retryable: true, retryAfterMs: waitMs });
  const after = withEntry(door, intentId, createdAtMs);
  if (after !== door) tx.put(BREAKERS, doorKey(venue), after);
}

/** Says why the bytes of an order that was taken in may not leave now; null when they may. The probe itself may. */
export function heldAtDoor(reader: StoreReader, { venue, intentId }: Pick<OrderIntent, 'venue' | 'intentId'>, atMs: number): string | null {
  const door = doorOf(reader, venue);
  return door.probe?.intentId === intentId || shutForMs(door, atMs, VENUE_DOOR) === 0 ? null : DEGRADED_SENTENCES.venue_restricted;
}

/** What a submission taught of the venue's door, durably: it is stored before the order's own word, so that nobody who hears of the refusal sends another. */
export async function learnOfDoor({ store, commit }: { readonly store: Store; readonly commit: Commit }, { intent, outcome, atMs }: { readonly intent: OrderIntent; readonly outcome: SubmitOutcome; readonly atMs: number }): Promise<void> {
  if (outcome.kind === 'deferred' || outcome.kind === 'unknown') return;
  const { venue, intentId } = intent;
  const answer = { intentId, isTurnedAway: outcome.kind === 'restricted', atMs };
  const known = doorOf(store, venue);
  if (afterDoorAnswer(known, answer, VENUE_DOOR) === known) return;
  await commit((tx) => {
    const before = doorOf(tx, venue);
    const after = afterDoorAnswer(before, answer, VENUE_DOOR);
    if (after === before) return;
    tx.put(BREAKERS, doorKey(venue), after);
    if (after.openedAtMs === null) tx.append({ type: 'venue.admitted', atMs, venue });
    else if (before.openedAtMs === null) tx.append({ type: 'venue.restricted', atMs, venue, reason: outcome.kind === 'restricted' ? outcome.reason : '' });
  });
}
