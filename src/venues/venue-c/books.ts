import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import type { BookLevel } from '../../domain/book.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketId, TokenId } from '../../domain/ids.ts';
import { TICKS_PER_USD, parseDecimal, priceTicks, shareMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { BookSnapshot, BookSource } from '../../ports/venue-books.ts';
import { checked } from '../checked.ts';
import { countUnreadable, createWholeBooks, type TokenPlace } from '../whole-books.ts';
import { createBookLine } from './book-line.ts';
import type { VenueClient } from './client.ts';
import { VENUE_C_ID } from './id.ts';
import type { Listing, PlacedToken } from './listing.ts';
import { withPools, type PoolFrame } from './pool/book-line.ts';
import type { PoolBooks, PoolMarket } from './pool/books.ts';
import { bookSchema, type WireBook } from './schema.ts';

/** The venue's books. */
export interface VenueCBooks extends BookSource {
  /** A book as it is now, whatever the socket has published. Errors: as `snapshot`. */
  read(tokenId: TokenId): Promise<BookSnapshot | null>;
}

/**
 * Makes the venue's book source (venue_c.md sections 7.2 and 12): books are quoted in YES, and that
 * of NO mirrors it; the curve of a pool is read as the books of both.
 */
export function createBookSource(
  parts: Pick<Runtime, 'clock' | 'metrics'> & {
    /** The address of the venue's sockets. */
    readonly url: string;
    readonly wallClock: Clock;
    readonly client: VenueClient;
    readonly listing: Listing;
    readonly openSocket: Transport['openSocket'];
    readonly pools: PoolBooks;
  },
): VenueCBooks {
  const { clock, client, listing, pools } = parts;
  const counted = { venue: VENUE_C_ID, metrics: parts.metrics };
  /** Pools whose tokens were asked about. */
  const known = new BoundedMap<MarketId, PoolMarket>(VENUE_C.marketsFollowedMaximum);
  const find = async (tokenId: TokenId): Promise<PlacedToken | null> => {
    if (listing.placeOf(tokenId) === null) await listing.ofToken(tokenId);
    const place = listing.placeOf(tokenId);
    const pool = place && poolAt(place);
    if (pool !== null) known.set(pool.marketId, pool);
    return place;
  };
  const read = async (tokenId: TokenId): Promise<BookSnapshot | null> => {
    const askedAtMs = clock.nowMs();
    const place = await find(tokenId);
    if (place === null) return null;
    const pool = poolAt(place);
    const { marketId } = place;
    if (pool !== null) {
      const [pair, listed] = await Promise.all([pools.read(pool), listing.market(marketId)]);
      // The contract knows of no end: it would be read, and trade, after it as before.
      return listed?.market.closed === false ? (pair?.[place.outcome] ?? null) : null;
    }
    const value = await client.read({
      path: `/markets/${encodeURIComponent(marketId)}/orderbook`,
    });
    if (value === null) return null;
    const wire = checked(bookSchema, value, `the book of ${marketId}`);
    // A market that is over keeps an empty book.
    const isEmpty = wire.bids.length === 0 && wire.asks.length === 0;
    if (isEmpty && (await listing.market(marketId))?.market.closed !== false) return null;
    const snapshot = snapshotOf(wire, place, tokenId, askedAtMs);
    if (snapshot !== null) return snapshot;
    throw new AppError('venue_protocol', `the book of ${marketId} has a strange level`);
  };
  const socket = createBookLine({ ...parts, dropped: () => countUnreadable(counted) });
  const books = createWholeBooks<PoolFrame<WireBook>>({
    ...counted,
    clock,
    line: withPools(socket, {
      books: pools,
      poolOf: (marketId) => known.get(marketId) ?? null,
      isClosed: async (marketId) => (await listing.market(marketId))?.market.closed === true,
      clock,
    }),
    placeOf: (tokenId) => listing.placeOf(tokenId),
    find,
    read,
    snapshotOf: (frame, place, tokenId, atMs) =>
      frame.kind === 'read'
        ? frame.pair[place.outcome]
        : snapshotOf(frame.book, place, tokenId, atMs),
    socketTrailsMs: VENUE_C.socketTrailsMs,
  });
  return { ...books, read };
}

function poolAt({ pool, marketId, tokens }: PlacedToken): PoolMarket | null {
  return pool === null ? null : { marketId, tokens, address: pool };
}

/** Returns one token's book; null for an unreadable level. */
function snapshotOf(
  { bids, asks }: WireBook,
  { marketId, tokens }: TokenPlace,
  tokenId: TokenId,
  venueAtMs: number,
): BookSnapshot | null {
  const isYes = tokens[0] === tokenId;
  const [bought, sold] = isYes
    ? [levelsOf(bids, asIs), levelsOf(asks, asIs)]
    : [levelsOf(asks, mirrored), levelsOf(bids, mirrored)];
  return bought === null || sold === null
    ? null
    : { tokenId, marketId, bids: bought, asks: sold, venueAtMs, tickSize: null };
}

function asIs(ticks: number): number {
  return ticks;
}

function mirrored(ticks: number): number {
  return TICKS_PER_USD - ticks;
}

/** One level a price, whatever the order the venue lists them in. */
function levelsOf(
  side: WireBook['bids'],
  priced: (ticks: number) => number,
): readonly BookLevel[] | null {
  const sizes = new Map<number, number>();
  for (const { price, size } of side) {
    // numbers are decimals that went through floats
    const ticks = parseDecimal(typeof price === 'number' ? price.toFixed(6) : price, 4);
    const micros = parseDecimal(String(size), 0);
    if (ticks === null || ticks > TICKS_PER_USD || micros === null) return null;
    // A price of zero or of a whole dollar does not trade.
    if (micros === 0 || ticks === 0 || ticks === TICKS_PER_USD) continue;
    sizes.set(ticks, (sizes.get(ticks) ?? 0) + micros);
  }
  return [...sizes].map(([ticks, micros]) => ({
    price: priceTicks(priced(ticks)),
    size: shareMicros(micros),
  }));
}
