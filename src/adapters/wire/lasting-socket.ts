import { FEEDS } from '../../../config/limits/market-data.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { SocketHandle } from './socket-frames.ts';

/** A row of sockets that is one to its listener. */
export interface LastingSocket {
  /** Begins to replace the socket before its time. */
  replace(): void;
  close(): void;
}

/**
 * Keeps one socket open, and for a moment two: the next one is opened while the last still speaks,
 * and takes over with its first frame. A replacement is no loss: the listener's error comes only
 * when no socket is left.
 */
export function openLastingSocket(
  {
    clock,
    open,
    lifeMs,
  }: {
    readonly clock: Clock;
    /** Opens one socket of the row. */
    readonly open: (listener: Listener<Buffer>) => SocketHandle;
    /** How long a socket that begins to speak now is kept, ms. */
    readonly lifeMs: () => number;
  },
  listener: Listener<Buffer>,
): LastingSocket {
  let current: SocketHandle | null = null;
  let successor: SocketHandle | null = null;
  let retirement: Timer | null = null;

  const retireAfter = (ms: number): void => {
    retirement?.cancel();
    retirement = clock.after(ms, replace);
  };
  const promote = (handle: SocketHandle): void => {
    current?.close();
    current = handle;
    successor = null;
    retireAfter(lifeMs());
  };
  const openNext = (): SocketHandle => {
    const handle: SocketHandle = open({
      next(frame) {
        if (handle === successor) promote(handle);
        listener.next(frame);
      },
      error(cause) {
        if (handle === successor) {
          successor = null;
          retireAfter(FEEDS.reconnectMaximumMs);
        }
        // The old socket may well be dropped while its successor opens.
        else if (successor !== null) promote(successor);
        else {
          retirement?.cancel();
          listener.error(cause);
        }
      },
    });
    return handle;
  };
  function replace(): void {
    successor ??= openNext();
  }
  promote(openNext());
  return {
    replace,
    close() {
      retirement?.cancel();
      successor?.close();
      current?.close();
    },
  };
}
