import { writeSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Sends bytes to every socket by the bare system call, one `write` each: what no server of this
 * process can go below.
 */
export interface FloorServer {
  readonly port: number;
  sendToAll(bytes: Uint8Array): void;
  close(): Promise<void>;
}

const ACCEPTED =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

/**
 * Opens the floor: it takes every upgrade without reading it, and never reads what clients say.
 */
export async function openFloor(): Promise<FloorServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.once('data', () => socket.write(ACCEPTED));
    socket.on('error', () => sockets.delete(socket));
    sockets.add(socket);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    // a listening TCP server has an address with a port
    port: (server.address() as AddressInfo).port,
    sendToAll(bytes) {
      for (const socket of sockets) writeSync(descriptorOf(socket), bytes);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A text frame as a server sends it: not masked (RFC 6455, section 5.2). */
export function serverFrame(text: string): Uint8Array {
  const body = Buffer.from(text);
  const head =
    body.length < 126 ? [0x81, body.length] : [0x81, 126, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from(head), body]);
}

/** The number of an open socket: Node keeps it on its handle, whose type it does not declare. */
function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly fd?: number } | null;
  }; // as Node 20 has it; checked below
  const descriptor = handle?.fd;
  if (descriptor === undefined || descriptor < 0) throw new Error('an open socket has a number');
  return descriptor;
}
