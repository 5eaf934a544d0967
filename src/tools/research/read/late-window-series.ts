import { z } from 'zod';
import type { BookTop } from '../../../domain/book.ts';
import { shareMicros, type PriceTicks } from '../../../domain/units.ts';
import type { DataFolder } from '../data-folder.ts';
import { assetPrice, decimal, outcomePrice, unixSeconds, winner } from '../row-schemas.ts';
import { inOrder, type RecordedSeries, type SeriesEvent, type SeriesRound } from '../series.ts';

const SET = 'venue_a-updown-outcomes';

const rowSchema = z.object({
  slug: z.string(),
  start: unixSeconds,
  t_s: decimal,
  open_spot: assetPrice,
  spot: assetPrice,
  up_bid: outcomePrice,
  up_ask: outcomePrice,
  up_vwap20: outcomePrice,
  down_bid: outcomePrice,
  down_ask: outcomePrice,
  down_vwap20: outcomePrice,
  winner,
});
type Row = z.infer<typeof rowSchema>;

const ROUND_MS = 300_000;
/** The set holds summed depth, not the size of the best level; strategies use prices only. */
const SIZE = shareMicros(0);

/**
 * Reads samples of both books with a spot price and the winner, 120 to 10 s before the end; null
 * where the set is absent.
 */
export function readLateWindowSeries(folder: DataFolder): RecordedSeries | null {
  const rows = folder
    .files(SET, /^btc-5m-late-window-books-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, rowSchema));
  if (rows.length === 0) return null;
  const rounds = new Map<string, SeriesRound>();
  for (const { slug, start, winner } of rows)
    rounds.set(slug, {
      slug,
      asset: 'BTC',
      minutes: 5,
      startsAtMs: start * 1_000,
      endsAtMs: start * 1_000 + ROUND_MS,
      winner,
    });
  return {
    name: 'btc-5m-late-window-books',
    rounds: [...rounds.values()].sort((a, b) => a.startsAtMs - b.startsAtMs),
    events: inOrder(rows.flatMap(eventsOf)),
    standIns: [
      'oracle and exchange price: one recorded spot price for both',
      'price to beat: that spot price at the start',
      'volatility: from seven samples a round',
    ],
  };
}

function eventsOf(row: Row): readonly SeriesEvent[] {
  const { slug, start, open_spot, spot } = row;
  const atMs = start * 1_000 + ROUND_MS + Math.round(row.t_s * 1_000);
  return [
    { kind: 'opening', atMs, slug, strike: open_spot, exchange: open_spot },
    { kind: 'oracle', atMs, sourceAtMs: atMs, price: spot },
    { kind: 'exchange', atMs, sourceAtMs: atMs, price: spot },
    // Twenty units are more than the stake buys at any price above a quarter: what is paid is not
    // flattered.
    {
      kind: 'quotes',
      atMs,
      slug,
      quotes: {
        tops: [topOf(row.up_bid, row.up_ask), topOf(row.down_bid, row.down_ask)],
        buyPrices: [row.up_vwap20, row.down_vwap20],
      },
    },
  ];
}

function topOf(bid: PriceTicks | null, ask: PriceTicks | null): BookTop {
  return {
    bid: bid === null ? null : { price: bid, size: SIZE },
    ask: ask === null ? null : { price: ask, size: SIZE },
  };
}
