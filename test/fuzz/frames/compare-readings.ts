import { isDeepStrictEqual } from 'node:util';
import { readBestPrice, readLevel } from '../../../src/venues/venue-a/market-data/book-levels.ts';
import {
  CHANGES_MAXIMUM,
  ChangeBatch,
} from '../../../src/venues/venue-a/market-data/change-batch.ts';
import { marketEventSchema } from '../../../src/venues/venue-a/market-data/market-schema.ts';
import { PriceChangeScanner } from '../../../src/venues/venue-a/market-data/price-change-scanner.ts';
import { createTokenTable } from '../../../src/venues/venue-a/market-data/token-table.ts';
import { BookFold } from '../../../src/domain/book-fold.ts';
import { asId } from '../../../src/domain/ids.ts';
import { WATCHED } from './frame-source.ts';

/** What a frame says: when, and which levels became what. */
interface Reading {
  readonly venueAtMs: number;
  readonly rows: ReturnType<ChangeBatch['rows']>;
}

/**
 * How two readings of one frame compare; `left`: the scanner leaves to the complete reading what
 * that can read.
 */
export type Verdict = 'same' | 'refused' | 'left' | 'differs';

/** Reads frames by the scanner and by JSON.parse with the schema behind it. */
export interface Readers {
  /** Null where the scanner refuses. */
  scanned(frame: Buffer): Reading | null;
  /** Null for what is no readable `price_change`. */
  parsed(frame: Buffer): Reading | null;
  verdictOn(frame: Buffer): Verdict;
}

/** Makes both readers over the watched tokens. */
export function createReaders(): Readers {
  const batch = new ChangeBatch();
  const scanner = new PriceChangeScanner(
    createTokenTable(WATCHED.map((token) => new BookFold(asId(token)))),
    batch,
  );
  const watched = new Set<string>(WATCHED);

  const scanned = (frame: Buffer): Reading | null =>
    scanner.scan(frame) ? { venueAtMs: batch.venueAtMs, rows: batch.rows() } : null;

  function parsed(frame: Buffer): Reading | null {
    const value = jsonOf(frame);
    if (!isPriceChange(value)) return null;
    const event = marketEventSchema.safeParse(value);
    if (
      !event.success ||
      event.data.event_type !== 'price_change' ||
      event.data.price_changes.length > CHANGES_MAXIMUM
    )
      return null;
    const rows: Reading['rows'][number][] = [];
    for (const change of event.data.price_changes) {
      const level = readLevel(change.price, change.size);
      const bid = readBestPrice(change.best_bid);
      const ask = readBestPrice(change.best_ask);
      if (level === 'unreadable' || bid === null || ask === null) return null;
      if (level !== 'empty')
        rows.push({
          tokenId: watched.has(change.asset_id) ? change.asset_id : null,
          isBid: change.side === 'BUY',
          price: level.price,
          size: level.size,
          bid,
          ask,
        });
    }
    return { venueAtMs: event.data.timestamp, rows };
  }

  return {
    scanned,
    parsed,
    verdictOn(frame) {
      const one = scanned(frame);
      const other = parsed(frame);
      if (one === null) return other === null ? 'refused' : 'left';
      return isDeepStrictEqual(one, other) ? 'same' : 'differs';
    },
  };
}

/** The schema of all events is asked only about frames that could pass it. */
function isPriceChange(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'event_type' in value &&
    value.event_type === 'price_change'
  );
}

function jsonOf(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    return undefined;
  }
}
