import { ADMISSION } from '../../config/limits/admission.ts';
import { LOOKUPS } from '../../config/limits/lookups.ts';
import { API } from '../../config/limits.ts';
import type { BookView } from '../domain/book.ts';
import { BookFold } from '../domain/book-fold.ts';
import type { Asset, TokenId, VenueId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { LivePrice, LiveSources, LiveWatch } from '../http/live/sources.ts';
import type { BookLookup, VenueBrowsing } from '../http/services.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { MarketTime } from '../ports/market-time.ts';
import type { BookSource } from '../ports/venue.ts';
import type { Lookups } from '../services/lookups.ts';
import { createMarkets } from '../services/markets.ts';
import type { Core } from './core.ts';
import type { VenueStreams } from './venue-streams.ts';

/** What sockets follow. */
interface FollowedCore {
  at(venue: VenueId): FollowedVenue;
  readonly exchange: Pick<Core['exchange'], 'price'>;
}

interface FollowedVenue {
  readonly markets: Pick<VenueStreams['markets'], 'heldOfToken' | 'ofToken'>;
  readonly books: Pick<VenueStreams['books'], 'watch' | 'view'>;
  readonly browsing: Lookups;
}

/** What the sockets' topics are joined of. */
export interface LiveSourcesDeps {
  readonly core: FollowedCore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly marketTime: MarketTime;
}

/** Joins the sockets' topics with the streams. */
export function createLiveSources({ core, bus, clock, marketTime }: LiveSourcesDeps): LiveSources {
  return {
    bus,
    marketTime,
    nowMs: () => clock.nowMs(),
    knowsToken: (tokenId, venue) => core.at(venue).markets.heldOfToken(tokenId) !== null,
    async findToken(userId, tokenId, venue) {
      const { markets, browsing } = core.at(venue);
      if (markets.heldOfToken(tokenId) !== null) return true;
      const found = await browsing.ask(
        { userId, name: `token ${tokenId}`, waitMaximumMs: LOOKUPS.topicWaitMaximumMs },
        () => markets.ofToken(tokenId),
      );
      return found !== null;
    },
    watchBook(tokenId, venue, onChange) {
      const { markets, books } = core.at(venue);
      const market = markets.heldOfToken(tokenId);
      return market === null ? null : watchBook(books, clock, { market, tokenId, onChange });
    },
    watchPrice: (asset, onChange) => watchPrice(core, asset, onChange),
  };
}

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
  function follow(): void {
    if (isStopped) return;
    const subscription = books.watch(market, 'show').subscribe({
      next: (update) => {
        if (update.kind === 'book' && update.tokenId === tokenId) onChange();
      },
      // Beyond the limit of watched markets, where those that are traded come first, there is no book: the reader sees none, and no trust, until there is room.
      error() {
        const timer = clock.after(API.bookSoughtAgainMs, follow);
        stop = () => timer.cancel();
      },
    });
    if (!subscription.closed) stop = () => subscription.unsubscribe();
  }
  follow();
  return {
    current: () => books.view(tokenId),
    stop() {
      isStopped = true;
      stop();
    },
  };
}

/**
 * Follows the exchange's price. The oracle's is licensed for our own decisions and may not be handed on (feeds.md section
 * 2.1), so the API shows the exchange's, which is free to show.
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

/** Joins what can be looked at of each venue with its streams. Errors of what it gives: `venue_unavailable` for a venue that is not open. */
export function createBrowsing(
  core: Pick<Core, 'at'>,
  clock: Clock,
): (venue: VenueId) => VenueBrowsing {
  const made = new Map<VenueId, VenueBrowsing>();
  return (id) => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const { venue, books, browsing: lookups } = core.at(id);
    const { directory, books: source } = venue.browsing;
    const browsing = {
      markets: createMarkets({
        directory,
        lookups,
        marketClock: clock,
        topOf: (tokenId) => books.top(tokenId),
      }),
      books: createBookLookup({ books, source, lookups, clock }),
    };
    made.set(id, browsing);
    return browsing;
  };
}

/** What single answers with books are made of. */
export interface BookLookupDeps {
  readonly books: Pick<VenueStreams['books'], 'top' | 'view'>;
  readonly source: Pick<BookSource, 'snapshot'>;
  readonly lookups: Lookups;
  readonly clock: Clock;
}

/**
 * Books for single answers: the live one where it is trusted, else a snapshot of the venue, one for all who ask for it at that
 * time, as its own epoch and step 0. Errors: those of the look-ups, and the source's.
 */
export function createBookLookup({ books, source, lookups, clock }: BookLookupDeps): BookLookup {
  async function ask(tokenId: TokenId): Promise<BookView | null> {
    const snapshot = await source.snapshot(tokenId);
    if (snapshot === null) return null;
    // the venue states levels in an order of its own, and now and then a book that cannot be
    const book = new BookFold(tokenId);
    book.replace(snapshot, clock.nowMs());
    return { ...book.view(), epoch: 0, seq: 0 };
  }

  return {
    async book(userId, tokenId) {
      const live = books.top(tokenId) === null ? null : books.view(tokenId);
      return (
        live ??
        lookups.ask({ userId, name: `book ${tokenId}`, keptMs: ADMISSION.coldBookKeptMs }, () =>
          ask(tokenId),
        )
      );
    },
  };
}
