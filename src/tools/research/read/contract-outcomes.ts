import { z } from 'zod';
import type { DataFolder } from '../data-folder.ts';
import { decimal, decimalOrNull, outcomePrice, unixSeconds, winner } from '../row-schemas.ts';
import { bothSides, type FarmingOutcome, type FarmingQuote } from './farming-outcomes.ts';

const SET = 'venue_b-15m-results';
const MINUTE_MS = 60_000;

const windowSchema = z.object({ ticker: z.string(), result: winner });
const firstMinuteSchema = z.object({ ticker: z.string(), volume_so_far: decimalOrNull });
const minuteSchema = z.object({
  ticker: z.string(),
  close_ts: unixSeconds,
  minutes_left: decimal,
  yes_bid_close: outcomePrice,
  yes_ask_close: outcomePrice,
});

/**
 * Reads the last quote of each minute of 15-minute rounds of venue_b, both sides of each round. The
 * volume is what had been traded by the first of them, for the round's own was known at its end
 * only; rounds of one quarter of an hour are one event. Empty where the set is absent.
 */
export function readContractOutcomes(folder: DataFolder): readonly FarmingOutcome[] {
  const rows = <Row>(pattern: RegExp, row: z.ZodType<Row>): readonly Row[] =>
    folder.files(SET, pattern).flatMap((path) => folder.csv(path, row));
  const minutes = new Map<string, z.infer<typeof minuteSchema>[]>();
  for (const row of rows(/^minute-paths\.csv(\.gz)?$/, minuteSchema))
    minutes.set(row.ticker, [...(minutes.get(row.ticker) ?? []), row]);
  if (minutes.size === 0) return [];
  const results = new Map(
    rows(/^windows\.csv(\.gz)?$/, windowSchema).map(({ ticker, result }) => [ticker, result]),
  );
  const volumes = new Map(
    rows(/^favourite-quotes\.csv(\.gz)?$/, firstMinuteSchema).map(
      ({ ticker, volume_so_far: volume }) => [ticker, volume],
    ),
  );
  return [...minutes].flatMap(([ticker, path]) => {
    const result = results.get(ticker);
    const endsAtMs = (path[0]?.close_ts ?? 0) * 1_000;
    if (result === undefined) return [];
    const quotes = path
      .filter(({ minutes_left }) => minutes_left > 0) // at the end nothing is traded any more
      .map(
        ({ minutes_left, yes_bid_close, yes_ask_close }): FarmingQuote => ({
          atMs: endsAtMs - minutes_left * MINUTE_MS,
          bidTicks: yes_bid_close,
          askTicks: yes_ask_close,
          volumeUsd: volumes.get(ticker) ?? null,
          liquidityUsd: null,
        }),
      )
      .toSorted((one, other) => one.atMs - other.atMs);
    return bothSides({
      event: String(endsAtMs),
      market: ticker,
      endsAtMs,
      yesWon: result === 0,
      quotes,
    });
  });
}

const tickerSchema = z.object({ ticker: z.string() });

/** Says why books and settled markets of venue_b make no row, or which sets are absent. */
export function unpairedWords(folder: DataFolder): readonly string[] {
  const books = new Set(
    folder
      .files('venue_b-books', /books-.*|depth-.*/)
      .flatMap((path) => folder.jsonLines(path, tickerSchema))
      .map(({ ticker }) => ticker),
  );
  const settled = new Set(
    folder
      .files('venue_b-settled', /^settled-.*\.csv(\.gz)?$/)
      .flatMap((path) => folder.csv(path, tickerSchema))
      .map(({ ticker }) => ticker),
  );
  const absent = [
    ...(folder.files(SET, /^minute-paths/).length === 0 ? [SET] : []),
    ...(books.size === 0 ? ['venue_b-books'] : []),
    ...(settled.size === 0 ? ['venue_b-settled'] : []),
  ];
  if (absent.length > 0) return [`Farming on venue_b: ${absent.join(', ')} not there, so skipped.`];
  const both = [...books].filter((ticker) => settled.has(ticker)).length;
  return [
    `Farming on venue_b: of ${books.size} markets with books and ${settled.size} with results, ${both} are in both sets, so no row is made of them; the rounds of crypto prices, which the agent leaves alone, are all that is scored.`,
  ];
}
