import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { asId, type MarketId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BookFollower, BookLine } from '../whole-books.ts';
import { bookFrame, frameHead, namedFrame, type WireBookFrame } from './schema.ts';

interface OpenSocket {
  /** Null until it is open. */
  send: ((text: string) => boolean) | null;
  close: () => void;
}

/** Makes the line; nothing is opened before a book is followed. */
export function createBookLine(parts: {
  /** The address of the metadata socket. */
  readonly url: string;
  /** Null where none is asked for. */
  readonly apiKey: string | null;
  readonly clock: Clock;
  readonly openSocket: Transport['openSocket'];
  /** Called for a frame that cannot be read. */
  readonly dropped: () => void;
}): BookLine<WireBookFrame> {
  const followers = new Set<BookFollower<WireBookFrame>>();
  let socket: OpenSocket | null = null;

  /**
   * All of them each time: it is undocumented whether a list adds to the one before or takes its
   * place.
   */
  function subscribe(): void {
    const tickers = [...new Set([...followers].flatMap((one) => one.marketIds))];
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
      if (follower.marketIds.some((ticker) => ticker === wire.data.market_ticker))
        follower.take(asId(wire.data.market_ticker), wire.data);
  }

  function refuse(ticker: MarketId | null): void {
    parts.dropped();
    for (const follower of followers)
      if (ticker === null || follower.marketIds.some((one) => one === ticker))
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
        const kept = new Set([...followers].flatMap((one) => one.marketIds));
        const tickers = follower.marketIds.filter((ticker) => !kept.has(ticker));
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
function tickerOf(value: unknown): MarketId | null {
  const head = namedFrame.safeParse(value);
  return head.success ? asId(head.data.market_ticker) : null;
}

function jsonOf(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    return undefined;
  }
}
