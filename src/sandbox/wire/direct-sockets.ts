import type { openSocket, SocketHandle, SocketOptions } from '../../adapters/wire/socket-frames.ts';
import { AppError } from '../../domain/errors.ts';
import type { Timer } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { PeerHandler, UpgradedChannel, UpgradeRequest } from './socket-server.ts';
import type { DirectLine } from './direct-calls.ts';

/**
 * Opens a channel of the venue without a network: the same frames, in order, a latency later.
 * Silence ends it as it ends a socket; the text ping is not played, since a line within the process
 * cannot die unnoticed.
 */
export function directSockets(line: DirectLine, channel: UpgradedChannel): typeof openSocket {
  return (options, listener) => new DirectSocket(line, channel, { options, listener });
}

interface Reader {
  readonly options: SocketOptions;
  readonly listener: Listener<Buffer>;
}

class DirectSocket implements SocketHandle {
  readonly #line: DirectLine;
  readonly #reader: Reader;
  #handler: PeerHandler | null = null;
  #silence: Timer | null = null;
  #isOver = false;

  constructor(line: DirectLine, channel: UpgradedChannel, reader: Reader) {
    this.#line = line;
    this.#reader = reader;
    this.#later(() => {
      this.#handler = channel(
        {
          send: (text) => this.#later(() => this.#take(text)),
          close: (code, reason) => this.#later(() => this.#lose(`closed with ${code} ${reason}`)),
          cut: () => this.#later(() => this.#lose('connection reset')),
        },
        upgradeOf(reader.options),
      );
      this.#rearm();
      reader.options.opened?.(this);
    });
  }

  send(text: string): boolean {
    if (this.#isOver || this.#handler === null) return false;
    this.#later(() => this.#handler?.frame(text));
    return true;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#silence?.cancel();
    this.#handler?.gone();
  }

  #take(text: string | Buffer): void {
    this.#rearm();
    this.#reader.listener.next(typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
  }

  #rearm(): void {
    const { idleMs } = this.#reader.options;
    this.#silence?.cancel();
    if (idleMs !== null)
      this.#silence = this.#line.clock.after(idleMs, () => this.#lose(`silent for ${idleMs} ms`));
  }

  #lose(why: string): void {
    this.close();
    this.#reader.listener.error(
      new AppError('venue_unavailable', `socket lost: ${this.#reader.options.url}: ${why}`, {
        retryable: true,
      }),
    );
  }

  #later(run: () => void): void {
    this.#line.clock.after(this.#line.latencyMs, () => {
      if (!this.#isOver) run();
    });
  }
}

function upgradeOf({ url, headers = {} }: SocketOptions): UpgradeRequest {
  const { pathname, search } = new URL(url);
  const named = new Headers(headers);
  return { target: `${pathname}${search}`, header: (name) => named.get(name) ?? '' };
}
