import { SURFACE } from '../../../config/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import { createFollowedTopics } from './followed-topics.ts';
import type { LiveSources } from './sources.ts';
import { createTopicHub } from './topic-hub.ts';
import type { Publish, TopicHub } from './topic-hub.ts';
import { createWriteTurns } from './write-turns.ts';

/** Where a socket sits: with whom it shares books and prices. */
export interface Seat {
  readonly hub: TopicHub;
  /** The channel on which the group of this seat is told of a topic; clients cannot name it, since their topics hold no blank. */
  channelOf(topic: string): string;
  /** Gives the seat back, once. */
  leave(): void;
}

/** Readers in groups of at most SURFACE.socketsPerGroup, each written to in a turn of its own: a change for thousands never holds the event loop for all of them. */
export interface ReaderGroups {
  /** A seat in the first group with room. */
  seat(): Seat;
  close(): void;
}

interface Group {
  readonly hub: TopicHub;
  readonly channelOf: (topic: string) => string;
  seats: number;
}

/** Makes the groups; there are as many as sockets were ever open at once need. */
export function createReaderGroups({
  sources,
  clock,
  publish,
}: {
  readonly sources: LiveSources;
  readonly clock: Clock;
  readonly publish: Publish;
}): ReaderGroups {
  const groups: Group[] = [];
  const followed = createFollowedTopics(sources);
  const turns = createWriteTurns(clock);

  function openGroup(): Group {
    const number = groups.length + 1;
    const channelOf = (topic: string): string => `${topic} ${number}`;
    const group = {
      hub: createTopicHub({
        followed,
        clock,
        turns,
        publish: (topic, bytes) => publish(channelOf(topic), bytes),
        nowMs: () => sources.nowMs(),
        toWallMs: (atMs) => sources.marketTime.toWallMs(atMs),
      }),
      channelOf,
      seats: 0,
    };
    groups.push(group);
    return group;
  }

  return {
    seat() {
      const group = groups.find(({ seats }) => seats < SURFACE.socketsPerGroup) ?? openGroup();
      group.seats += 1;
      return {
        hub: group.hub,
        channelOf: group.channelOf,
        leave: () => void (group.seats -= 1),
      };
    },
    close() {
      turns.close();
      for (const { hub } of groups) hub.close();
    },
  };
}
