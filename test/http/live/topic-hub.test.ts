import { describe, expect, it } from 'vitest';
import { API } from '../../../config/limits/api.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import type { TopicMessage } from '../../../src/http/live/protocol.ts';
import type { LiveMarketPrice } from '../../../src/http/live/sources.ts';
import type { SharedTopic } from '../../../src/http/live/topic-feed.ts';
import { createTopicHub, type Subscriber } from '../../../src/http/live/topic-hub.ts';
import { ONE_TIME } from '../../../src/ports/market-time.ts';
import { aBook } from '../samples.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { createCountedNumbers } from '../../support/counted-numbers.ts';

const START_MS = 1_800_000_000_000;
const SHARD = API.socketsPerShard;
const BURST_SHARDS = API.socketWritesBurst / SHARD;
const TOPIC = bookTopic('1');

function bookTopic(tokenId: string): Extract<SharedTopic, { kind: 'book' }> {
  const name = `orderbook:venue_a:${tokenId}`;
  return { kind: 'book', name, venue: VENUE_A, bookId: asId<TokenId>(tokenId) };
}

/**
 * What was published: on which channel, when, with which number; the bytes are those handed over.
 */
interface Published {
  readonly channel: string;
  readonly atMs: number;
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** A hub over books that change on request and a count of what is watched. */
function open() {
  const clock = createVirtualClock(START_MS);
  const published: Published[] = [];
  const watched: string[] = [];
  const views = new Map<string, BookView>();
  const worth = new Map<string, LiveMarketPrice>();
  const listeners = new Map<string, () => void>();
  const ends = new Set<string>();
  const hub = createTopicHub({
    clock,
    publish(channel, bytes) {
      const { seq } = JSON.parse(Buffer.from(bytes).toString()) as TopicMessage;
      published.push({ channel, atMs: clock.nowMs() - START_MS, seq, bytes });
    },
    sources: {
      nowMs: () => clock.nowMs(),
      marketTime: ONE_TIME,
      numbers: createCountedNumbers(),
      watchPrice(asset) {
        watched.push(asset);
        return { current: () => null, stop: () => void watched.splice(watched.indexOf(asset), 1) };
      },
      watchMarketPrice(tokenId, _venue, onChange) {
        listeners.set(tokenId, onChange);
        return {
          current: () => worth.get(tokenId) ?? null,
          end: () => (ends.has(tokenId) ? 'closed' : null),
          stop: () => undefined,
        };
      },
      watchBook(tokenId, _venue, onChange) {
        if (tokenId === 'unknown') return null;
        watched.push(tokenId);
        listeners.set(tokenId, onChange);
        return {
          current: () => views.get(tokenId) ?? aBook(),
          end: () => (ends.has(tokenId) ? 'resolved' : null),
          stop: () => void watched.splice(watched.indexOf(tokenId), 1),
        };
      },
    },
  });
  const read = (topic: SharedTopic = TOPIC): Subscriber => {
    const subscriber = hub.subscriber();
    subscriber.join(topic);
    subscriber.snapshot(topic);
    return subscriber;
  };
  const change = (tokenId = '1'): void => {
    const { seq } = views.get(tokenId) ?? aBook();
    views.set(tokenId, aBook({ seq: seq + 1, venueAtMs: START_MS + seq }));
    listeners.get(tokenId)?.();
  };
  const end = (tokenId: string): void => {
    ends.add(tokenId);
    listeners.get(tokenId)?.();
  };
  const price = (tokenId: string, state: LiveMarketPrice): void => {
    worth.set(tokenId, state);
    listeners.get(tokenId)?.();
  };
  return { clock, hub, published, watched, read, change, end, price };
}

/** Calls `make` so many times. */
function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

describe('the hub of books and prices', () => {
  it('places so many sockets in a shard, the next one in the first that has a free place', () => {
    const { hub } = open();
    const subscribers = times(SHARD + 1, () => hub.subscriber());
    const channels = (all: Subscriber[]) => new Set(all.map((one) => one.join(TOPIC)));
    expect(channels(subscribers)).toEqual(
      new Set(['orderbook:venue_a:1 1', 'orderbook:venue_a:1 2']),
    );
    subscribers[3]?.close();
    expect(times(2, () => hub.subscriber().join(TOPIC))).toEqual([
      'orderbook:venue_a:1 1',
      'orderbook:venue_a:1 2',
    ]);
  });

  it('watches a topic once for all its readers, until the last has left', () => {
    const { watched, read } = open();
    const readers = times(SHARD + 1, read);
    expect(watched).toEqual(['1']);
    for (const reader of readers.slice(1)) reader.leave(TOPIC);
    expect(watched).toEqual(['1']);
    readers[0]?.leave(TOPIC);
    expect(watched).toEqual([]);
  });

  it('refuses what the source does not know, and a new topic beyond the limit until one is left', () => {
    const { hub, watched } = open();
    const socket = hub.subscriber();
    expect(socket.join(bookTopic('unknown'))).toBeNull();
    const price = { kind: 'price', name: 'prices:BTC', asset: 'BTC' } as const;
    socket.join(price);
    for (let index = 1; index < API.topicsMaximum; index += 1)
      socket.join(bookTopic(String(index)));
    expect([
      socket.join(bookTopic('999999')),
      hub.subscriber().join(bookTopic('1')) === null,
      watched.length,
    ]).toEqual([null, false, API.topicsMaximum]);
    socket.leave(price);
    expect(socket.join(bookTopic('999999'))).not.toBeNull();
  });

  it('says what the outcomes of a market are worth, how old that is, and ends with its market', async () => {
    const { clock, hub, published, price, end } = open();
    const topic = {
      kind: 'market_price',
      name: 'prices:venue_a:1',
      venue: VENUE_A,
      bookId: asId<TokenId>('1'),
    } as const;
    let last = '';
    const reader = hub.subscriber((name, bytes) => (last = `${name} ${Buffer.from(bytes)}`));
    reader.join(topic);
    reader.snapshot(topic);
    const state = {
      marketId: asId<LiveMarketPrice['marketId']>('m'),
      venueAtMs: START_MS,
      receivedAtMs: START_MS,
      distrust: null,
    };
    await clock.advance(1_000);
    price('1', { ...state, yesE5: 40_123 });
    await clock.advance(API.socketGatherMs);
    price('1', { ...state, yesE5: null, distrust: 'stale' });
    await clock.advance(1_000);
    end('1');
    await clock.advance(1_000);
    const messages = published.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
    const shown = { marketId: 'm', venueAtMs: START_MS };
    expect(messages).toMatchObject([
      {
        kind: 'change',
        seq: 1,
        ageMs: 1_000 + API.socketGatherMs,
        trusted: true,
        data: { ...shown, yes: '0.40123', no: '0.59877', distrust: null },
      },
      { kind: 'change', seq: 2, trusted: false, data: { ...shown, yes: null, no: null } },
    ]);
    expect(last).toContain('prices:venue_a:1 {"topic":"prices:venue_a:1","kind":"ended"');
  });

  it('encodes a change once, under one number, and hands the same bytes to every shard within the moment', async () => {
    const { clock, published, read, change } = open();
    times(3 * SHARD, read);
    await clock.advance(1_000);
    change();
    await clock.advance(API.socketGatherMs);
    expect(published.map(({ channel, atMs, seq }) => [channel, atMs, seq])).toEqual(
      [1, 2, 3].map((shard) => [`orderbook:venue_a:1 ${shard}`, 1_000 + API.socketGatherMs, 2]),
    );
    expect(new Set(published.map(({ bytes }) => bytes)).size).toBe(1);
  });

  it('publishes a busy book at its pace, whoever else has a socket and reads nothing of it', async () => {
    const { clock, hub, published, read, change } = open();
    read();
    times(BURST_SHARDS * SHARD, () => hub.subscriber());
    for (let ms = 0; ms < 10_000; ms += 5) {
      change();
      await clock.advance(5);
    }
    expect(published.length).toBe(10_000 / API.socketFlushMs);
  });

  it('tells all readers of a busy book the same, as often as the rate allows', async () => {
    const { clock, published, read, change } = open();
    times(BURST_SHARDS * SHARD, read);
    for (let ms = 0; ms < 10_000; ms += 5) {
      change();
      await clock.advance(5);
    }
    const seqsOf = (shard: number): number[] =>
      published
        .filter(({ channel }) => channel === `orderbook:venue_a:1 ${shard}`)
        .map(({ seq }) => seq);
    const rounds = (10 * API.socketWritesPerSecond) / API.socketWritesBurst;
    for (let shard = 1; shard <= BURST_SHARDS; shard += 1)
      expect(seqsOf(shard)).toEqual(Array.from({ length: rounds }, (_unused, round) => round + 2));
  });

  it('shows a socket that comes in the middle of a round what its shard has heard, so that the next message follows', async () => {
    const { clock, published, read, change } = open();
    const readers = times((BURST_SHARDS + 2) * SHARD, read);
    change();
    await clock.advance(API.socketGatherMs);
    expect(published.length).toBe(BURST_SHARDS + 1);
    expect(readers.map((reader) => reader.snapshot(TOPIC).seq)).toEqual([
      ...Array<number>((BURST_SHARDS + 1) * SHARD).fill(2),
      ...Array<number>(SHARD).fill(1),
    ]);
    await clock.advance(1_000);
    expect([published.at(-1)?.seq, readers.at(-1)?.snapshot(TOPIC).seq]).toEqual([2, 2]);
  });

  it('ends a topic with a last message to each of its readers, who leave it, and to no other', async () => {
    const { clock, hub, published, watched, read, change, end } = open();
    const heard: string[] = [];
    const readers = times((BURST_SHARDS + 2) * SHARD, () => {
      const subscriber: Subscriber = hub.subscriber((_name, bytes) => {
        heard.push(Buffer.from(bytes).toString());
        subscriber.leave(TOPIC);
      });
      subscriber.join(TOPIC);
      subscriber.snapshot(TOPIC);
      return subscriber;
    });
    read(bookTopic('2'));
    change();
    end('1');
    await clock.advance(2_000);
    expect([heard.length, new Set(heard).size, watched]).toEqual([readers.length, 1, ['2']]);
    expect(JSON.parse(heard[0] ?? '')).toEqual({
      topic: TOPIC.name,
      kind: 'ended',
      epoch: 1,
      seq: 2,
      ageMs: null,
      trusted: false,
      data: { reason: 'resolved' },
    });
    expect(published).toEqual([]);
  });

  it('shows the end to who subscribes again while it is on its way', () => {
    const { read, end } = open();
    const reader = read();
    end('1');
    expect(reader.snapshot(TOPIC)).toMatchObject({ kind: 'ended', seq: 2 });
  });

  it('shows the newest to who reads alone, and says nothing older afterwards', async () => {
    const { clock, published, read, change } = open();
    const readers = times((BURST_SHARDS + 2) * SHARD, read);
    change();
    await clock.advance(API.socketGatherMs);
    const [last] = readers.splice(-1);
    for (const reader of readers) reader.leave(TOPIC);
    change();
    published.length = 0;
    expect(last?.snapshot(TOPIC)).toMatchObject({ kind: 'snapshot', seq: 3 });
    await clock.advance(1_000);
    expect(published).toEqual([]);
  });

  it('publishes nothing of a topic that was left, nor after the end', async () => {
    const { clock, hub, published, read, change, watched } = open();
    read().leave(TOPIC);
    read(bookTopic('2'));
    read(bookTopic('2'));
    change('1');
    change('2');
    hub.close();
    await clock.advance(1_000);
    expect([published, watched]).toEqual([[], []]);
  });
});
