import { BookFold, UNSTATED } from '../../../src/domain/book-fold.ts';
import type { BookLevel } from '../../../src/domain/book.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { priceTicks, TICKS_PER_USD } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import type { BookChange, BookSnapshot, BookSource } from '../../../src/ports/venue-books.ts';

/** One open connection of the fake, with the venue's levers. */
interface FakeConnection {
  readonly tokenIds: readonly TokenId[];
  /** Sends the venue's book of a token as a snapshot. */
  snapshot(tokenId: TokenId): void;
  /**
   * Sends a level change of a token, with the venue's own best prices unless asked to leave them
   * out.
   */
  level(
    tokenId: TokenId,
    side: 'bid' | 'ask',
    price: number,
    size: number,
    stated?: { readonly bid: number; readonly ask: number },
  ): void;
  /** Announces a new tick: the books are doubted until the next snapshot. */
  tickChange(): void;
  trade(tokenId: TokenId): void;
  /** Ends with an error that trying again may mend, unless another is given. */
  lose(cause?: AppError): void;
}

/** Books of a venue in memory, with the real fold behind each connection. */
export interface FakeBookSource extends BookSource {
  readonly connections: FakeConnection[];
  readonly open: number;
  /** Tokens asked by REST. */
  readonly asked: TokenId[];
  /** What the venue knows: Up's book; Down's is its mirror. */
  setBook(bids: readonly BookLevel[], asks: readonly BookLevel[]): void;
  /** Snapshots come with the subscription, as at the venue; false for the fault no-snapshot. */
  greets: boolean;
  restFails: boolean;
  /** REST has no book of the tokens. */
  restLacks: boolean;
  /** How long REST takes to answer, ms of the clock. */
  restTakesMs: number;
}

/** Makes the books of one market. */
export function createFakeBookSource(
  clock: Clock,
  market: Pick<Market, 'marketId' | 'outcomes'>,
): FakeBookSource {
  const connections: FakeConnection[] = [];
  const asked: TokenId[] = [];
  const up = market.outcomes[0].tokenId;
  let open = 0;
  let book: {
    readonly bids: readonly BookLevel[];
    readonly asks: readonly BookLevel[];
    readonly atMs: number;
  } = { bids: [], asks: [], atMs: clock.nowMs() };

  const mirrored = (levels: readonly BookLevel[]): readonly BookLevel[] =>
    levels.map(({ price, size }) => ({ price: priceTicks(TICKS_PER_USD - price), size }));
  const bookOf = (tokenId: TokenId): BookSnapshot => ({
    tokenId,
    marketId: market.marketId,
    bids: tokenId === up ? book.bids : mirrored(book.asks),
    asks: tokenId === up ? book.asks : mirrored(book.bids),
    venueAtMs: book.atMs,
    tickSize: null,
  });

  const connect = (tokenIds: readonly TokenId[], listener: Listener<BookChange>) => {
    const folds = new Map(tokenIds.map((tokenId) => [tokenId, new BookFold(tokenId)]));
    let isOpen = true;
    open += 1;
    const tell = (tokenId: TokenId, change: (fold: BookFold) => void): void => {
      const fold = folds.get(tokenId);
      if (!isOpen || fold === undefined) return;
      change(fold);
      listener.next(fold);
    };
    const stop = (): void => {
      if (isOpen) open -= 1;
      isOpen = false;
    };
    const connection: FakeConnection = {
      tokenIds,
      snapshot: (tokenId) => tell(tokenId, (fold) => fold.replace(bookOf(tokenId), clock.nowMs())),
      level: (tokenId, side, price, size, stated = { bid: UNSTATED, ask: UNSTATED }) =>
        tell(tokenId, (fold) => {
          if (!fold.takes(clock.nowMs())) return;
          fold.setLevel(side, price, size);
          fold.finish(clock.nowMs(), clock.nowMs(), stated);
        }),
      tickChange() {
        for (const tokenId of tokenIds) tell(tokenId, (fold) => fold.doubt('tick_changed'));
        if (isOpen) listener.next({ kind: 'tick_size', tokenId: up, tickSize: priceTicks(10) });
      },
      trade(tokenId) {
        const level = book.bids[0];
        if (isOpen && level !== undefined)
          listener.next({
            kind: 'trade',
            tokenId,
            price: level.price,
            shares: level.size,
            venueAtMs: clock.nowMs(),
          });
      },
      lose(cause = new AppError('venue_unavailable', 'socket lost', { retryable: true })) {
        if (!isOpen) return;
        stop();
        listener.error(cause);
      },
    };
    connections.push(connection);
    return {
      connection,
      watch: {
        book: (tokenId: TokenId) => folds.get(tokenId) ?? null,
        replace(snapshot: BookSnapshot) {
          const fold = folds.get(snapshot.tokenId);
          if (!isOpen || fold === undefined || !fold.replaceFetched(snapshot, clock.nowMs()))
            return false;
          listener.next(fold);
          return true;
        },
        stop,
      },
    };
  };

  const source: FakeBookSource = {
    connections,
    asked,
    greets: true,
    restFails: false,
    restLacks: false,
    restTakesMs: 0,
    get open() {
      return open;
    },
    setBook(bids, asks) {
      book = { bids, asks, atMs: clock.nowMs() };
    },
    watch(tokenIds, listener) {
      const { connection, watch } = connect(tokenIds, listener);
      // The venue greets about 0.2 s after the subscription.
      clock.after(200, () => {
        if (source.greets) for (const tokenId of tokenIds) connection.snapshot(tokenId);
      });
      return watch;
    },
    async snapshot(tokenId) {
      asked.push(tokenId);
      if (source.restTakesMs > 0)
        await new Promise<void>((resolve) => void clock.after(source.restTakesMs, resolve));
      if (source.restFails) throw new AppError('venue_unavailable', '502', { retryable: true });
      return source.restLacks ? null : bookOf(tokenId);
    },
  };
  return source;
}
