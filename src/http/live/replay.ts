import { MISSED_EVENTS } from '../../../config/limits/missed-events.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UserTopic } from '../../domain/user-topic.ts';
import type { ConnectionHub, SocketHandle } from './connection-parts.ts';
import type { MessageId, StreamPlace, TopicMessage } from './protocol.ts';
import { encode } from './topic-hub.ts';

/** Topics of a user that are sent to a socket again from a cursor on. */
export interface Replaying {
  readonly userId: UserId;
  /** A cursor. */
  readonly since: string;
  /** Of the subscribe that asked for it. */
  readonly id: MessageId | undefined;
  /** Topics that are still wanted from this replay. */
  wanted(): readonly UserTopic[];
  /** Has the socket hear a topic from now on. */
  join(topic: UserTopic): void;
  /** Reports that nothing is missing any more. */
  ended(): void;
  /** Reports that no more can be sent, and forgets the topics. */
  failed(error: unknown): void;
}

/**
 * Tells a socket what it missed, a turn's worth at a time, and has it hear what comes from then on
 * in the turn in which nothing is missing any more: no hole, and nothing twice. Where a cursor
 * reaches too far back, or too much was missed, the topics begin with a snapshot instead.
 */
export function replay(
  { own, events, clock, newEpoch }: Pick<ConnectionHub, 'own' | 'events' | 'clock' | 'newEpoch'>,
  socket: Pick<SocketHandle, 'send' | 'backlogBytes'>,
  replaying: Replaying,
): void {
  const { userId, id } = replaying;
  const echo = id === undefined ? {} : { id };
  const places = new Map<UserTopic, StreamPlace>();
  let { since } = replaying;
  let resentCount = 0;

  const send = (message: TopicMessage): void => socket.send(encode({ ...message, ...echo }));
  const say = (message: Readonly<Record<string, unknown>>): void =>
    socket.send(JSON.stringify(message));

  /** Numbers what one reader is sent again in a stream of its own. */
  function placeAfter(topic: UserTopic): StreamPlace {
    const { epoch, seq } = places.get(topic) ?? { epoch: newEpoch(), seq: 0 };
    const place = { epoch, seq: seq + 1 };
    places.set(topic, place);
    return place;
  }

  function step(): void {
    const topics = replaying.wanted();
    if (topics.length === 0) return;
    if (socket.backlogBytes() > MISSED_EVENTS.backlogMaximumBytes) {
      clock.after(MISSED_EVENTS.backlogCheckMs, attempt);
      return;
    }
    const missed = events.read(userId, { since, topics, limit: MISSED_EVENTS.lookedAtInTurn });
    if (missed.kind === 'too_old') return begin();
    resentCount += missed.events.length;
    if (resentCount > MISSED_EVENTS.resentMaximum) return begin();
    for (const event of missed.events) send(own.again(event, placeAfter(event.topic)));
    since = missed.cursor;
    if (missed.hasMore) clock.after(0, attempt);
    else goOn();
  }

  function attempt(): void {
    try {
      step();
    } catch (error) {
      replaying.failed(error);
    }
  }

  function begin(): void {
    say({ op: 'too_old', ...echo, topics: replaying.wanted() });
    for (const topic of replaying.wanted()) {
      replaying.join(topic);
      send(own.snapshot(userId, topic));
    }
    replaying.ended();
  }

  function goOn(): void {
    if (replaying.wanted().includes('agents'))
      for (const message of own.healthNow(userId, placeAfter('agents'))) send(message);
    // a reader that was cut off by what was sent wants nothing any more
    const topics = replaying.wanted();
    for (const topic of topics) replaying.join(topic);
    const live = topics.map((topic) => ({ topic, ...own.place(userId, topic) }));
    say({ op: 'caught_up', ...echo, cursor: since, topics: live });
    replaying.ended();
  }

  attempt();
}
