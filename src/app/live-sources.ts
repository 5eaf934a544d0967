import { ADMISSION } from '../../config/limits/admission.ts';
import { LOOKUPS } from '../../config/limits/lookups.ts';
import { API } from '../../config/limits/api.ts';
import type { BookView } from '../domain/book.ts';
import { BookFold } from '../domain/book-fold.ts';
import { AppError } from '../domain/errors.ts';
import { asId, type Asset, type MarketId, type TokenId, type VenueId } from '../domain/ids.ts';
import type { Market, MarketEnd } from '../domain/market.ts';
import { CERTAIN_E5 } from '../domain/market-listing.ts';
import type { BookId } from '../http/live/protocol.ts';
import type { LiveMarketPrice, LivePrice, LiveSources, LiveWatch } from '../http/live/sources.ts';
import type { StreamNumbers } from '../http/live/stream-numbers.ts';
import type { BookLookup, VenueBrowsing } from '../http/services.ts';
import type { VenueApi } from '../http/venue-api.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Clock } from '../ports/clock.ts';
import type { MarketTime } from '../ports/market-time.ts';
import type { CandleSource } from '../ports/candles.ts';
import type { BookSource } from '../ports/venue-books.ts';
import type { Lookups } from '../services/lookups.ts';
import { createMarkets } from '../services/markets.ts';
import { middleE5 } from '../services/listing-prices.ts';
import type { Core } from './core.ts';
import type { VenueStreams } from './venue-streams.ts';

/** What sockets follow. */
interface FollowedCore {
  at(venue: VenueId): FollowedVenue;
  readonly exchange: Pick<Core['exchange'], 'price'>;
}

interface FollowedVenue {
  readonly markets: Pick<VenueStreams['markets'], 'held' | 'heldOfToken' | 'browsed' | 'ofToken'>;
  readonly books: Pick<VenueStreams['books'], 'watch' | 'view' | 'endOf'>;
  readonly browsing: Lookups;
}

/** Joins the sockets' topics with the streams. */
export function createLiveSources({
  core,
  venues,
  bus,
  clock,
  marketTime,
  numbers,
}: Pick<Runtime, 'bus' | 'clock'> & {
  readonly core: FollowedCore;
  /** How each venue names its books. */
  readonly venues: readonly Pick<VenueApi, 'venue' | 'ids'>[];
  readonly marketTime: MarketTime;
  readonly numbers: StreamNumbers;
}): LiveSources {
  const books = (venue: VenueId) =>
    venues.find((each) => each.venue === venue)?.ids.book === 'market'
      ? BOOKS_OF_MARKETS
      : BOOKS_OF_TOKENS;
  return {
    bus,
    marketTime,
    numbers,
    nowMs: () => clock.nowMs(),
    knowsBook: (bookId, venue) => books(venue).held(core.at(venue).markets, bookId) !== null,
    endOf(bookId, venue) {
      const { markets, books: followed } = core.at(venue);
      return endOfMarket(followed, books(venue).held(markets, bookId));
    },
    async findBook(userId, bookId, venue) {
      const { markets, browsing } = core.at(venue);
      const { what, held, find } = books(venue);
      if (held(markets, bookId) !== null) return true;
      const found = await browsing.ask(
        {
          userId,
          // a name of its own: under that of a listing the answer would be a listing, which no book
          // is opened by
          name: `book of ${what} ${bookId}`,
          waitMaximumMs: LOOKUPS.topicWaitMaximumMs,
          // what was found is in memory, and asked for again once it is not
          keptMs: 0,
        },
        () => find(markets, bookId),
      );
      return found !== null;
    },
    watchBook(bookId, venue, onChange) {
      const { markets, books: followed } = core.at(venue);
      const { held, tokenOf } = books(venue);
      const market = held(markets, bookId);
      if (market === null) return null;
      return watchBook(followed, clock, { market, tokenId: tokenOf(market, bookId), onChange });
    },
    watchMarketPrice(bookId, venue, onChange) {
      const { markets, books: followed } = core.at(venue);
      const { held, tokenOf } = books(venue);
      const market = held(markets, bookId);
      if (market === null) return null;
      const tokenId = tokenOf(market, bookId);
      return priceOfBook(market, watchBook(followed, clock, { market, tokenId, onChange }));
    },
    watchPrice: (asset, onChange) => watchPrice(core, asset, onChange),
  };
}

