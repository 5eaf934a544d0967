import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { watchAbort } from '../body.ts';
import { bearerToken } from '../bearer.ts';
import type { CallerAddresses } from '../caller-address.ts';
import { createConnectionShares, type ConnectionShares } from '../connection-shares.ts';
import { assertHeadersOnce, guardRequest, type RequestHead } from '../guard.ts';
import { refuseHead } from '../refuse-head.ts';
import { refusalAnswer, writeAnswer } from '../respond.ts';
import type { ApiServices } from '../services.ts';
import type {
  HttpRequest,
  HttpResponse,
  Listener,
  ServerSocket,
  SocketHandlers,
} from '../listener/listener.ts';
import { createConnection } from './connection.ts';
import type { Connection, ConnectionHub } from './connection-parts.ts';
import { CLOSE_CODES, closeReason, SOCKET_PATHS, type BookVenue } from './protocol.ts';
import type { LiveSources } from './sources.ts';
import { createTopicHub, type Subscriber } from './topic-hub.ts';
import { createUserShares } from './user-shares.ts';
import { createUserTopics } from './user-topics.ts';

export interface GatewayDeps extends Pick<Runtime, 'clock' | 'log' | 'metrics'> {
  readonly services: Pick<
    ApiServices,
    | 'sessions'
    | 'accounts'
    | 'orders'
    | 'portfolio'
    | 'agents'
    | 'notifications'
    | 'transfersUnderWay'
    | 'missedEvents'
  >;
  /** Venues whose books may be followed. */
  readonly venues: readonly BookVenue[];
  readonly live: LiveSources;
  /** Numbers a request that is refused, as the calls of the API are. */
  readonly nextRequestId: () => string;
  readonly addresses: CallerAddresses;
}

/** The live API at `/ws`. */
export interface LiveGateway {
  /** Tells every socket to come back later (1001) and ends all watches. */
  close(): void;
}

/**
 * What a socket carries: the token it came with until it is open, then its connection and its place
 * among the readers.
 */
interface SocketData {
  readonly token: string | null;
  /** What its caller is counted by; null where they may hold as many sockets as they like. */
  readonly address: string | null;
  leave: () => void;
  connection: Connection | null;
  subscriber: Subscriber | null;
  /** Why it was ended from this side; null while it was not. */
  endedFor: string | null;
  /** True where much waited for it when the metrics were last read. */
  isBehind: boolean;
}

/**
 * Binds `/ws` and `/ws/`. A socket says who it is by the Authorization header of its upgrade, or by
 * a first message `{"op":"auth","token":…}` within API.socketAuthMs; never by its URL, since URLs
 * end up in logs.
 */
