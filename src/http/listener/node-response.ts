import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NODE_SERVER } from '../../../config/limits/node-server.ts';
import type { HttpRequest, HttpResponse } from './listener.ts';

/** What brings the body of a call: the message itself, or the connection it came on. */
export interface BodySource {
  /** True once all of it has come. */
  isRead(): boolean;
  onData(handler: (chunk: Buffer, isLast: boolean) => void): void;
}

/** The body of an ordinary call, as Node reads it. */
export function messageBody(message: IncomingMessage): BodySource {
  return {
    isRead: () => message.complete,
    onData(handler) {
      message.on('data', (chunk: Buffer) => handler(chunk, false));
      message.on('end', () => handler(NOTHING, true));
    },
  };
}

/**
 * The body of a call that asked for an upgrade it does not get: Node has let go of the connection,
 * so `length` bytes are read from it, of which `first` have come already.
 */
export function connectionBody(socket: Socket, first: Buffer, length: number): BodySource {
  let left = length;
  return {
    isRead: () => left <= 0,
    onData(handler) {
      const take = (chunk: Buffer): void => {
        if (left <= 0) return;
        const part = chunk.subarray(0, left);
        left -= part.length;
        handler(part, left === 0);
      };
      take(first);
      socket.on('data', take);
    },
  };
}

const NOTHING = Buffer.alloc(0);

/** Hands a message's head over in the names of the port. */
export function requestOf(message: IncomingMessage): HttpRequest {
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  return {
    forEach(each) {
      const { rawHeaders } = message;
      for (let index = 0; index + 1 < rawHeaders.length; index += 2)
        each((rawHeaders[index] ?? '').toLowerCase(), rawHeaders[index + 1] ?? '');
    },
    getCaseSensitiveMethod: () => message.method ?? '',
    getUrl: () => (mark === -1 ? url : url.slice(0, mark)),
    getQuery: () => (mark === -1 ? undefined : url.slice(mark + 1)),
  };
}

/** An answer by Node's own `ServerResponse`. */
export class NodeResponse implements HttpResponse {
  /** True once the answer has ended, was aborted, or the connection was given to a socket. */
  isOver = false;
  private isLast = false;
  private readonly response: ServerResponse;
  private readonly socket: Socket;
  private readonly body: BodySource;
  private readonly headers: string[] = [];
  private status = '200 OK';
  private isBegun = false;

  constructor(response: ServerResponse, socket: Socket, body: BodySource) {
    this.response = response;
    this.socket = socket;
    this.body = body;
  }

  /** True while no other call may follow on the connection. */
  get blocksNext(): boolean {
    return !this.isOver || this.isLast;
  }

  /** True once all of the answer has left. */
  get isSent(): boolean {
    return this.response.writableFinished;
  }

  get isBodyRead(): boolean {
    return this.body.isRead();
  }

  cork(write: () => void): void {
    write();
  }

  writeStatus(status: string): this {
    this.status = status;
    return this;
  }

  writeHeader(name: string, value: string): this {
    this.headers.push(name, value);
    return this;
  }

  write(text: string): boolean {
    this.begin();
    this.response.write(text);
    return this.socket.writableLength <= NODE_SERVER.streamBacklogMaximumBytes;
  }

  end(body: string | Uint8Array = '', closeConnection = false): void {
    this.isOver = true;
    this.isLast = closeConnection;
    if (closeConnection) this.writeHeader('Connection', 'close');
    if (!this.isBegun) this.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    this.begin();
    this.response.end(body);
  }

  endWithoutBody(): void {
    this.isOver = true;
    this.begin();
    this.response.end();
  }

  close(): void {
    this.socket.destroy();
  }

  onAborted(handler: () => void): void {
    this.response.on('close', () => {
      if (this.isOver) return;
      this.isOver = true;
      handler();
    });
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.body.onData(({ buffer, byteOffset, byteLength }, isLast) =>
      // memory of sockets is never shared between threads
      handler(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer, isLast),
    );
  }

  getRemoteAddressAsText(): ArrayBuffer {
    const text = Buffer.from(fullAddress(this.socket.remoteAddress ?? ''), 'latin1');
    return new Uint8Array(text).buffer;
  }

  private begin(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const [code = '', ...words] = this.status.split(' ');
    this.response.writeHead(Number(code), words.join(' '), this.headers);
  }
}

/** Returns an address as uWebSockets.js writes it: of IPv6 all eight groups of four digits. */
export function fullAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  const groups = withoutDots(plain);
  const [before = '', after] = groups.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill('0'), ...tail]
    .map((group) => group.padStart(4, '0'))
    .join(':');
}

/** Writes the IPv4 part of a mapped address (`::ffff:127.0.0.1`) as two groups. */
function withoutDots(address: string): string {
  const mapped = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (mapped === null) return address;
  const [a = 0, b = 0, c = 0, d = 0] = mapped.slice(2).map(Number);
  return `${mapped[1] ?? ''}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
