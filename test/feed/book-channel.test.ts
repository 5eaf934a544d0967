import { beforeEach, expect, it } from 'vitest';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { feedMessage, type FeedMessage } from '../../src/adapters/feed-link/protocol.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createBookChannel, type BookChannel } from '../../src/feed/book-channel.ts';
import type { ReaderEnd } from '../../src/feed/channel.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { createFakeBookSource, type FakeBookSource } from '../support/fakes/fake-book-source.ts';

const MARKET = aMarket(1);
const [{ tokenId: UP }, { tokenId: DOWN }] = MARKET.outcomes;

let clock: VirtualClock;
let source: FakeBookSource;
let channel: BookChannel;
let leftOut: string[];
let ended: number;

beforeEach(() => {
  clock = createVirtualClock(T0);
  source = createFakeBookSource(clock, MARKET);
  source.setBook([aLevel(4_000, 10)], [aLevel(6_000, 10)]);
  leftOut = [];
  ended = 0;
  channel = createBookChannel({
    number: 7,
    source,
    tokenIds: [UP, DOWN],
    clock,
    random: createSeededRandom(1),
    leftOut: (what) => leftOut.push(what),
    ended: () => (ended += 1),
  });
});

/** A reader that keeps what it is sent, and can be behind. */
function aReader() {
  const sent: FeedMessage[] = [];
  const state = { isBehind: false };
  const end: ReaderEnd = {
    send: (text) => void sent.push(feedMessage.parse(JSON.parse(text))),
    ended: (_, text) => void sent.push(feedMessage.parse(JSON.parse(text))),
    isBehind: () => state.isBehind,
  };
  return { end, sent, state, ops: () => sent.map(({ op }) => op) };
}

/** Joins a reader and waits for the venue's first books. */
async function joined() {
  const reader = aReader();
  channel.join(reader.end);
  await clock.advance(200);
  return reader;
}

it('one connection serves all readers, and a late one is sent the whole books first', async () => {
  const first = await joined();
  expect(first.ops()).toEqual(['book', 'book']);
  await clock.advance(300);
  const late = aReader();
  channel.join(late.end);
  expect(late.sent).toMatchObject([
    { op: 'book', channel: 7, tokenId: UP, at: 1, bids: [4_000, 10_000_000], ageMs: 300 },
    { op: 'book', tokenId: DOWN },
  ]);
  source.connections[0]?.level(UP, 'bid', 4_100, 3, { bid: 4_100, ask: 6_000 });
  const change = { op: 'change', tokenId: UP, at: 2, bids: [4_100, 3], asks: [], bestBid: 4_100 };
  expect([first.sent.at(-1), late.sent.at(-1)]).toMatchObject([change, change]);
  expect(source.open).toBe(1);
});

it('a reader that is behind is sent no changes of a book, and then the newest whole one, once', async () => {
  const slow = await joined();
  const quick = await joined();
  const before = slow.sent.length;
  slow.state.isBehind = true;
  for (const price of [4_100, 4_200, 4_300])
    source.connections[0]?.level(UP, 'bid', price, 3, { bid: price, ask: 6_000 });
  source.connections[0]?.trade(UP);
  channel.catchUp(slow.end);
  expect(slow.sent.length).toBe(before);
  expect([leftOut, quick.ops().slice(-4)]).toEqual([
    ['book', 'trade'],
    ['change', 'change', 'change', 'event'],
  ]);
  slow.state.isBehind = false;
  // Until it has caught up a change would be one without those before it.
  source.connections[0]?.level(UP, 'bid', 4_400, 3, { bid: 4_400, ask: 6_000 });
  expect(slow.sent.length).toBe(before);
  channel.catchUp(slow.end);
  channel.catchUp(slow.end);
  expect(slow.sent.slice(before)).toMatchObject([
    {
      op: 'book',
      tokenId: UP,
      at: 5,
      bids: [4_400, 3, 4_300, 3, 4_200, 3, 4_100, 3, 4_000, 10_000_000],
    },
  ]);
  source.connections[0]?.level(UP, 'bid', 4_400, 5, { bid: 4_400, ask: 6_000 });
  expect(slow.sent.at(-1)).toMatchObject({ op: 'change', at: 6, bids: [4_400, 5] });
});

it('L8: says what puts a book in doubt, and a whole book once that is over', async () => {
  const reader = await joined();
  source.connections[0]?.level(UP, 'bid', 4_100, 3, { bid: 4_200, ask: 6_000 });
  expect(reader.sent.at(-1)).toMatchObject({ op: 'change', tokenId: UP, fault: 'gap' });
  source.setBook([aLevel(4_200, 1)], [aLevel(6_000, 1)]);
  source.connections[0]?.snapshot(UP);
  expect(reader.sent.at(-1)).toMatchObject({ op: 'book', tokenId: UP, fault: null, at: 3 });
});

it('a book that was fetched takes the place of one that differs or is in doubt, and of no other', async () => {
  const reader = await joined();
  const before = reader.sent.length;
  const fetched = await source.snapshot(UP);
  if (fetched === null) return expect.unreachable();
  channel.correct(fetched);
  expect(reader.sent.length).toBe(before);
  channel.correct({ ...fetched, bids: [aLevel(4_050, 2)] });
  channel.correct({ ...fetched, venueAtMs: fetched.venueAtMs - 1, bids: [] });
  expect(reader.sent.slice(before)).toMatchObject([
    { op: 'change', bids: [4_050, 2_000_000, 4_000, 0], bestBid: 4_050 },
  ]);
});

it('a loss ends it for its readers, who find the source open again after one wait for all', async () => {
  const [one, two] = [await joined(), await joined()];
  source.connections[0]?.lose();
  for (const { end, sent } of [one, two]) {
    expect(sent.at(-1)).toMatchObject({
      op: 'ended',
      channel: 7,
      failure: { code: 'venue_unavailable', retryable: true },
    });
    channel.join(end);
  }
  expect(channel.lostMs()).toBe(0);
  await clock.advance(FEEDS.reconnectFirstMs + 200);
  expect([source.connections.length, one.sent.at(-1)?.op, two.sent.at(-1)?.op]).toEqual([
    2,
    'book',
    'book',
  ]);
  expect(channel.lostMs()).toBe(0);
});

it('counts how long its source has been lost until it says something', async () => {
  const reader = await joined();
  source.greets = false;
  source.connections[0]?.lose();
  channel.join(reader.end);
  await clock.advance(FEED_LINK.lostMs);
  expect(channel.lostMs()).toBe(FEED_LINK.lostMs);
  source.connections.at(-1)?.snapshot(UP);
  expect(channel.lostMs()).toBe(0);
});

it('leaves its source a while after the last reader, and is forgotten', async () => {
  const [one, two] = [await joined(), await joined()];
  channel.leave(one.end);
  await clock.advance(FEEDS.lingerMs);
  expect(source.open).toBe(1);
  channel.leave(two.end);
  await clock.advance(FEEDS.lingerMs - 1);
  expect([source.open, ended]).toEqual([1, 0]);
  await clock.advance(1);
  expect([source.open, ended]).toEqual([0, 1]);
});

it('sends the whole of a book to a reader that asks for it, and to no other', async () => {
  const [one, two] = [await joined(), await joined()];
  const before = two.sent.length;
  channel.whole(one.end, UP);
  expect(one.sent.at(-1)).toMatchObject({ op: 'book', tokenId: UP });
  expect(two.sent.length).toBe(before);
});
