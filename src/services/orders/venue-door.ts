import { VENUE_DOOR } from '../../../config/limits/risk.ts';
import { DEGRADED_SENTENCES } from '../../domain/degraded.ts';
import { AppError } from '../../domain/errors.ts';
import type { VenueId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { DoorState, DoorWord } from '../../domain/venue-door.ts';
import {
  afterDoorAnswer,
  afterDoorWord,
  doorAskAgainMs,
  doorShutForMs,
  OPEN_DOOR,
  withProbe,
} from '../../domain/venue-door.ts';
import type { Store, StoreReader, StoreWriter } from '../../ports/store.ts';
import type { SubmitOutcome } from '../../ports/venue.ts';
import type { Commit } from '../commit.ts';
import { VENUE_DOORS } from '../books/tables.ts';

/** What changes doors. */
export interface DoorDeps {
  readonly store: Store;
  readonly commit: Commit;
}

function doorOf(reader: StoreReader, venue: VenueId): DoorState {
  return reader.get(VENUE_DOORS, [venue])?.value ?? OPEN_DOOR;
}

/** Since when the venue turns us away, and for how long no order is sent there yet; null while it takes orders. */
export function doorTrouble(
  reader: StoreReader,
  venue: VenueId,
  atMs: number,
): { readonly sinceMs: number; readonly shutForMs: number } | null {
  const door = doorOf(reader, venue);
  return door.kind === 'shut'
    ? { sinceMs: door.sinceMs, shutForMs: doorShutForMs(door, atMs, VENUE_DOOR) }
    : null;
}

/** Holds every order back while the venue turns us away for where we are, sales too, for it takes none. Cancels are no orders. Errors: `venue_restricted`. */
export function assertDoorOpen(reader: StoreReader, { venue, createdAtMs }: OrderIntent): void {
  const door = doorOf(reader, venue);
  if (door.kind === 'shut' && doorShutForMs(door, createdAtMs, VENUE_DOOR) > 0) {
    throw new AppError('venue_restricted', DEGRADED_SENTENCES.venue_restricted, {
      retryable: true,
      retryAfterMs: doorAskAgainMs(door, createdAtMs, VENUE_DOOR),
    });
  }
}

/** Claims the place of the probe in the order's own transaction: of all that ask after the pause one gets through. */
export function claimDoor(tx: StoreWriter, { venue, intentId, createdAtMs }: OrderIntent): void {
  const door = doorOf(tx, venue);
  const after = withProbe(door, intentId, createdAtMs);
  if (after !== door) tx.put(VENUE_DOORS, [venue], after);
}

/** Says why the bytes of an order that was taken in may not leave now; null when they may. The probe itself may. */
export function heldAtDoor(
  reader: StoreReader,
  { venue, intentId }: Pick<OrderIntent, 'venue' | 'intentId'>,
  atMs: number,
): string | null {
  const door = doorOf(reader, venue);
  const isProbe = door.kind === 'shut' && door.probe?.intentId === intentId;
  return isProbe || doorShutForMs(door, atMs, VENUE_DOOR) === 0
    ? null
    : DEGRADED_SENTENCES.venue_restricted;
}

/** What a submission taught of the venue's door, durably: it is stored before the order's own word, so that nobody who hears of the refusal sends another. */
export async function learnOfDoor(
  deps: DoorDeps,
  {
    intent: { venue, intentId },
    outcome,
    atMs,
  }: { readonly intent: OrderIntent; readonly outcome: SubmitOutcome; readonly atMs: number },
): Promise<void> {
  if (outcome.kind === 'deferred' || outcome.kind === 'unknown') return;
  const answer = { intentId, isTurnedAway: outcome.kind === 'restricted', atMs };
  const reason = outcome.kind === 'restricted' ? outcome.reason : '';
  await change(deps, venue, {
    atMs,
    reason,
    next: (door) => afterDoorAnswer(door, answer, VENUE_DOOR),
  });
}

/** Stores what the venue said of itself when it was asked whether it takes orders from here. */
export async function heedDoorWord(
  deps: DoorDeps,
  {
    venue,
    word,
    atMs,
  }: { readonly venue: VenueId; readonly word: DoorWord; readonly atMs: number },
): Promise<void> {
  await change(deps, venue, {
    atMs,
    reason: '',
    next: (door) => afterDoorWord(door, word, VENUE_DOOR),
  });
}

interface DoorChange {
  readonly atMs: number;
  readonly reason: string;
  readonly next: (door: DoorState) => DoorState;
}

async function change(
  { store, commit }: DoorDeps,
  venue: VenueId,
  { atMs, reason, next }: DoorChange,
): Promise<void> {
  const known = doorOf(store, venue);
  if (next(known) === known) return;
  await commit((tx) => {
    const before = doorOf(tx, venue);
    const after = next(before);
    if (after === before) return;
    tx.put(VENUE_DOORS, [venue], after);
    if (before.kind !== 'shut' && after.kind === 'shut')
      tx.append({ type: 'venue.restricted', atMs, venue, reason });
    if (before.kind === 'shut' && after.kind !== 'shut')
      tx.append({ type: 'venue.admitted', atMs, venue });
  });
}
