import { z } from 'zod';
import { VENUE_C_ORDER } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../domain/errors.ts';
import type { AskingParts } from './order-status.ts';

/** Decimal text, six places, of the history alone. */
const micros = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)])
  .transform((value) => Math.round(Number(value) * 1e6));

/** A row of the history (venue_c.md section 10): what left or came by trades, and how. */
const rowSchema = z.object({
  blockTimestamp: z.number().transform((seconds) => seconds * 1_000),
  market: z.object({ slug: z.string().min(1) }),
  outcomeIndex: z.int().nullish(),
  /** Less a buyer's fee. */
  outcomeTokenAmount: micros.nullish(),
  outcomeTokenPrice: z.union([z.number(), z.string()]).transform(Number).nullish(),
  /** Such as `Limit Buy`; absent of what is no trade. */
  strategy: z.string().nullish(),
  transactionHash: z.string().nullish(),
});
const historySchema = z.object({ data: z.array(rowSchema), nextCursor: z.string().nullish() });

/** As above, times in ms. */
export type HistoryRow = z.output<typeof rowSchema>;

/**
 * Returns what an account has traded at or after a moment, newest first, with some of what was
 * before. Errors: `venue_unavailable`, `rate_limited`, `overloaded` (retryable),
 * `venue_restricted`, `venue_protocol`.
 */
export async function readHistory(
  { client, account }: AskingParts,
  sinceMs: number,
): Promise<readonly HistoryRow[]> {
  const rows: HistoryRow[] = [];
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
