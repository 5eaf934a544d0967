import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UserTopic } from '../../domain/user-topic.ts';
import {
  errorMessage,
  isClientFault,
  noTopic,
  refusedTopic,
  type RefusedTopic,
} from './answers.ts';
import type { ConnectionHub, SocketHandle, Subscription } from './connection-parts.ts';
import {
  CLOSE_CODES,
  parseTopic,
  type ClientMessage,
  type MessageId,
  type Topic,
} from './protocol.ts';
import { replay } from './replay.ts';
import { encode, type Subscriber } from './topic-hub.ts';
import type { TopicReader } from './user-topics.ts';

/** The socket whose subscriptions they are. */
export interface SubscribedSocket {
  readonly socket: SocketHandle;
  /** Nothing of the socket may be touched any more. */
  isClosed(): boolean;
  say(message: Readonly<Record<string, unknown>>): void;
  /** Says why a message was refused; what the client did wrong counts as a fault. */
  refuse(error: unknown, id: MessageId | undefined, refused: readonly RefusedTopic[]): void;
  countFault(): void;
}

/** What one socket reads. */
export class Subscriptions {
  private readonly topics = new Map<string, Subscription>();
  private readonly hub: ConnectionHub;
  private readonly subscriber: Subscriber;
  private readonly reader: SubscribedSocket;
  private readonly ownReader: TopicReader = {
    comeBack: () => {
      if (!this.reader.isClosed())
        this.reader.socket.end(CLOSE_CODES.goingAway, 'come back for what was missed');
    },
  };

  constructor(hub: ConnectionHub, subscriber: Subscriber, reader: SubscribedSocket) {
    this.hub = hub;
    this.subscriber = subscriber;
    this.reader = reader;
  }

  /** Takes the last message of a topic, after which it is no longer subscribed to. */
  ended(name: string, bytes: Uint8Array, userId: UserId): void {
    const subscription = this.topics.get(name);
    if (subscription === undefined || this.reader.isClosed()) return;
    this.reader.socket.send(bytes);
    this.drop(subscription, userId);
  }

  /** Gives back all that is held. */
  leaveAll(userId: UserId): void {
    for (const subscription of this.topics.values()) this.drop(subscription, userId);
  }

  unsubscribe(
    { id, topics }: Extract<ClientMessage, { readonly op: 'unsubscribe' }>,
    userId: UserId,
  ): void {
    const names = [...new Set(topics)];
    const refused: RefusedTopic[] = [];
    for (const name of names) {
      const subscription = this.topics.get(name);
      if (subscription !== undefined) this.drop(subscription, userId);
      else if (parseTopic(name, this.hub.venues) === null)
        refused.push(refusedTopic(name, noTopic()));
    }
    this.acknowledge('unsubscribed', names, refused, id);
    this.showWaiting(userId);
  }

  /**
   * Each topic is taken or refused by itself. The answer comes first, then the snapshots; of tokens
   * that must be looked up when they are found.
   */
  subscribe(
    { id, topics, since }: Extract<ClientMessage, { readonly op: 'subscribe' }>,
    userId: UserId,
  ): void {
    const names = [...new Set(topics)];
    const refused: RefusedTopic[] = [];
    const taken = new Map<string, Subscription>();
    let isFaulty = false;
    for (const name of names) {
      try {
        const subscription = this.add(name, userId, { id, isAgain: since !== undefined });
        taken.set(name, subscription);
      } catch (error) {
        isFaulty ||= isClientFault(error);
        refused.push(refusedTopic(name, error));
      }
    }
    this.acknowledge('subscribed', names, refused, id);
    for (const subscription of taken.values()) {
      if (subscription.isJoined) this.showSnapshot(subscription, userId);
    }
    if (since !== undefined) this.tellAgain([...taken.values()], userId, { id, since });
    this.showWaiting(userId);
    if (isFaulty) this.reader.countFault();
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
      return this.reader.say({
        ...errorMessage(new AppError(first.code, first.detail, first), id, refused),
      });
    this.reader.say({ op, ...(id === undefined ? {} : { id }), topics, refused });
  }

  /** Errors: `market_closed` for the book of a market that has ended. */
  private assertGoesOn(topic: Topic): void {
    const end = 'bookId' in topic ? this.hub.sources.endOf(topic.bookId, topic.venue) : null;
    if (end !== null) throw new AppError('market_closed', `the market has ended: ${end}`);
  }

  /** Tells the user's own topics again, from a cursor on. */
  private tellAgain(
    subscriptions: readonly Subscription[],
    userId: UserId,
    { id, since }: { readonly id: MessageId | undefined; readonly since: string },
  ): void {
    const mine = {};
    const own = new Map<UserTopic, Subscription>();
    for (const subscription of subscriptions) {
      if (subscription.topic.kind !== 'user') continue;
      subscription.replay = mine;
      own.set(subscription.topic.name, subscription);
    }
    const wanted = (): readonly UserTopic[] =>
      [...own].flatMap(([topic, each]) =>
        !this.reader.isClosed() && this.topics.get(topic) === each && each.replay === mine
          ? [topic]
          : [],
      );
    const socket = {
      send: (bytes: Uint8Array | string) => {
        if (!this.reader.isClosed()) this.reader.socket.send(bytes);
      },
      backlogBytes: () => this.reader.socket.backlogBytes(),
    };
    replay(this.hub, socket, {
      userId,
      since,
      id,
      wanted,
      join: (topic) => {
        const subscription = own.get(topic);
        if (subscription !== undefined) this.join(subscription, userId);
      },
      failed: (error) => {
        const left = wanted();
        for (const topic of left) this.drop(own.get(topic), userId);
        this.reader.refuse(
          error,
          id,
          left.map((topic) => refusedTopic(topic, error)),
        );
        this.showWaiting(userId);
      },
      ended: () => this.showWaiting(userId),
    });
  }

