import { BookFold, UNSTATED } from '../../../../domain/book-fold.ts';
import type { MarketId, TokenId } from '../../../../domain/ids.ts';
import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { Listener } from '../../../../ports/listener.ts';
import type {
  BookChange,
  BookSnapshot,
  BookSource,
  BookWatch,
} from '../../../../ports/venue-books.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { ExchangeEvent } from '../../../engine/exchange-types.ts';
import type { DirectLine } from '../../../wire/direct-calls.ts';

/**
 * Gives the model's books as they change, without frames in between: a long replay spends its time
 * on decisions. Faults of the market channel do not show here; they come through the channel
 * itself. `readerClock` dates what is received; that of the line unless stated.
 */
export function createDirectBooks(
  exchange: VenueModel,
  line: DirectLine,
  readerClock: Clock = line.clock,
): BookSource {
  const { clock, latencyMs } = line;
  return {
    watch: (tokenIds, listener) =>
      new DirectWatch(exchange, line, { tokenIds, listener, readerClock }),
    snapshot: (tokenId) =>
      new Promise((resolve) => {
        clock.after(latencyMs, () => {
          const book = snapshotOf(exchange, tokenId);
          clock.after(latencyMs, () => resolve(book));
        });
      }),
  };
}

/** A level's new size, in terms of the token it is for. */
interface LevelChange {
  readonly tokenId: TokenId;
  readonly side: 'bid' | 'ask';
  readonly price: number;
  readonly size: number;
}

class DirectWatch implements BookWatch {
  readonly #exchange: VenueModel;
  readonly #line: DirectLine;
  readonly #listener: Listener<BookChange>;
  readonly #readerClock: Clock;
  readonly #books: ReadonlyMap<TokenId, BookFold>;
  readonly #unsubscribe: () => void;
  /** Levels that changed in this turn of the engine, by market. */
  readonly #touched = new Map<
    MarketId,
    Map<string, { readonly side: 'buy' | 'sell'; readonly price: number }>
  >();
  #isOver = false;

