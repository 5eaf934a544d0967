import type { FeedMessage } from '../adapters/feed-link/protocol.ts';

/** A reader as channels see it. */
export interface ReaderEnd {
  /** Sends what was encoded once for all. */
  send(text: string): void;
  /** Says that a channel's source was lost; it is followed no more. */
  ended(channel: Channel, text: string): void;
  /** True while more waits for it than FEED_LINK.behindBytes. */
  isBehind(): boolean;
}

/** Something that is followed, by however many readers. */
export interface Channel {
  readonly number: number;
  /** How long its source has been lost, ms; 0 while it is not. */
  lostMs(): number;
  /** Begins to tell a reader; what is known comes first. */
  join(reader: ReaderEnd): void;
  leave(reader: ReaderEnd): void;
  /** Tells a reader the whole of a book. */
  whole(reader: ReaderEnd, tokenId: string): void;
  /** Tells a reader what was left out while it was behind. */
  catchUp(reader: ReaderEnd): void;
  close(): void;
}

/** Encodes what a feed says. */
export function encode(message: FeedMessage): string {
  return JSON.stringify(message);
}
