import { API } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import { closeCodeOf, errorMessage, isClientFault, noTopic, refusedTopic } from './answers.ts';
import type { RefusedTopic } from './answers.ts';
import type {
  Connection,
  ConnectionHub,
  SocketHandle,
  SocketState,
  Subscription,
} from './connection-parts.ts';
import { HeldMessages } from './held-messages.ts';
import { MessageCredit } from './message-credit.ts';
import { CLOSE_CODES, parseTopic, readMessage } from './protocol.ts';
import type { ClientMessage, MessageId, Topic } from './protocol.ts';
import { encode, type Subscriber } from './topic-hub.ts';

/** Makes the connection of an open socket. */
export function createConnection(
  hub: ConnectionHub,
  subscriber: Subscriber,
  socket: SocketHandle,
): Connection {
  return new SocketConnection(hub, subscriber, socket);
}

class SocketConnection implements Connection {
  private readonly hub: ConnectionHub;
  private readonly subscriber: Subscriber;
  private readonly socket: SocketHandle;
  private readonly state: SocketState;
  private readonly held = new HeldMessages();
  private readonly credit: MessageCredit;

  constructor(hub: ConnectionHub, subscriber: Subscriber, socket: SocketHandle) {
    this.hub = hub;
    this.subscriber = subscriber;
    this.socket = socket;
    this.credit = new MessageCredit(hub.clock.nowMs());
    this.state = {
      isClosed: false,
      userId: null,
      faults: 0,
      timer: null,
      token: null,
      isChecking: false,
      topics: new Map(),
    };
  }

  start(token: string | null): void {
    if (token === null) this.awaitToken();
    else void this.authenticate(token, undefined);
  }

  receive(text: string | null, isBinary: boolean): void {
    if (this.state.isClosed) return;
    if (!this.credit.spend(this.hub.clock.nowMs()))
      return this.end(CLOSE_CODES.tooMany, 'too many messages');
    if (text === null && !isBinary)
      return this.end(
        CLOSE_CODES.tooLarge,
        `a message may hold ${API.socketPayloadMaximumBytes} bytes`,
      );
    if (this.state.isChecking) this.hold(text);
    else this.take(text);
  }

  ended(name: string, bytes: Uint8Array): void {
    const { state, socket } = this;
    const subscription = state.topics.get(name);
    if (subscription === undefined || state.isClosed || state.userId === null) return;
    socket.send(bytes);
    this.drop(subscription, state.userId);
  }

  closed(): void {
    const { hub, state } = this;
    state.isClosed = true;
    state.timer?.cancel();
    this.held.takeAll();
    const { userId } = state;
    if (userId === null) return;
    for (const subscription of state.topics.values()) this.drop(subscription, userId);
    hub.shares.closeSocket(userId);
  }

  private say(message: Readonly<Record<string, unknown>>): void {
    if (!this.state.isClosed) this.socket.send(JSON.stringify(message));
  }

  private end(code: number, reason: string): void {
    if (!this.state.isClosed) this.socket.end(code, reason);
  }

  /** Keeps a message until the token that is being checked is known to be good. */
  private hold(text: string | null): void {
    if (this.held.add(text)) return;
    const { id } = readMessage(text ?? '');
    this.refuse(
      new AppError(
        'overloaded',
        'too much came while your token was being checked; send this again',
        { retryable: true },
      ),
      id,
    );
  }

  private take(text: string | null): void {
    const read =
      text === null
        ? { id: undefined, error: new AppError('invalid_json', 'messages are text') }
        : readMessage(text);
    if ('error' in read) return this.refuse(read.error, read.id);
    try {
      this.handle(read.message, read.id);
    } catch (error) {
      this.refuse(error, read.id);
    }
  }

  /** Handles what was held, up to the next token. */
  private takeHeld(): void {
    const { state } = this;
    while (!state.isChecking && !state.isClosed) {
      const text = this.held.next();
      if (text === undefined) return;
      this.take(text);
    }
  }

  /**
   * Says why a message was refused. Only what the client did wrong counts toward the end of its
   * socket.
   */
  private refuse(
    error: unknown,
    id: MessageId | undefined,
    refused?: readonly RefusedTopic[],
  ): void {
    const message = errorMessage(error, id, refused);
    if (message.code === 'internal')
      this.hub.log.error({ code: message.code, error: String(error) }, 'socket.message_failed');
    this.say(message);
    if (isClientFault(error)) this.countFault();
  }

  private countFault(): void {
    this.state.faults += 1;
    if (this.state.faults >= API.socketFaultsMaximum)
      this.end(CLOSE_CODES.faults, 'too many faulty messages');
  }

  private awaitToken(): void {
    this.state.timer = this.hub.clock.after(API.socketAuthMs, () =>
      this.end(CLOSE_CODES.authTimeout, 'no token came'),
    );
  }

