import { connect, type Socket } from 'node:net';

/** A book as a reader has put it together: size by price. */
export interface ReadBook {
  epoch: number;
  seq: number;
  readonly bids: Map<string, string>;
  readonly asks: Map<string, string>;
}

/**
 * A reader of live books over a socket of its own, without a library, so that thousands cost
 * little.
 */
export interface Reader {
  /**
   * Opens the socket; settles once there is a whole book of every topic. Rejects when the socket
   * ends first.
   */
  open(): Promise<void>;
  /** Cuts the connection. */
  cut(): void;
  books(): ReadonlyMap<string, ReadBook>;
  /** Changes that did not follow on what was there before them. */
  holes(): number;
}

/** Where and as whom to read what. */
export interface ReaderOptions {
  readonly port: number;
  readonly token: string;
  readonly topics: readonly string[];
}

interface Message {
  readonly op?: string;
  readonly topic?: string;
  readonly kind?: 'snapshot' | 'change';
  readonly epoch?: number;
  readonly seq?: number;
  readonly data?: { readonly bids: readonly Level[]; readonly asks: readonly Level[] } | null;
}

interface Level {
  readonly price: string;
  readonly size: string;
}

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

function sizes(levels: readonly Level[]): Map<string, string> {
  return new Map(levels.map(({ price, size }) => [price, size]));
}

/** Makes a reader; nothing is opened yet. */
export function createReader({ port, token, topics }: ReaderOptions): Reader {
  const books = new Map<string, ReadBook>();
  let holes = 0;
  let socket: Socket | null = null;

  function take({ topic, kind, epoch, seq, data }: Message): void {
    if (
      topic === undefined ||
      epoch === undefined ||
      seq === undefined ||
      data === null ||
      data === undefined
    )
      return;
    const before = books.get(topic);
    if (kind === 'snapshot') {
      books.set(topic, { epoch, seq, bids: sizes(data.bids), asks: sizes(data.asks) });
      return;
    }
    if (before === undefined || before.epoch !== epoch || before.seq + 1 !== seq) {
      holes += 1;
      return;
    }
    before.seq = seq;
    for (const side of ['bids', 'asks'] as const) {
      for (const { price, size } of data[side]) {
        if (size === '0') before[side].delete(price);
        else before[side].set(price, size);
      }
    }
  }

  return {
    open: () =>
      new Promise((resolve, reject) => {
        books.clear();
        const current = connect(port, '127.0.0.1');
        socket = current;
        current.setNoDelay(true);
        current.on('error', reject);
        current.on('close', () => reject(new Error('the socket ended')));
        current.write(
          `GET /ws HTTP/1.1\r\nHost: readers\r\nAuthorization: Bearer ${token}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
        );
        readFrames(current, (opcode, payload) => {
          if (opcode === PING) current.write(frame(PONG, payload));
          if (opcode === CLOSE) current.destroy();
          if (opcode !== TEXT) return;
          const message = JSON.parse(payload.toString('utf8')) as Message; // the daemon's own words
          if (message.op === 'authenticated')
            current.write(frame(TEXT, Buffer.from(JSON.stringify({ op: 'subscribe', topics }))));
          else take(message);
          if (books.size === topics.length) resolve();
        });
      }),
    cut() {
      socket?.destroy();
      books.clear();
    },
    books: () => books,
    holes: () => holes,
  };
}

/** A masked frame of up to 65,535 bytes; the mask is zero (RFC 6455, section 5.2). */
function frame(opcode: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126
      ? Buffer.from([0x80 | opcode, 0x80 | payload.length])
      : Buffer.from([0x80 | opcode, 0xfe, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** Hands over each whole frame after the answer to the upgrade; servers do not mask. */
function readFrames(socket: Socket, take: (opcode: number, payload: Buffer) => void): void {
  let kept: Buffer = Buffer.alloc(0);
  let isUpgraded = false;
  socket.on('data', (bytes: Buffer) => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    if (!isUpgraded) {
      const end = kept.indexOf('\r\n\r\n', 0, 'latin1');
      if (end < 0) return;
      if (!kept.toString('latin1', 0, end).startsWith('HTTP/1.1 101'))
        return void socket.destroy(new Error(kept.toString('latin1', 0, end)));
      isUpgraded = true;
      kept = kept.subarray(end + 4);
    }
    for (;;) {
      if (kept.length < 4) return;
      const short = kept.readUInt8(1) & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (kept.length < head) return;
      const length =
        short < 126
          ? short
          : short === 126
            ? kept.readUInt16BE(2)
            : Number(kept.readBigUInt64BE(2));
      if (kept.length < head + length) return;
      take(kept.readUInt8(0) & 0x0f, kept.subarray(head, head + length));
      kept = kept.subarray(head + length);
    }
  });
}