export function startLiveGateway(listener: Listener, deps: GatewayDeps): LiveGateway {
  const publish = (channel: string, bytes: Uint8Array): void => {
    listener.publish(channel, bytes);
    deps.metrics.count('socket_publishes_total');
  };
  const sources = deps.live;
  const shared = createTopicHub({ sources, clock: deps.clock, publish });
  const hub: ConnectionHub = {
    services: deps.services,
    venues: deps.venues,
    clock: deps.clock,
    log: deps.log,
    own: createUserTopics({
      services: deps.services,
      events: deps.services.missedEvents,
      sources,
      clock: deps.clock,
      publish,
    }),
    events: deps.services.missedEvents,
    newEpoch: sources.numbers.newEpoch,
    sources,
    shares: createUserShares(),
    subscribed: { book: 0, market_price: 0, price: 0, user: 0 },
  };
  const open = new Set<ServerSocket<SocketData>>();
  const shares = createConnectionShares(API.socketsPerAddressMaximum);
  const count = (): void => deps.metrics.gauge('sockets_open', open.size);
  deps.metrics.beforeRead(() => {
    for (const [topic, readers] of Object.entries(hub.subscribed))
      deps.metrics.gauge('socket_subscriptions', readers, { topic });
    let backlogBytes = 0;
    for (const socket of open) {
      const waiting = socket.getBufferedAmount();
      backlogBytes = Math.max(backlogBytes, waiting);
      socket.getUserData().isBehind = waiting > API.socketBacklogMaximumBytes / 2;
    }
    deps.metrics.gauge('socket_backlog_bytes', backlogBytes);
  });

  const handlers: SocketHandlers<SocketData> = {
    limits: {
      // one more than we take: a message slightly over the limit gets a close code, a far larger
      // one is cut off
      payloadMaximumBytes: API.socketPayloadMaximumBytes * 4,
      idleSeconds: API.socketIdleSeconds,
      backlogMaximumBytes: API.socketBacklogMaximumBytes,
    },
    upgrade: (response, request, accept) =>
      upgrade({ ...deps, shares }, open.size, { response, request, accept }),
    open(socket) {
      open.add(socket);
      count();
      const data = socket.getUserData();
      data.leave = (data.address === null ? null : shares.begin(data.address)) ?? data.leave;
      data.subscriber = shared.subscriber((name, bytes) => data.connection?.ended(name, bytes));
      data.connection = createConnection(hub, data.subscriber, {
        send: (bytes) => void socket.send(bytes, false),
        subscribe: (channel) => void socket.subscribe(channel),
        unsubscribe: (channel) => void socket.unsubscribe(channel),
        backlogBytes: () => socket.getBufferedAmount(),
        end(code, reason) {
          data.endedFor ??= closeReason(code);
          socket.end(code, reason);
        },
      });
      data.connection.start(data.token);
    },
    message(socket, message, isBinary) {
      // the server reuses its memory after this returns, so the text is decoded here
      socket
        .getUserData()
        .connection?.receive(
          message.byteLength > API.socketPayloadMaximumBytes || isBinary
            ? null
            : Buffer.from(message).toString('utf8'),
          isBinary,
        );
    },
    close(socket, cause) {
      open.delete(socket);
      count();
      const { connection, subscriber, leave, endedFor, isBehind } = socket.getUserData();
      // not every server says that it cut off a slow reader
      const how = cause === 'lost' && isBehind ? 'slow' : cause;
      deps.metrics.count('sockets_closed_total', { reason: endedFor ?? how });
      leave();
      connection?.closed();
      subscriber?.close();
    },
  };
  listener.onSockets(SOCKET_PATHS, handlers);

  return {
    close() {
      for (const socket of open) {
        socket.getUserData().endedFor ??= closeReason(CLOSE_CODES.goingAway);
        socket.end(CLOSE_CODES.goingAway, 'the service is going down');
      }
      shared.close();
      hub.own.close();
    },
  };
}

function upgrade(
  deps: GatewayDeps & { readonly shares: ConnectionShares },
  openSockets: number,
  {
    response,
    request,
    accept,
  }: {
    readonly response: HttpResponse;
    readonly request: HttpRequest;
    readonly accept: (data: SocketData) => void;
  },
): void {
  const head = guardRequest(request);
  if (typeof head === 'string') {
    refuseHead(response, head, deps);
    return;
  }
  watchAbort(response);
  try {
    const token = tokenOf(head, openSockets);
    const address = countedBy(deps, response, head);
    accept({
      token,
      address,
      leave: () => undefined,
      connection: null,
      subscriber: null,
      endedFor: null,
      isBehind: false,
    });
  } catch (error) {
    writeAnswer(response, refusalAnswer(error, deps.nextRequestId()), false, true);
  }
}

/** Returns what a caller is counted by. Errors: `limit_reached` where it holds all it may. */
function countedBy(
  { addresses, shares }: Pick<GatewayDeps, 'addresses'> & { readonly shares: ConnectionShares },
  response: HttpResponse,
  head: RequestHead,
): string | null {
  const peer = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
  const forwarded = head.headers.get('x-forwarded-for');
  if (forwarded === undefined && addresses.isUnbounded(peer)) return null;
  const address = addresses.of(peer, forwarded);
  if (shares.isFull(address))
    throw new AppError(
      'limit_reached',
      `${API.socketsPerAddressMaximum} sockets of your address are open`,
      { retryable: true, retryAfterMs: 10_000 },
    );
  return address;
}

/**
 * The token of an upgrade, null when it is to come by message. Errors: `limit_reached`,
 * `invalid_request`, `token_invalid`.
 */
function tokenOf(head: RequestHead, openSockets: number): string | null {
  assertHeadersOnce(head);
  if (openSockets >= API.socketsMaximum)
    throw new AppError('limit_reached', `${API.socketsMaximum} sockets are open`, {
      retryable: true,
      retryAfterMs: 10_000,
    });
  if (head.query !== '')
    throw new AppError(
      'invalid_request',
      'tokens and other parameters do not belong in the URL of a socket',
      { fields: [{ path: '/query', message: 'none is taken' }] },
    );
  return head.headers.has('authorization') ? bearerToken(head.headers) : null;
}
