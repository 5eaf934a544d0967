import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { priceTicks, TICKS_PER_USD } from '../../domain/units.ts';
import { MIRROR_DELAY_MS } from '../../sandbox/calibration/calibration.ts';
import type { RecordedBook, RecordedLevel, Recording } from './recording.ts';
import { exchangeFromRows, settlementFromTicks, type ExchangeRow } from './recorded-series.ts';

const atMs = z.number().int().min(1_000_000_000_000).max(9_999_999_999_999);
const price = z.number().positive().max(100_000_000);
const side = z
  .array(z.tuple([z.number().gt(0).lt(1), z.number().nonnegative().max(1_000_000_000)]))
  .max(100);
const book = z.object({ bids: side, asks: side }).nullable();

/** Rows of a session file (data set venue_a-btc5m-sessions). */
const rowSchema = z.discriminatedUnion('type', [
  z.object({
    ts: atMs,
    type: z.literal('slot'),
    action: z.enum(['start', 'end']),
    slug: z.string().regex(/^btc-updown-5m-\d{10}$/),
  }),
  z.object({ ts: atMs, type: z.literal('orderbook_snapshot'), up: book, down: book }),
  z.object({
    ts: atMs,
    type: z.literal('ticker'),
    assetPrice: price,
    binancePrice: price.optional(),
    coinbasePrice: price.optional(),
  }),
  z.object({ ts: atMs, type: z.literal('market_price'), priceToBeat: price }),
  z.object({
    ts: atMs,
    type: z.literal('resolution'),
    direction: z.enum(['UP', 'DOWN']),
    closePrice: price,
  }),
]);

type Row = z.infer<typeof rowSchema>;
type RowOf<Type extends Row['type']> = Extract<Row, { readonly type: Type }>;

const ROUND_MS = 300_000;

/**
 * Reads a session: books, settlement and exchange prices, price to beat and, where it was waited
 * for, the resolution. Errors: `config_invalid` that names the line.
 */
export function parseSession(name: string, text: string): Recording {
  const rows = readRows(name, text);
  const [start] = of(rows, 'slot');
  const [first, last] = [rows[0], rows.at(-1)];
  if (start === undefined || first === undefined || last === undefined)
    throw new AppError('config_invalid', `${name} does not say which round it recorded.`);
  const startsAtMs = Number(start.slug.slice(-10)) * 1_000;
  const endsAtMs = startsAtMs + ROUND_MS;
  const [resolution] = of(rows, 'resolution');
  const [exchangeName, quotes] = exchangeRows(of(rows, 'ticker'));
  return {
    name,
    firstMs: first.ts,
    lastMs: last.ts,
    settlement: settlementFromTicks(settlementTicks(rows, startsAtMs)),
    exchange: exchangeFromRows(quotes),
    books: of(rows, 'orderbook_snapshot').flatMap((row) => recordedBook(row) ?? []),
    rounds: [
      {
        slug: start.slug,
        startsAtMs,
        endsAtMs,
        ids: null,
        payoutTicks:
          resolution === undefined
            ? null
            : resolution.direction === 'UP'
              ? [TICKS_PER_USD, 0]
              : [0, TICKS_PER_USD],
        resolvedAfterMs: resolution === undefined ? null : Math.max(0, resolution.ts - endsAtMs),
      },
    ],
    notes: [
      'books: recorded, the five best levels of each side once a second; our own fills last until the next row',
      `settlement prices: recorded; a row speaks of the second ${MIRROR_DELAY_MS} ms before it, the price to beat and the closing price of theirs`,
      `exchange prices: recorded, ${exchangeName}`,
      resolution === undefined
        ? 'the recording ends before the round: it stays unresolved'
        : 'resolution: by the recorded settlement prices, announced when it was',
    ],
  };
}

function readRows(name: string, text: string): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const parsed = rowSchema.safeParse(jsonOf(line));
    const newest = rows.at(-1)?.ts ?? 0;
    if (!parsed.success || parsed.data.ts < newest)
      throw new AppError(
        'config_invalid',
        `line ${index + 1} of ${name} is not a row of a session${parsed.success ? ': its time steps back' : ''}.`,
      );
    rows.push(parsed.data);
  }
  return rows;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function of<Type extends Row['type']>(rows: readonly Row[], type: Type): readonly RowOf<Type>[] {
  return rows.filter((row): row is RowOf<Type> => row.type === type);
}

/**
 * Prices by the second they speak of. The two that settle the round are stated by the recording
 * itself.
 */
function settlementTicks(rows: readonly Row[], startsAtMs: number): ReadonlyMap<number, bigint> {
  const ticks = new Map<number, bigint>();
  for (const { ts, assetPrice } of of(rows, 'ticker'))
    ticks.set(Math.floor((ts - MIRROR_DELAY_MS) / 1_000), toE18(assetPrice));
  const strike = of(rows, 'market_price').at(-1)?.priceToBeat;
  if (strike !== undefined) ticks.set(startsAtMs / 1_000, toE18(strike));
  const [resolution] = of(rows, 'resolution');
  if (resolution !== undefined)
    ticks.set((startsAtMs + ROUND_MS) / 1_000, toE18(resolution.closePrice));
  return ticks;
}

/** The exchange the service reads where it was recorded, else the other one. */
function exchangeRows(rows: readonly RowOf<'ticker'>[]): readonly [string, readonly ExchangeRow[]] {
  const hasBinance = rows.some(({ binancePrice }) => binancePrice !== undefined);
  const quotes = rows.flatMap(({ ts, binancePrice, coinbasePrice }): ExchangeRow[] => {
    const value = hasBinance ? binancePrice : coinbasePrice;
    return value === undefined ? [] : [{ atMs: ts, cents: Math.round(value * 100) }];
  });
  return [hasBinance ? 'Binance' : 'Coinbase, as Binance is not in it', quotes];
}

function recordedBook({ ts, up }: RowOf<'orderbook_snapshot'>): RecordedBook | null {
  if (up === null) return null;
  const levels = (wire: z.infer<typeof side>): readonly RecordedLevel[] =>
    wire.map(([at, size]) => ({
      price: priceTicks(Math.round(at * TICKS_PER_USD)),
      size: Math.round(size * 100) * 10_000,
    }));
  return { atMs: ts, bids: levels(up.bids), asks: levels(up.asks) };
}

/** Eighteen decimals of a number's shortest text, which is what was written. */
function toE18(value: number): bigint {
  const [whole = '0', fraction = ''] = String(value).split('.');
  return BigInt(whole + fraction.slice(0, 18).padEnd(18, '0'));
}
