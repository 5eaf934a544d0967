/** Servers there are: uWebSockets.js, and the HTTP server of Node.js with ws. */
export const SERVER_KINDS = ['uws', 'node'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** A request as the server hands it over: valid until the handler returns. */
export interface HttpRequest {
  /** Calls `each` with every header, its name in small letters. */
  forEach(each: (name: string, value: string) => void): void;
  getCaseSensitiveMethod(): string;
  /** The path as sent, still percent-encoded. */
  getUrl(): string;
  /** The text after the question mark; undefined or empty without one. */
  getQuery(): string | undefined;
}

/**
 * The answer to one request. Nothing of it may be touched once it was aborted or has ended. The
 * names are those of uWebSockets.js, so that its objects pass through as they are.
 */
export interface HttpResponse {
  /** Runs `write` and sends what it wrote together. */
  cork(write: () => void): unknown;
  /** Begins the answer: "200 OK". */
  writeStatus(status: string): HttpResponse;
  writeHeader(name: string, value: string): HttpResponse;
  /** Writes a part of a body without a known length; false when the reader does not keep up. */
  write(text: string): boolean;
  /** Ends the answer with its whole body, or after parts; with its length where there were none. */
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown;
  /** Ends an answer that has no body, and writes no length. */
  endWithoutBody(): unknown;
  /** Cuts the connection. */
  close(): unknown;
  /** Takes the one handler for a sender who leaves before the answer has ended. */
  onAborted(handler: () => void): unknown;
  /** Takes the handler of the body's chunks; their memory is the server's after it returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  /** The address of the peer as text, in Latin-1; of IPv6 all eight groups. */
  getRemoteAddressAsText(): ArrayBuffer;
}

/** An open WebSocket. Nothing of it may be touched once it was closed. */
export interface ServerSocket<Data> {
  getUserData(): Data;
  /** Sends one message of text; a reader too far behind is cut off. */
  send(text: string | Uint8Array, isBinary: false): unknown;
  /** Has the socket hear what is published on a channel. */
  subscribe(channel: string): unknown;
  unsubscribe(channel: string): unknown;
  /** Bytes that were sent and have not left yet. */
  getBufferedAmount(): number;
  /** Sends a close frame, and calls the handler of the close. */
  end(code: number, reason: string): unknown;
}

/** Bounds of every socket. */
interface SocketLimits {
  /** A message beyond this ends its socket without an answer. */
  readonly payloadMaximumBytes: number;
  /** A socket whose client is silent that long, pings unanswered, is cut off. */
  readonly idleSeconds: number;
  /** A reader that far behind is cut off. */
  readonly backlogMaximumBytes: number;
}

/**
 * How a socket came to its end: too far behind, where the server says so; silent for too long; or
 * all other ways, the client's own among them.
 */
export type CloseCause = 'slow' | 'idle' | 'lost';

/** What is done with sockets. */
export interface SocketHandlers<Data> {
  readonly limits: SocketLimits;
  /** Accepts a socket by calling `accept` before it returns, or answers as to any call. */
  upgrade(response: HttpResponse, request: HttpRequest, accept: (data: Data) => void): void;
  open(socket: ServerSocket<Data>): void;
  /** The memory of `message` is the server's after this returns. */
  message(socket: ServerSocket<Data>, message: ArrayBuffer, isBinary: boolean): void;
  close(socket: ServerSocket<Data>, cause: CloseCause): void;
}

/** Why a server that can answer it anyway does not hand a request on. */
type UnreadableReason = 'malformed' | 'headers_too_large';

/** What is done with calls. */
export interface CallHandlers {
  call(response: HttpResponse, request: HttpRequest): void;
  /** Refuses what is not HTTP; where the server lets such a connection be answered. */
  unreadable(response: HttpResponse, reason: UnreadableReason): void;
}

/**
 * A server for HTTP and WebSockets. A second request on a connection whose first is not answered
 * ends the connection: nothing that follows a refused head is ever run.
 */
export interface Listener {
  readonly kind: ServerKind;
  /** Binds sockets to paths; calls to those paths without an upgrade are ordinary ones. */
  onSockets<Data>(paths: readonly string[], handlers: SocketHandlers<Data>): void;
  /** Binds all other calls. */
  onCalls(handlers: CallHandlers): void;
  /** Sends one message of text to every socket that hears the channel, framed once for all. */
  publish(channel: string, text: Uint8Array): void;
  /**
   * Binds the port for this process alone, 0 for any free one; gives the port, or null where it is
   * taken or the host is no address of this machine.
   */
  listen(host: string, port: number): Promise<number | null>;
  /** Takes no new connections. */
  stopListening(): void;
  /** Ends every connection. */
  close(): void;
}