/** Returns how a market is known to have ended; null while it has not, and without a market. */
function endOfMarket(
  books: Pick<VenueStreams['books'], 'endOf'>,
  market: Market | null,
): MarketEnd | null {
  if (market === null) return null;
  return books.endOf(market.marketId) ?? (market.closed ? 'closed' : null);
}

/** How a name of a book leads to its market and its token. */
interface BookNaming {
  readonly what: string;
  held(markets: FollowedVenue['markets'], bookId: BookId): Market | null;
  find(markets: FollowedVenue['markets'], bookId: BookId): Promise<Market | null>;
  tokenOf(market: Market, bookId: BookId): TokenId;
}

const BOOKS_OF_TOKENS: BookNaming = {
  what: 'token',
  held: (markets, bookId) => markets.heldOfToken(asId<TokenId>(bookId)),
  find: (markets, bookId) => markets.ofToken(asId<TokenId>(bookId)),
  tokenOf: (_market, bookId) => asId<TokenId>(bookId),
};
/** A market has the book of its first outcome; each outcome may be named by its token too. */
const BOOKS_OF_MARKETS: BookNaming = {
  what: 'market',
  held: (markets, bookId) =>
    markets.held(asId<MarketId>(bookId)) ?? markets.heldOfToken(asId<TokenId>(bookId)),
  find: async (markets, bookId) =>
    (await markets.browsed(asId<MarketId>(bookId))) ?? markets.ofToken(asId<TokenId>(bookId)),
  tokenOf: ({ outcomes }, bookId) =>
    (outcomes.find(({ tokenId }) => tokenId === bookId) ?? outcomes[0]).tokenId,
};

interface FollowedBook {
  readonly market: Market;
  readonly tokenId: TokenId;
  readonly onChange: () => void;
}

/** Follows a book, and seeks it again where too many are watched. */
function watchBook(
  books: FollowedVenue['books'],
  clock: Clock,
  { market, tokenId, onChange }: FollowedBook,
): LiveWatch<BookView> {
  let stop = (): void => undefined;
  let isStopped = false;
  let end: MarketEnd | null = null;
  function follow(): void {
    if (isStopped) return;
    const subscription = books.watch(market, 'show').subscribe({
      next: (update) => {
        if (update.kind === 'ended') end = update.end;
        if (update.kind === 'ended' || (update.kind === 'book' && update.tokenId === tokenId))
          onChange();
      },
      // Beyond the limit of watched markets, where those that are traded come first, there is no
      // book: the reader sees none, and no trust, until there is room.
      error() {
        onChange();
        const timer = clock.after(API.bookSoughtAgainMs, follow);
        stop = () => timer.cancel();
      },
    });
    if (!subscription.closed) stop = () => subscription.unsubscribe();
  }
  follow();
  return {
    current: () => books.view(tokenId),
    end: () => end,
    stop() {
      isStopped = true;
      stop();
    },
  };
}

/** Says what a followed book makes of its market's outcomes. */
function priceOfBook(
  { marketId, outcomes: [yes] }: Market,
  watch: LiveWatch<BookView>,
): LiveWatch<LiveMarketPrice> {
  let from: BookView | null = null;
  let shown: LiveMarketPrice | null = null;
  return {
    ...watch,
    current() {
      const view = watch.current();
      if (view !== null && view !== from) {
        const { tokenId, venueAtMs, receivedAtMs, distrust } = view;
        const ownE5 =
          view.statedE5 ?? middleE5(view.bids[0]?.price ?? null, view.asks[0]?.price ?? null);
        const yesE5 = ownE5 === null || tokenId === yes.tokenId ? ownE5 : CERTAIN_E5 - ownE5;
        shown = { marketId, yesE5, venueAtMs, receivedAtMs, distrust };
      }
      from = view;
      return view && shown;
    },
  };
}

