import type { z } from 'zod';
import { LISTING } from '../../../../config/limits/listing.ts';
import { AppError } from '../../../domain/errors.ts';
import { answerOf, type VenueClient } from '../client.ts';
import { gammaMarketSchema, marketPageSchema, type GammaMarket } from './gamma-schema.ts';

/** Parameters of a call to the discovery interface; those that are undefined are left out. */
export type DiscoveryQuery = Readonly<Record<string, string | undefined>>;

/** Rows the discovery interface gives at most in one page (venue_a.md section 10). */
export const PAGE_MAXIMUM = 100;

/**
 * Reads from the discovery interface; null where it says there is no such thing. Errors:
 * `venue_unavailable`, `venue_protocol`.
 */
export async function discovery(
  client: VenueClient,
  path: string,
  query: DiscoveryQuery = {},
): Promise<unknown> {
  return client.read({ family: 'directory', method: 'GET', path, query: given(query) });
}

/**
 * Reads a page by the venue's own cursor, which only the venue can judge: it refuses an unknown one
 * with 400 or 422. A page that is larger than an answer may be is asked for again, shorter: its
 * cursor goes on from what it holds.
 */
export async function discoveryPage(
  client: VenueClient,
  path: string,
  query: DiscoveryQuery,
): Promise<unknown> {
  const call = { family: 'directory', method: 'GET', path, query: given(query) } as const;
  const outcome = await client.call(call);
  const limit = Number(query['limit'] ?? 1);
  if (outcome.kind === 'lost' && outcome.isOversized === true && limit > 1)
    return discoveryPage(client, path, {
      ...query,
      limit: String(Math.ceil(limit / LISTING.pageShrinkDivisor)),
    });
  if (
    query['after_cursor'] !== undefined &&
    outcome.kind === 'answered' &&
    (outcome.status === 400 || outcome.status === 422)
  )
    throw foreignCursor();
  return answerOf(call, outcome);
}

/**
 * Finds a market by what the discovery interface can filter by. Closed ones are listed apart, and
 * an open one is the usual question.
 */
export async function listedMarket(
  client: VenueClient,
  by: DiscoveryQuery,
  isAsked: (wire: GammaMarket) => boolean,
): Promise<{ readonly row: unknown; readonly wire: GammaMarket } | null> {
  for (const closed of ['false', 'true']) {
    const page = checked(
      marketPageSchema,
      await discovery(client, '/markets/keyset', { ...by, closed, limit: '1' }),
      'a page of markets',
    );
    const [row] = page.markets;
    if (row === undefined) continue;
    const wire = checked(gammaMarketSchema, row, 'a market');
    if (isAsked(wire)) return { row, wire };
  }
  return null;
}

/** The value as its schema reads it. Errors: `venue_protocol`. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (!read.success)
    throw new AppError(
      'venue_protocol',
      `unexpected format of ${what}: ${read.error.issues[0]?.path.join('.') ?? ''} ${read.error.issues[0]?.message ?? ''}`,
    );
  return read.data;
}

/** A cursor of this service that counts: 0 for none. Errors: `invalid_request`. */
export function offsetOf(cursor: string | null): number {
  if (cursor === null || cursor === '') return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw foreignCursor();
  return Number(cursor);
}

/** The error of a cursor that was not given out for this list. */
function foreignCursor(): AppError {
  return new AppError('invalid_request', 'cursor: not a cursor of this list', {
    fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
  });
}

function given(query: DiscoveryQuery): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
