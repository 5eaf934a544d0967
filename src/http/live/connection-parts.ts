import type { UserId } from '../../domain/ids.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ApiServices } from '../services.ts';
import type { BookVenue, MessageId, Topic } from './protocol.ts';
import type { LiveSources } from './sources.ts';
import type { UserShares } from './user-shares.ts';
import type { UserTopics } from './user-topics.ts';
import type { NewEpoch } from './stream-numbers.ts';
import type { MissedEvents } from '../../services/missed-events.ts';

/** What a connection may do to its socket. */
export interface SocketHandle {
  send(bytes: Uint8Array | string): void;
  subscribe(channel: string): void;
  unsubscribe(channel: string): void;
  /** Bytes that were sent and have not left yet. */
  backlogBytes(): number;
  /** Ends it with a close code; the server then calls `closed`. */
  end(code: number, reason: string): void;
}

/** What all connections share. */
export interface ConnectionHub {
  /** Venues whose books may be followed. */
  readonly venues: readonly BookVenue[];
  readonly services: Pick<ApiServices, 'sessions' | 'accounts'>;
  readonly sources: Pick<LiveSources, 'knowsBook' | 'findBook' | 'endOf'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly own: UserTopics;
  readonly events: MissedEvents;
  readonly newEpoch: NewEpoch;
  readonly shares: UserShares;
  /** How many subscriptions there are of each kind of topic. */
  readonly subscribed: Record<Topic['kind'], number>;
}

/** One client: who it is, what it reads, how much it asks. */
export interface Connection {
  /** Begins with the token of the upgrade, or waits for one. */
  start(token: string | null): void;
  /** Takes a message; null means one that was too large, or binary. */
  receive(text: string | null, isBinary: boolean): void;
  /** Takes the last message of a topic, after which it is no longer subscribed to. */
  ended(name: string, bytes: Uint8Array): void;
  /** The socket is gone; nothing may be sent any more. */
  closed(): void;
}

/**
 * A topic a client subscribed to; `isJoined` is false while its token is looked up, and while what
 * was missed is sent again.
 */
export interface Subscription {
  readonly topic: Topic;
  id: MessageId | undefined;
  isJoined: boolean;
  /** The subscribe whose replay it waits for; null where it waits for none. */
  replay: object | null;
}

/** What is known of a socket. */
export interface SocketState {
  isClosed: boolean;
  userId: UserId | null;
  faults: number;
  timer: Timer | null;
  /** The newest token shown; checks of an older one no longer count. */
  token: string | null;
  /** True while a token is looked at. */
  isChecking: boolean;
}
