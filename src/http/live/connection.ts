import { SURFACE } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { problemOf } from '../problem.ts';
import type { SurfaceServices } from '../services.ts';
import { CLOSE_CODES, parseMessage, parseTopic } from './protocol.ts';
import type { ClientMessage, Topic } from './protocol.ts';
import type { Seat } from './reader-groups.ts';
import { encode } from './topic-hub.ts';
import type { UserTopics } from './user-topics.ts';

/** What a connection may do to its socket. */
export interface SocketHandle {
  send(bytes: Uint8Array | string): void;
  subscribe(channel: string): void;
  unsubscribe(channel: string): void;
  /** Ends it with a close code; the server then calls `closed`. */
  end(code: number, reason: string): void;
}

/** What all connections share. */
export interface ConnectionHub {
  readonly services: Pick<SurfaceServices, 'sessions' | 'accounts'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly own: UserTopics;
  /** Open connections by user. */
  readonly perUser: Map<UserId, number>;
}

/** One client: who it is, what it reads, how much it asks. */
export interface Connection {
  /** Begins with the token of the upgrade, or waits for one. */
  start(token: string | null): void;
  /** Takes a message; null stands for one that was too large, or binary. */
  receive(text: string | null, isBinary: boolean): void;
  /** The socket is gone; nothing may be sent any more. */
  closed(): void;
}

interface State {
  isClosed: boolean;
  userId: UserId | null;
  faults: number;
  /** Messages that may still be sent, and when that was reckoned. */
  credit: number;
  creditAtMs: number;
  timer: Timer | null;
  /** The newest token shown; checks of an older one no longer count. */
  token: string | null;
  readonly topics: Map<string, Topic>;
}

/** Makes the connection of an open socket. */
export function createConnection(hub: ConnectionHub, seat: Seat, socket: SocketHandle): Connection {
  return new SocketConnection(hub, seat, socket);
}

class SocketConnection implements Connection {
  private readonly hub: ConnectionHub;
  private readonly seat: Seat;
  private readonly socket: SocketHandle;
  private readonly state: State;

  constructor(hub: ConnectionHub, seat: Seat, socket: SocketHandle) {
    this.hub = hub;
    this.seat = seat;
    this.socket = socket;
    this.state = { isClosed: false, userId: null, faults: 0, credit: SURFACE.socketMessagesBurst, creditAtMs: hub.clock.nowMs(), timer: null, token: null, topics: new Map() };
  }

  start(token: string | null): void {
    this.state.timer = this.hub.clock.after(SURFACE.socketAuthMs, () => this.end(CLOSE_CODES.authTimeout, 'no token came'));
    if (token !== null) void this.authenticate(token);
  }

  receive(text: string | null, isBinary: boolean): void {
    if (this.state.isClosed) return;
    if (!spend(this.state, this.hub.clock.nowMs())) return this.end(CLOSE_CODES.tooMany, 'too many messages');
    if (text === null && !isBinary) return this.end(CLOSE_CODES.tooLarge, `a message may hold ${SURFACE.socketPayloadMaximumBytes} bytes`);
    try {
      if (text === null) throw new AppError('invalid_json', 'messages are text');
      this.handle(parseMessage(text));
    } catch (error) {
      this.refuse(error);
    }
  }

  closed(): void {
    const { hub, state } = this;
    state.isClosed = true;
    state.timer?.cancel();
    const { userId } = state;
    if (userId === null) return;
    for (const topic of state.topics.values()) {
      if (topic.kind === 'user') hub.own.leave(userId, topic.name);
      else this.seat.hub.leave(topic);
    }
    state.topics.clear();
    const others = (hub.perUser.get(userId) ?? 1) - 1;
    if (others === 0) hub.perUser.delete(userId);
    else hub.perUser.set(userId, others);
  }

  private say(message: Readonly<Record<string, unknown>>): void {
    if (!this.state.isClosed) this.socket.send(JSON.stringify(message));
  }

  private end(code: number, reason: string): void {
    if (!this.state.isClosed) this.socket.end(code, reason);
  }

  private refuse(error: unknown): void {
    const { code, title, detail, errors, status } = problemOf(error, '');
    if (status >= 500) this.hub.log.error({ code, error: String(error) }, 'socket.message_failed');
    this.say({ op: 'error', code, title, detail, errors });
    this.state.faults += 1;
    if (this.state.faults >= SURFACE.socketFaultsMaximum) this.end(CLOSE_CODES.faults, 'too many faulty messages');
  }