  /** Reports whether topics are being sent again. */
  private isCatchingUp(): boolean {
    return [...this.topics.values()].some(({ replay: ofTopic }) => ofTopic !== null);
  }

  /**
   * Joins the user's own topics that wait for what others missed: a snapshot is newer, and its
   * cursor would say that all of that is known.
   */
  private showWaiting(userId: UserId): void {
    if (this.reader.isClosed() || this.isCatchingUp()) return;
    for (const subscription of this.topics.values()) {
      if (subscription.topic.kind !== 'user' || subscription.isJoined) continue;
      this.join(subscription, userId);
      this.showSnapshot(subscription, userId);
    }
  }

  /**
   * A topic of the user's own that is to be sent again is joined afterwards. Errors: `not_found`,
   * `market_closed` and `limit_reached`.
   */
  private add(
    name: string,
    userId: UserId,
    { id, isAgain }: { readonly id: MessageId | undefined; readonly isAgain: boolean },
  ): Subscription {
    const { hub } = this;
    const known = this.topics.get(name);
    if (known !== undefined) {
      known.id = id;
      if (isAgain && known.topic.kind === 'user') this.leave(known, userId);
      // who no longer wants to hear what was missed begins with a snapshot
      else if (known.replay !== null) {
        known.replay = null;
        if (!this.isCatchingUp()) this.joinOrDrop(known, userId);
      }
      return known;
    }
    const topic = parseTopic(name, hub.venues);
    if (topic === null) throw noTopic();
    if (this.topics.size >= API.subscriptionsMaximum)
      throw new AppError('limit_reached', `a socket may read ${API.subscriptionsMaximum} topics`);
    this.assertGoesOn(topic);
    if (topic.kind !== 'user') hub.shares.takeTopic(userId, name);
    const subscription: Subscription = { topic, id, isJoined: false, replay: null };
    this.topics.set(name, subscription);
    if (topic.kind === 'user' && (isAgain || this.isCatchingUp())) return subscription;
    if ('bookId' in topic && !hub.sources.knowsBook(topic.bookId, topic.venue))
      void this.find(subscription, userId);
    else this.joinOrDrop(subscription, userId);
    return subscription;
  }

  /** Looks a book up and joins it; one that is not there is no longer subscribed to. */
  private async find(subscription: Subscription, userId: UserId): Promise<void> {
    const { topic } = subscription;
    if (!('bookId' in topic)) return;
    const isWanted = (): boolean => this.topics.get(topic.name) === subscription;
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
      this.reader.say(errorMessage(error, subscription.id, [refusedTopic(topic.name, error)]));
    }
  }

  private joinOrDrop(subscription: Subscription, userId: UserId): void {
    try {
      this.join(subscription, userId);
    } catch (error) {
      this.drop(subscription, userId);
      throw error;
    }
  }

  /** Errors: `limit_reached` (retryable) where no more topics are followed. */
  private join(subscription: Subscription, userId: UserId): void {
    const { hub, subscriber, reader } = this;
    const { topic } = subscription;
    const channel =
      topic.kind === 'user'
        ? hub.own.join(userId, topic.name, this.ownReader)
        : subscriber.join(topic);
    if (channel === null)
      throw new AppError(
        'limit_reached',
        `${API.topicsMaximum} different books and prices are followed for all users`,
        { retryable: true, retryAfterMs: API.bookSoughtAgainMs },
      );
    reader.socket.subscribe(channel);
    hub.subscribed[topic.kind] += 1;
    subscription.isJoined = true;
    subscription.replay = null;
  }

  private showSnapshot(subscription: Subscription, userId: UserId): void {
    if (this.reader.isClosed()) return;
    const { topic, id } = subscription;
    const snapshot =
      topic.kind === 'user'
        ? this.hub.own.snapshot(userId, topic.name)
        : this.subscriber.snapshot(topic);
    this.reader.socket.send(encode(id === undefined ? snapshot : { ...snapshot, id }));
    if (snapshot.kind === 'ended') this.drop(subscription, userId);
  }

  /** Forgets a subscription and gives back what it held. */
  private drop(subscription: Subscription | undefined, userId: UserId): void {
    if (subscription === undefined || !this.topics.delete(subscription.topic.name)) return;
    const { topic } = subscription;
    if (topic.kind !== 'user') this.hub.shares.giveTopic(userId, topic.name);
    this.leave(subscription, userId);
  }

  /** No longer hears a topic that was joined. */
  private leave(subscription: Subscription, userId: UserId): void {
    const { hub, subscriber, reader } = this;
    const { topic, isJoined } = subscription;
    if (!isJoined) return;
    hub.subscribed[topic.kind] -= 1;
    subscription.isJoined = false;
    const channel =
      topic.kind === 'user'
        ? hub.own.leave(userId, topic.name, this.ownReader)
        : subscriber.leave(topic);
    if (!reader.isClosed()) reader.socket.unsubscribe(channel);
  }
}
