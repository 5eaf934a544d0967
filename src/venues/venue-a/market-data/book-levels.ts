import type { BookLevel } from '../../../domain/book.ts';
import { UNSTATED } from '../../../domain/book-fold.ts';
import {
  TICKS_PER_USD,
  parseDecimal,
  parseShares,
  priceTicks,
  type PriceTicks,
} from '../../../domain/units.ts';
import type { BookSnapshot } from '../../../ports/venue-books.ts';
import { asId } from '../../../domain/ids.ts';
import type { WireBook } from './market-schema.ts';

/**
 * A level as read from the wire: usable, without meaning (price 0 or 1, size ""), or unreadable.
 */
export type WireLevel = BookLevel | 'empty' | 'unreadable';

/**
 * Reads a level. Zero-price levels and empty sizes have been seen at the venue and are dropped by
 * the caller (survival.md, zero-price-level).
 */
export function readLevel(priceText: string, sizeText: string): WireLevel {
  const price = parseDecimal(priceText, 4);
  if (price === null || price > TICKS_PER_USD) return 'unreadable';
  if (price === 0 || price === TICKS_PER_USD || sizeText === '') return 'empty';
  const size = parseShares(sizeText);
  return size === null ? 'unreadable' : { price: priceTicks(price), size };
}

/**
 * Reads a stated best price: ticks, 0 for a side without orders ("", "0" or "1"), `UNSTATED` when
 * absent, null when unreadable.
 */
export function readBestPrice(text: string | undefined): number | null {
  if (text === undefined) return UNSTATED;
  if (text === '') return 0;
  const price = parseDecimal(text, 4);
  if (price === null || price > TICKS_PER_USD) return null;
  return price === TICKS_PER_USD ? 0 : price;
}

/** Reads a tick size such as "0.01"; null for any other text. */
export function readTickSize(text: string): PriceTicks | null {
  const ticks = parseDecimal(text, 4);
  return ticks === null || ticks < 1 || ticks >= TICKS_PER_USD ? null : priceTicks(ticks);
}

/**
 * A snapshot and how many levels without meaning it held; null when a level or the tick is
 * unreadable.
 */
export function readBook(
  wire: WireBook,
): { readonly snapshot: BookSnapshot; readonly dropped: number } | null {
  const bids = readLevels(wire.bids);
  const asks = readLevels(wire.asks);
  const tickSize = wire.tick_size === undefined ? null : readTickSize(wire.tick_size);
  if (bids === null || asks === null || (wire.tick_size !== undefined && tickSize === null))
    return null;
  return {
    snapshot: {
      tokenId: asId(wire.asset_id),
      marketId: asId(wire.market),
      bids: bids.levels,
      asks: asks.levels,
      venueAtMs: wire.timestamp,
      tickSize,
    },
    dropped: bids.dropped + asks.dropped,
  };
}

function readLevels(
  rows: readonly { readonly price: string; readonly size: string }[],
): { readonly levels: readonly BookLevel[]; readonly dropped: number } | null {
  const levels: BookLevel[] = [];
  let dropped = 0;
  for (const row of rows) {
    const level = readLevel(row.price, row.size);
    if (level === 'unreadable') return null;
    if (level === 'empty') dropped += 1;
    else levels.push(level);
  }
  return { levels, dropped };
}
