import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { TICKS_PER_USD, priceTicks } from '../../domain/units.ts';
import type { Candle, CandlePrices, CandleSource } from '../../ports/candles.ts';
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
      return periodsOf(parsed.data.history, periodMs).filter(
        ({ endsAtMs }) => endsAtMs >= fromMs && endsAtMs <= toMs,
      );
    },
  };
}

function periodsOf(
  points: readonly { readonly t: number; readonly p: number }[],
  periodMs: number,
): readonly Candle[] {
  const periods = new Map<number, CandlePrices>();
  for (const { t, p } of points.toSorted((one, other) => one.t - other.t)) {
    const ticks = Math.round(p * TICKS_PER_USD);
    // no trade has a price of zero or of a whole dollar
    if (ticks < 1 || ticks >= TICKS_PER_USD) continue;
    const price = priceTicks(ticks);
    const endsAtMs = Math.ceil((t * 1_000) / periodMs) * periodMs;
    const { open, high, low } = periods.get(endsAtMs) ?? { open: price, high: price, low: price };
    periods.set(endsAtMs, {
      open,
      high: price > high ? price : high,
      low: price < low ? price : low,
      close: price,
    });
  }
  return [...periods].map(([endsAtMs, trades]) => ({
    endsAtMs,
    trades,
    bid: null,
    ask: null,
    volume: null,
    openInterest: null,
  }));
}