  private async authenticate(token: string, id: MessageId | undefined): Promise<void> {
    const {
      hub: { services },
      state,
    } = this;
    state.isChecking = true;
    // how long a check takes is not the client's to answer for
    if (state.userId === null) state.timer?.cancel();
    try {
      const session = await services.sessions.authenticate(token);
      if (state.isClosed) return;
      if (session.scopes !== null && !session.scopes.includes('read'))
        throw new AppError('forbidden', 'this API key may not read');
      if (services.accounts.profile(session.userId).username === null)
        throw new AppError('username_required', 'choose a username by PUT /api/user/profile first');
      this.admit(session.userId);
      this.recheckLater(token, session.expiresAtMs);
      this.say({
        op: 'authenticated',
        ...(id === undefined ? {} : { id }),
        userId: session.userId,
        expiresAtMs: session.expiresAtMs,
      });
      state.isChecking = false;
      this.takeHeld();
    } catch (error) {
      this.notAuthenticated(error, id);
    }
  }

  /**
   * A token that is no good ends the socket; where it could not be checked the client is told to
   * show it again.
   */
  private notAuthenticated(error: unknown, id: MessageId | undefined): void {
    const { state } = this;
    state.isChecking = false;
    if (state.isClosed) return;
    this.refuseUncounted(error, id);
    if (isClientFault(error)) return this.end(closeCodeOf(error), errorMessage(error, id).title);
    for (const text of this.held.takeAll()) this.refuseUncounted(error, readMessage(text ?? '').id);
    if (state.userId === null) this.awaitToken();
  }

  private refuseUncounted(error: unknown, id: MessageId | undefined): void {
    if (!isClientFault(error))
      this.hub.log.error({ error: String(error) }, 'socket.token_not_checked');
    this.say(errorMessage(error, id));
  }

  /** A session that was ended elsewhere ends its sockets too, within API.socketRecheckMs. */
  private recheckLater(token: string, expiresAtMs: number): void {
    const { clock } = this.hub;
    this.state.timer?.cancel();
    this.state.token = token;
    this.state.timer = clock.after(
      Math.min(API.socketRecheckMs, expiresAtMs - clock.nowMs()),
      () => void this.recheck(token, expiresAtMs),
    );
  }

  private async recheck(token: string, expiresAtMs: number): Promise<void> {
    const {
      hub: { clock, log, services },
      state,
    } = this;
    try {
      await services.sessions.authenticate(token);
      if (!state.isClosed && state.token === token) this.recheckLater(token, expiresAtMs);
    } catch (error) {
      if (state.isClosed || state.token !== token) return;
      if (isClientFault(error))
        return this.end(CLOSE_CODES.unauthenticated, errorMessage(error, undefined).title);
      // that it cannot be checked is our own fault: it is tried again, and nobody is sent away for
      // it
      log.error({ error: String(error) }, 'socket.token_not_checked');
      state.timer = clock.after(API.socketRecheckMs, () => void this.recheck(token, expiresAtMs));
    }
  }

  private admit(userId: UserId): void {
    if (this.state.userId === userId) return;
    if (this.state.userId !== null)
      throw new AppError('forbidden', 'this socket belongs to another user; open a new one');
    this.hub.shares.openSocket(userId);
    this.state.userId = userId;
  }

  private handle(message: ClientMessage, id: MessageId | undefined): void {
    const echo = id === undefined ? {} : { id };
    if (message.op === 'ping')
      return this.say({ op: 'pong', ...echo, sentAtMs: this.hub.clock.nowMs() });
    if (message.op === 'auth') return void this.authenticate(message.token, id);
    const { userId, topics } = this.state;
    if (userId === null)
      throw new AppError('unauthenticated', 'send {"op":"auth","token":"…"} first');
    const names = [...new Set(message.topics)];
    if (message.op === 'subscribe') return this.subscribe(names, userId, id);
    const refused: RefusedTopic[] = [];
    for (const name of names) {
      const subscription = topics.get(name);
      if (subscription !== undefined) this.drop(subscription, userId);
      else if (parseTopic(name, this.hub.venues) === null)
        refused.push(refusedTopic(name, noTopic()));
    }
    this.acknowledge('unsubscribed', names, refused, id);
  }

  /**
   * Each topic is taken or refused by itself. The answer comes first, then the snapshots; of tokens
   * that must be looked up when they are found.
   */
  private subscribe(names: readonly string[], userId: UserId, id: MessageId | undefined): void {
    const refused: RefusedTopic[] = [];
    const taken = new Map<string, Subscription>();
    let isFaulty = false;
    for (const name of names) {
      try {
        taken.set(name, this.add(name, userId, id));
      } catch (error) {
        isFaulty ||= isClientFault(error);
        refused.push(refusedTopic(name, error));
      }
    }
    this.acknowledge('subscribed', names, refused, id);
    for (const subscription of taken.values()) {
      if (subscription.isJoined) this.showSnapshot(subscription, userId);
    }
    if (isFaulty) this.countFault();
  }

