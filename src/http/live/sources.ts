import type { BookDistrust, BookView } from '../../domain/book.ts';
import type { Asset, MarketId, UserId, VenueId } from '../../domain/ids.ts';
import type { MarketEnd } from '../../domain/market.ts';
import type { AssetPriceE8 } from '../../domain/units.ts';
import type { Bus } from '../../ports/bus.ts';
import type { MarketTime } from '../../ports/market-time.ts';
import type { BookId } from './protocol.ts';
import type { StreamNumbers } from './stream-numbers.ts';

/** The newest reference price of an asset. */
export interface LivePrice {
  readonly asset: Asset;
  /** Null while absent or stale (L8). */
  readonly price: AssetPriceE8 | null;
  readonly source: 'oracle' | 'venue_oracle' | 'exchange';
  readonly sourceAtMs: number;
  readonly receivedAtMs: number;
}

/** What a market's outcomes are worth by its book, or by its pool. */
export interface LiveMarketPrice {
  readonly marketId: MarketId;
  /** How likely Yes is, 0 to CERTAIN_E5; null where bids and asks are too far apart to say. */
  readonly yesE5: number | null;
  readonly venueAtMs: number;
  readonly receivedAtMs: number;
  readonly distrust: BookDistrust | null;
}

/** A running watch: cheap to be notified of changes, dearer to read. */
export interface LiveWatch<T> {
  /** The newest state; null before the first. The same object until it changes. */
  current(): T | null;
  /** Why nothing will come any more; null while something may. Absent: it never ends. */
  end?(): MarketEnd | null;
  stop(): void;
}

/** What the sockets show; the composition root joins it with the streams. */
export interface LiveSources {
  /** Reports whether the market of a book is in memory, so that it can be followed at once. */
  knowsBook(bookId: BookId, venue: VenueId): boolean;
  /**
   * Finds the market of a book on behalf of a user; false where the venue has none such. Errors
   * (retryable): `rate_limited` where the user's own lookups are too many, `overloaded` where those
   * of all are, and those of the venue.
   */
  findBook(userId: UserId, bookId: BookId, venue: VenueId): Promise<boolean>;
  /** Why a book is not followed any more; null where it may be. */
  endOf(bookId: BookId, venue: VenueId): MarketEnd | null;
  /**
   * Follows a book. `onChange` is called after each change, at once where a state is there already;
   * the state is looked at once for many changes. Null when its market is not in memory.
   */
  watchBook(bookId: BookId, venue: VenueId, onChange: () => void): LiveWatch<BookView> | null;
  /** Follows what a book says its market's outcomes are worth, in the same way. */
  watchMarketPrice(
    bookId: BookId,
    venue: VenueId,
    onChange: () => void,
  ): LiveWatch<LiveMarketPrice> | null;
  /** Follows an asset's price in the same way. */
  watchPrice(asset: Asset, onChange: () => void): LiveWatch<LivePrice>;
  /**
   * Now on the clock by which books, prices and facts are stamped: ages are counted on it, whatever
   * clock people live by.
   */
  nowMs(): number;
  /** How that clock and the wall's go together: moments go out as wall time. */
  readonly marketTime: MarketTime;
  /** Numbers messages, and single answers with them. */
  readonly numbers: StreamNumbers;
  /** Facts of all users, each after it is durable. */
  readonly bus: Pick<Bus, 'subscribe'>;
}
