import { z } from 'zod';
import type { Candle, CandlePrices } from '../../ports/candles.ts';
import { formatMicros, formatPrice } from '../../domain/units.ts';
import { priceOut, sharesOut } from '../routes/fields.ts';
import { marketTimeOut } from '../wall-times.ts';

const pricesOut = z
  .object({ open: priceOut, high: priceOut, low: priceOut, close: priceOut })
  .meta({ id: 'CandlePrices' });

/** One period of a market in answers. */
export const candleOut = z
  .object({
    endsAtMs: marketTimeOut.meta({ description: 'When the period ends.' }),
    price: pricesOut.nullable().meta({
      description:
        'Of trades of Yes, or of the token asked for; null where there were none: the price before is no price of this period.',
    }),
    bid: pricesOut.nullable().meta({ description: 'Of the best bid for Yes.' }),
    ask: pricesOut.nullable().meta({ description: 'Of the best offer of Yes.' }),
    volume: sharesOut.nullable().meta({ description: 'Null where the venue does not say.' }),
    openInterest: sharesOut.nullable().meta({
      description: 'Shares outstanding when it ended; null where the venue does not say.',
    }),
  })
  .meta({ id: 'Candle' });

/** Writes a period as callers see it. */
export function viewCandle(candle: Candle): z.input<typeof candleOut> {
  const { endsAtMs, trades, bid, ask, volume, openInterest } = candle;
  return {
    endsAtMs,
    price: viewPrices(trades),
    bid: viewPrices(bid),
    ask: viewPrices(ask),
    volume: volume === null ? null : formatMicros(volume),
    openInterest: openInterest === null ? null : formatMicros(openInterest),
  };
}

function viewPrices(prices: CandlePrices | null): z.input<typeof pricesOut> | null {
  if (prices === null) return null;
  const { open, high, low, close } = prices;
  return {
    open: formatPrice(open),
    high: formatPrice(high),
    low: formatPrice(low),
    close: formatPrice(close),
  };
}
