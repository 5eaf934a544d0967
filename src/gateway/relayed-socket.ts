import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import { API } from '../../config/limits/api.ts';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { CLOSE_CODES } from '../http/live/protocol.ts';
import type { OwnerWatch } from './owner-watch.ts';
import { createSocketMemory, type SocketMemory } from './socket-memory.ts';

/** Who owns the shard that a socket is joined to. */
type SocketOwners = Pick<OwnerWatch, 'find' | 'replaced' | 'silent'>;

/** What a client's socket is joined to an owner by. */
export interface Relaying {
  /** The shard that has the caller by the head of the upgrade: another one once that was split. */
  readonly ownersNow: () => SocketOwners;
  /** The shard of the user of a token that the client shows; null where the token names none. */
  readonly shardOf: (token: string) => SocketOwners | null;
  /** Path and query as the client asked for them. */
  readonly path: string;
  /** Headers of the client's upgrade, but for those of the connection. */
  readonly headers: Record<string, string[]>;
  /** Called each time it is joined to an owner anew. */
  readonly rejoined: () => void;
}

/** A connection to an owner, or its refusal. */
export type OwnerSocket =
  | {
      readonly kind: 'open';
      readonly socket: WebSocket;
      readonly owners: SocketOwners;
      readonly epoch: number;
    }
  | { readonly kind: 'refused'; readonly response: IncomingMessage }
  /** No owner takes it in time. */
  | { readonly kind: 'none' };

const MISDIRECTED = 421;
const MINUTE_MS = 60_000;

/**
 * Opens a socket at the owner of the shard that has the caller, seeking one for `ms` at most: which
 * shard that is may change meanwhile.
 */
export async function openAtOwner(
  { ownersNow, path, headers }: Pick<Relaying, 'ownersNow' | 'path' | 'headers'>,
  ms: number,
): Promise<OwnerSocket> {
  const untilMs = performance.now() + ms;
  for (;;) {
    const owners = ownersNow();
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) return { kind: 'none' };
    const owner = await owners.find(Math.min(leftMs, GATEWAY.ownerPollMs));
    if (owner === null || ownersNow() !== owners) continue;
    const opened = await attempt(`${owner.url.replace(/^http/, 'ws')}${path}`, headers);
    if (opened === null) await new Promise((resolve) => setTimeout(resolve, GATEWAY.againMs));
    else if (opened instanceof WebSocket)
      return { kind: 'open', socket: opened, owners, epoch: owner.epoch };
    else return { kind: 'refused', response: opened };
  }
}

/** Null where the owner was not reached, or has lost the shard. */
function attempt(
  url: string,
  headers: Relaying['headers'],
): Promise<WebSocket | IncomingMessage | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      headers,
      handshakeTimeout: GATEWAY.connectTimeoutMs,
      perMessageDeflate: false,
    });
    socket.once('open', () => {
      // What comes before the client's side is open waits on the wire.
      socket.pause();
      resolve(socket);
    });
    socket.once('unexpected-response', (_request, response) => {
      if (response.statusCode !== MISDIRECTED) return resolve(response);
      response.resume();
      resolve(null);
    });
    socket.on('error', () => resolve(null));
  });
}

/**
 * Relays a client's socket to the owner of a shard, and to the next one where that ends, or to
 * that of another shard whose user the client turns out to be: what the client reads goes on from
 * where it has heard. Where a new owner does not give it what it had,
 * the client's socket is closed with 1001, and it comes back.
 */
