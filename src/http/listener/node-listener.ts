import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { NODE_SERVER } from '../../../config/limits/node-server.ts';
import type { CallerAddresses } from '../caller-address.ts';
import { createConnectionShares } from '../connection-shares.ts';
import type { CallHandlers, Listener } from './listener.ts';
import {
  connectionBody,
  fullAddress,
  messageBody,
  NodeResponse,
  requestOf,
} from './node-response.ts';
import { createNodeSockets, type NodeSockets } from './node-sockets.ts';
import { SERVER_BOUNDS } from './server-bounds.ts';

/** Length of a `Sec-WebSocket-Key` (RFC 6455, section 4.1): 16 bytes in Base64. */
const KEY_CHARS = 24;

const NOTHING = Buffer.alloc(0);

/**
 * Creates a server by Node's own HTTP and ws: for machines and versions of Node where
 * uWebSockets.js has no build. An address beyond its share of connections has new ones cut.
 */
export function createNodeListener(addresses: CallerAddresses): Listener {
  return new NodeListener(addresses);
}

class NodeListener implements Listener {
  readonly kind = 'node';
  private readonly server: Server;
  private readonly sockets = new Map<string, NodeSockets>();
  /** The call that is answered on each connection. */
  private readonly answering = new WeakMap<Duplex, NodeResponse>();
  private calls: CallHandlers | null = null;

  constructor(addresses: CallerAddresses) {
    this.server = createServer({
      ...SERVER_BOUNDS,
      // the guard in front of every route answers what is missing or twice
      requireHostHeader: false,
      joinDuplicateHeaders: false,
    });
    this.server.timeout = NODE_SERVER.silentMs;
    const shares = createConnectionShares(NODE_SERVER.connectionsPerAddressMaximum);
    this.server.on('connection', (socket: Socket) => {
      const peer = fullAddress(socket.remoteAddress ?? '');
      if (addresses.isUnbounded(peer)) return;
      const leave = shares.begin(addresses.of(peer, undefined));
      if (leave === null) socket.destroy();
      else socket.once('close', leave);
    });
    this.server.on('timeout', (socket) => this.silent(socket));
    this.server.on('request', (message, response) => this.call(message, response));
    this.server.on('upgrade', (message, socket, head) => this.detached(message, socket, head));
    this.server.on('connect', (message, socket, head) => this.detached(message, socket, head));
    this.server.on('clientError', (error, socket) => this.unreadable(error, socket));
    // an expectation other than 100-continue is a header like others
    this.server.on('checkExpectation', (message, response) => this.call(message, response));
  }

  onSockets: Listener['onSockets'] = (paths, handlers) => {
    const sockets = createNodeSockets(handlers);
    for (const path of paths) this.sockets.set(path, sockets);
  };

  onCalls: Listener['onCalls'] = (handlers) => {
    this.calls = handlers;
  };

  publish: Listener['publish'] = (channel, text) => {
    for (const sockets of new Set(this.sockets.values())) sockets.publish(channel, text);
  };

  listen: Listener['listen'] = (host, port) =>
    new Promise((resolve) => {
      this.server.on('error', () => resolve(null));
      this.server.listen({ host, port, exclusive: true }, () => {
        const address = this.server.address();
        resolve(typeof address === 'object' ? (address?.port ?? null) : null);
      });
    });

  stopListening: Listener['stopListening'] = () => void this.server.close();

  close: Listener['close'] = () => {
    this.server.close();
    this.server.closeAllConnections();
    for (const sockets of this.sockets.values()) sockets.close();
  };

  private call(message: IncomingMessage, response: ServerResponse): void {
    const { socket } = message;
    // where the earlier call was refused, what this one is is unknown
    if (this.answering.get(socket)?.blocksNext === true) {
      socket.destroy();
      return;
    }
    const ours = new NodeResponse(response, socket, messageBody(message));
    this.answering.set(socket, ours);
    if (message.httpVersionMajor !== 1) {
      this.calls?.unreadable(ours, 'malformed');
      return;
    }
    this.calls?.call(ours, requestOf(message));
  }

  /** Takes a call whose connection Node has let go of: an upgrade, or `CONNECT`. */
  private detached(message: IncomingMessage, duplex: Duplex, head: Buffer): void {
    // connections of this server are of its own kind
    const socket = duplex as Socket;
    socket.on('error', () => socket.destroy());
    const answer = this.lastAnswer(message, socket, head);
    if (answer === null) return;
    const { raw, response } = answer;
    const request = requestOf(message);
    const sockets = isSocketUpgrade(message) ? this.sockets.get(request.getUrl()) : undefined;
    if (sockets === undefined) {
      this.calls?.call(response, request);
      return;
    }
    const detach = (): void => {
      response.isOver = true;
      raw.detachSocket(socket);
    };
    sockets.upgrade(message, socket, head, { request, response, detach });
  }

  /** Refuses what Node could not read, unless an answer is under way on its connection. */
  private unreadable(error: NodeJS.ErrnoException, duplex: Duplex): void {
    // as above
    const socket = duplex as Socket;
    const isGone = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'ECONNRESET';
    if (isGone || !socket.writable) {
      socket.destroy();
      return;
    }
    const answer = this.lastAnswer(new IncomingMessage(socket), socket, NOTHING);
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    if (answer !== null)
      this.calls?.unreadable(answer.response, isTooLarge ? 'headers_too_large' : 'malformed');
  }

  /**
   * Begins an answer on a connection that Node reads no further, which ends with it; null, and the
   * connection cut, while an earlier answer is under way there.
   */
  private lastAnswer(
    message: IncomingMessage,
    socket: Socket,
    first: Buffer,
  ): { readonly raw: ServerResponse; readonly response: NodeResponse } | null {
    const earlier = this.answering.get(socket);
    if (earlier !== undefined && (earlier.blocksNext || !earlier.isSent)) {
      socket.destroy();
      return null;
    }
    const raw = new ServerResponse(message);
    raw.shouldKeepAlive = false;
    raw.assignSocket(socket);
    raw.on('finish', () => socket.destroySoon());
    const length = Number(message.headers['content-length'] ?? 0);
    const response = new NodeResponse(raw, socket, connectionBody(socket, first, length));
    this.answering.set(socket, response);
    return { raw, response };
  }

  /** Cuts a silent connection, unless it is we who have yet to answer. */
  private silent(socket: Socket): void {
    const response = this.answering.get(socket);
    if (response === undefined || response.isOver || !response.isBodyRead) socket.destroy();
  }
}

/** Reports whether a message asks for a WebSocket as uWebSockets.js takes it. */
function isSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-key']?.length === KEY_CHARS
  );
}
