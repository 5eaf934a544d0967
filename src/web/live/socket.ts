import { backOffMs } from '../../domain/back-off.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * A message of a topic. `epoch` names a numbering, which is never used again; `seq` has no holes
 * within it.
 */
export interface TopicMessage {
  readonly topic: string;
  readonly kind: 'snapshot' | 'change' | 'ended';
  readonly epoch: number | string;
  readonly seq: number;
  readonly ageMs: number | null;
  readonly trusted: boolean;
  /** Of one's own topics: the place in the daemon's journal behind what it says. */
  readonly cursor?: string;
  /** True of a change that was missed while there was no connection. */
  readonly again?: boolean;
  readonly data: unknown;
}

/** The state of the socket: live, being opened for the first time, or lost since. */
export type SocketState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly sinceMs: number }
  | { readonly kind: 'closed'; readonly reason: 'signed_out' | 'username_required' };

/** Where a topic's reader hears of it. */
export interface TopicReader {
  /** What replaces all that was known. */
  snapshot(message: TopicMessage): void;
  change(message: TopicMessage): void;
  /** Nothing more comes: the topic has ended, or cannot be read; `reason` is a sentence. */
  ended(reason: string): void;
}

/** A socket as browsers have it; tests bring their own. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number }) => void) | null;
}

export interface LiveOptions {
  open(): SocketLike;
  /** A token for the socket; rejects when signed out. */
  token(): Promise<string>;
  readonly scheduler: Scheduler;
  /** From 0 to 1: spreads reconnects. */
  chance(): number;
  /** True while the page is hidden. */
  isHidden(): boolean;
}

/** First and longest wait before a new connection. */
const RECONNECT_FIRST_MS = 250;
/** With a quarter more by chance it is below the 2 s in which a page is right again. */
const RECONNECT_MAXIMUM_MS = 1_500;
const RECONNECT_HIDDEN_MS = 15_000;
const RECONNECT_TOO_MANY_MS = 30_000;
/** A silent socket is asked for a sign of life, then given up. */
const PING_AFTER_MS = 15_000;
const SILENT_MAXIMUM_MS = 25_000;
/** A topic is kept so long after its last reader left: pages change faster than that. */
const KEPT_MS = 5_000;

/** A message's place in its stream. */
type StreamPlace = Pick<TopicMessage, 'epoch' | 'seq'>;

interface Subscription {
  readonly readers: Set<TopicReader>;
  last: StreamPlace | null;
  /** True of a topic with cursors whose readers know all up to the newest one. */
  isFollowed: boolean;
  leave: (() => void) | null;
}

/**
 * One socket for the page. A change counts only where it follows what was seen; else the topic is
 * subscribed to anew and its snapshot replaces everything. Connections that were lost come back by
 * themselves, and topics with cursors then go on where they were: their readers get the
 * changes they missed, and get a snapshot only where those are too old.
 */
export class LiveSocket {
  readonly #options: LiveOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #listeners = new Set<() => void>();
  #socket: SocketLike | null = null;
  #state: SocketState = { kind: 'connecting' };
  #isReady = false;
  #failures = 0;
  #cancelReconnect: (() => void) | null = null;
  #cancelWatch: (() => void) | null = null;
  #heardAtMs = 0;
  /** Newest place up to which all topics with cursors are known; null before the first. */
  #cursor: string | null = null;
  /** Topics that are being sent what they missed. */
  readonly #catchingUp = new Set<string>();

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get state(): SocketState {
    return this.#state;
  }

