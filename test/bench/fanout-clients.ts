import { connect, type Socket } from 'node:net';

/** What the parent asks of the clients' process. */
export type ClientsOrder =
  | {
      readonly kind: 'open';
      readonly port: number;
      readonly count: number;
      readonly topics: readonly string[];
    }
  | { readonly kind: 'count' };

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
let frames = 0;

/**
 * Opens sockets without a library, so that the clients cost little and count every frame they get.
 */
function open(port: number, index: number, topics: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer user${index}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`,
    );
    socket.once('data', () => {
      socket.write(textFrame(JSON.stringify({ op: 'subscribe', topics })));
      countFrames(socket);
      resolve();
    });
  });
}

/**
 * A masked text frame of 126 to 65,535 or fewer bytes; the mask is zero (RFC 6455, section 5.2).
 */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head =
    length < 126
      ? Buffer.from([0x81, 0x80 | length])
      : Buffer.from([0x81, 0xfe, length >> 8, length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), Buffer.from(text)]);
}

function countFrames(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    for (;;) {
      const size = frameSize(rest);
      if (size === null || rest.length < size) return;
      frames += 1;
      rest = rest.subarray(size);
    }
  });
}

function frameSize(bytes: Buffer): number | null {
  if (bytes.length < 4) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  return short < 126 ? 2 + short : 4 + bytes.readUInt16BE(2);
}

process.on('message', (order: ClientsOrder) => {
  if (order.kind === 'count') {
    process.send?.({ frames });
    return;
  }
  void (async () => {
    for (let index = 0; index < order.count; index += 1)
      await open(order.port, index, order.topics);
    process.send?.({ opened: order.count });
  })();
});
