import { ADMISSION } from '../../config/limits/admission.ts';
import { SURFACE } from '../../config/limits.ts';
import { AppError } from '../domain/errors.ts';
import { createSharedQuestions } from '../services/shared-questions.ts';
import type { BookView } from '../domain/book.ts';
import { BookFold } from '../domain/book-fold.ts';
import type { Asset, TokenId } from '../domain/ids.ts';
import type { LivePrice, LiveSources, LiveWatch } from '../http/live/sources.ts';
import type { BookLookup } from '../http/services.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { BookSource } from '../ports/venue.ts';
import type { Core } from './core.ts';

/** What sockets follow. */
interface FollowedCore {
  readonly markets: Pick<Core['markets'], 'knownOfToken' | 'ofToken'>;
  readonly books: Pick<Core['books'], 'watch' | 'view'>;
  readonly exchange: Pick<Core['exchange'], 'price'>;
}

/** Joins the sockets' topics with the streams. */
export function createLiveSources({ core, bus, clock }: { readonly core: FollowedCore; readonly bus: Bus; readonly clock: Clock }): LiveSources {
  return {
    bus,
    nowMs: () => clock.nowMs(),
    watchBook: (tokenId, onChange) => watchBook({ ...core, clock }, tokenId, onChange),
    watchPrice: (asset, onChange) => watchPrice(core, asset, onChange),
  };
}

/** Follows a book; a market nobody has asked for yet is looked up first, until the venue answers. One that does not exist stays without a state. */
function watchBook({ markets, books, clock }: FollowedCore & { readonly clock: Clock }, tokenId: TokenId, onChange: () => void): LiveWatch<BookView> {
  let stop = (): void => undefined;
  let isStopped = false;
  const seekLater = (): void => {
    if (isStopped) return;
    const timer = clock.after(SURFACE.bookSoughtAgainMs, seek);
    stop = () => timer.cancel();
  };
  const follow = (): void => {
    const market = markets.knownOfToken(tokenId);
    if (market === null || isStopped) return;
    const subscription = books.watch(market, 'show').subscribe({
      next: (update) => {
        if (update.kind === 'book' && update.tokenId === tokenId) onChange();
      },
      // Beyond the limit of watched markets, where those that are traded come first, there is no book: the reader sees none, and no trust, until there is room.
      error: seekLater,
    });
    if (!subscription.closed) stop = () => subscription.unsubscribe();
  };
  function seek(): void {
    if (markets.knownOfToken(tokenId) === null) markets.ofToken(tokenId).then(follow, seekLater);
    else follow();
  }
  seek();
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
function watchPrice(core: Pick<FollowedCore, 'exchange'>, asset: Asset, onChange: () => void): LiveWatch<LivePrice> {
  let shown: LivePrice | null = null;
  const subscription = core.exchange.price(asset).subscribe((reading) => {
    if (reading !== null) shown = { asset, price: reading.value, source: 'exchange', sourceAtMs: reading.sourceAtMs, receivedAtMs: reading.receivedAtMs };
    else if (shown !== null) shown = { ...shown, price: null };
    onChange();
  });
  return { current: () => shown, stop: () => subscription.unsubscribe() };
}

/**
 * Books for single answers: the live one where it is trusted, else a snapshot of the venue, one for all who ask for it at that
 * time, as its own epoch and step 0. Only so many are asked for at once, since trading asks the venue at the same rate limit. Errors: `overloaded`, and the source's.
 */
export function createBookLookup(core: Pick<Core, 'books'>, source: Pick<BookSource, 'snapshot'>, clock: Clock): BookLookup {
  const shared = createSharedQuestions({ clock, keptMs: ADMISSION.coldBookKeptMs, keptMaximum: SURFACE.listingsMaximum });
  let running = 0;

  async function ask(tokenId: TokenId): Promise<BookView | null> {
    if (running >= ADMISSION.coldBooksMaximum) throw new AppError('overloaded', `${running} books are being asked for at the venue`, { retryable: true, retryAfterMs: ADMISSION.retryAfterMs });
    running += 1;
    try {
      const snapshot = await source.snapshot(tokenId);
      if (snapshot === null) return null;
      // the venue states levels in an order of its own, and now and then a book that cannot be
      const book = new BookFold(tokenId);
      book.replace(snapshot, clock.nowMs());
      return { ...book.view(), epoch: 0, seq: 0 };
    } finally {
      running -= 1;
    }
  }

  return {
    async book(tokenId: TokenId) {
      const live = core.books.top(tokenId) === null ? null : core.books.view(tokenId);
      return live ?? shared(tokenId, () => ask(tokenId));
    },
  };
}