/**
 * Follows the exchange's price. The oracle's is licensed for our own decisions and may not be
 * handed on (feeds.md section 2.1), so the API shows the exchange's, which is free to show.
 */
function watchPrice(
  core: Pick<FollowedCore, 'exchange'>,
  asset: Asset,
  onChange: () => void,
): LiveWatch<LivePrice> {
  let shown: LivePrice | null = null;
  const subscription = core.exchange.price(asset).subscribe((reading) => {
    if (reading !== null)
      shown = {
        asset,
        price: reading.value,
        source: 'exchange',
        sourceAtMs: reading.sourceAtMs,
        receivedAtMs: reading.receivedAtMs,
      };
    else if (shown !== null) shown = { ...shown, price: null };
    onChange();
  });
  return { current: () => shown, stop: () => subscription.unsubscribe() };
}

/**
 * Joins what can be looked at of each venue with its streams. Errors of what it gives:
 * `venue_unavailable` for a venue that is not open.
 */
export function createBrowsing(
  core: Pick<Core, 'at'>,
  clock: Clock,
  numbers: StreamNumbers,
): (venue: VenueId) => VenueBrowsing {
  const made = new Map<VenueId, VenueBrowsing>();
  return (id) => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const { venue, books, markets, browsing: lookups } = core.at(id);
    const { directory, books: source, candles } = venue.browsing;
    const browsing = {
      markets: createMarkets({
        directory,
        lookups,
        marketClock: clock,
        topOf: (tokenId) => books.top(tokenId),
      }),
      books: createBookLookup({ books, markets, source, lookups, clock, numbers }),
      candles: createCandleLookup(candles, lookups),
    };
    made.set(id, browsing);
    return browsing;
  };
}

/**
 * Books for single answers: the live one where it is trusted, numbered as its topic numbers it,
 * else a snapshot of the venue, one for all who ask for it at that time, in an epoch of its own.
 * Errors: those of the lookups, and the source's.
 */
export function createBookLookup({
  books,
  markets,
  source,
  lookups,
  clock,
  numbers,
}: {
  readonly books: Pick<VenueStreams['books'], 'top' | 'view' | 'endOf'>;
  readonly markets: Pick<VenueStreams['markets'], 'ofToken'>;
  readonly source: Pick<BookSource, 'snapshot'>;
  readonly lookups: Lookups;
  readonly clock: Clock;
  readonly numbers: StreamNumbers;
}): BookLookup {
  async function ask(tokenId: TokenId): Promise<BookView | null> {
    const snapshot = await source.snapshot(tokenId);
    if (snapshot === null) return null;
    // the venue states levels in an order of its own, and now and then a book that cannot be
    const book = new BookFold(tokenId);
    book.replace(snapshot, clock.nowMs());
    return numbers.fetched(book.view());
  }

  return {
    async book(userId, tokenId) {
      const live = books.top(tokenId) === null ? null : books.view(tokenId);
      return live === null
        ? lookups.ask({ userId, name: `book ${tokenId}`, keptMs: ADMISSION.coldBookKeptMs }, () =>
            ask(tokenId),
          )
        : numbers.answer(live);
    },
    endOf: (userId, tokenId) =>
      lookups.ask(
        { userId, name: `end of ${tokenId}`, keptMs: ADMISSION.coldBookKeptMs },
        async () => endOfMarket(books, await markets.ofToken(tokenId)),
      ),
  };
}

/** Periods for single answers: one question to the venue for all who ask the same at that time. */
function createCandleLookup(
  source: CandleSource | null,
  lookups: Lookups,
): VenueBrowsing['candles'] {
  return (userId, query) => {
    if (source === null) throw new AppError('not_found', 'the venue tells nothing of the past');
    const { bookId, periodMinutes, fromMs, toMs } = query;
    const name = `candles ${bookId} ${periodMinutes} ${fromMs} ${toMs}`;
    return lookups.ask({ userId, name }, () => source.candles(query));
  };
}
