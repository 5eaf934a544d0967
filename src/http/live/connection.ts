import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import { closeCodeOf, errorMessage, isClientFault, type RefusedTopic } from './answers.ts';
import type { Connection, ConnectionHub, SocketHandle, SocketState } from './connection-parts.ts';
import { HeldMessages } from './held-messages.ts';
import { MessageCredit } from './message-credit.ts';
import { CLOSE_CODES, readMessage, type ClientMessage, type MessageId } from './protocol.ts';
import { Subscriptions } from './subscriptions.ts';
import type { Subscriber } from './topic-hub.ts';

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
  private readonly subscriptions: Subscriptions;
  private readonly socket: SocketHandle;
  private readonly state: SocketState;
  private readonly held = new HeldMessages();
  private readonly credit: MessageCredit;

  constructor(hub: ConnectionHub, subscriber: Subscriber, socket: SocketHandle) {
    this.hub = hub;
    this.socket = socket;
    this.credit = new MessageCredit(hub.clock.nowMs());
    this.state = {
      isClosed: false,
      userId: null,
      faults: 0,
      timer: null,
      token: null,
      isChecking: false,
    };
    this.subscriptions = new Subscriptions(hub, subscriber, {
      isClosed: () => this.state.isClosed,
      socket,
      say: (message) => this.say(message),
      refuse: (error, id, refused) => this.refuse(error, id, refused),
      countFault: () => this.countFault(),
    });
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
    const { userId } = this.state;
    if (userId !== null) this.subscriptions.ended(name, bytes, userId);
  }

  closed(): void {
    const { hub, state } = this;
    state.isClosed = true;
    state.timer?.cancel();
    this.held.takeAll();
    const { userId } = state;
    if (userId === null) return;
    this.subscriptions.leaveAll(userId);
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
   * A token that is no good ends the socket; where it could not be checked the client is asked to
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
      // that it cannot be checked is our own fault: it is tried again, and no client is sent away
      // for it
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
    const { userId } = this.state;
    if (userId === null)
      throw new AppError('unauthenticated', 'send {"op":"auth","token":"…"} first');
    if (message.op === 'subscribe') this.subscriptions.subscribe(message, userId);
    else this.subscriptions.unsubscribe(message, userId);
  }
}