  private acknowledge(
    op: 'subscribed' | 'unsubscribed',
    names: readonly string[],
    refused: readonly RefusedTopic[],
    id: MessageId | undefined,
  ): void {
    const [first] = refused;
    const isRefused = new Set(refused.map(({ topic }) => topic));
    const topics = names.filter((name) => !isRefused.has(name));
    if (topics.length === 0 && first !== undefined)
      return this.say({
        ...errorMessage(new AppError(first.code, first.detail, first), id, refused),
      });
    this.say({ op, ...(id === undefined ? {} : { id }), topics, refused });
  }

  /** Errors: `market_closed` for the book of a market that has ended. */
  private assertGoesOn(topic: Topic): void {
    const end = topic.kind === 'book' ? this.hub.sources.endOf(topic.bookId, topic.venue) : null;
    if (end !== null) throw new AppError('market_closed', `the market has ended: ${end}`);
  }

  /** Errors: `not_found`, `market_closed` and `limit_reached`. */
  private add(name: string, userId: UserId, id: MessageId | undefined): Subscription {
    const { hub, state } = this;
    const known = state.topics.get(name);
    if (known !== undefined) {
      known.id = id;
      return known;
    }
    const topic = parseTopic(name, hub.venues);
    if (topic === null) throw noTopic();
    if (state.topics.size >= API.subscriptionsMaximum)
      throw new AppError('limit_reached', `a socket may read ${API.subscriptionsMaximum} topics`);
    this.assertGoesOn(topic);
    if (topic.kind !== 'user') hub.shares.takeTopic(userId, name);
    const subscription: Subscription = { topic, id, isJoined: false };
    state.topics.set(name, subscription);
    if (topic.kind === 'book' && !hub.sources.knowsBook(topic.bookId, topic.venue))
      void this.find(subscription, userId);
    else this.join(subscription, userId);
    return subscription;
  }

  /** Looks a book up and joins it; one that is not there is no longer subscribed to. */
  private async find(subscription: Subscription, userId: UserId): Promise<void> {
    const { topic } = subscription;
    if (topic.kind !== 'book') return;
    const isWanted = (): boolean => this.state.topics.get(topic.name) === subscription;
    try {
      const isThere = await this.hub.sources.findBook(userId, topic.bookId, topic.venue);
      if (!isWanted()) return;
      if (!isThere) throw new AppError('not_found', 'the venue has no such book');
      this.assertGoesOn(topic);
      this.join(subscription, userId);
      this.showSnapshot(subscription, userId);
    } catch (error) {
      if (!isWanted()) return;
      this.drop(subscription, userId);
      // a token that ended is no faulty message, and asking for it has its own bounds
      this.say(errorMessage(error, subscription.id, [refusedTopic(topic.name, error)]));
    }
  }

  /**
   * Errors: `limit_reached` (retryable) where no more topics are followed; it is then no longer
   * subscribed to.
   */
  private join(subscription: Subscription, userId: UserId): void {
    const { hub, subscriber, socket } = this;
    const { topic } = subscription;
    const channel =
      topic.kind === 'user' ? hub.own.join(userId, topic.name) : subscriber.join(topic);
    if (channel === null) {
      this.drop(subscription, userId);
      throw new AppError(
        'limit_reached',
        `${API.topicsMaximum} different books and prices are followed for all users`,
        { retryable: true, retryAfterMs: API.bookSoughtAgainMs },
      );
    }
    socket.subscribe(channel);
    subscription.isJoined = true;
  }

  private showSnapshot(subscription: Subscription, userId: UserId): void {
    if (this.state.isClosed) return;
    const { topic, id } = subscription;
    const snapshot =
      topic.kind === 'user'
        ? this.hub.own.snapshot(userId, topic.name)
        : this.subscriber.snapshot(topic);
    this.socket.send(encode(id === undefined ? snapshot : { ...snapshot, id }));
    if (snapshot.kind === 'ended') this.drop(subscription, userId);
  }

  /** Forgets a subscription and gives back what it held. */
  private drop({ topic, isJoined }: Subscription, userId: UserId): void {
    const { hub, subscriber, socket, state } = this;
    if (!state.topics.delete(topic.name)) return;
    if (topic.kind !== 'user') hub.shares.giveTopic(userId, topic.name);
    if (!isJoined) return;
    const channel =
      topic.kind === 'user' ? hub.own.leave(userId, topic.name) : subscriber.leave(topic);
    if (!state.isClosed) socket.unsubscribe(channel);
  }
}
