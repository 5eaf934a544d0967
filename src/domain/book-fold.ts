import { BookSide } from './book-side.ts';
import type { BookLevel, BookTop, BookView } from './book.ts';
import { asId, type MarketId, type TokenId } from './ids.ts';

/** A whole book as a venue states it. */
export interface FoldSnapshot {
  readonly marketId: MarketId;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly venueAtMs: number;
  readonly statedE5?: number;
}

/**
 * The venue's own best prices, to check a book against: ticks, 0 for an empty side, `UNSTATED`
 * where it said nothing.
 */
export interface StatedTop {
  readonly bid: number;
  readonly ask: number;
}

/** The venue said nothing about a best price. */
export const UNSTATED = -1;

/** Faults that only a fresh snapshot cures. */
type LastingFault = 'no_snapshot' | 'gap' | 'tick_changed';

/**
 * Folds snapshots and level changes into one token's book. Mutable inside and cheap to change;
 * `top()` and `view()` build frozen answers on demand and keep them until the next change. Never
 * throws on wrong input: what cannot be is a fault.
 */
export class BookFold {
  readonly kind = 'book';
  readonly tokenId: TokenId;
  /** Empty until the first snapshot names it. */
  marketId: MarketId = asId('');
  /** Grows with every snapshot that ends a doubt; 0 before the first. */
  epoch = 0;
  /** Grows with every frame that touched the book within an epoch. */
  seq = 0;
  /** Newest venue time seen, epoch ms. */
  venueAtMs = 0;
  /** Epoch ms of the newest frame on our clock. */
  receivedAtMs = 0;
  private readonly bids = new BookSide('bid');
  private readonly asks = new BookSide('ask');
  private lasting: LastingFault | null = 'no_snapshot';
  /** Frames of before this venue time are older than the snapshot they would change. */
  private notBeforeMs = 0;
  private stated: Pick<BookView, 'statedE5'> = {};
  private cachedTop: BookTop | null = null;
  private cachedView: BookView | null = null;

  constructor(tokenId: TokenId) {
    this.tokenId = tokenId;
  }

  get bestBid(): number {
    return this.bids.best;
  }

  get bestAsk(): number {
    return this.asks.best;
  }

  /** What the frames alone show to be wrong; null when nothing is. */
  get fault(): LastingFault | 'crossed' | null {
    if (this.lasting !== null) return this.lasting;
    return this.bids.best >= this.asks.best && this.asks.best !== 0 ? 'crossed' : null;
  }

  /**
   * True when level changes of that venue time count: not before the first snapshot, nor before the
   * one in place.
   */
  takes(venueAtMs: number): boolean {
    return (
      this.lasting !== 'no_snapshot' &&
      this.lasting !== 'tick_changed' &&
      venueAtMs >= this.notBeforeMs
    );
  }

  /**
   * Sets the whole size at a price from 1 to 9 999 ticks; 0 removes the level. Call `finish` after
   * the frame's last one.
   */
  setLevel(side: 'bid' | 'ask', price: number, size: number): void {
    if (side === 'bid') this.bids.set(price, size);
    else this.asks.set(price, size);
  }

  /**
   * Ends a frame of level changes: notes its times and checks the best prices against the venue's.
   */
  finish(venueAtMs: number, receivedAtMs: number, stated: StatedTop): void {
    this.touch(venueAtMs, receivedAtMs);
    // The stream has caught up with the fetched book: from here on the order of arrival counts
    // again, whatever the times.
    this.notBeforeMs = 0;
    const agrees =
      (stated.bid === UNSTATED || stated.bid === this.bids.best) &&
      (stated.ask === UNSTATED || stated.ask === this.asks.best);
    if (!agrees) this.lasting = 'gap';
  }

  /**
   * Puts a whole book that came in the stream's own order in the place of this one. False when a
   * fetched book in place is newer: it was sent before that one and arrived after it.
   */
  replace(snapshot: FoldSnapshot, receivedAtMs: number): boolean {
    if (snapshot.venueAtMs < this.notBeforeMs) return false;
    this.fill(snapshot, receivedAtMs);
    this.notBeforeMs = 0;
    return true;
  }

  /**
   * Puts a book that was fetched beside the stream in the place of this one: frames that are older
   * than it and still to come will not be taken. False when it is older than what was already taken
   * in.
   */
  replaceFetched(snapshot: FoldSnapshot, receivedAtMs: number): boolean {
    if (snapshot.venueAtMs < this.venueAtMs) return false;
    this.fill(snapshot, receivedAtMs);
    this.notBeforeMs = snapshot.venueAtMs;
    return true;
  }

  /** Marks the book as doubtful until the next snapshot: a frame was lost, or the tick changed. */
  doubt(fault: 'gap' | 'tick_changed'): void {
    if (this.lasting === 'no_snapshot') return;
    this.lasting = fault;
    this.cachedView = null;
  }

  top(): BookTop {
    this.cachedTop ??= { bid: this.bids.top(), ask: this.asks.top() };
    return this.cachedTop;
  }

  view(): BookView {
    const { tokenId, marketId, epoch, seq, venueAtMs, receivedAtMs } = this;
    this.cachedView ??= {
      tokenId,
      marketId,
      epoch,
      seq,
      bids: this.bids.levels(),
      asks: this.asks.levels(),
      venueAtMs,
      receivedAtMs,
      distrust: this.fault,
      ...this.stated,
    };
    return this.cachedView;
  }

  private fill(snapshot: FoldSnapshot, receivedAtMs: number): void {
    this.marketId = snapshot.marketId;
    this.stated = snapshot.statedE5 === undefined ? {} : { statedE5: snapshot.statedE5 };
    this.bids.clear();
    this.asks.clear();
    for (const level of snapshot.bids) this.bids.set(level.price, level.size);
    for (const level of snapshot.asks) this.asks.set(level.price, level.size);
    if (this.lasting !== null) {
      this.epoch += 1;
      this.seq = 0;
      this.lasting = null;
    }
    this.touch(snapshot.venueAtMs, receivedAtMs);
  }

  private touch(venueAtMs: number, receivedAtMs: number): void {
    this.seq += 1;
    // Event times step back now and then: age is computed on the newest (venue_a.md section 9.1).
    this.venueAtMs = Math.max(this.venueAtMs, venueAtMs);
    this.receivedAtMs = receivedAtMs;
    this.cachedTop = null;
    this.cachedView = null;
  }
}
