import { beforeEach, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { News } from '../../../src/adapters/feed-link/feed-link.ts';
import { linkedBooks } from '../../../src/adapters/feed-link/linked-books.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { BookChange, BookSnapshot, BookWatch } from '../../../src/ports/venue-books.ts';
import { collect, type Collected } from '../../support/collect.ts';
import { aLevel, aMarket, aTokenId, T0 } from '../../support/builders.ts';
import { createFakeFeedLink, type FakeFeedLink } from '../../support/fakes/fake-feed-link.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const { marketId } = aMarket(1);
const TOKEN = aTokenId(1, 0);
const clock = createVirtualClock(T0);
let link: FakeFeedLink;
let heard: Collected<BookChange>;
let watch: BookWatch;

beforeEach(() => {
  link = createFakeFeedLink();
  heard = collect<BookChange>();
  watch = linkedBooks(link, VENUE_A, clock).watch([TOKEN, aTokenId(1, 1)], heard);
});

const FACTS = { channel: 1, tokenId: TOKEN, venueAtMs: 5_000, ageMs: 0, fault: null } as const;
const whole = (at: number, change: Partial<Extract<News, { op: 'book' }>> = {}): News => ({
  op: 'book',
  ...FACTS,
  at,
  marketId,
  bids: [4_000, 10],
  asks: [6_000, 10],
  ...change,
});
const change = (at: number, more: Partial<Extract<News, { op: 'change' }>> = {}): News => ({
  op: 'change',
  ...FACTS,
  at,
  bids: [4_100, 7],
  asks: [],
  bestBid: 4_100,
  bestAsk: 6_000,
  ...more,
});
const book = () => watch.book(TOKEN);
const fetched = (venueAtMs: number): BookSnapshot => ({
  tokenId: TOKEN,
  marketId,
  bids: [aLevel(3_000, 1)],
  asks: [aLevel(7_000, 1)],
  venueAtMs,
  tickSize: null,
});

it('begins without a book, then has the whole, then what changes of it', () => {
  expect(book()?.fault).toBe('no_snapshot');
  link.say(whole(3));
  link.say(change(4));
  link.say(change(5, { bids: [4_100, 0], bestBid: 4_000 }));
  expect([book()?.fault, book()?.bestBid, book()?.epoch, heard.values.length]).toEqual([
    null,
    4_000,
    1,
    3,
  ]);
});

it('L8: is as old as the feed said when it was sent, and older with each ms since', async () => {
  link.say(whole(1, { ageMs: 1_700 }));
  await clock.advance(300);
  expect(clock.nowMs() - (book()?.receivedAtMs ?? 0)).toBe(2_000);
  link.say(change(2, { ageMs: 40 }));
  expect(clock.nowMs() - (book()?.receivedAtMs ?? 0)).toBe(40);
});

it('L8: is in doubt after a hole, changed no more, and asks once for the whole, which ends it', () => {
  link.say(whole(1));
  link.say(change(3));
  link.say(change(4));
  expect([book()?.fault, book()?.bestBid, link.wholes]).toEqual(['gap', 4_000, [TOKEN]]);
  link.say(whole(4, { bids: [4_200, 1] }));
  link.say(change(5, { bids: [4_300, 1], bestBid: 4_300 }));
  expect([book()?.fault, book()?.bestBid, book()?.epoch]).toEqual([null, 4_300, 2]);
});

it('L8: is in doubt when its best prices are not those the feed has, and asks for the whole', () => {
  link.say(whole(1));
  link.say(change(2, { bestAsk: 5_900 }));
  expect([book()?.fault, link.wholes]).toEqual(['gap', [TOKEN]]);
});

it.each(['gap', 'tick_changed'] as const)(
  'L8: is in doubt while the feed is (%s), until a whole book comes',
  (fault) => {
    link.say(whole(1));
    link.say(change(2, { fault }));
    link.say(change(3, { fault }));
    expect([book()?.fault, link.wholes]).toEqual([fault, []]);
    link.say(whole(4));
    expect([book()?.fault, book()?.epoch]).toEqual([null, 2]);
  },
);

it('takes a book that was fetched, and no change of another state until the whole has come', () => {
  link.say(whole(1));
  expect([watch.replace(fetched(6_000)), book()?.bestBid]).toEqual([true, 3_000]);
  link.say(change(2, { venueAtMs: 7_000 }));
  expect([book()?.bestBid, link.wholes]).toEqual([3_000, [TOKEN]]);
  link.say(whole(2, { venueAtMs: 7_000, bids: [4_100, 7] }));
  link.say(change(3, { venueAtMs: 7_000, bids: [4_100, 8] }));
  expect([book()?.bestBid, book()?.fault]).toEqual([4_100, null]);
});

it('keeps a book that was fetched when a whole one comes that is older, and asks again', () => {
  expect(watch.replace(fetched(6_000))).toBe(true);
  link.say(whole(1));
  expect(book()?.bestBid).toBe(3_000);
  link.say(change(2, { venueAtMs: 7_000 }));
  expect([book()?.bestBid, link.wholes]).toEqual([3_000, [TOKEN, TOKEN]]);
});

it('refuses a fetched book that is older than what came, or of another token', () => {
  link.say(whole(1));
  expect([
    watch.replace(fetched(4_999)),
    watch.replace({ ...fetched(6_000), tokenId: aTokenId(2, 0) }),
  ]).toEqual([false, false]);
});

it('hands on trades, ticks and ends of markets', () => {
  const trade = { kind: 'trade', tokenId: TOKEN, price: 5_000, shares: 3, venueAtMs: 9 } as const;
  link.say({ op: 'event', channel: 1, event: trade });
  link.say({
    op: 'event',
    channel: 1,
    event: { kind: 'tick_size', tokenId: TOKEN, tickSize: 10 },
  });
  const ended = { kind: 'resolved', marketId, winner: null, venueAtMs: 9 } as const;
  link.say({ op: 'event', channel: 1, event: ended });
  expect(heard.values).toEqual([trade, { kind: 'tick_size', tokenId: TOKEN, tickSize: 10 }, ended]);
});

it('ends with its link', () => {
  const cause = new AppError('venue_unavailable', 'lost', { retryable: true });
  link.lose(cause);
  expect(heard.errors).toEqual([cause]);
});

it('refuses an answer that is no book', async () => {
  link.answer = { bids: [0, 1] };
  await expect(linkedBooks(link, VENUE_A, clock).snapshot(TOKEN)).rejects.toMatchObject({
    code: 'venue_protocol',
  });
});
