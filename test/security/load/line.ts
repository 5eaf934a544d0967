import { connect, type Socket } from 'node:net';

/** An answer on a line. */
interface LineAnswer {
  readonly status: number;
  /** Seconds of `Retry-After`; null without one. */
  readonly retryAfter: string | null;
  readonly body: string;
}

/**
 * A kept connection that asks one question at a time, with little work of its own: the load must
 * come from few lines of one core.
 */
export interface Line {
  readonly isFree: boolean;
  /** The server lets go of who says nothing for ten seconds. */
  readonly isOver: boolean;
  /** Asks; rejects when the connection ends. */
  ask(request: Buffer): Promise<LineAnswer>;
  close(): void;
}

/** Opens a line from an address of this machine. */
export function openLine(port: number, from: string): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
    let waiting: { resolve(answer: LineAnswer): void; reject(error: Error): void } | null = null;
    let heard = '';
    let isOver = false;
    const fail = (error: Error): void => {
      isOver = true;
      waiting?.reject(error);
      waiting = null;
      reject(error);
    };
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      heard += text;
      const end = heard.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = heard.slice(0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (heard.length < end + 4 + length) return;
      const answer = {
        status: Number(head.slice(9, 12)),
        retryAfter: /\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? null,
        body: heard.slice(end + 4, end + 4 + length),
      };
      heard = heard.slice(end + 4 + length);
      const { resolve: tell } = waiting ?? { resolve: () => undefined };
      waiting = null;
      tell(answer);
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the connection ended')));
    socket.on('connect', () =>
      resolve({
        get isFree() {
          return waiting === null && !isOver;
        },
        get isOver() {
          return isOver;
        },
        ask: (request) =>
          new Promise((tell, refuse) => {
            if (isOver) return refuse(new Error('the connection ended'));
            waiting = { resolve: tell, reject: refuse };
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}

/** The bytes of a request without a body. */
export function requestBytes(method: string, path: string, token: string | null): Buffer {
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: a\r\n${token === null ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`,
  );
}
