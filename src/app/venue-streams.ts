import type { SchedulerLike } from 'rxjs';
import { BROWSING_LOOKUPS, TRADING_LOOKUPS } from '../../config/limits/lookups.ts';
import { asId, type MarketId, type MechanismId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import { AppError, assert } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Venue } from '../ports/venue.ts';
import type { BookChange, BookSource } from '../ports/venue-books.ts';
import { createLookups, type Lookups } from '../services/lookups.ts';
import type { AccountFunds, OpenVenue, TradedVenue, VenueFunds } from '../services/venues.ts';
import { createBooks, type BookReport, type Books } from '../../streams/book.ts';
import { marketEnd } from './market-end.ts';
import { createMarketCache, type MarketCache } from './market-cache.ts';
import { createWarmBooks, type WarmBooks } from './warm-books.ts';

/** What is known of one venue's markets and books, shared by all who read it. */
export interface VenueStreams {
  readonly venue: Venue;
  readonly markets: MarketCache;
  readonly books: Books;
  /** Bounds what people who browse have asked of the venue. */
  readonly browsing: Lookups;
  /** The venue as trading sees it, by each of its mechanisms; none where nothing is traded. */
  readonly traded: readonly TradedVenue[];
  /** Books of those who trade manually. */
  readonly warmBooks: WarmBooks;
}

/** What the book channel says besides books. */
type ChangeBesides = Exclude<BookChange, { readonly kind: 'book' }>;

/** Follows a venue: its books over sockets of its own, its markets in a cache of its own. */
export function followVenue(
  venue: Venue,
  {
    clock,
    random,
    wallClock,
    scheduler,
    report,
    roundMarket,
    hear,
    accountFunds,
    fundsInWallets,
  }: Pick<Runtime, 'clock' | 'random'> & {
    /** Wall time. */
    readonly wallClock: Clock;
    readonly scheduler: SchedulerLike;
    readonly report: BookReport;
    /** Markets of running rounds, kept fresh by their stream. */
    readonly roundMarket: (marketId: MarketId) => Market | null;
    readonly hear: (change: ChangeBesides) => void;
    /** What accounts ask for; orders of one without a row move the key's own funds. */
    readonly accountFunds: AccountFunds;
    /** What users' own wallets ask for, where a venue is paid out of them. */
    readonly fundsInWallets: (venue: Venue) => VenueFunds;
  },
): VenueStreams {
  const markets = createMarketCache({
    directory: venue.catalogue,
    discovery: venue.discovery,
    clock,
    browsing: venue.browsing.directory,
    lookups: createLookups(wallClock, TRADING_LOOKUPS),
    roundMarket,
  });
  const source = observed(venue.books ?? NO_BOOKS, (change) => {
    if (change.kind === 'tick_size') markets.tickChanged(change.tokenId, change.tickSize);
    hear(change);
  });
  const books = createBooks({
    source,
    endOf: (marketId) => marketEnd(venue.browsing.directory, clock, marketId),
    random,
    scheduler,
    speed: clock.speed ?? 1,
    report,
  });
  const warmBooks = createWarmBooks({ books, clock, scheduler });
  const { id, cashAccount, accounts, access, identity, assertRegionAllowsBuys, assertSettles } =
    venue;
  const mechanisms = Object.entries(venue.mechanisms);
  const open: OpenVenue = {
    id,
    cashAccount,
    accounts,
    access,
    identity,
    ...(assertRegionAllowsBuys === undefined ? {} : { assertRegionAllowsBuys }),
    ...(assertSettles === undefined ? {} : { assertSettles }),
    markets,
    books: (tokenId) => books.view(tokenId),
    warmBook: (market, tokenId, afterMs) => warmBooks.warm(market, tokenId, afterMs),
    followBook: (market) => followed(books, market),
    directory: venue.catalogue,
    redeemsByOrder: venue.redemption === 'order',
    funds: mechanisms.length === 0 ? null : fundsOf(venue, accountFunds, fundsInWallets),
  };
  return {
    venue,
    markets,
    books,
    browsing: createLookups(wallClock, BROWSING_LOOKUPS),
    warmBooks,
    traded: mechanisms.map(([mechanism, trading]) => ({
      ...open,
      ...trading,
      mechanism: asId<MechanismId>(mechanism),
    })),
  };
}

function fundsOf(
  venue: Venue,
  accountFunds: AccountFunds,
  fundsInWallets: (venue: Venue) => VenueFunds,
): VenueFunds | null {
  if (venue.accounts.wallet !== undefined) return fundsInWallets(venue);
  const funds = accountFunds[venue.cashAccount] ?? null;
  assert(
    funds !== null || venue.redemption !== 'transaction',
    `something redeems what ${venue.id} pays to ${venue.cashAccount}`,
  );
  return funds;
}

/**
 * Has the books of a market watched until what it returns is called; one that cannot be watched has
 * no trusted book, and says so by that.
 */
export function followed(books: Books, market: Market): () => void {
  const subscription = books.watch(market).subscribe({ error: () => undefined });
  return () => subscription.unsubscribe();
}

/** Lets others hear what the book channel says besides books. */
function observed(source: BookSource, hear: (change: ChangeBesides) => void): BookSource {
  return {
    snapshot: (tokenId) => source.snapshot(tokenId),
    watch: (tokenIds, listener) =>
      source.watch(tokenIds, {
        next(change) {
          if (change.kind !== 'book') hear(change);
          listener.next(change);
        },
        error: (cause) => listener.error(cause),
      }),
  };
}

/** Of a venue without books: requests for one are refused. */
export const NO_BOOKS: BookSource = {
  watch: () => {
    throw noBooks();
  },
  snapshot: () => Promise.reject(noBooks()),
};

function noBooks(): AppError {
  return new AppError('not_found', 'the venue has no order books');
}
