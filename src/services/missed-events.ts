import type { JournalEntry } from '../domain/events.ts';
import { EVERYBODY, topicOf, type UserTopic } from '../domain/user-topic.ts';
import type { UserId } from '../domain/ids.ts';
import type { Bus } from '../ports/bus.ts';
import type { Store } from '../ports/store.ts';
import { RESTORES } from './books/tables.ts';

/** How a cursor looks: digits that name the journal, and a number of it. */
export const CURSOR = /^[0-9a-f]{8}\.(0|[1-9]\d{0,15})$/;

/** A fact that a topic of its reader tells. */
export interface MissedEvent extends JournalEntry {
  readonly topic: UserTopic;
}

/** What is behind a cursor. */
export type Missed =
  | {
      readonly kind: 'events';
      /** In the order of the journal. */
      readonly events: readonly MissedEvent[];
      /** Where to go on: behind the last of them, or behind what another topic tells. */
      readonly cursor: string;
      /** True where there is more by now. */
      readonly hasMore: boolean;
    }
  /**
   * It lies before what is kept, or belongs to another journal: a snapshot says what is true now.
   */
  | { readonly kind: 'too_old' };

/** Which facts to read. */
interface MissedQuery {
  readonly since: string;
  readonly topics: readonly UserTopic[];
  /** Facts to read, those of other topics among them. */
  readonly limit: number;
}

/**
 * What users' topics published since a place in the journal. A cursor is such a place: it is the
 * same over restarts, and of no use with another journal, or with one restored from a backup.
 */
export interface MissedEvents {
  /** The place behind everything that was published so far. */
  newest(): string;
  /** The place behind a fact of the journal. */
  cursorOf(seq: number): string;
  /**
   * Facts behind a cursor, up to the newest that was published: what is read and what is published
   * from then on, in the same turn, is without a hole and has nothing twice.
   */
  read(userId: UserId, query: MissedQuery): Missed;
  stop(): void;
}

/**
 * Creates it. To be made before anything is committed: the facts then in the journal count as
 * published, later ones once the bus publishes them.
 */
export function createMissedEvents({
  store,
  bus,
}: {
  readonly store: Pick<Store, 'get' | 'readFacts' | 'newestFact' | 'readChain'>;
  readonly bus: Pick<Bus, 'subscribe'>;
}): MissedEvents {
  let published = store.newestFact();
  let journal: string | null = null;
  const stop = bus.subscribe(({ seq }) => {
    published = Math.max(published, seq);
  });

  /**
   * Names the journal by its first link, which holds the first user's id and the time, or as its
   * restore did.
   */
  function journalName(): string {
    journal ??=
      store.get(RESTORES, ['newest'])?.value.journalName ??
      store.readChain(0, 1)[0]?.hash.slice(0, NAME_DIGITS) ??
      null;
    return journal ?? '0'.repeat(NAME_DIGITS);
  }

  const cursorOf = (seq: number): string => `${journalName()}.${seq}`;

  /** Returns a cursor's number; null where it is of another journal, or further than this one. */
  function placeOf(cursor: string): number | null {
    const [name, digits] = cursor.split('.');
    const seq = Number(digits);
    return (seq === 0 || name === journalName()) && seq <= published ? seq : null;
  }

  return {
    newest: () => cursorOf(published),
    cursorOf,
    stop,
    read(userId, { since, topics, limit }) {
      const place = placeOf(since);
      if (place === null) return { kind: 'too_old' };
      const own = store.readFacts(userId, place, limit);
      if (place < own.forgottenUpTo) return { kind: 'too_old' };
      const found = [...own.entries, ...store.readFacts(EVERYBODY, place, limit).entries]
        .filter(({ seq }) => seq <= published)
        .sort((one, other) => one.seq - other.seq)
        .slice(0, limit);
      const hasMore = found.length === limit;
      return {
        kind: 'events',
        events: found.flatMap((entry) => {
          const topic = topicOf(entry.event);
          return topic !== null && topics.includes(topic) ? [{ ...entry, topic }] : [];
        }),
        cursor: cursorOf(hasMore ? (found.at(-1)?.seq ?? published) : published),
        hasMore,
      };
    },
  };
}

const NAME_DIGITS = 8;
