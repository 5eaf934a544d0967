import type { BookView } from '../domain/book.ts';
import type { CashAccount } from '../domain/cash.ts';
import { AppError } from '../domain/errors.ts';
import type { MarketId, MechanismId, TokenId, UserId, VenueId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Venue, VenueAccounts, VenueTrading } from '../ports/venue.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/**
 * Gives the newest view of a token's book, null when none is kept. The caller checks trust and age
 * (L8).
 */
type BookReader = (tokenId: TokenId) => BookView | null;

/** A venue's markets as orders need them. */
export interface MarketReader {
  /** What is in memory; null means ask `find`. */
  known(marketId: MarketId): Market | null;
  /**
   * Asks for it on behalf of a user. Errors: `rate_limited` and `overloaded` (Lookups), and those
   * of the directory.
   */
  find(marketId: MarketId, userId: UserId): Promise<Market | null>;
}

/** What orders at a venue ask of the wallet that pays for them. */
export interface VenueFunds {
  /** What the wallet still waits for by itself; nothing when it may trade. */
  missing(userId: UserId): readonly string[];
  /**
   * Has what a user won in a market redeemed on chain, to be booked by what it brings. Never
   * rejects.
   */
  redeem(userId: UserId, marketId: MarketId): Promise<void>;
  /**
   * Books what the chain says has arrived; resolves with how much was new. Null where the venue's
   * own list of deposits is the word.
   */
  readonly syncDeposits: ((userId: UserId) => Promise<number>) | null;
}

/** Of each kind of account that transactions of this service make ready and pay into. */
export type AccountFunds = Readonly<Partial<Record<CashAccount, VenueFunds>>>;

/** An open venue, however it trades: its markets and books, and what their money asks for. */
export interface OpenVenue
  extends Pick<Venue, 'access' | 'identity' | 'assertRegionAllowsBuys' | 'assertSettles'> {
  readonly id: VenueId;
  /** Pays for its orders and is paid into. */
  readonly cashAccount: CashAccount;
  readonly markets: MarketReader;
  readonly books: BookReader;
  /**
   * Has a book watched for a while and waits for it, where a moment is named for one that came
   * later, as long as a person would; null where every book is watched.
   */
  readonly warmBook: ((market: Market, tokenId: TokenId, afterMs?: number) => Promise<void>) | null;
  /** Has the books of a market watched until what it returns is called. */
  readonly followBook: (market: Market) => () => void;
  readonly directory: Pick<Catalogue, 'resolution'>;
  readonly accounts: Pick<VenueAccounts, 'deposits' | 'missing'>;
  /** What was won is redeemed by an order. */
  readonly redeemsByOrder: boolean;
  /** Null where the key's own funds pay, and the venue pays winners by itself. */
  readonly funds: VenueFunds | null;
}

/** A venue by one of its mechanisms: how orders are made and sent. */
export interface TradedVenue extends OpenVenue, VenueTrading {
  readonly mechanism: MechanismId;
}

/** What names a mechanism: an intent, or the market it is made in. */
interface TradedBy {
  readonly venue: VenueId;
  /** Absent for the venue's first, which was the sole one when it was stored. */
  readonly mechanism?: MechanismId | undefined;
}

/** A venue that could not be opened. */
export interface ClosedVenue {
  readonly id: VenueId;
  readonly cashAccount: CashAccount;
  /** Why, as an operator reads it. */
  readonly reason: string;
}

/** The venues of this service, by id. */
export interface Venues {
  readonly open: readonly OpenVenue[];
  readonly closed: readonly ClosedVenue[];
  /**
   * Returns an open venue. Errors: `venue_unavailable` (retryable) for one that could not be
   * opened; `not_found` for an unknown one.
   */
  of(id: VenueId): OpenVenue;
  /**
   * Returns the venue by the mechanism of an intent or a market. Errors: those of `of`;
   * `venue_unavailable` (retryable) for a mechanism that the venue does not have now.
   */
  trading(by: TradedBy): TradedVenue;
  /** Returns all mechanisms of an open venue, or of all. Errors: those of `of`. */
  mechanisms(id?: VenueId): readonly TradedVenue[];
  /** Returns where a venue's money is, open or not. Errors: `not_found`. */
  cashAccountOf(id: VenueId): CashAccount;
  /** Reports whether the venue is one of this service, open or not. */
  isServed(id: VenueId): boolean;
  /** Reports whether orders can be sent to the venue and followed. */
  isOpen(id: VenueId): boolean;
}

/**
 * Makes the reader of opened venues, each given by every mechanism that it has: what several say of
 * one venue beside their trading is the same.
 */
export function createVenues(
  traded: readonly TradedVenue[],
  closed: readonly ClosedVenue[] = [],
): Venues {
  const byId = new Map<VenueId, readonly TradedVenue[]>();
  for (const one of traded) byId.set(one.id, [...(byId.get(one.id) ?? []), one]);
  const open = [...byId.values()].flatMap(([first]) => first ?? []);
  const known = new Map([...open, ...closed].map(({ id, cashAccount }) => [id, cashAccount]));
  const cashAccountOf = (id: VenueId): CashAccount => {
    const account = known.get(id);
    if (account === undefined) throw new AppError('not_found', `there is no venue ${id}`);
    return account;
  };
  const mechanismsOf = (id: VenueId): readonly TradedVenue[] => {
    const mechanisms = byId.get(id);
    if (mechanisms !== undefined) return mechanisms;
    cashAccountOf(id);
    throw new AppError('venue_unavailable', `${id} could not be opened`, { retryable: true });
  };
  const trading = ({ venue, mechanism }: TradedBy): TradedVenue => {
    const mechanisms = mechanismsOf(venue);
    const found =
      mechanism === undefined
        ? mechanisms[0]
        : mechanisms.find((one) => one.mechanism === mechanism);
    if (found !== undefined) return found;
    throw new AppError('venue_unavailable', `${venue} does not trade by ${mechanism} now`, {
      retryable: true,
    });
  };
  return {
    open,
    closed,
    isServed: (id) => known.has(id),
    isOpen: (id) => byId.has(id),
    cashAccountOf,
    // The first says of the venue what each says.
    of: (id) => mechanismsOf(id)[0] ?? trading({ venue: id }),
    trading,
    mechanisms: (id) => (id === undefined ? traded : mechanismsOf(id)),
  };
}
