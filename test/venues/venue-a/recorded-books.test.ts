import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  createMarketFrames,
  type DropReason,
} from '../../../src/venues/venue-a/market-data/market-frames.ts';
import { BookFold } from '../../../src/domain/book-fold.ts';
import { asId } from '../../../src/domain/ids.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

const folder = sharedData('data/venue_a-btc5m-books');

interface RecordedBook {
  readonly asset_id: string;
  readonly market: string;
  readonly timestamp: string;
  readonly bids: readonly { readonly price: string; readonly size: string }[];
  readonly asks: readonly { readonly price: string; readonly size: string }[];
}

const lines = (path: string): unknown[] =>
  gunzipSync(readFileSync(path))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
const rounded = (text: string, scale: number): number => Math.round(Number(text) * scale);
/**
 * The recorded levels best first, read with floats on purpose: another way than the one under test.
 */
const expected = (rows: RecordedBook['bids'], direction: 1 | -1) =>
  rows
    .map(({ price, size }) => ({ price: rounded(price, 1e4), size: rounded(size, 1e6) }))
    .sort((a, b) => direction * (a.price - b.price));

function reader(tokens: readonly string[]) {
  const books = new Map(tokens.map((token) => [token, new BookFold(asId(token))]));
  const drops: DropReason[] = [];
  const frames = createMarketFrames([...books.values()], {
    changed: () => undefined,
    dropped: (reason) => drops.push(reason),
  });
  return {
    books,
    drops,
    take: (message: unknown, atMs: number) =>
      frames.take(Buffer.from(JSON.stringify(message)), atMs),
  };
}

/** Expects two books to be equal; the matcher, which costs most of the run, sees only others. */
function same(actual: readonly unknown[], wanted: readonly unknown[]): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toEqual(wanted);
}

describe.runIf(folder !== null)('recorded books', () => {
  const raw = join(folder ?? '', 'raw');

  it.each(folder === null ? [] : readdirSync(raw))(
    'every frame of %s folds into a book equal to the recorded one',
    (file) => {
      const records = lines(join(raw, file)) as { recv_ms: number; msg: RecordedBook }[];
      const { books, drops, take } = reader([...new Set(records.map(({ msg }) => msg.asset_id))]);
      for (const { recv_ms: receivedAtMs, msg } of records) {
        take(msg, receivedAtMs);
        const view = books.get(msg.asset_id)?.view();
        same(
          [view?.bids, view?.asks, view?.venueAtMs, view?.distrust],
          [expected(msg.bids, -1), expected(msg.asks, 1), Number(msg.timestamp), null],
        );
      }
      expect(drops).toEqual([]);
    },
  );

  it.each(folder === null ? [] : readdirSync(raw))(
    'the level changes of %s, sent as price changes, fold into the same books',
    (file) => {
      const records = lines(join(raw, file)) as { recv_ms: number; msg: RecordedBook }[];
      const [header, ...changes] = lines(join(folder ?? '', 'changes', file)) as [
        { market: string; assets: string[] },
        ...{
          t: number;
          r: number;
          a: number;
          k: 's' | 'd';
          b?: [string, string][];
          s?: [string, string][];
        }[],
      ];
      const { books, drops, take } = reader(header.assets);
      const levels = (rows: [string, string][] = []) =>
        rows.map(([price, size]) => ({ price, size }));
      changes.forEach(({ t, r, a, k, b, s }, index) => {
        const recorded = records[index]?.msg;
        const token = header.assets[a] ?? '';
        const stated = {
          best_bid: recorded?.bids.at(-1)?.price ?? '',
          best_ask: recorded?.asks.at(-1)?.price ?? '',
        };
        const rows = [
          ...levels(b).map((level) => ({ ...level, side: 'BUY' })),
          ...levels(s).map((level) => ({ ...level, side: 'SELL' })),
        ];
        if (k === 's')
          take(
            {
              event_type: 'book',
              market: header.market,
              asset_id: token,
              timestamp: String(t),
              bids: levels(b),
              asks: levels(s),
            },
            r,
          );
        else
          take(
            {
              market: header.market,
              price_changes: rows.map((row) => ({ asset_id: token, ...row, ...stated })),
              timestamp: String(t),
              event_type: 'price_change',
            },
            r,
          );
        const view = books.get(token)?.view();
        same(
          [view?.bids, view?.asks, view?.distrust],
          [expected(recorded?.bids ?? [], -1), expected(recorded?.asks ?? [], 1), null],
        );
      });
      expect([changes.length, drops]).toEqual([records.length, []]);
    },
  );
});