  /** Calls back after each change of the state; returns how to stop that. */
  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the connection, or at once again where one is waited for. */
  connect(): void {
    this.#cancelReconnect?.();
    this.#cancelReconnect = null;
    if (this.#socket !== null) return;
    const socket = this.#options.open();
    this.#socket = socket;
    this.#isReady = false;
    this.#heard();
    socket.onopen = () => {
      this.#options
        .token()
        .then((token) => socket.send(JSON.stringify({ op: 'auth', token })))
        .catch(() => socket.close());
    };
    socket.onmessage = ({ data }) => {
      this.#heard();
      if (typeof data === 'string') this.#receive(data);
    };
    socket.onclose = ({ code }) => this.#closed(socket, code);
    this.#watch();
  }

  /**
   * Gives the connection up and tries for a new one: a browser that is offline keeps a dead one
   * open, and one that still reaches the daemon is live again at once.
   */
  drop(): void {
    const socket = this.#socket;
    if (socket === null) return;
    socket.onclose = null;
    socket.close();
    this.#closed(socket, 1006);
  }

  /** Ends the connection and forgets every topic: the user signed out. */
  close(): void {
    this.#cancelReconnect?.();
    this.#cancelWatch?.();
    this.#cursor = null;
    for (const topic of this.#subscriptions.keys()) this.#forget(topic);
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) {
      socket.onclose = null;
      socket.close(1000);
    }
    this.#change({ kind: 'closed', reason: 'signed_out' });
  }

  /** Shows a newer token, so that the connection outlives its first one. */
  authenticate(token: string): void {
    if (this.#isReady) this.#socket?.send(JSON.stringify({ op: 'auth', token }));
  }

  /** Reads a topic until the function it returns is called. */
  read(topic: string, reader: TopicReader): () => void {
    const subscription = this.#subscriptions.get(topic) ?? {
      readers: new Set<TopicReader>(),
      last: null,
      isFollowed: false,
      leave: null,
    };
    subscription.leave?.();
    subscription.leave = null;
    const isFirst = !this.#subscriptions.has(topic);
    this.#subscriptions.set(topic, subscription);
    subscription.readers.add(reader);
    // a second reader needs a snapshot of its own: subscribing again brings it to all
    if (isFirst || subscription.last !== null) this.#subscribe([topic]);
    return () => {
      subscription.readers.delete(reader);
      if (subscription.readers.size > 0) return;
      subscription.leave = this.#options.scheduler.after(KEPT_MS, () => {
        this.#subscriptions.delete(topic);
        this.#catchingUp.delete(topic);
        if (this.#isReady)
          this.#socket?.send(JSON.stringify({ op: 'unsubscribe', topics: [topic] }));
      });
    };
  }

  /** Has topics begin with a snapshot. */
  #subscribe(topics: readonly string[]): void {
    for (const topic of topics) this.#forget(topic);
    if (this.#isReady && topics.length > 0)
      this.#socket?.send(JSON.stringify({ op: 'subscribe', topics }));
  }

  /** Reads everything on a new connection: what was followed from where it was, the rest anew. */
  #subscribeAll(): void {
    const followed: string[] = [];
    const others: string[] = [];
    for (const [topic, { isFollowed }] of this.#subscriptions)
      (isFollowed ? followed : others).push(topic);
    this.#catchingUp.clear();
    if (this.#cursor !== null && followed.length > 0) {
      for (const topic of followed) {
        this.#catchingUp.add(topic);
        const subscription = this.#subscriptions.get(topic);
        if (subscription !== undefined) subscription.last = null;
      }
      this.#socket?.send(
        JSON.stringify({ op: 'subscribe', topics: followed, since: this.#cursor }),
      );
    }
    this.#subscribe(others);
  }

  #forget(topic: string): void {
    this.#catchingUp.delete(topic);
    const subscription = this.#subscriptions.get(topic);
    if (subscription === undefined) return;
    subscription.last = null;
    subscription.isFollowed = false;
  }

