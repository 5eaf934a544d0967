import { z } from 'zod';
import { doubtBooks } from '../../../domain/book-doubt.ts';
import type { BookFold } from '../../../domain/book-fold.ts';
import { asId } from '../../../domain/ids.ts';
import { parsePrice, parseShares } from '../../../domain/units.ts';
import type { BookChange } from '../../../ports/venue-books.ts';
import { readBestPrice, readBook, readLevel, readTickSize } from './book-levels.ts';
import { CHANGES_MAXIMUM, ChangeBatch } from './change-batch.ts';
import {
  IGNORED_EVENTS,
  marketEventSchema,
  type WireBook,
  type WireMarketEvent,
} from './market-schema.ts';
import { PriceChangeScanner } from './price-change-scanner.ts';
import { createTokenTable, type TokenTable } from './token-table.ts';

/** Why something of a frame was not used. */
export type DropReason = 'not_json' | 'unknown_event' | 'schema' | 'empty_level' | 'stale_snapshot';

/** Who hears what the frames say. */
export interface MarketFrameReaders {
  changed(change: BookChange): void;
  dropped(reason: DropReason, count: number): void;
  /** Reports whether a whole book is not what it was sent as; absent: none is. */
  isDamaged?(wire: WireBook): boolean;
}

/** Reads frames of the market channel into the books of the watched tokens. */
export interface MarketFrames {
  readonly table: TokenTable;
  /** Takes one frame in. Never throws on what the frame holds. */
  take(frame: Buffer, receivedAtMs: number): void;
}

const taggedSchema = z.object({ event_type: z.string() });
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;

/**
 * Makes a reader of market frames over these books. `price_change` frames of the usual dialect are
 * scanned from their bytes; everything else is parsed as JSON and checked by schema. A frame that
 * was meant as an event and cannot be read puts every book of the socket in doubt, since it may
 * have been theirs.
 */
export function createMarketFrames(
  books: readonly BookFold[],
  readers: MarketFrameReaders,
): MarketFrames {
  const table = createTokenTable(books);
  const batch = new ChangeBatch();
  const scanner = new PriceChangeScanner(table, batch);
  const changed = (book: BookFold): void => readers.changed(book);

  const doubtAll = (reason: DropReason): void => {
    readers.dropped(reason, 1);
    doubtBooks(
      table.tokens.map(({ book }) => book),
      changed,
    );
  };
  const takeEvent = (value: unknown, receivedAtMs: number): void => {
    const tagged = taggedSchema.safeParse(value);
    if (!tagged.success) return doubtAll('schema');
    if (IGNORED_EVENTS.has(tagged.data.event_type)) return;
    if (!isKnown(tagged.data.event_type)) return readers.dropped('unknown_event', 1);
    const event = marketEventSchema.safeParse(value);
    if (!event.success || !applyEvent(event.data, { table, batch, readers, changed, receivedAtMs }))
      doubtAll('schema');
  };

  return {
    table,
    take(frame, receivedAtMs) {
      if (scanner.scan(frame)) {
        batch.apply(receivedAtMs, changed);
        return;
      }
      const value = jsonOf(frame);
      if (value === undefined) {
        // Words such as "NO NEW ASSETS" are answers, not events: nothing was lost with them.
        if (frame[0] === OPENING_BRACE || frame[0] === OPENING_BRACKET) doubtAll('not_json');
        else readers.dropped('not_json', 1);
        return;
      }
      if (Array.isArray(value)) for (const part of value) takeEvent(part, receivedAtMs);
      else takeEvent(value, receivedAtMs);
    },
  };
}

interface Applying {
  readonly table: TokenTable;
  readonly batch: ChangeBatch;
  readonly readers: MarketFrameReaders;
  readonly changed: (book: BookFold) => void;
  readonly receivedAtMs: number;
}

/** False when a value inside the event is unreadable; the books are then as they were. */
function applyEvent(event: WireMarketEvent, applying: Applying): boolean {
  switch (event.event_type) {
    case 'price_change':
      return applyPriceChange(event, applying);
    case 'book':
      return applyBook(event, applying);
    case 'tick_size_change':
      return applyTickSize(event, applying);
    case 'last_trade_price': {
      const price = parsePrice(event.price);
      const shares = parseShares(event.size);
      if (price === null || shares === null) return false;
      applying.readers.changed({
        kind: 'trade',
        tokenId: asId(event.asset_id),
        price,
        shares,
        venueAtMs: event.timestamp,
      });
      return true;
    }
    case 'market_resolved':
      // Arrives for every market of the venue (venue_a.md section 9.2).
      if (event.assets_ids.some((tokenId) => applying.table.byId(tokenId) !== null)) {
        const winner = event.winning_asset_id ?? '';
        applying.readers.changed({
          kind: 'resolved',
          marketId: asId(event.market),
          winner: winner === '' ? null : asId(winner),
          venueAtMs: event.timestamp,
        });
      }
      return true;
  }
}

function applyPriceChange(
  event: Extract<WireMarketEvent, { event_type: 'price_change' }>,
  applying: Applying,
): boolean {
  const { batch, table, readers } = applying;
  if (event.price_changes.length > CHANGES_MAXIMUM) return false;
  batch.clear();
  batch.venueAtMs = event.timestamp;
  let empty = 0;
  for (const change of event.price_changes) {
    const level = readLevel(change.price, change.size);
    const bid = readBestPrice(change.best_bid);
    const ask = readBestPrice(change.best_ask);
    if (level === 'unreadable' || bid === null || ask === null) return false;
    if (level === 'empty') empty += 1;
    else
      batch.add(table.byId(change.asset_id), {
        isBid: change.side === 'BUY',
        price: level.price,
        size: level.size,
        bid,
        ask,
      });
  }
  if (empty > 0) readers.dropped('empty_level', empty);
  batch.apply(applying.receivedAtMs, applying.changed);
  return true;
}

function applyBook(
  event: Extract<WireMarketEvent, { event_type: 'book' }>,
  applying: Applying,
): boolean {
  const token = applying.table.byId(event.asset_id);
  if (token === null) return true;
  const read = readBook(event);
  if (read === null) return false;
  if (read.dropped > 0) applying.readers.dropped('empty_level', read.dropped);
  if (!token.book.replace(read.snapshot, applying.receivedAtMs)) {
    applying.readers.dropped('stale_snapshot', 1);
    return true;
  }
  if (applying.readers.isDamaged?.(event) === true) token.book.doubt('gap');
  applying.readers.changed(token.book);
  return true;
}

function applyTickSize(
  event: Extract<WireMarketEvent, { event_type: 'tick_size_change' }>,
  applying: Applying,
): boolean {
  const tickSize = readTickSize(event.new_tick_size);
  if (tickSize === null) return false;
  const token = applying.table.byId(event.asset_id);
  if (token === null) return true;
  token.book.doubt('tick_changed');
  applying.readers.changed({ kind: 'tick_size', tokenId: token.book.tokenId, tickSize });
  applying.readers.changed(token.book);
  return true;
}

function isKnown(eventType: string): boolean {
  return marketEventSchema.options.some((option) => option.shape.event_type.value === eventType);
}

/** The parsed frame; undefined when it is no JSON, which JSON itself cannot say. */
function jsonOf(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    return undefined;
  }
}
