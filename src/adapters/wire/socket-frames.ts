import { WebSocket } from 'ws';
import { AppError } from '../../domain/errors.ts';
import { inWallTime, type Clock, type Timer } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';

/**
 * A text heartbeat of the application, beside the protocol's own pings which are answered anyway.
 */
interface TextPing {
  readonly text: string;
  readonly everyMs: number;
  /** The peer's answer; such frames are kept from the listener. */
  readonly answer: string;
  /**
   * The socket counts as lost when no answer came for this long; null where the peer answers
   * unreliably.
   */
  readonly answerWithinMs: number | null;
}

/**
 * How to open a socket and when to give it up. Its times are wall times, whatever the clock shows.
 */
export interface SocketOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Largest message taken, bytes; a larger one ends the socket. */
  readonly maximumBytes: number;
  readonly handshakeTimeoutMs: number;
  /**
   * The socket counts as lost after this long without a frame other than the ping's answer; null
   * for no such watch.
   */
  readonly idleMs: number | null;
  readonly ping?: TextPing;
  readonly headers?: Readonly<Record<string, string>>;
  /** Runs when the socket is open: the moment to subscribe. */
  readonly opened?: (socket: SocketHandle) => void;
}

/** An open or opening socket. */
export interface SocketHandle {
  /** Sends a text frame. False when the socket is not open or `SEND_BACKLOG_BYTES` wait unsent. */
  send(text: string): boolean;
  /** Ends it for good; the listener hears nothing more. */
  close(): void;
}

/**
 * Frames waiting to leave a healthy client socket are subscriptions of a few kilobytes; more means
 * the peer stopped reading.
 */
const SEND_BACKLOG_BYTES = 1 << 20;

/**
 * Opens a WebSocket and gives its text and binary frames as raw bytes, in order of arrival. Bytes
 * are not checked to be UTF-8: one bad frame is the parser's to count, not a reason to lose the
 * socket. Ends with one retryable `venue_unavailable` on close, error, oversize, silence, or a
 * missing answer to the ping; it never reconnects by itself.
 */
export function openSocket(options: SocketOptions, listener: Listener<Buffer>): SocketHandle {
  const socket = new WebSocket(options.url, {
    maxPayload: options.maximumBytes,
    handshakeTimeout: options.handshakeTimeoutMs,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
  });
  let ended = false;
  const watchdogs = createWatchdogs(options, socket, (why) => lose(why));

  const end = (): void => {
    ended = true;
    watchdogs.stop();
    socket.terminate();
  };
  const lose = (why: string, cause?: unknown): void => {
    if (ended) return;
    end();
    listener.error(lost(options.url, why, cause));
  };
  const handle: SocketHandle = {
    send(text) {
      if (
        ended ||
        socket.readyState !== WebSocket.OPEN ||
        socket.bufferedAmount > SEND_BACKLOG_BYTES
      )
        return false;
      socket.send(text, (error) => {
        if (error) lose('send failed', error);
      });
      return true;
    },
    close() {
      if (!ended) end();
    },
  };
  socket.on('open', () => {
    if (ended) return;
    watchdogs.start();
    options.opened?.(handle);
  });
  socket.on('message', (data) => {
    // ws gives Buffers unless binaryType is changed, which nothing here does
    if (ended || !Buffer.isBuffer(data)) return;
    if (watchdogs.heard(data)) listener.next(data);
  });
  socket.on('error', (cause) => lose(cause.message, cause));
  socket.on('close', (code, reason) =>
    lose(`closed with code ${code} ${reason.toString('utf8', 0, 120)}`.trimEnd()),
  );
  return handle;
}

interface Watchdogs {
  start(): void;
  /** Notes a frame; false when it was the answer to our ping. */
  heard(frame: Buffer): boolean;
  stop(): void;
}

function createWatchdogs(
  options: SocketOptions,
  socket: WebSocket,
  lose: (why: string) => void,
): Watchdogs {
  const { clock, idleMs, ping } = options;
  const answer = ping === undefined ? null : Buffer.from(ping.answer);
  let idle: Timer | null = null;
  let beat: Timer | null = null;
  let dataAtMs = 0;
  let answeredAtMs = 0;

  // One timer re-armed only when it fires: a busy socket gets thousands of frames a second and each
  // just notes the time.
  const watchIdle = (limitMs: number): void => {
    const leftMs = dataAtMs + inWallTime(clock, limitMs) - clock.nowMs();
    if (leftMs <= 0) lose(`silent for ${limitMs} ms`);
    else idle = clock.after(leftMs, () => watchIdle(limitMs));
  };
  const sendPing = (text: TextPing): void => {
    const unansweredMs = clock.nowMs() - answeredAtMs;
    if (text.answerWithinMs !== null && unansweredMs > inWallTime(clock, text.answerWithinMs)) {
      lose(`no ${text.answer} for ${text.answerWithinMs} ms`);
      return;
    }
    if (socket.readyState === WebSocket.OPEN) socket.send(text.text);
    beat = clock.after(inWallTime(clock, text.everyMs), () => sendPing(text));
  };
  return {
    start() {
      dataAtMs = clock.nowMs();
      answeredAtMs = dataAtMs;
      if (idleMs !== null) watchIdle(idleMs);
      if (ping !== undefined)
        beat = clock.after(inWallTime(clock, ping.everyMs), () => sendPing(ping));
    },
    heard(frame) {
      if (answer !== null && frame.length === answer.length && frame.equals(answer)) {
        answeredAtMs = clock.nowMs();
        return false;
      }
      dataAtMs = clock.nowMs();
      return true;
    },
    stop() {
      idle?.cancel();
      beat?.cancel();
    },
  };
}

function lost(url: string, why: string, cause: unknown): AppError {
  const details = cause === undefined ? { retryable: true } : { retryable: true, cause };
  return new AppError('venue_unavailable', `socket lost: ${withoutQuery(url)}: ${why}`, details);
}

/** Query strings may hold credentials, so they stay out of messages (L12). */
function withoutQuery(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