  private async authenticate(token: string): Promise<void> {
    const { services } = this.hub;
    try {
      const session = await services.sessions.authenticate(token);
      if (this.state.isClosed) return;
      if (session.scopes !== null && !session.scopes.includes('read')) throw new AppError('forbidden', 'this API key may not read');
      if (services.accounts.profile(session.userId).username === null) throw new AppError('username_required', 'choose a username by PUT /api/user/profile first');
      this.admit(session.userId);
      this.recheckLater(token, session.expiresAtMs);
      this.say({ op: 'authenticated', userId: session.userId, expiresAtMs: session.expiresAtMs });
    } catch (error) {
      const { code, title, detail, errors } = problemOf(error, '');
      this.say({ op: 'error', code, title, detail, errors });
      this.end(closeCodeOf(code), title);
    }
  }

  /** A session that was ended elsewhere ends its sockets too, within SURFACE.socketRecheckMs. */
  private recheckLater(token: string, expiresAtMs: number): void {
    const { clock, services } = this.hub;
    this.state.timer?.cancel();
    this.state.token = token;
    this.state.timer = clock.after(Math.min(SURFACE.socketRecheckMs, expiresAtMs - clock.nowMs()), () => {
      services.sessions.authenticate(token).then(
        () => {
          if (!this.state.isClosed && this.state.token === token) this.recheckLater(token, expiresAtMs);
        },
        (error: unknown) => {
          if (this.state.token === token) this.end(CLOSE_CODES.unauthenticated, problemOf(error, '').title);
        },
      );
    });
  }

  private admit(userId: UserId): void {
    if (this.state.userId === userId) return;
    if (this.state.userId !== null) throw new AppError('forbidden', 'this socket belongs to another user; open a new one');
    const others = this.hub.perUser.get(userId) ?? 0;
    if (others >= SURFACE.socketsPerUserMaximum) throw new AppError('limit_reached', `${SURFACE.socketsPerUserMaximum} sockets of yours are open`);
    this.hub.perUser.set(userId, others + 1);
    this.state.userId = userId;
  }

  private handle(message: ClientMessage): void {
    if (message.op === 'ping') return this.say({ op: 'pong', ...(message.id === undefined ? {} : { id: message.id }), sentAtMs: this.hub.clock.nowMs() });
    if (message.op === 'auth') return void this.authenticate(message.token);
    const { userId, topics: read } = this.state;
    if (userId === null) throw new AppError('unauthenticated', 'send {"op":"auth","token":"…"} first');
    const topics = message.topics.map((name, index) => known(name, index));
    if (message.op === 'unsubscribe') {
      for (const topic of topics) this.leave(topic, userId);
      return this.say({ op: 'unsubscribed', topics: message.topics });
    }
    const fresh = new Set(topics.map(({ name }) => name).filter((name) => !read.has(name)));
    if (read.size + fresh.size > SURFACE.subscriptionsMaximum) {
      throw new AppError('limit_reached', `a socket may read ${SURFACE.subscriptionsMaximum} topics`, { fields: [{ path: '/topics', message: 'too many' }] });
    }
    this.say({ op: 'subscribed', topics: message.topics });
    for (const topic of topics) this.join(topic, userId);
  }

  private join(topic: Topic, userId: UserId): void {
    const { hub, seat, socket, state } = this;
    if (state.isClosed) return;
    const isNew = !state.topics.has(topic.name);
    if (topic.kind === 'user') {
      if (isNew) socket.subscribe(hub.own.join(userId, topic.name));
      state.topics.set(topic.name, topic);
      socket.send(encode(hub.own.snapshot(userId, topic.name)));
      return;
    }
    if (isNew && !seat.hub.join(topic)) return this.refuse(new AppError('not_found', `${topic.name} is not to be had`));
    if (isNew) socket.subscribe(seat.channelOf(topic.name));
    state.topics.set(topic.name, topic);
    socket.send(encode(seat.hub.snapshot(topic)));
  }

  private leave(topic: Topic, userId: UserId): void {
    const { hub, seat, socket, state } = this;
    if (!state.topics.delete(topic.name)) return;
    if (topic.kind === 'user') {
      socket.unsubscribe(hub.own.leave(userId, topic.name));
      return;
    }
    socket.unsubscribe(seat.channelOf(topic.name));
    seat.hub.leave(topic);
  }
}

function known(name: string, index: number): Topic {
  const topic = parseTopic(name);
  if (topic !== null) return topic;
  const message = 'a topic is orders, positions, agents, notifications, orderbook:<token> or prices:<asset>';
  throw new AppError('not_found', message, { fields: [{ path: `/topics/${index}`, message }] });
}

/** Takes one message from the credit; false when there is none left. */
function spend(state: State, nowMs: number): boolean {
  state.credit = Math.min(SURFACE.socketMessagesBurst, state.credit + ((nowMs - state.creditAtMs) * SURFACE.socketMessagesPerSecond) / 1_000);
  state.creditAtMs = nowMs;
  state.credit -= 1;
  return state.credit >= 0;
}

function closeCodeOf(code: string): number {
  if (code === 'username_required') return CLOSE_CODES.usernameRequired;
  return code === 'limit_reached' ? CLOSE_CODES.tooMany : CLOSE_CODES.unauthenticated;
}
