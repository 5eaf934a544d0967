import {
  MICROS_PER_UNIT,
  TICKS_PER_USD,
  parseDecimal,
  priceTicks,
  shareMicros,
  type PriceTicks,
  type ShareMicros,
} from '../../domain/units.ts';
import type { Candle, CandlePrices, CandleSource } from '../../ports/candles.ts';
import { checked } from '../checked.ts';
import type { VenueClient } from './client.ts';
import { isTicker } from './listing.ts';
import { candlesSchema } from './schema.ts';

type WireSide =
  | {
      readonly open_dollars?: string | null | undefined;
      readonly high_dollars?: string | null | undefined;
      readonly low_dollars?: string | null | undefined;
      readonly close_dollars?: string | null | undefined;
    }
  | null
  | undefined;

/**
 * Creates the source of candles the exchange behind the venue makes (venue_b.md sections 7 and
 * 15.2).
 */
export function createCandleSource(client: VenueClient): CandleSource {
  return {
    async candles({ bookId, periodMinutes, fromMs, toMs }) {
      if (!isTicker(bookId)) return null;
      const value = await client.read({
        family: 'metadata',
        path: `/market/${encodeURIComponent(bookId)}/candlesticks`,
        query: {
          startTs: String(Math.floor(fromMs / 1_000)),
          endTs: String(Math.floor(toMs / 1_000)),
          periodInterval: String(periodMinutes),
        },
      });
      if (value === null) return null;
      const { candlesticks } = checked(candlesSchema, value, 'the candles');
      return candlesticks
        .map((row): Candle => {
          const volume = sharesOf(row.volume_fp);
          return {
            endsAtMs: row.end_period_ts * 1_000,
            // A price without a trade is one of before.
            trades: volume === 0 ? null : pricesOf(row.price),
            bid: pricesOf(row.yes_bid),
            ask: pricesOf(row.yes_ask),
            volume,
            openInterest: sharesOf(row.open_interest_fp),
          };
        })
        .sort((one, other) => one.endsAtMs - other.endsAtMs);
    },
  };
}

/**
 * All four, or none: a bar with a hole in it is no bar, and at zero or a whole dollar there
 * are no quotes.
 */
function pricesOf(side: WireSide): CandlePrices | null {
  const open = ticksOf(side?.open_dollars);
  const high = ticksOf(side?.high_dollars);
  const low = ticksOf(side?.low_dollars);
  const close = ticksOf(side?.close_dollars);
  return open === null || high === null || low === null || close === null
    ? null
    : { open, high, low, close };
}

/** Dollars with up to six decimals, of which prices use four. */
function ticksOf(text: string | null | undefined): PriceTicks | null {
  const ticks = Math.round(((parseDecimal(text ?? '', 6) ?? 0) * TICKS_PER_USD) / MICROS_PER_UNIT);
  return ticks < 1 || ticks >= TICKS_PER_USD ? null : priceTicks(ticks);
}

function sharesOf(value: string | number | null | undefined): ShareMicros {
  return shareMicros(parseDecimal(String(value ?? 0), 6) ?? 0);
}
