import { VENUE_ACCESS } from '../../../config/limits/risk.ts';
import { DEGRADED_SENTENCES } from '../../domain/degraded.ts';
import { AppError } from '../../domain/errors.ts';
import type { VenueId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import {
  afterAccessAnswer,
  afterAccessReading,
  accessAskAgainMs,
  accessClosedForMs,
  OPEN_ACCESS,
  withProbe,
  type AccessState,
  type AccessReading,
} from '../../domain/venue-access.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { SubmitOutcome } from '../../ports/order-gateway.ts';
import { VENUE_ACCESS_STATES } from '../books/tables.ts';

/** What changes access gates. */
export interface AccessDeps extends Pick<Runtime, 'store' | 'commit'> {}

function accessOf(reader: StoreReader, venue: VenueId): AccessState {
  return reader.get(VENUE_ACCESS_STATES, [venue])?.value ?? OPEN_ACCESS;
}

/**
 * Since when the venue turns us away, and for how long no order is sent there yet; null while it
 * takes orders.
 */
export function accessProblem(
  reader: StoreReader,
  venue: VenueId,
  atMs: number,
): { readonly sinceMs: number; readonly shutForMs: number } | null {
  const access = accessOf(reader, venue);
  return access.kind === 'shut'
    ? { sinceMs: access.sinceMs, shutForMs: accessClosedForMs(access, atMs, VENUE_ACCESS) }
    : null;
}

/**
 * Holds every order back while the venue turns us away for where we are, sales too, for it takes
 * none. Cancels are no orders. Errors: `venue_restricted`.
 */
export function assertAccess(reader: StoreReader, { venue, createdAtMs }: OrderIntent): void {
  const access = accessOf(reader, venue);
  if (access.kind === 'shut' && accessClosedForMs(access, createdAtMs, VENUE_ACCESS) > 0) {
    throw new AppError('venue_restricted', DEGRADED_SENTENCES.venue_restricted, {
      retryable: true,
      retryAfterMs: accessAskAgainMs(access, createdAtMs, VENUE_ACCESS),
    });
  }
}

/**
 * Claims the place of the probe in the order's own transaction: of all that ask after the pause one
 * gets through.
 */
export function claimAccess(tx: StoreWriter, { venue, intentId, createdAtMs }: OrderIntent): void {
  const access = accessOf(tx, venue);
  const after = withProbe(access, intentId, createdAtMs);
  if (after !== access) tx.put(VENUE_ACCESS_STATES, [venue], after);
}

/**
 * Says why the bytes of an order that was taken in may not leave now; null when they may. The probe
 * itself may.
 */
export function accessRefusal(
  reader: StoreReader,
  { venue, intentId }: Pick<OrderIntent, 'venue' | 'intentId'>,
  atMs: number,
): string | null {
  const access = accessOf(reader, venue);
  const isProbe = access.kind === 'shut' && access.probe?.intentId === intentId;
  return isProbe || accessClosedForMs(access, atMs, VENUE_ACCESS) === 0
    ? null
    : DEGRADED_SENTENCES.venue_restricted;
}

/**
 * What a submission taught of the venue's access gate, durably: it is stored before the order's own
 * word, so that no caller who hears of the refusal sends another.
 */
export async function recordAccess(
  deps: AccessDeps,
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
    next: (access) => afterAccessAnswer(access, answer, VENUE_ACCESS),
  });
}

/** Stores what the venue said of itself when it was asked whether it takes orders from here. */
export async function applyAccessReading(
  deps: AccessDeps,
  {
    venue,
    word,
    atMs,
  }: { readonly venue: VenueId; readonly word: AccessReading; readonly atMs: number },
): Promise<void> {
  await change(deps, venue, {
    atMs,
    reason: '',
    next: (access) => afterAccessReading(access, word, VENUE_ACCESS),
  });
}

interface AccessChange {
  readonly atMs: number;
  readonly reason: string;
  readonly next: (access: AccessState) => AccessState;
}

async function change(
  { store, commit }: AccessDeps,
  venue: VenueId,
  { atMs, reason, next }: AccessChange,
): Promise<void> {
  const known = accessOf(store, venue);
  if (next(known) === known) return;
  await commit((tx) => {
    const before = accessOf(tx, venue);
    const after = next(before);
    if (after === before) return;
    tx.put(VENUE_ACCESS_STATES, [venue], after);
    if (before.kind !== 'shut' && after.kind === 'shut')
      tx.append({ type: 'venue.restricted', atMs, venue, reason });
    if (before.kind === 'shut' && after.kind !== 'shut')
      tx.append({ type: 'venue.admitted', atMs, venue });
  });
}
