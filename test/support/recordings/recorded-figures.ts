import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BookSample } from './book-fit.ts';
import type { FeedTick } from './price-fit.ts';

/** Lines of a gzip text file, the empty last one left out. */
export function gzipLines(path: string): readonly string[] {
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Ticks of a settlement recording (`feed_ts_ms,value_e18,…`). */
export function settlementTicks(path: string): readonly FeedTick[] {
  return gzipLines(path)
    .slice(1)
    .map((line) => line.split(','))
    .map(([at, value]) => ({ second: Math.floor(Number(at) / 1000), value: Number(value) / 1e18 }));
}

/** Send time minus value time of each tick of a settlement recording, in ms. */
export function settlementDelays(path: string): readonly number[] {
  return gzipLines(path)
    .slice(1)
    .map((line) => line.split(','))
    .map(([at, , sent]) => Number(sent) - Number(at));
}

/** Closing prices of a candle file by start second. */
export function candleCloses(path: string): ReadonlyMap<number, number> {
  return new Map(
    gzipLines(path)
      .slice(1)
      .map((line) => line.split(','))
      .map((row) => [Number(row[0]), Number(row[4])]),
  );
}

/** Exchange and settlement prices that a recorded session shows side by side. */
export function sessionPairs(
  path: string,
): readonly { readonly exchange: number; readonly settlement: number }[] {
  return (
    gzipLines(path)
      // rows of the recording's own format
      .map(
        (line) => JSON.parse(line) as { type: string; assetPrice?: number; binancePrice?: number },
      )
      .flatMap(({ type, assetPrice, binancePrice }) =>
        type === 'ticker' && assetPrice !== undefined && binancePrice !== undefined
          ? [{ exchange: binancePrice, settlement: assetPrice }]
          : [],
      )
  );
}

/** One sample a second of every recorded book of the first token, rebuilt from the changes. */
export function* bookSamples(folder: string): Generator<BookSample> {
  for (const name of readdirSync(folder).sort()) yield* samplesOf(gzipLines(join(folder, name)));
}

interface ChangeRow {
  readonly t: number;
  readonly a: number;
  readonly k: 's' | 'd';
  readonly b?: readonly (readonly [string, string])[];
  readonly s?: readonly (readonly [string, string])[];
}

function* samplesOf(lines: readonly string[]): Generator<BookSample> {
  const header = JSON.parse(lines[0] ?? '{}') as { end: number }; // first line of a change file
  const bids = new Map<number, number>();
  const asks = new Map<number, number>();
  let lastSecond = -1;
  for (const line of lines.slice(1)) {
    const row = JSON.parse(line) as ChangeRow; // following lines of a change file
    if (row.a !== 0) continue;
    if (row.k === 's') {
      bids.clear();
      asks.clear();
    }
    applyLevels(bids, row.b);
    applyLevels(asks, row.s);
    const second = Math.floor(row.t / 1000);
    const secondsLeft = header.end - second;
    if (second === lastSecond || secondsLeft < 0 || secondsLeft > 300) continue;
    lastSecond = second;
    yield { secondsLeft, bids, asks };
  }
}

function applyLevels(side: Map<number, number>, levels: ChangeRow['b']): void {
  for (const [price, size] of levels ?? []) {
    const cents = Math.round(Number(price) * 1000) / 10;
    if (Number(size) === 0) side.delete(cents);
    else side.set(cents, Number(size));
  }
}
