import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';

/** One client of a channel. */
export interface SocketPeer {
  /**
   * Sends a text frame, in bytes where they are not to be text at all; a client that does not read
   * is cut off.
   */
  send(text: string | Buffer): void;
  close(code: number, reason: string): void;
  /** Ends the connection without a farewell. */
  cut(): void;
}

/** What a channel does with one client. */
export interface PeerHandler {
  /** A text frame came in. */
  frame(text: string): void;
  /** The connection is gone. */
  gone(): void;
}

/** What a client asked for when it connected. */
export interface UpgradeRequest {
  /** Path and query as they were sent. */
  readonly target: string;
  /** A header by its lower-case name; empty when absent. */
  header(name: string): string;
}

/** A channel: makes a handler for each client that connects. */
export type Channel = (peer: SocketPeer) => PeerHandler;

/** A channel that looks at how its clients connect. */
export type UpgradedChannel = (peer: SocketPeer, request: UpgradeRequest) => PeerHandler;

/** Sockets that listen on loopback. */
export interface ListeningSockets {
  /** Base address, such as ws://127.0.0.1:4711. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves channels by path on 127.0.0.1; any other path is refused. */
export async function serveSockets(
  channels: Readonly<Record<string, UpgradedChannel>>,
  port = 0,
): Promise<ListeningSockets> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: VENUE_MODEL.socketPayloadMaximumBytes,
    perMessageDeflate: false,
  });
  const server = createServer((_request, response) => response.writeHead(426).end());
  server.on('upgrade', (request, socket, head) => {
    const channel = channels[new URL(request.url ?? '/', 'http://venue').pathname];
    if (channel === undefined || sockets.clients.size >= VENUE_MODEL.socketsMaximum) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) =>
      attend(client, (peer) => channel(peer, upgradeOf(request)), gathered(socket)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A listening TCP server has an address and a port.
  const address = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        for (const client of sockets.clients) client.terminate();
        sockets.close();
      }),
  };
}

function upgradeOf({ url, headers }: IncomingMessage): UpgradeRequest {
  return {
    target: url ?? '/',
    header(name) {
      const value = headers[name];
      return typeof value === 'string' ? value : '';
    },
  };
}

interface Gathering {
  /** Holds back what is written from here to the end of the turn. */
  begin(): void;
  /** Writes what is held back. */
  end(): void;
}

/** Has all frames of one turn leave by one system call: there is one for every market. */
function gathered(socket: Duplex): Gathering {
  let isHeld = false;
  const end = (): void => {
    if (!isHeld) return;
    isHeld = false;
    socket.uncork();
  };
  return {
    begin() {
      if (isHeld) return;
      isHeld = true;
      socket.cork();
      setImmediate(end);
    },
    end,
  };
}

function attend(client: WebSocket, channel: Channel, gathering: Gathering): void {
  const handler = channel({
    send(text) {
      if (client.readyState !== client.OPEN) return;
      gathering.begin();
      if (client.bufferedAmount > VENUE_MODEL.socketBacklogMaximumBytes) client.terminate();
      else client.send(text, { binary: false });
    },
    close: (code, reason) => client.close(code, reason),
    cut() {
      gathering.end();
      client.terminate();
    },
  });
  client.on('message', (data, isBinary) => {
    if (isBinary) client.close(1003, 'text frames only');
    else handler.frame(Buffer.isBuffer(data) ? data.toString('utf8') : '');
  });
  client.on('close', () => handler.gone());
  // The close event that follows every error does the work.
  client.on('error', () => undefined);
}
