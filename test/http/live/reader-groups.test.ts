import { describe, expect, it } from 'vitest';
import { SURFACE } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import { createReaderGroups } from '../../../src/http/live/reader-groups.ts';
import type { ReaderGroups, Seat } from '../../../src/http/live/reader-groups.ts';
import { aBook } from '../samples.ts';
import { ONE_TIME } from '../../../src/ports/market-time.ts';

const START_MS = 1_800_000_000_000;
const TOPIC = { kind: 'book', name: 'orderbook:1', tokenId: asId<TokenId>('1') } as const;

/** What was published: on which channel, when, with which number. */
interface Published {
  readonly channel: string;
  readonly atMs: number;
  readonly seq: number;
}

interface Stand {
  readonly clock: VirtualClock;
  readonly groups: ReaderGroups;
  readonly published: Published[];
  /** Takes a seat and reads the book from it. */
  read(): Seat;
  change(): void;
}

function open(): Stand {
  const clock = createVirtualClock(START_MS);
  const published: Published[] = [];
  let view: BookView = aBook();
  let tell = (): void => undefined;
  const groups = createReaderGroups({
    clock,
    publish: (channel, bytes) =>
      void published.push({
        channel,
        atMs: clock.nowMs() - START_MS,
        seq: (JSON.parse(Buffer.from(bytes).toString()) as { seq: number }).seq,
      }),
    sources: {
      nowMs: () => clock.nowMs(),
      marketTime: ONE_TIME,
      bus: { subscribe: () => () => undefined },
      knowsToken: () => true,
      findToken: async () => true,
      watchPrice: () => ({ current: () => null, stop: () => undefined }),
      watchBook(_tokenId, onChange) {
        tell = onChange;
        return { current: () => view, stop: () => (tell = () => undefined) };
      },
    },
  });
  return {
    clock,
    groups,
    published,
    read() {
      const seat = groups.seat();
      seat.hub.join(TOPIC);
      seat.hub.snapshot(TOPIC);
      return seat;
    },
    change() {
      view = aBook({ seq: view.seq + 1, venueAtMs: START_MS + view.seq });
      tell();
    },
  };
}

describe('groups of readers', () => {
  it('hold so many sockets each, and fill the first with room', () => {
    const { groups } = open();
    const seats = Array.from({ length: SURFACE.socketsPerGroup + 1 }, () => groups.seat());
    expect(new Set(seats.map((seat) => seat.channelOf('t')))).toEqual(new Set(['t 1', 't 2']));
    seats[3]?.leave();
    expect([groups.seat().channelOf('t'), groups.seat().channelOf('t')]).toEqual(['t 1', 't 2']);
  });

  it('hear a change after a pause as soon as those of its moment are gathered, and a busy book no oftener than the limit', async () => {
    const { clock, published, read, change } = open();
    read();
    await clock.advance(1_000);
    for (let ms = 0; ms < 100; ms += 5) {
      change();
      await clock.advance(5);
    }
    expect(published.map(({ atMs }) => atMs - 1_000)).toEqual([
      SURFACE.socketGatherMs,
      ...[1, 2, 3, 4].map((round) => SURFACE.socketGatherMs + round * SURFACE.socketFlushMs),
    ]);
  });

  it('are told of a lone change one after another, all within the moment', async () => {
    const { clock, published, read, change } = open();
    for (let index = 0; index < 3 * SURFACE.socketsPerGroup; index += 1) read();
    await clock.advance(1_000);
    change();
    await clock.advance(SURFACE.socketGatherMs);
    expect(published).toEqual(
      [1, 2, 3].map((group) => ({
        channel: `orderbook:1 ${group}`,
        atMs: 1_000 + SURFACE.socketGatherMs,
        seq: 2,
      })),
    );
  });

  it('share the writes of a second evenly where a book is busy and readers are many', async () => {
    const { clock, published, read, change } = open();
    for (let index = 0; index < 10 * SURFACE.socketsPerGroup; index += 1) read();
    for (let ms = 0; ms < 10_000; ms += 5) {
      change();
      await clock.advance(5);
    }
    const perGroup = Array.from(
      { length: 10 },
      (_unused, index) =>
        published.filter(({ channel }) => channel === `orderbook:1 ${index + 1}`).length,
    );
    const each =
      (SURFACE.socketWritesBurst + 10 * SURFACE.socketWritesPerSecond) /
      (10 * SURFACE.socketsPerGroup);
    expect(Math.max(...perGroup) - Math.min(...perGroup)).toBeLessThanOrEqual(1);
    expect(Math.abs((perGroup[0] ?? 0) - each)).toBeLessThanOrEqual(1);
  });

  it('count only who reads what changed', async () => {
    const { clock, published, read, groups, change } = open();
    read();
    for (let index = 1; index < 10 * SURFACE.socketsPerGroup; index += 1) groups.seat();
    for (let ms = 0; ms < 10_000; ms += 5) {
      change();
      await clock.advance(5);
    }
    expect(published.length).toBe(10_000 / SURFACE.socketFlushMs);
  });

  it('tell nobody after the end', async () => {
    const { clock, groups, published, read, change } = open();
    read();
    change();
    groups.close();
    await clock.advance(1_000);
    expect(published).toEqual([]);
  });
});
