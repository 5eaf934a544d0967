import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { doubtBooks } from '../../domain/book-doubt.ts';
import { BookFold } from '../../domain/book-fold.ts';
import { haveSameLevels } from '../../domain/book-trust.ts';
import type { BookLevel } from '../../domain/book.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import { TICKS_PER_USD, parseDecimal, priceTicks, shareMicros } from '../../domain/units.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { BookChange, BookSnapshot, BookSource, BookWatch } from '../../ports/venue-books.ts';
import { createLongest, type Longest } from '../../adapters/wire/longest.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { createBookLine, type BookLine } from './book-line.ts';
import type { VenueClient } from './client.ts';
import { VENUE_B_ID } from './id.ts';
import { checked, type Listing, type TokenPlace } from './listing.ts';
import { bookSchema, type WireBook, type WireBookFrame } from './schema.ts';

export interface BookSourceParts {
  /** The address of the metadata socket. */
  readonly url: string;
  /** Null where none is asked for. */
  readonly apiKey: string | null;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly client: VenueClient;
  readonly listing: Listing;
  readonly openSocket: Transport['openSocket'];
}

/** The venue's books. */
export interface VenueBBooks extends BookSource {
  /** A book as it is now, whatever the socket has published. Errors: as `snapshot`. */
  read(tokenId: TokenId): Promise<BookSnapshot | null>;
}

/**
 * Makes the venue's book source: one socket for all watches, on which whole books come (venue_b.md
 * section 12), both tokens' from the same frame. The venue stamps no times: a book is as old as the
 * question for it, a frame as its arrival. Where books are numbered, one from before the newest is
 * not taken, and one that cannot be read puts the books it may be of in doubt. The socket's loss is
 * an error of each watch.
 */
export function createBookSource(parts: BookSourceParts): VenueBBooks {
  const line = createBookLine({ ...parts, dropped: () => dropped(parts, 'schema') });
  const numbers = new WeakMap<BookSnapshot, number>();
  const watched = new Set<BookFold>();
  const read = async (tokenId: TokenId): Promise<BookSnapshot | null> => {
    const askedAtMs = parts.clock.nowMs();
    const place = await placeOf(parts.listing, tokenId);
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
  const applying = createLongest((seconds) =>
    parts.metrics.observe('frame_apply_seconds', seconds, { venue: VENUE_B_ID }),
  );
  return {
    read,
    async snapshot(tokenId) {
      const asked = await read(tokenId);
      const isNews = [...watched].some((fold) => fold.tokenId === tokenId && differs(fold, asked));
      if (isNews) await trailing(parts.clock);
      return asked;
    },
    watch: (tokenIds, listener) =>
      watchBooks({ ...parts, line, applying, tokenIds, listener, read, numbers, watched }),
  };
}

/** Reports whether a book that was asked for shows what the socket has not published. */
function differs(fold: BookFold, asked: BookSnapshot | null): boolean {
  return fold.fault === null && asked !== null && !haveSameLevels(fold.view(), asked);
}

/**
 * The socket trails what is asked for: what it has still not published after this it will not
 * publish.
 */
function trailing(clock: Clock): Promise<void> {
  return new Promise(
    (resolve) => void clock.after(inWallTime(clock, VENUE_B.socketTrailsMs), resolve),
  );
}

interface Watching extends BookSourceParts {
  readonly line: BookLine;
  readonly applying: Longest;
  readonly tokenIds: readonly TokenId[];
  readonly listener: Listener<BookChange>;
  readonly read: BookSource['snapshot'];
  /** The venue's number of a book that was asked for, where it has one. */
  readonly numbers: WeakMap<BookSnapshot, number>;
  /** Books that are followed. */
  readonly watched: Set<BookFold>;
}

function watchBooks(parts: Watching): BookWatch {
  const { clock, listener, listing, numbers } = parts;
  const folds = new Map([...new Set(parts.tokenIds)].map((id) => [id, new BookFold(id)]));
  const newest = new Map<MarketId, number>();
  for (const fold of folds.values()) parts.watched.add(fold);
  const life = { isOver: false };

  /** A number below the newest tells of a book that has gone by. */
  function isOld(marketId: MarketId, number: number | null | undefined): boolean {
    if (typeof number !== 'number') return false;
    const known = newest.get(marketId) ?? -1;
    newest.set(marketId, Math.max(known, number));
    return number < known;
  }

  function take(frame: WireBookFrame): void {
    const begunMs = parts.applying.begun();
    apply(frame);
    parts.applying.ended(begunMs);
  }

  function apply(frame: WireBookFrame): void {
    const nowMs = clock.nowMs();
    const changed = [...folds.values()].filter((fold) => {
      const place = listing.placeOf(fold.tokenId);
      return place?.marketId === frame.market_ticker;
    });
    const [first] = changed;
    const place = first === undefined ? null : listing.placeOf(first.tokenId);
    if (place === null || isOld(place.marketId, frame.sequence)) return;
    for (const fold of changed) {
      const snapshot = snapshotOf(frame, place, fold.tokenId, nowMs);
      if (snapshot === null) {
        dropped(parts, 'schema');
        return doubtBooks(changed, (book) => listener.next(book));
      }
      fold.replace(snapshot, nowMs);
    }
    for (const fold of changed) listener.next(fold);
  }

  function replace(fetched: BookSnapshot): boolean {
    const fold = folds.get(fetched.tokenId);
    if (fold === undefined || isOld(fetched.marketId, numbers.get(fetched))) return false;
    if (!fold.replaceFetched(fetched, clock.nowMs())) return false;
    listener.next(fold);
    return true;
  }

  async function readFirst(): Promise<void> {
    for (const fold of folds.values()) {
      const snapshot = await parts.read(fold.tokenId).catch(() => null);
      if (snapshot !== null && !life.isOver && fold.fault === 'no_snapshot') replace(snapshot);
    }
  }

  let leave = (): void => undefined;
  marketsOf(parts).then(
    (tickers) => {
      if (life.isOver) return;
      leave = parts.line.follow({
        tickers,
        take,
        refused: (ticker) =>
          doubtBooks(
            [...folds.values()].filter(
              ({ tokenId }) => ticker === null || listing.placeOf(tokenId)?.marketId === ticker,
            ),
            (book) => listener.next(book),
          ),
        opened: () => void readFirst(),
        lost: (cause) => listener.error(cause),
      });
    },
    (cause: unknown) => {
      if (!life.isOver) listener.error(cause);
    },
  );
  return {
    book: (tokenId) => folds.get(tokenId) ?? null,
    replace,
    stop() {
      life.isOver = true;
      for (const fold of folds.values()) parts.watched.delete(fold);
      leave();
    },
  };
}

/** The markets of some tokens. Errors: `venue_unavailable` where they cannot be found. */
async function marketsOf({ listing, tokenIds }: Watching): Promise<readonly MarketId[]> {
  try {
    const places = await Promise.all(tokenIds.map((tokenId) => placeOf(listing, tokenId)));
    return [...new Set(places.flatMap((place) => place?.marketId ?? []))];
  } catch (cause) {
    throw new AppError('venue_unavailable', 'the markets of some tokens were not found', {
      retryable: true,
      cause,
    });
  }
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

function dropped({ metrics }: BookSourceParts, reason: string): void {
  metrics.count('venue_dropped_total', { venue: VENUE_B_ID, channel: 'market', reason });
}