  #receive(text: string): void {
    const message: unknown = JSON.parse(text);
    if (!isRecord(message)) return;
    if (message['op'] === 'authenticated') {
      this.#isReady = true;
      this.#failures = 0;
      this.#change({ kind: 'live' });
      this.#subscribeAll();
      return;
    }
    if (message['op'] === 'caught_up') this.#caughtUp(message);
    // snapshots follow, which replace what may have been sent already
    if (message['op'] === 'too_old')
      for (const topic of textsIn(message['topics'])) this.#forget(topic);
    if (Array.isArray(message['refused'])) this.#refuse(message['refused']);
    if (isTopicMessage(message)) this.#deliver(message);
  }

  #deliver(message: TopicMessage): void {
    const subscription = this.#subscriptions.get(message.topic);
    if (subscription === undefined) return;
    if (message.kind === 'ended') {
      for (const reader of subscription.readers) reader.ended(reasonOf(message.data));
      return;
    }
    if (message.kind === 'snapshot') {
      subscription.last = { epoch: message.epoch, seq: message.seq };
      subscription.isFollowed = message.cursor !== undefined;
      this.#remember(message);
      for (const reader of subscription.readers) reader.snapshot(message);
      return;
    }
    const { last } = subscription;
    if (last === null) {
      // a snapshot is on its way: what comes before it is of no use
      if (message.again !== true || !this.#catchingUp.has(message.topic)) return;
    } else if (message.epoch !== last.epoch || message.seq !== last.seq + 1) {
      this.#subscribe([message.topic]);
      return;
    }
    subscription.last = { epoch: message.epoch, seq: message.seq };
    this.#remember(message);
    for (const reader of subscription.readers) reader.change(message);
  }

  /**
   * What happened to one topic says nothing about others that are still being sent what they
   * missed.
   */
  #remember({ topic, cursor }: TopicMessage): void {
    if (cursor !== undefined && (this.#catchingUp.size === 0 || this.#catchingUp.has(topic)))
      this.#cursor = cursor;
  }

  /** Nothing is missing any more: what happens now follows on these places. */
  #caughtUp({ cursor, topics }: Readonly<Record<string, unknown>>): void {
    if (!Array.isArray(topics)) return;
    for (const place of topics.filter(isPlace)) {
      const subscription = this.#subscriptions.get(place.topic);
      if (subscription === undefined || !this.#catchingUp.delete(place.topic)) continue;
      subscription.last = { epoch: place.epoch, seq: place.seq };
    }
    if (this.#catchingUp.size === 0 && typeof cursor === 'string') this.#cursor = cursor;
  }

  #refuse(refused: readonly unknown[]): void {
    for (const each of refused) {
      if (!isRecord(each) || typeof each['topic'] !== 'string') continue;
      const { topic } = each;
      const subscription = this.#subscriptions.get(topic);
      if (subscription === undefined) continue;
      this.#forget(topic);
      if (each['retryable'] === true) {
        const waitMs = typeof each['retryAfterMs'] === 'number' ? each['retryAfterMs'] : 2_000;
        this.#options.scheduler.after(waitMs, () => {
          if (this.#subscriptions.get(topic) === subscription) this.#subscribe([topic]);
        });
      } else
        for (const reader of subscription.readers)
          reader.ended(typeof each['detail'] === 'string' ? each['detail'] : 'It cannot be read.');
    }
  }

  #closed(socket: SocketLike, code: number): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#isReady = false;
    this.#cancelWatch?.();
    if (code === 4403) {
      this.#change({ kind: 'closed', reason: 'username_required' });
      return;
    }
    if (this.#state.kind !== 'lost')
      this.#change({ kind: 'lost', sinceMs: this.#options.scheduler.nowMs() });
    this.#failures += 1;
    this.#cancelReconnect = this.#options.scheduler.after(this.#waitMs(code), () => this.connect());
  }

  #waitMs(code: number): number {
    if (code === 4429) return RECONNECT_TOO_MANY_MS;
    if (this.#options.isHidden()) return RECONNECT_HIDDEN_MS;
    const waitMs = backOffMs(this.#failures - 1, {
      firstMs: RECONNECT_FIRST_MS,
      maximumMs: RECONNECT_MAXIMUM_MS,
    });
    return waitMs * (0.75 + this.#options.chance() / 2);
  }

  #heard(): void {
    this.#heardAtMs = this.#options.scheduler.nowMs();
  }

  #watch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = this.#options.scheduler.after(PING_AFTER_MS / 3, () => {
      const socket = this.#socket;
      if (socket === null) return;
      const silentMs = this.#options.scheduler.nowMs() - this.#heardAtMs;
      if (silentMs >= SILENT_MAXIMUM_MS) {
        // a dead connection may take minutes to close: it is given up here and now
        this.drop();
        return;
      }
      if (silentMs >= PING_AFTER_MS && this.#isReady) socket.send('{"op":"ping"}');
      this.#watch();
    });
  }

  #change(state: SocketState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function reasonOf(data: unknown): string {
  return isRecord(data) && typeof data['reason'] === 'string' ? data['reason'] : 'It has ended.';
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function isPlace(value: unknown): value is StreamPlace & { readonly topic: string } {
  return isRecord(value) && typeof value['topic'] === 'string' && typeof value['seq'] === 'number';
}

function isTopicMessage(
  message: Readonly<Record<string, unknown>>,
): message is Readonly<Record<string, unknown>> & TopicMessage {
  return (
    typeof message['topic'] === 'string' &&
    (message['kind'] === 'snapshot' ||
      message['kind'] === 'change' ||
      message['kind'] === 'ended') &&
    typeof message['seq'] === 'number'
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