export function relaySocket(
  client: WebSocket,
  first: Extract<OwnerSocket, { readonly kind: 'open' }>,
  relaying: Relaying,
): void {
  let shown: string | null = null;
  const memory: SocketMemory = createSocketMemory('authorization' in relaying.headers, (token) => {
    const named = relaying.shardOf(token);
    if (named === null) return;
    shown = token;
    owners = named;
  });
  let owners = first.owners;
  /** Messages of the client while there is no owner. */
  const held: string[] = [];
  const rejoins: number[] = [];
  let owner: WebSocket | null = null;

  join(first.socket, first.epoch);

  function ownersNow(): SocketOwners {
    return (shown === null ? null : relaying.shardOf(shown)) ?? relaying.ownersNow();
  }

  function join(socket: WebSocket, epoch: number): void {
    owner = socket;
    const lost = [owners.replaced(epoch), owners.silent()];
    const cut = (): void => socket.terminate();
    for (const signal of lost) signal.addEventListener('abort', cut, { once: true });
    socket.on('message', (data, isBinary) => fromOwner(data, isBinary));
    socket.once('close', (code, reason) => {
      for (const signal of lost) signal.removeEventListener('abort', cut);
      if (owner !== socket) return;
      owner = null;
      // The owner has closed it for what the client did; else it has ended, or is cut off.
      if (code >= 4_000 || code === CLOSE_CODES.tooLarge) client.close(code, reason);
      else void rejoin();
    });
    if (lost.some(({ aborted }) => aborted)) cut();
    socket.resume();
  }

  async function rejoin(): Promise<void> {
    if (client.readyState !== WebSocket.OPEN) return;
    for (const text of memory.distrust()) client.send(text);
    const nowMs = performance.now();
    rejoins.push(nowMs);
    while ((rejoins[0] ?? nowMs) < nowMs - MINUTE_MS) rejoins.shift();
    if (rejoins.length > GATEWAY.rejoinsMaximum) return comeBack();
    const next = await openAtOwner(
      { ownersNow, path: relaying.path, headers: headersNow() },
      GATEWAY.socketHoldMs,
    );
    if (next.kind !== 'open') return comeBack();
    owners = next.owners;
    if (client.readyState !== WebSocket.OPEN) return next.socket.terminate();
    relaying.rejoined();
    for (const text of memory.rejoin()) next.socket.send(text);
    join(next.socket, next.epoch);
    for (const text of held.splice(0)) pass(text);
  }

  /** A client that is known by its head is so by the newest token that it has shown. */
  function headersNow(): Relaying['headers'] {
    const token = memory.newestToken();
    const { headers } = relaying;
    if (token === null || !('authorization' in headers)) return headers;
    return { ...headers, authorization: [`Bearer ${token}`] };
  }

  /** Hands a message of the client on. */
  function pass(text: string): void {
    if (owner === null) return hold(text);
    if (owner.bufferedAmount > API.socketBacklogMaximumBytes) return comeBack();
    const before = owners;
    const sent = memory.ask(text);
    if (owners === before) return owner.send(sent);
    // The message is asked again at the shard of its user, like all that was not answered.
    const left = owner;
    owner = null;
    left.terminate();
    void rejoin();
  }

  function hold(text: string): void {
    if (held.length < GATEWAY.messagesHeldMaximum) held.push(text);
    else comeBack();
  }

  function comeBack(): void {
    client.close(CLOSE_CODES.goingAway, 'come back');
  }

  function fromOwner(data: RawData, isBinary: boolean): void {
    if (client.readyState !== WebSocket.OPEN) return;
    const text = textOf(data);
    const shown = isBinary ? text : memory.hear(text);
    if (shown === 'refused') return comeBack();
    if (shown === null) return;
    if (client.bufferedAmount > API.socketBacklogMaximumBytes) return client.terminate();
    client.send(shown);
  }

  client.on('message', (data, isBinary) => {
    // The owner refuses what is not text; it needs no memory of it.
    if (isBinary) return void owner?.send(data as Buffer, { binary: true });
    pass(textOf(data));
  });
  client.once('close', () => {
    const open = owner;
    owner = null;
    open?.close();
    setTimeout(() => open?.terminate(), GATEWAY.connectTimeoutMs).unref();
  });
  client.on('error', () => undefined);
}

/** Messages come whole, as one buffer: `ws` is asked for nothing else. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data)
    ? data.toString('utf8')
    : Buffer.concat([data].flat() as Buffer[]).toString('utf8');
}
