import { z } from 'zod';
import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import type { AccountToken } from '../auth.ts';
import type { VenueClient } from '../client.ts';

/** A row of the history, as far as it is read: when, and where (venue_c.md section 10). */
const rowSchema = z.object({
  blockTimestamp: z.number().transform((seconds) => seconds * 1_000),
  market: z.object({ slug: z.string().min(1) }),
});
const historySchema = z.object({ data: z.array(rowSchema), nextCursor: z.string().nullish() });

/**
 * Returns what an account has traded at or after a moment, newest first, with some of what was
 * before. Errors: `venue_unavailable`, `rate_limited`, `overloaded` (retryable),
 * `venue_restricted`, `venue_protocol`.
 */
export async function readHistory(
  client: VenueClient,
  account: AccountToken,
  sinceMs: number,
): Promise<readonly z.output<typeof rowSchema>[]> {
  const rows: z.output<typeof rowSchema>[] = [];
  let cursor = '';
  for (let page = 0; page < VENUE_C_ORDER.historyPagesMaximum; page += 1) {
    const query = { cursor, limit: String(VENUE_C_ORDER.historyPageRows) };
    const answer = historySchema.safeParse(
      await client.read({ path: '/portfolio/history', query, account }),
    );
    if (!answer.success)
      throw new AppError('venue_protocol', 'unexpected history format from venue_c');
    const { data, nextCursor } = answer.data;
    rows.push(...data);
    const oldest = Math.min(...data.map(({ blockTimestamp }) => blockTimestamp));
    if (typeof nextCursor !== 'string' || oldest < sinceMs) return rows;
    cursor = nextCursor;
  }
  throw new AppError('venue_protocol', 'the history of venue_c has no end');
}
