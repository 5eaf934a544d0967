import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { asId, type MarketId, type TokenId } from '../../domain/ids.ts';
import { TICKS_PER_USD } from '../../domain/units.ts';
import {
  parseRecordedTicks,
  type RecordedTicks,
} from '../../sandbox/feeds/prices/recorded-prices.ts';
import type { RecordedRound, Recording } from './recording.ts';
import { settlementFromTicks } from './recorded-series.ts';

/** A line of a markets file (data set venue_a-btc5m-settlement). */
const marketSchema = z.object({
  slug: z.string().regex(/^btc-updown-5m-\d{10}$/),
  condition_id: z.string().regex(/^0x[0-9a-f]{64}$/i),
  token_ids: z.tuple([z.string().regex(/^\d{1,78}$/), z.string().regex(/^\d{1,78}$/)]),
  start_sec: z.number().int().positive(),
  end_sec: z.number().int().positive(),
  resolved: z.boolean(),
  outcome_prices: z.array(z.string()).nullish(),
  strike_value: z
    .string()
    .regex(/^\d{1,30}$/)
    .nullish(),
});

type MarketRow = z.infer<typeof marketSchema>;

const ROUND_SECONDS = 300;

/**
 * Reads a settlement pair: the feed's ticks, and the rounds with their outcomes. A recorded price
 * to beat is the feed's value of its second and fills a hole there. Errors: `config_invalid` that
 * names the line.
 */
export function parseSettlement(
  name: string,
  { ticks: csv, markets }: { readonly ticks: string; readonly markets: string },
): Recording {
  const recorded = readTicks(name, csv);
  const rows = readMarkets(name, markets);
  const ticks = new Map(recorded.ticks);
  for (const { start_sec: second, strike_value: strike } of rows) {
    if (strike !== null && strike !== undefined && !ticks.has(second))
      ticks.set(second, BigInt(strike));
  }
  return {
    name,
    firstMs: recorded.firstSecond * 1_000,
    lastMs: recorded.lastSecond * 1_000,
    settlement: settlementFromTicks(ticks),
    exchange: null,
    books: null,
    rounds: rows.map(roundOf),
    notes: [
      'settlement prices and outcomes: recorded; a recorded price to beat fills a hole at its second',
      'exchange prices: modelled around the settlement prices, which they lead by a second',
      'books: modelled by the market makers and traders of the sandbox around a fair value of those prices',
    ],
  };
}

function readTicks(name: string, csv: string): RecordedTicks {
  try {
    return parseRecordedTicks('BTC', csv);
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new AppError(
        'config_invalid',
        `the ticks of ${name} are unreadable: ${cause.message}.`,
        { cause },
      );
    throw cause;
  }
}

/** Rounds by start; a round listed twice counts once, with the line that knows its end. */
function readMarkets(name: string, text: string): readonly MarketRow[] {
  const bySlug = new Map<string, MarketRow>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const parsed = marketSchema.safeParse(jsonOf(line));
    if (!parsed.success || parsed.data.end_sec - parsed.data.start_sec !== ROUND_SECONDS)
      throw new AppError(
        'config_invalid',
        `line ${index + 1} of the markets of ${name} is not a 5-minute market.`,
      );
    const known = bySlug.get(parsed.data.slug);
    if (known === undefined || !known.resolved) bySlug.set(parsed.data.slug, parsed.data);
  }
  return [...bySlug.values()].sort((a, b) => a.start_sec - b.start_sec);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function roundOf(row: MarketRow): RecordedRound {
  const [up, down] = row.token_ids;
  return {
    slug: row.slug,
    startsAtMs: row.start_sec * 1_000,
    endsAtMs: row.end_sec * 1_000,
    ids: {
      marketId: asId<MarketId>(row.condition_id),
      questionId: row.condition_id,
      tokens: [asId<TokenId>(up), asId<TokenId>(down)],
    },
    payoutTicks: payoutOf(row),
    resolvedAfterMs: null,
  };
}

function payoutOf({
  resolved,
  outcome_prices: prices,
}: MarketRow): readonly [number, number] | null {
  if (!resolved || prices === null || prices === undefined) return null;
  const [up, down] = prices;
  if (up === '1' && down === '0') return [TICKS_PER_USD, 0];
  return up === '0' && down === '1' ? [0, TICKS_PER_USD] : null;
}
