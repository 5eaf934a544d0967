import { VENUE_OPENING } from '../../config/limits.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Venue } from '../ports/venue.ts';
import type { ClosedVenue } from '../services/venues.ts';
import type { VenueParts, VenueRow } from '../venues/contract.ts';

/** Venues as a start found them. */
export interface OpenedVenues {
  readonly venues: readonly Venue[];
  readonly closedVenues: readonly ClosedVenue[];
}

/**
 * Opens the venues of the table, all at once. One that fails, or has not opened within
 * VENUE_OPENING.timeoutMs, stays closed until the next start, and the others are served without it.
 * Errors: those of the first row's `open` where none opens.
 */
export async function openVenues({
  rows,
  parts,
  settings,
  wallClock,
  log,
}: {
  readonly rows: readonly VenueRow[];
  readonly parts: VenueParts;
  /** By id of the venue. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly wallClock: Clock;
  readonly log: Log;
}): Promise<OpenedVenues> {
  const tried = await Promise.all(
    rows.map((row) => openOne(row, () => row.open(parts, settings[row.id]), { wallClock, log })),
  );
  const venues = tried.flatMap((result) => ('venue' in result ? [result.venue] : []));
  const failed = tried.flatMap((result) => ('venue' in result ? [] : [result]));
  if (venues.length === 0 && failed[0] !== undefined) throw failed[0].cause;
  return { venues, closedVenues: failed.map(({ closed }) => closed) };
}

type Opening =
  | { readonly venue: Venue }
  | { readonly closed: ClosedVenue; readonly cause: unknown };

async function openOne(
  { id, cashAccount }: VenueRow,
  open: () => Promise<Venue>,
  { wallClock, log }: { readonly wallClock: Clock; readonly log: Log },
): Promise<Opening> {
  let isLate = false;
  const opening = open().then(async (venue) => {
    if (isLate) await venue.close();
    return venue;
  });
  let reject: (cause: AppError) => void = () => undefined;
  const late = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  const timer = wallClock.after(VENUE_OPENING.timeoutMs, () => {
    isLate = true;
    reject(new AppError('venue_unavailable', `${id} did not open in time`, { retryable: true }));
  });
  try {
    return { venue: await Promise.race([opening, late]) };
  } catch (cause) {
    log.error({ venue: id, cause }, 'venue.not_opened');
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { closed: { id, cashAccount, reason }, cause };
  } finally {
    timer.cancel();
  }
}