  constructor(
    exchange: VenueModel,
    line: DirectLine,
    {
      tokenIds,
      listener,
      readerClock,
    }: {
      readonly tokenIds: readonly TokenId[];
      readonly listener: Listener<BookChange>;
      readonly readerClock: Clock;
    },
  ) {
    this.#exchange = exchange;
    this.#readerClock = readerClock;
    this.#line = line;
    this.#listener = listener;
    this.#books = new Map(
      [...new Set(tokenIds)].map((tokenId) => [tokenId, new BookFold(tokenId)]),
    );
    this.#unsubscribe = exchange.subscribe((event) => this.#hear(event));
    this.#later(() => {
      const snapshots = tokenIds.flatMap((tokenId) => snapshotOf(exchange, tokenId) ?? []);
      this.#later(() => {
        for (const snapshot of snapshots) this.#put(snapshot);
      });
    });
  }

  book(tokenId: TokenId): BookFold | null {
    return this.#books.get(tokenId) ?? null;
  }

  replace(snapshot: BookSnapshot): boolean {
    const book = this.#books.get(snapshot.tokenId);
    if (book === undefined || !book.replaceFetched(snapshot, this.#readerClock.nowMs()))
      return false;
    this.#listener.next(book);
    return true;
  }

  stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
  }

  #hear(event: ExchangeEvent): void {
    switch (event.kind) {
      case 'level':
        return this.#touch(event);
      case 'trade': {
        const { status, tokenId, price, shares } = event.trade;
        if (status === 'MATCHED' && this.#books.has(tokenId))
          this.#tell({
            kind: 'trade',
            tokenId,
            price,
            shares,
            venueAtMs: this.#line.clock.nowMs(),
          });
        return;
      }
      case 'tick_size':
        return this.#changeTick(event);
      case 'market_resolved': {
        const winner = event.payoutTicks.indexOf(TICKS_PER_USD);
        const tokens = this.#watchedOf(event.marketId);
        if (tokens.length > 0)
          this.#tell({
            kind: 'resolved',
            marketId: event.marketId,
            winner: this.#exchange.market(event.marketId)?.tokens[winner] ?? null,
            venueAtMs: this.#line.clock.nowMs(),
          });
        return;
      }
      case 'order':
      case 'market_listed':
      case 'market_retired':
    }
  }

  #touch({ marketId, side, price }: Extract<ExchangeEvent, { kind: 'level' }>): void {
    const market = this.#touched.get(marketId);
    if (market !== undefined) {
      market.set(`${side} ${price}`, { side, price });
      return;
    }
    if (this.#watchedOf(marketId).length === 0) return;
    this.#touched.set(marketId, new Map([[`${side} ${price}`, { side, price }]]));
    // All that a turn of the engine did goes together: in between, a book may cross.
    if (this.#touched.size === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const atMs = this.#line.clock.nowMs();
    for (const [marketId, levels] of this.#touched) {
      const changes = this.#changesOf(marketId, [...levels.values()]);
      this.#later(() => this.#apply(changes, atMs));
    }
    this.#touched.clear();
  }

  /** Each level of the first token is one of the second, at the price that completes a dollar. */
  #changesOf(
    marketId: MarketId,
    levels: readonly { readonly side: 'buy' | 'sell'; readonly price: number }[],
  ): readonly LevelChange[] {
    const market = this.#exchange.market(marketId);
    if (market === null) return [];
    const [first, second] = market.tokens;
    return levels.flatMap(({ side, price }): LevelChange[] => {
      const size = this.#exchange.levelSize(marketId, side, price);
      return [
        { tokenId: first, side: side === 'buy' ? 'bid' : 'ask', price, size },
        {
          tokenId: second,
          side: side === 'buy' ? 'ask' : 'bid',
          price: TICKS_PER_USD - price,
          size,
        },
      ];
    });
  }

  #apply(changes: readonly LevelChange[], atMs: number): void {
    const changed = new Set<BookFold>();
    for (const { tokenId, side, price, size } of changes) {
      const book = this.#books.get(tokenId);
      if (book === undefined || !book.takes(atMs)) continue;
      book.setLevel(side, price, size);
      changed.add(book);
    }
    for (const book of changed) {
      book.finish(atMs, this.#readerClock.nowMs(), { bid: UNSTATED, ask: UNSTATED });
      this.#listener.next(book);
    }
  }

  #changeTick({ marketId, to }: Extract<ExchangeEvent, { kind: 'tick_size' }>): void {
    for (const tokenId of this.#watchedOf(marketId)) {
      this.#later(() => {
        const book = this.#books.get(tokenId);
        book?.doubt('tick_changed');
        if (book !== undefined) this.#listener.next(book);
        this.#listener.next({ kind: 'tick_size', tokenId, tickSize: to });
      });
    }
  }

  #put(snapshot: BookSnapshot): void {
    const book = this.#books.get(snapshot.tokenId);
    if (book?.replace(snapshot, this.#readerClock.nowMs()) === true) this.#listener.next(book);
  }

  #watchedOf(marketId: MarketId): readonly TokenId[] {
    return (this.#exchange.market(marketId)?.tokens ?? []).filter((tokenId) =>
      this.#books.has(tokenId),
    );
  }

  #tell(change: BookChange): void {
    this.#later(() => this.#listener.next(change));
  }

  #later(run: () => void): void {
    this.#line.clock.after(this.#line.latencyMs, () => {
      if (!this.#isOver) run();
    });
  }
}

/** Null for a token of no market, and once its market is over. */
function snapshotOf(exchange: VenueModel, tokenId: TokenId): BookSnapshot | null {
  const market = exchange.marketOfToken(tokenId);
  if (market === null || exchange.payout(market.marketId) !== null) return null;
  const { bids, asks } = exchange.book(tokenId);
  return {
    tokenId,
    marketId: market.marketId,
    bids,
    asks,
    venueAtMs: exchange.clock.nowMs(),
    tickSize: market.tickSize,
  };
}
