import { z } from 'zod';
import type { AssetPriceE8 } from '../../../domain/units.ts';
import type { DataFolder } from '../data-folder.ts';
import { assetPriceE18, epochMs } from '../row-schemas.ts';
import { inOrder, type RecordedSeries, type SeriesEvent, type SeriesRound } from '../series.ts';

const SET = 'venue_a-btc5m-settlement';
/**
 * The venue's price to beat comes later than the tick itself; where the tick is
 * missing, that word is all there is.
 */
const STATED_STRIKE_DELAY_MS = 5_000;

const tickSchema = z.object({ feed_ts_ms: epochMs, value_e18: assetPriceE18, recv_ms: epochMs });
const marketSchema = z.object({
  slug: z.string(),
  start_sec: z.number().int(),
  end_sec: z.number().int(),
  resolved: z.literal(true),
  outcome_prices: z.array(z.string()).transform((prices, context): 0 | 1 => {
    const winner = winnerOf(prices);
    if (winner !== null) return winner;
    context.addIssue('does not say who won');
    return z.NEVER;
  }),
  strike_value: assetPriceE18.nullish(),
});
type Tick = z.infer<typeof tickSchema>;

/**
 * Reads the settlement feed's ticks and the rounds they decided; null where the set is absent.
 * There are no books in it.
 */
export function readSettlementSeries(folder: DataFolder): RecordedSeries | null {
  const ticks = folder
    .files(SET, /^chainlink-btcusd-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, tickSchema));
  const rows = folder
    .files(SET, /^markets-.*\.jsonl(\.gz)?$/)
    .flatMap((path) => folder.jsonLines(path, marketSchema));
  if (ticks.length === 0 || rows.length === 0) return null;
  const bySecond = new Map(ticks.map((tick) => [tick.feed_ts_ms, tick]));
  const rounds = new Map<string, SeriesRound>();
  const openings: SeriesEvent[] = [];
  for (const row of rows) {
    if (rounds.has(row.slug)) continue;
    const startsAtMs = row.start_sec * 1_000;
    rounds.set(row.slug, {
      slug: row.slug,
      asset: 'BTC',
      minutes: 5,
      startsAtMs,
      endsAtMs: row.end_sec * 1_000,
      winner: row.outcome_prices,
    });
    const opening = openingOf(bySecond.get(startsAtMs), row.strike_value ?? null, startsAtMs);
    if (opening !== null) openings.push({ kind: 'opening', slug: row.slug, ...opening });
  }
  return {
    name: SET,
    rounds: [...rounds.values()].sort((a, b) => a.startsAtMs - b.startsAtMs),
    events: inOrder([...openings, ...ticks.flatMap(eventsOf)]),
    standIns: ['exchange price: the settlement feed itself', 'books: none recorded'],
  };
}

function eventsOf({
  feed_ts_ms: sourceAtMs,
  recv_ms: atMs,
  value_e18: price,
}: Tick): readonly SeriesEvent[] {
  return [
    { kind: 'oracle', atMs, sourceAtMs, price },
    { kind: 'exchange', atMs, sourceAtMs, price },
  ];
}

function openingOf(
  tick: Tick | undefined,
  stated: AssetPriceE8 | null,
  startsAtMs: number,
): {
  readonly atMs: number;
  readonly strike: AssetPriceE8;
  readonly exchange: AssetPriceE8;
} | null {
  if (tick !== undefined)
    return { atMs: tick.recv_ms, strike: tick.value_e18, exchange: tick.value_e18 };
  return stated === null
    ? null
    : { atMs: startsAtMs + STATED_STRIKE_DELAY_MS, strike: stated, exchange: stated };
}

function winnerOf([up, down]: readonly string[]): 0 | 1 | null {
  if (up === '1' && down === '0') return 0;
  return up === '0' && down === '1' ? 1 : null;
}
