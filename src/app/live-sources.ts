import { ADMISSION } from '../../config/limits/admission.ts';
import { LOOKUPS } from '../../config/limits/lookups.ts';
import { SURFACE } from '../../config/limits.ts';
import type { BookView } from '../domain/book.ts';
import { BookFold } from '../domain/book-fold.ts';
import type { Asset, TokenId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { LivePrice, LiveSources, LiveWatch } from '../http/live/sources.ts';
import type { BookLookup } from '../http/services.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { MarketTime } from '../ports/market-time.ts';
import type { BookSource } from '../ports/venue.ts';
import type { Lookups } from '../services/lookups.ts';
import type { Core } from './core.ts';

/** What sockets follow. */
interface FollowedCore {
  readonly markets: Pick<Core['markets'], 'heldOfToken' | 'ofToken'>;
  readonly books: Pick<Core['books'], 'watch' | 'view'>;
  readonly exchange: Pick<Core['exchange'], 'price'>;
}

/** What the sockets' topics are joined of. */
export interface LiveSourcesDeps {
  readonly core: FollowedCore;
  /** Bounds what users have looked up by naming a token. */
  readonly lookups: Lookups;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly marketTime: MarketTime;
}

/** Joins the sockets' topics with the streams. */
export function createLiveSources({
  core,
  lookups,
  bus,
  clock,
  marketTime,
}: LiveSourcesDeps): LiveSources {
  const { markets } = core;
  return {
    bus,
    marketTime,
    nowMs: () => clock.nowMs(),
    knowsToken: (tokenId) => markets.heldOfToken(tokenId) !== null,
    findToken: async (userId, tokenId) =>
      markets.heldOfToken(tokenId) !== null ||
      (await lookups.ask(
        { userId, name: `token ${tokenId}`, waitMaximumMs: LOOKUPS.topicWaitMaximumMs },
        () => markets.ofToken(tokenId),
      )) !== null,
    watchBook(tokenId, onChange) {
      const market = markets.heldOfToken(tokenId);
      return market === null ? null : watchBook(core.books, clock, { market, tokenId, onChange });
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
  books: FollowedCore['books'],
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
        const timer = clock.after(SURFACE.bookSoughtAgainMs, follow);
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
 * 2.1), so the surface shows the exchange's, which is free to show.
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

/** What single answers with books are made of. */
export interface BookLookupDeps {
  readonly books: Pick<Core['books'], 'top' | 'view'>;
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
