import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { AppError } from '../../domain/errors.ts';
import { inWallTime, type Clock, type Timer } from '../../ports/clock.ts';
import { accountHeaders, type AccountToken } from './auth.ts';

/** The venue's namespace, and what its socket is opened by (venue_c.md sections 1 and 2). */
const NAMESPACE = '/markets';
const OPENING = '/socket.io/?EIO=4&transport=websocket';

export interface MarketsSocketParts {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Signs the opening, by the moment of it; null for a public socket. */
  readonly account: AccountToken | null;
  readonly clock: Clock;
  /** Wall time: signatures go by it. */
  readonly wallClock: Clock;
  readonly openSocket: Transport['openSocket'];
}

/** Who hears a socket. */
export interface MarketsListener {
  /** The namespace is joined: the moment to subscribe. */
  joined(socket: MarketsSocket): void;
  /** An event with its first argument. */
  event(name: string, payload: unknown): void;
  /** Called for a frame that cannot be read. */
  unreadable(): void;
  /**
   * The socket is lost, for good: open another one. `venue_unavailable` (retryable), or
   * `venue_restricted` where the venue refuses to let it in.
   */
  lost(cause: unknown): void;
}

/** A socket in the namespace, or on its way there. */
export interface MarketsSocket {
  /** Sends an event. False where the socket is not open, or too much waits to leave. */
  emit(event: string, payload: unknown): boolean;
  /** Ends it; its listener hears nothing more. */
  close(): void;
}

/** An event: its number where an answer is wanted, then its name and arguments as JSON. */
const EVENT = new RegExp(`^42${NAMESPACE},\\d*(\\[.*)$`, 's');

/**
 * Opens one socket.io connection (Engine.IO 4 over a WebSocket alone; venue_c.md section 18) and
 * joins the namespace. It never reconnects by itself: its signature would be old by then (section
 * 2).
 */
export function openMarketsSocket(
  { url, account, clock, wallClock, openSocket }: MarketsSocketParts,
  listener: MarketsListener,
): MarketsSocket {
  let isOver = false;
  let joining: Timer | null = null;

  const end = (): void => {
    isOver = true;
    joining?.cancel();
    handle.close();
  };
  const lose = (cause: unknown): void => {
    if (isOver) return;
    end();
    listener.lost(cause);
  };
  const socket: MarketsSocket = {
    emit: (event, payload) => handle.send(`42${NAMESPACE},${JSON.stringify([event, payload])}`),
    close() {
      if (!isOver) end();
    },
  };
  const hear = (text: string): void => {
    if (text === '2') return void handle.send('3');
    if (text.startsWith('0')) return void handle.send(`40${NAMESPACE},`);
    if (text.startsWith(`40${NAMESPACE}`)) {
      joining?.cancel();
      return listener.joined(socket);
    }
    if (text.startsWith(`44${NAMESPACE}`)) return lose(refused(text));
    if (text.startsWith(`41${NAMESPACE}`) || text === '1')
      return lose(unavailable('the venue ended the connection'));
    const value = eventOf(text);
    if (value === null) listener.unreadable();
    else listener.event(...value);
  };
  const path = new URL(url).pathname.replace(/\/$/, '') + OPENING;
  const handle = openSocket(
    {
      url: url + OPENING,
      clock,
      maximumBytes: VENUE_C.frameMaximumBytes,
      handshakeTimeoutMs: VENUE_C.handshakeTimeoutMs,
      idleMs: VENUE_C.socketSilenceMs,
      ...(account === null
        ? {}
        : {
            headers: accountHeaders(account, {
              method: 'GET',
              path,
              body: '',
              atMs: wallClock.nowMs(),
            }),
          }),
      opened() {
        if (isOver) return;
        const waitMs = inWallTime(clock, VENUE_C.joinTimeoutMs);
        joining = clock.after(waitMs, () => lose(unavailable('the venue let the socket not in')));
      },
    },
    {
      next(frame) {
        if (!isOver) hear(frame.toString('utf8'));
      },
      error: lose,
    },
  );
  return socket;
}

function eventOf(text: string): readonly [name: string, payload: unknown] | null {
  const [, json] = EVENT.exec(text) ?? [];
  try {
    const value: unknown = json === undefined ? null : JSON.parse(json);
    return Array.isArray(value) && typeof value[0] === 'string' ? [value[0], value[1]] : null;
  } catch {
    return null;
  }
}

function refused(text: string): AppError {
  const words = text.slice(text.indexOf(',') + 1, 300).replace(/[^\x20-\x7e]/g, '?');
  return new AppError('venue_restricted', `the venue refuses the socket: ${words}`);
}

function unavailable(message: string): AppError {
  return new AppError('venue_unavailable', message, { retryable: true });
}
