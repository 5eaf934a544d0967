import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  exhaustMap,
  filter,
  finalize,
  from,
  interval,
  map,
  merge,
  NEVER,
  of,
  share,
  Subject,
  takeUntil,
  takeWhile,
  throttleTime,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { BOOKS, FEEDS } from '../config/limits/market-data.ts';
import type { BookDistrust, BookTop, BookView } from '../src/domain/book.ts';
import { AppError } from '../src/domain/errors.ts';
import type { MarketId, TokenId } from '../src/domain/ids.ts';
import type { Market, MarketEnd } from '../src/domain/market.ts';
import type { Observed } from '../src/domain/signal.ts';
import type { Random } from '../src/ports/random.ts';
import type { BookChange, BookSource } from '../src/ports/venue-books.ts';
import { bookConnection } from './book-connection.ts';
import type { BookIncident, BookSeed } from './book-guard.ts';
import { reconnect } from './reconnect.ts';
import { createBookKeeper, type BookKeeper, type WatchedBook } from './watched-book.ts';

/**
 * What a watched market says: a book whenever a frame or a doubt changed it, trades, tick changes,
 * the end, after which nothing follows.
 */
export type BookUpdate =
  | WatchedBook
  | Exclude<BookChange, { readonly kind: 'book' }>
  | { readonly kind: 'ended'; readonly marketId: MarketId; readonly end: MarketEnd };

/** What the books tell their surroundings: for metrics, the log and alerts. */
export interface BookReport {
  reconnecting?(failure: {
    readonly cause: unknown;
    readonly attempt: number;
    readonly waitMs: number;
  }): void;
  /** The first word after that. */
  reconnected?(): void;
  incident?(incident: BookIncident, tokenId: TokenId): void;
  /** A connection failed in a way that trying again cannot mend: the books stay disconnected. */
  failed?(cause: unknown): void;
}

export interface BooksOptions {
  readonly source: BookSource;
  /**
   * How a market ended whose book the venue does not have; null where it has not. Asked again later
   * where it fails. Absent: no market ends.
   */
  readonly endOf?: (marketId: MarketId) => Promise<MarketEnd | null>;
  readonly random: Random;
  readonly scheduler: SchedulerLike;
  /**
   * How many ms of the scheduler's clock pass in one of the wall's; 1 when absent. What is on its
   * way over the wire is waited for in wall time.
   */
  readonly speed?: number;
  readonly report: BookReport;
}

/** What a book is read for: to trade by it, or only to show it. */
export type BookUse = 'trade' | 'show';

/** The watched part of a market. */
export type BookMarket = Pick<Market, 'marketId' | 'outcomes' | 'separateBooks'>;

/** Live, judged books of all watched markets. */
export interface Books {
  /**
   * Watches both books of a market over one upstream however many readers; a late reader first gets
   * both books. It outlives its last reader by `FEEDS.lingerMs`. Ends with the market, which is
   * said last and at once to who comes later; fails with `limit_reached` when
   * `BOOKS.marketsMaximum` markets are watched. Who trades comes first: for them the market watched
   * longest of those that no order needs gives its place up, and its readers get that error.
   */
  watch(market: BookMarket, use?: BookUse): Observable<BookUpdate>;
  /** How a market was found to have ended that was watched lately; null for any other. */
  endOf(marketId: MarketId): MarketEnd | null;
  /** The book of a watched token as it is now, with its distrust; null when it is not watched. */
  view(tokenId: TokenId): BookView | null;
  /** The best of each side of a watched token where its book is trusted now, else null (L8). */
  top(tokenId: TokenId): Observed<BookTop> | null;
  /** Every watched book: for gauges of age and trust. */
  all(): readonly WatchedBook[];
  /**
   * Ends every watch at once, those that linger too: what becomes of the venue afterwards is no
   * loss. New watches end at once.
   */
  close(): void;
}

interface WatchedMarket {
  readonly keepers: readonly [BookKeeper, BookKeeper];
  readonly updates: Observable<BookUpdate>;
  /** Readers who trade by it. */
  traders: number;
  /** Ends it for a market that is traded. */
  giveUp(): void;
}

/** Makes the books. */
export function createBooks(options: BooksOptions): Books {
  const markets = new Map<MarketId, WatchedMarket>();
  const byToken = new Map<TokenId, BookKeeper>();
  const closing = new Subject<void>();
  const ends = createEnds(options.scheduler);
  let isClosed = false;

  const begin = (market: BookMarket): WatchedMarket => {
    const made = watchMarket(options, market, {
      closing,
      foundEnded: (end) => ends.keep(market.marketId, end),
      stopped() {
        markets.delete(market.marketId);
        for (const { tokenId } of market.outcomes) byToken.delete(tokenId);
      },
    });
    markets.set(market.marketId, made);
    for (const keeper of made.keepers) byToken.set(keeper.tokenId, keeper);
    return made;
  };
  /** True when there is a place, which for a trader may be that of a market no order needs. */
  const hasRoom = (use: BookUse): boolean => {
    if (markets.size < BOOKS.marketsMaximum) return true;
    const oldest =
      use === 'trade' ? [...markets.values()].find(({ traders }) => traders === 0) : undefined;
    oldest?.giveUp();
    return oldest !== undefined;
  };
  return {
    watch: (market, use = 'trade') =>
      defer((): Observable<BookUpdate> => {
        if (isClosed) return EMPTY;
        const { marketId } = market;
        const end = ends.of(marketId);
        if (end !== null) return of({ kind: 'ended', marketId, end });
        const known = markets.get(marketId);
        if (known === undefined && !hasRoom(use))
          return throwError(
            () =>
              new AppError('limit_reached', `${markets.size} markets are watched already`, {
                retryable: true,
              }),
          );
        const watched = known ?? begin(market);
        const updates =
          known === undefined ? watched.updates : merge(from(watched.keepers), watched.updates);
        if (use === 'show') return updates;
        watched.traders += 1;
        return updates.pipe(finalize(() => (watched.traders -= 1)));
      }),
    endOf: (marketId) => ends.of(marketId),
    view: (tokenId) => byToken.get(tokenId)?.view() ?? null,
    top: (tokenId) => byToken.get(tokenId)?.top() ?? null,
    all: () => [...byToken.values()],
    close() {
      isClosed = true;
      closing.next();
    },
  };
}

