import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { BookLevel } from '../../domain/book.ts';
import { AppError } from '../../domain/errors.ts';
import type { TokenId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import { TICKS_PER_USD, parseDecimal, priceTicks, shareMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { BookSnapshot, BookSource } from '../../ports/venue-books.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { checked } from '../checked.ts';
import { countUnreadable, createWholeBooks, type TokenPlace } from '../whole-books.ts';
import { createBookLine } from './book-line.ts';
import type { VenueClient } from './client.ts';
import { VENUE_B_ID } from './id.ts';
import type { Listing } from './listing.ts';
import { bookSchema, type WireBook, type WireBookFrame } from './schema.ts';

/** The venue's books. */
export interface VenueBBooks extends BookSource {
  /** A book as it is now, whatever the socket has published. Errors: as `snapshot`. */
  read(tokenId: TokenId): Promise<BookSnapshot | null>;
}

/**
 * Makes the venue's book source (venue_b.md section 12). Where books are numbered, one from before
 * the newest is not taken.
 */
export function createBookSource(
  parts: Pick<Runtime, 'clock' | 'metrics'> & {
    /** The address of the metadata socket. */
    readonly url: string;
    /** Null where none is asked for. */
    readonly apiKey: string | null;
    readonly client: VenueClient;
    readonly listing: Listing;
    readonly openSocket: Transport['openSocket'];
  },
): VenueBBooks {
  const counted = { venue: VENUE_B_ID, metrics: parts.metrics };
  const numbers = new WeakMap<BookSnapshot, number>();
  const find = (tokenId: TokenId) => placeOf(parts.listing, tokenId);
  const read = async (tokenId: TokenId): Promise<BookSnapshot | null> => {
    const askedAtMs = parts.clock.nowMs();
    const place = await find(tokenId);
    if (place === null) return null;
    const value = await parts.client.read({
      family: 'metadata',
      path: `/orderbook/${encodeURIComponent(place.marketId)}`,
    });
    if (value === null) return null;
    const wire = checked(bookSchema, value, `the book of ${place.marketId}`);
    const snapshot = snapshotOf(wire, place, tokenId, askedAtMs);
    if (snapshot === null)
      throw new AppError('venue_protocol', `the book of ${place.marketId} has a strange level`);
    if (typeof wire.sequence === 'number') numbers.set(snapshot, wire.sequence);
    return snapshot;
  };
  const books = createWholeBooks<WireBookFrame>({
    ...counted,
    clock: parts.clock,
    line: createBookLine({ ...parts, dropped: () => countUnreadable(counted) }),
    placeOf: (tokenId) => parts.listing.placeOf(tokenId),
    find,
    read,
    snapshotOf,
    numberOf: (of) => ('channel' in of ? (of.sequence ?? null) : (numbers.get(of) ?? null)),
    socketTrailsMs: VENUE_B.socketTrailsMs,
  });
  return { ...books, read };
}

async function placeOf(listing: Listing, tokenId: TokenId): Promise<TokenPlace | null> {
  const known = listing.placeOf(tokenId);
  if (known !== null) return known;
  await listing.ofToken(tokenId);
  return listing.placeOf(tokenId);
}

/**
 * Returns one token's book: its bids as stated, its asks as what is left of a dollar beside the
 * other's bids; null for an unreadable level.
 */
function snapshotOf(
  { yes_bids: yes, no_bids: no }: Pick<WireBook, 'yes_bids' | 'no_bids'>,
  { marketId, tokens }: TokenPlace,
  tokenId: TokenId,
  venueAtMs: number,
): BookSnapshot | null {
  const outcome: OutcomeIndex = tokens[0] === tokenId ? 0 : 1;
  const bids = levelsOf(outcome === 0 ? yes : no, (ticks) => ticks);
  const asks = levelsOf(outcome === 0 ? no : yes, (ticks) => TICKS_PER_USD - ticks);
  return bids === null || asks === null
    ? null
    : { tokenId, marketId, bids, asks, venueAtMs, tickSize: null };
}

/** A size is kept in micros of a contract. */
const SIZE_DECIMALS = 6;

/** Sizes are read digit by digit: hundredths times a million are no whole number in floats. */
function levelsOf(
  side: Readonly<Record<string, number | string>>,
  priced: (ticks: number) => number,
): readonly BookLevel[] | null {
  const levels: BookLevel[] = [];
  for (const [text, contracts] of Object.entries(side)) {
    const ticks = parseDecimal(text, 4);
    const size = parseDecimal(String(contracts), SIZE_DECIMALS);
    if (ticks === null || ticks > TICKS_PER_USD || size === null) return null;
    // A price of zero or of a whole dollar does not trade.
    if (size === 0 || ticks === 0 || ticks === TICKS_PER_USD) continue;
    levels.push({ price: priceTicks(priced(ticks)), size: shareMicros(size) });
  }
  return levels;
}
