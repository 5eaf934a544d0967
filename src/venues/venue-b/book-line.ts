import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import { bookFrame, frameHead, namedFrame, type WireBookFrame } from './schema.ts';

export interface BookLineParts {
  /** The address of the metadata socket. */
  readonly url: string;
  /** Null where none is asked for. */
  readonly apiKey: string | null;
  readonly clock: Clock;
  readonly openSocket: Transport['openSocket'];
  /** Called for a frame that cannot be read. */
  readonly dropped: () => void;
}

/** Who follows the books of some markets. */
interface BookFollower {
  readonly tickers: readonly MarketId[];
  take(frame: WireBookFrame): void;
  /** A frame about a book cannot be read: that of the market named, or any where none is. */
  refused(ticker: string | null): void;
  /** The socket is open and the markets are asked for: it says nothing before a book changes. */
  opened(): void;
  /** The socket is lost, and this follower is forgotten. */
  lost(cause: unknown): void;
}

/** One socket for all books that are followed, open while any is. */
export interface BookLine {
  /** Returns what ends it. */
  follow(follower: BookFollower): () => void;
}

interface OpenSocket {
  /** Null until it is open. */
  send: ((text: string) => boolean) | null;
  close: () => void;
}

/** Makes the line; nothing is opened before a book is followed. */
export function createBookLine(parts: BookLineParts): BookLine {
  const followers = new Set<BookFollower>();
  let socket: OpenSocket | null = null;

  /**
   * All of them each time: it is undocumented whether a list adds to the one before or takes its
   * place.
   */
  function subscribe(): void {
    const tickers = [...new Set([...followers].flatMap((one) => one.tickers))];
    socket?.send?.(JSON.stringify({ type: 'subscribe', channel: 'orderbook', tickers }));
  }

  function hear(frame: Buffer): void {
    const value = jsonOf(frame);
    const wire = bookFrame.safeParse(value);
    if (!wire.success) {
      if (!isOther(value)) refuse(tickerOf(value));
      return;
    }
    for (const follower of followers)
      if (follower.tickers.some((ticker) => ticker === wire.data.market_ticker))
        follower.take(wire.data);
  }

  function refuse(ticker: string | null): void {
    parts.dropped();
    for (const follower of followers)
      if (ticker === null || follower.tickers.some((one) => one === ticker))
        follower.refused(ticker);
  }

  function lose(cause: unknown): void {
    const left = [...followers];
    followers.clear();
    socket = null;
    for (const follower of left) follower.lost(cause);
  }

  function open(): void {
    const mine: OpenSocket = { send: null, close: () => undefined };
    socket = mine;
    const { url, apiKey, clock, openSocket } = parts;
    const opened = openSocket(
      {
        url,
        clock,
        maximumBytes: VENUE_B.frameMaximumBytes,
        handshakeTimeoutMs: VENUE_B.handshakeTimeoutMs,
        idleMs: VENUE_B.socketSilenceMs,
        ...(apiKey === null ? {} : { headers: { 'x-api-key': apiKey } }),
        opened(handle) {
          if (socket !== mine) return;
          mine.send = (text) => handle.send(text);
          subscribe();
          for (const follower of followers) follower.opened();
        },
      },
      {
        next: (frame) => void (socket === mine && hear(frame)),
        error: (cause) => void (socket === mine && lose(cause)),
      },
    );
    mine.close = () => opened.close();
  }

  return {
    follow(follower) {
      followers.add(follower);
      if (socket === null) open();
      else if (socket.send !== null) {
        subscribe();
        follower.opened();
      }
      return () => {
        if (!followers.delete(follower)) return;
        if (followers.size === 0) {
          const { close } = socket ?? { close: () => undefined };
          socket = null;
          return close();
        }
        const kept = new Set([...followers].flatMap((one) => one.tickers));
        const tickers = follower.tickers.filter((ticker) => !kept.has(ticker));
        if (tickers.length > 0)
          socket?.send?.(JSON.stringify({ type: 'unsubscribe', channel: 'orderbook', tickers }));
      };
    },
  };
}

/** True for what the socket may say besides books: of other channels, or what is no news at all. */
function isOther(value: unknown): boolean {
  const head = frameHead.safeParse(value);
  return head.success && head.data.channel !== 'orderbook';
}

/** The market a frame names, however strange the rest of it is. */
function tickerOf(value: unknown): string | null {
  const head = namedFrame.safeParse(value);
  return head.success ? head.data.market_ticker : null;
}

function jsonOf(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    return undefined;
  }
}