/** What ends a watch, and what it tells of its end. */
interface MarketLife {
  readonly closing: Observable<void>;
  /** The market has ended: what is said of it next is the last. */
  readonly foundEnded: (end: MarketEnd) => void;
  /** Nothing is watched any more. */
  readonly stopped: () => void;
}

/** Ends of markets that were found lately, at most BOOKS.endsKeptMaximum. */
function createEnds(scheduler: SchedulerLike) {
  const ends = new Map<MarketId, { readonly end: MarketEnd; readonly atMs: number }>();
  return {
    of(marketId: MarketId): MarketEnd | null {
      const kept = ends.get(marketId);
      return kept !== undefined && scheduler.now() - kept.atMs < BOOKS.endKeptMs ? kept.end : null;
    },
    keep(marketId: MarketId, end: MarketEnd): void {
      ends.delete(marketId);
      ends.set(marketId, { end, atMs: scheduler.now() });
      const [oldest] = ends.keys();
      if (oldest !== undefined && ends.size > BOOKS.endsKeptMaximum) ends.delete(oldest);
    },
  };
}

function watchMarket(
  { source, endOf, random, scheduler, speed = 1, report }: BooksOptions,
  market: BookMarket,
  { closing, foundEnded, stopped }: MarketLife,
): WatchedMarket {
  const [up, down] = market.outcomes;
  const clock = { nowMs: (): number => scheduler.now(), speed };
  const keepers: readonly [BookKeeper, BookKeeper] = [
    createBookKeeper(up.tokenId, market.marketId, clock),
    createBookKeeper(down.tokenId, market.marketId, clock),
  ];
  const byToken = new Map(keepers.map((keeper) => [keeper.tokenId, keeper]));
  const seeds = new Map<TokenId, BookSeed>();
  const missing = new Subject<void>();

  const changes = bookConnection({
    source,
    scheduler,
    speed,
    keepers,
    areSeparate: market.separateBooks === true,
    seeds,
    onIncident: (incident, tokenId) => report.incident?.(incident, tokenId),
    onMissing: () => missing.next(),
  }).pipe(
    reconnect({
      backoff: {
        firstMs: FEEDS.reconnectFirstMs,
        maximumMs: FEEDS.reconnectMaximumMs,
        healthyAfterMs: FEEDS.reconnectHealthyAfterMs,
      },
      random,
      scheduler,
      onReconnect: (failure) => report.reconnecting?.(failure),
      onReconnected: () => report.reconnected?.(),
    }),
    catchError((cause: unknown) => {
      report.failed?.(cause);
      return NEVER;
    }),
    map((change): BookUpdate | undefined =>
      change.kind === 'book' ? byToken.get(change.tokenId) : change,
    ),
    filter((update) => update !== undefined),
  );
  const wanted = new Subject<never>();
  const ended = missing.pipe(
    throttleTime(BOOKS.endAskedEveryMs, scheduler),
    exhaustMap(() => from(endOf?.(market.marketId) ?? []).pipe(catchError(() => EMPTY))),
    filter((end) => end !== null),
    map((end): BookUpdate => {
      foundEnded(end);
      return { kind: 'ended', marketId: market.marketId, end };
    }),
  );
  const updates = merge(changes, doubts(keepers, scheduler, speed), wanted, ended).pipe(
    takeWhile(({ kind }) => kind !== 'ended', true),
    takeUntil(closing),
    finalize(stopped),
    share({
      resetOnComplete: false,
      resetOnError: false,
      resetOnRefCountZero: () => timer(FEEDS.lingerMs, scheduler),
    }),
  );
  return {
    keepers,
    updates,
    traders: 0,
    giveUp: () =>
      wanted.error(
        new AppError(
          'limit_reached',
          `a market that is traded has the place of ${market.marketId}`,
          { retryable: true },
        ),
      ),
  };
}

/**
 * Tells of books whose trust has changed without a frame: they grew old, lost their socket, or
 * contradict each other.
 */
function doubts(
  keepers: readonly BookKeeper[],
  scheduler: SchedulerLike,
  speed: number,
): Observable<WatchedBook> {
  return defer(() => {
    const reported = new Map<TokenId, BookDistrust | null>();
    return interval(BOOKS.inspectEveryMs * speed, scheduler).pipe(
      map(() =>
        keepers.filter((keeper) => {
          const why = keeper.distrust();
          const isNew = reported.get(keeper.tokenId) !== why;
          reported.set(keeper.tokenId, why);
          return isNew;
        }),
      ),
      concatMap((changed) => changed),
    );
  });
}
