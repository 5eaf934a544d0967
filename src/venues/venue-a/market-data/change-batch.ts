import { UNSTATED, type BookFold, type StatedTop } from '../../../domain/book-fold.ts';

/**
 * A watched token: its book, its id as bytes, and the best prices the frame in hand states for it.
 */
export interface WatchedToken extends StatedTop {
  readonly book: BookFold;
  /** The token id as ASCII digits. */
  readonly idBytes: Uint8Array;
  bid: number;
  ask: number;
  /** Number of the newest frame that touched it. */
  frame: number;
}

/**
 * More changes than this in one frame are no sane frame: a book has at most 9 999 prices and
 * changes a few at a time.
 */
export const CHANGES_MAXIMUM = 4_096;

/**
 * The level changes of one `price_change` frame, read completely before the first of them touches a
 * book. Both readers of such frames fill one, so they cannot differ in what they do to a book.
 * Reused from frame to frame.
 */
export class ChangeBatch {
  count = 0;
  venueAtMs = 0;
  private readonly tokens: (WatchedToken | null)[] = [];
  private readonly isBid = new Uint8Array(CHANGES_MAXIMUM);
  private readonly prices = new Int32Array(CHANGES_MAXIMUM);
  private readonly sizes = new Float64Array(CHANGES_MAXIMUM);
  private readonly statedBids = new Int32Array(CHANGES_MAXIMUM);
  private readonly statedAsks = new Int32Array(CHANGES_MAXIMUM);
  private readonly touched: WatchedToken[] = [];
  private frame = 0;

  clear(): void {
    this.count = 0;
    this.venueAtMs = 0;
  }

  /** Adds the change of a level: ticks, micro-shares, and the best prices stated beside it. */
  add(
    token: WatchedToken | null,
    change: {
      readonly isBid: boolean;
      readonly price: number;
      readonly size: number;
      readonly bid: number;
      readonly ask: number;
    },
  ): void {
    const index = this.count;
    this.tokens[index] = token;
    this.isBid[index] = change.isBid ? 1 : 0;
    this.prices[index] = change.price;
    this.sizes[index] = change.size;
    this.statedBids[index] = change.bid;
    this.statedAsks[index] = change.ask;
    this.count = index + 1;
  }

  /** Changes the books, then ends the frame for each of them and tells `changed` about it. */
  apply(receivedAtMs: number, changed: (book: BookFold) => void): void {
    const { count, venueAtMs, touched } = this;
    this.frame += 1;
    let touchedCount = 0;
    for (let index = 0; index < count; index += 1) {
      const token = this.tokens[index] ?? null;
      if (token === null || !token.book.takes(venueAtMs)) continue;
      token.book.setLevel(
        this.isBid[index] === 1 ? 'bid' : 'ask',
        this.prices[index] ?? 0,
        this.sizes[index] ?? 0,
      );
      token.bid = this.statedBids[index] ?? UNSTATED;
      token.ask = this.statedAsks[index] ?? UNSTATED;
      if (token.frame !== this.frame) {
        token.frame = this.frame;
        touched[touchedCount] = token;
        touchedCount += 1;
      }
    }
    for (let index = 0; index < touchedCount; index += 1) {
      const token = touched[index];
      if (token === undefined) continue;
      token.book.finish(venueAtMs, receivedAtMs, token);
      changed(token.book);
    }
  }

  /** The changes as plain rows, for tests and traces. */
  rows(): readonly {
    readonly tokenId: string | null;
    readonly isBid: boolean;
    readonly price: number;
    readonly size: number;
    readonly bid: number;
    readonly ask: number;
  }[] {
    return Array.from({ length: this.count }, (_, index) => ({
      tokenId: this.tokens[index]?.book.tokenId ?? null,
      isBid: this.isBid[index] === 1,
      price: this.prices[index] ?? 0,
      size: this.sizes[index] ?? 0,
      bid: this.statedBids[index] ?? UNSTATED,
      ask: this.statedAsks[index] ?? UNSTATED,
    }));
  }
}
