import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { NODE_SERVER } from '../../../config/limits/node-server.ts';
import type {
  CloseCause,
  HttpRequest,
  HttpResponse,
  ServerSocket,
  SocketHandlers,
} from './listener.ts';

/** The sockets of one set of handlers. */
export interface NodeSockets {
  /** Asks the handlers about an upgrade, and opens the socket where they accept. */
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer, call: Call): void;
  publish(channel: string, text: Uint8Array): void;
  close(): void;
}

/** The two sides of a call that asks for an upgrade. */
interface Call {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Lets the response go: the connection belongs to the socket from here on. */
  detach(): void;
}

/** What all sockets share. */
interface Shared {
  readonly channels: Map<string, Set<FramedSocket>>;
  /** Sockets written to in this turn of the event loop. */
  readonly corked: Set<FramedSocket>;
  readonly backlogMaximumBytes: number;
}

/** Creates the sockets. */
export function createNodeSockets<Data>(handlers: SocketHandlers<Data>): NodeSockets {
  const { limits } = handlers;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.payloadMaximumBytes,
  });
  const shared: Shared = {
    channels: new Map(),
    corked: new Set(),
    backlogMaximumBytes: limits.backlogMaximumBytes,
  };
  const open = new Set<NodeSocket<Data>>();
  const connections = new Set<Socket>();
  const idleMs = limits.idleSeconds * 1_000;
  const timer = setInterval(() => {
    for (const socket of open) socket.tick(idleMs);
  }, idleMs / NODE_SERVER.idleChecks);
  timer.unref();

  function opened(websocket: WebSocket, raw: Socket, data: Data): void {
    const socket: NodeSocket<Data> = new NodeSocket(websocket, raw, data, shared, (cause) => {
      open.delete(socket);
      handlers.close(socket, cause);
    });
    open.add(socket);
    connections.add(raw);
    raw.on('close', () => connections.delete(raw));
    websocket.binaryType = 'arraybuffer';
    websocket.on('message', (message, isBinary) => {
      socket.heard();
      // binaryType says which of the three forms ws hands over
      if (!socket.isClosed) handlers.message(socket, message as ArrayBuffer, isBinary);
    });
    handlers.open(socket);
  }

  return {
    upgrade(message, raw, head, { request, response, detach }) {
      handlers.upgrade(response, request, (data) => {
        detach();
        server.handleUpgrade(message, raw, head, (websocket) => opened(websocket, raw, data));
      });
    },
    publish(channel, text) {
      const readers = shared.channels.get(channel);
      if (readers === undefined) return;
      const frame = textFrame(text);
      for (const reader of readers) reader.writeFrame(frame);
    },
    close() {
      clearInterval(timer);
      // what was written still leaves: it may be the close frame
      for (const raw of connections) raw.destroySoon();
    },
  };
}

/** The frame of one message of text from a server (RFC 6455, section 5.2). */
function textFrame(text: string | Uint8Array): Buffer {
  const length = typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
  const headBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = 0x81;
  if (headBytes === 2) frame[1] = length;
  else if (headBytes === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  if (typeof text === 'string') frame.write(text, headBytes);
  else frame.set(text, headBytes);
  return frame;
}

/** Writes whole frames to the connection below ws: one frame serves all readers of a channel. */
class FramedSocket {
  isClosed = false;
  protected cause: CloseCause = 'lost';
  protected readonly websocket: WebSocket;
  protected readonly raw: Socket;
  private readonly shared: Shared;
  private readonly channels = new Set<string>();

  constructor(websocket: WebSocket, raw: Socket, shared: Shared) {
    this.websocket = websocket;
    this.raw = raw;
    this.shared = shared;
  }

  /** Writes a frame with the others of this turn; whoever is too far behind is cut off. */
  writeFrame(frame: Buffer): void {
    const { raw, shared } = this;
    if (this.isClosed || this.websocket.readyState !== WebSocket.OPEN) return;
    if (raw.writableLength + frame.length > shared.backlogMaximumBytes) {
      this.cutOff('slow');
      return;
    }
    if (shared.corked.size === 0) process.nextTick(uncorkAll, shared.corked);
    if (!shared.corked.has(this)) {
      shared.corked.add(this);
      raw.cork();
    }
    raw.write(frame);
  }

  protected cutOff(cause: CloseCause): void {
    this.cause = cause;
    this.websocket.terminate();
  }

  uncork(): void {
    this.raw.uncork();
  }

  subscribe(channel: string): void {
    const readers = this.shared.channels.get(channel) ?? new Set();
    this.shared.channels.set(channel, readers.add(this));
    this.channels.add(channel);
  }

  unsubscribe(channel: string): void {
    const readers = this.shared.channels.get(channel);
    readers?.delete(this);
    if (readers?.size === 0) this.shared.channels.delete(channel);
    this.channels.delete(channel);
  }

  protected unsubscribeAll(): void {
    for (const channel of this.channels) this.unsubscribe(channel);
  }
}

function uncorkAll(corked: Set<FramedSocket>): void {
  for (const socket of corked) socket.uncork();
  corked.clear();
}

class NodeSocket<Data> extends FramedSocket implements ServerSocket<Data> {
  private readonly data: Data;
  private readonly onClose: (cause: CloseCause) => void;
  private heardAtMs = performance.now();
  private isPinged = false;

  constructor(
    websocket: WebSocket,
    raw: Socket,
    data: Data,
    shared: Shared,
    onClose: (cause: CloseCause) => void,
  ) {
    super(websocket, raw, shared);
    this.data = data;
    this.onClose = onClose;
    websocket.on('ping', () => this.heard());
    websocket.on('pong', () => this.heard());
    websocket.on('error', () => undefined);
    websocket.on('close', () => this.closed());
  }

  getUserData(): Data {
    return this.data;
  }

  send(text: string | Uint8Array): void {
    this.writeFrame(textFrame(text));
  }

  getBufferedAmount(): number {
    return this.raw.writableLength;
  }

  end(code: number, reason: string): void {
    if (this.isClosed) return;
    this.websocket.close(code, reason);
    // a client that does not close its side is not waited for
    setTimeout(() => this.websocket.terminate(), NODE_SERVER.closeMs).unref();
    this.closed();
  }

  heard(): void {
    this.heardAtMs = performance.now();
    this.isPinged = false;
  }

  /** Pings a client that was silent for half of `idleMs`, and cuts off one silent for longer. */
  tick(idleMs: number): void {
    const silentMs = performance.now() - this.heardAtMs;
    if (silentMs >= idleMs) this.cutOff('idle');
    else if (silentMs >= idleMs / 2 && !this.isPinged) {
      this.isPinged = true;
      this.websocket.ping();
    }
  }

  private closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.unsubscribeAll();
    this.onClose(this.cause);
  }
}
