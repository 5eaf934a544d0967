import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { OPEN_END_MS } from '../../domain/market.ts';
import type { CandleQuery } from '../../ports/candles.ts';
import type { MarketTime } from '../../ports/market-time.ts';
import type { UserContext } from '../route.ts';
import type { VenueBrowsing } from '../services.ts';
import { candleOut, viewCandle } from '../views/candle.ts';
import { wholeField } from './fields.ts';

/** Which periods a venue tells of. */
export interface CandleBounds {
  /** Lengths in minutes. */
  readonly periods: readonly [string, ...string[]];
  /** Most periods of one call. */
  readonly maximum: number;
  /** Periods where a caller names no begin. */
  readonly default: number;
}

const MINUTE_MS = 60_000;
const timeField = wholeField(15, 'epoch milliseconds').pipe(
  z.int().max(OPEN_END_MS, 'epoch milliseconds before the year 10000'),
);

/** Makes the query of a route of prices over time. */
export function candleQuery({ periods, default: byDefault }: CandleBounds) {
  return z.strictObject({
    periodMinutes: z
      .enum(periods, { error: `one of ${periods.join(', ')}` })
      .transform(Number)
      .default(60)
      .meta({ description: 'Length of a period in minutes.' }),
    fromAtMs: timeField.optional().meta({
      description: `Epoch milliseconds: periods that end from then on; absent, the last ${byDefault} before \`toAtMs\`.`,
    }),
    toAtMs: timeField.optional().meta({
      description: 'Epoch milliseconds: periods that end until then; absent, now.',
    }),
  });
}

/** What a route of prices over time answers, beside whose they are. */
export const candlesOut = {
  periodMinutes: z.int(),
  data: z.array(candleOut),
  nextCursor: z.null(),
};

/** What was asked of such a route. */
export type CandleInput = z.output<ReturnType<typeof candleQuery>>;

/**
 * Reads the periods asked for of a market or a token. Errors: those of `candleSpan`; `not_found`
 * where the venue does not know it; those of the venue.
 */
export async function readCandles(
  candles: VenueBrowsing['candles'],
  { userId, ...times }: Pick<UserContext, 'userId' | 'marketTime' | 'wallNowMs'>,
  {
    id,
    query,
    bounds,
  }: {
    readonly id: CandleQuery['bookId'];
    readonly query: CandleInput;
    readonly bounds: CandleBounds;
  },
): Promise<z.input<z.ZodObject<typeof candlesOut>>> {
  const span = candleSpan(query, times, bounds);
  const found = await candles(userId, { bookId: id, ...span });
  if (found === null) throw new AppError('not_found', `the venue does not know ${id}`);
  return { periodMinutes: span.periodMinutes, data: found.map(viewCandle), nextCursor: null };
}

/**
 * Returns the span asked for, epoch ms of the market clock. Errors: `invalid_request` for one
 * that is empty or too long, at the end that was given.
 */
export function candleSpan(
  { periodMinutes, fromAtMs, toAtMs }: CandleInput,
  { marketTime, wallNowMs }: { readonly marketTime: MarketTime; readonly wallNowMs: number },
  bounds: CandleBounds,
): { readonly periodMinutes: number; readonly fromMs: number; readonly toMs: number } {
  const toMs = marketTime.toMarketMs(toAtMs ?? wallNowMs);
  const end = toAtMs === undefined ? 'now, where toAtMs is absent' : 'toAtMs';
  // venues take no time before 1970, and a fast market clock was there not long ago
  if (toMs <= 0) throw refused(toAtMs, `${end} is before any price: name a later time`);
  if (fromAtMs === undefined)
    return {
      periodMinutes,
      fromMs: Math.max(0, toMs - bounds.default * periodMinutes * MINUTE_MS),
      toMs,
    };
  const fromMs = marketTime.toMarketMs(fromAtMs);
  if (fromMs >= toMs) throw refused(toAtMs, `fromAtMs must be before ${end}`);
  if ((toMs - fromMs) / (periodMinutes * MINUTE_MS) > bounds.maximum)
    throw refused(
      toAtMs,
      `from fromAtMs to ${end} are more than the ${bounds.maximum} periods of ${periodMinutes} minutes that one call gives`,
    );
  return { periodMinutes, fromMs: Math.max(0, fromMs), toMs };
}

function refused(toAtMs: number | undefined, message: string): AppError {
  const path = toAtMs === undefined ? '/query/fromAtMs' : '/query/toAtMs';
  return new AppError('invalid_request', message, { fields: [{ path, message }] });
}
