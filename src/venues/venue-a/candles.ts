import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { CandleSource } from '../../ports/candles.ts';
import { periodsOf } from '../price-points.ts';
import { answerOf, errorText, jsonOf, type VenueCall, type VenueClient } from './client.ts';

/** Answer of `GET /prices-history` (venue_a.md section 3). */
const historySchema = z.object({
  history: z.array(z.object({ t: z.int(), p: z.number() })),
});

const MINUTE_MS = 60_000;
/** Prices a longer period is made of: one for each minute of an hour. */
const POINTS_PER_PERIOD = 60;

/**
 * Creates the source of a token's prices over time. The venue states one price for each so many
 * minutes and nothing of bids, offers or volume: a period is made of the prices within it, one of a
 * minute of one price.
 */
export function createCandleSource(client: VenueClient): CandleSource {
  return {
    async candles({ bookId, periodMinutes, fromMs, toMs }) {
      const periodMs = periodMinutes * MINUTE_MS;
      const call: VenueCall = {
        family: 'public',
        method: 'GET',
        path: '/prices-history',
        query: {
          market: bookId,
          startTs: String(Math.floor((fromMs - periodMs) / 1_000)),
          endTs: String(Math.floor(toMs / 1_000)),
          fidelity: String(Math.ceil(periodMinutes / POINTS_PER_PERIOD)),
        },
      };
      const outcome = await client.call(call);
      const isUnknown =
        outcome.kind === 'answered' &&
        outcome.status === 400 &&
        /market/i.test(errorText(jsonOf(outcome.text)));
      const value = isUnknown ? null : answerOf(call, outcome);
      if (value === null) return null;
      const parsed = historySchema.safeParse(value);
      if (!parsed.success)
        throw new AppError('venue_protocol', 'the price history has an unexpected format');
      const points = parsed.data.history.map(({ t, p }) => ({ atMs: t * 1_000, price: p }));
      return periodsOf(points, periodMs).filter(
        ({ endsAtMs }) => endsAtMs >= fromMs && endsAtMs <= toMs,
      );
    },
  };
}
