import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { proofOf } from '../../src/adapters/feed-link/proof.ts';
import {
  feedMessage,
  type FeedMessage,
  type ReaderMessage,
} from '../../src/adapters/feed-link/protocol.ts';
import type { FeedServer } from '../../src/feed/feed-server.ts';
import { PLAIN_QUESTION } from '../contracts/risk-assessor.ts';
import { T0 } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { createFakePriceFeed, type FakePriceFeed } from '../support/fakes/fake-feeds.ts';
import { LINK_SECRET, startTestFeed } from '../support/fixtures/linked-feed.ts';

const READER = 'the nonce of a reader';
const PRICES = { kind: 'prices', source: 'exchange' } as const;

let clock: VirtualClock;
let prices: FakePriceFeed;
let feed: FeedServer;
const sockets: WebSocket[] = [];

beforeEach(async () => {
  clock = createVirtualClock(T0);
  prices = createFakePriceFeed('exchange');
  feed = await startTestFeed(clock, {
    prices: new Map([['exchange', prices]]),
    assessor: {
      assess: async ({ outcome }) => ({ kind: 'blocked', reason: outcome.repeat(5_000) }),
    },
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await feed.close();
});

/** A socket to the feed, and what it was sent. */
async function connect() {
  const socket = new WebSocket(`${feed.url.replace('http', 'ws')}/link`);
  sockets.push(socket);
  const sent: FeedMessage[] = [];
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.on('message', (data) => sent.push(feedMessage.parse(JSON.parse(String(data)))));
  await eventually(() => expect(sent.length).toBe(1));
  const [hello] = sent;
  if (hello?.op !== 'hello') throw new Error('a feed says hello first');
  const say = (message: ReaderMessage | object) => socket.send(JSON.stringify(message));
  const nonces = { feed: hello.nonce, reader: READER };
  const prove = (secret = LINK_SECRET) =>
    say({ op: 'prove', nonce: READER, proof: proofOf('reader', secret, nonces) });
  return { socket, sent, closed, say, prove, nonces };
}

/** The same, proven. */
async function join() {
  const reader = await connect();
  reader.prove();
  await eventually(() => expect(reader.sent.at(-1)?.op).toBe('welcome'));
  return reader;
}

it('proves in turn that it knows the secret', async () => {
  const { sent, nonces } = await join();
  expect(sent.at(-1)).toEqual({ op: 'welcome', proof: proofOf('feed', LINK_SECRET, nonces) });
});

it.each([
  ['that asks before it has proven anything', { op: 'follow', id: 1, subject: PRICES }, 4401],
  ['that says what no reader says', { op: 'sell' }, 4400],
  ['whose proof is another one', { op: 'prove', nonce: READER, proof: '0'.repeat(64) }, 4401],
])('closes the socket of one %s, and sends it nothing', async (_, message, code) => {
  const { say, closed, sent } = await connect();
  say(message);
  expect([await closed, sent.length, prices.opened]).toEqual([code, 1, 0]);
});

it('closes the socket of a reader that shows the proof of the feed for its own', async () => {
  const { say, closed, nonces } = await connect();
  say({ op: 'prove', nonce: READER, proof: proofOf('feed', LINK_SECRET, nonces) });
  expect(await closed).toBe(4401);
});

it('answers a sign of life with the moment it was asked with', async () => {
  const { say, sent } = await join();
  say({ op: 'beat', atMs: 77 });
  await eventually(() => expect(sent.at(-1)).toEqual({ op: 'beat', atMs: 77 }));
});

it('serves what is followed twice on one channel, until both are left', async () => {
  const { say, sent } = await join();
  say({ op: 'follow', id: 1, subject: PRICES });
  say({ op: 'follow', id: 2, subject: PRICES });
  await eventually(() => expect(sent.length).toBe(4));
  expect(sent.slice(2)).toEqual([
    { op: 'following', id: 1, channel: 1 },
    { op: 'following', id: 2, channel: 1 },
  ]);
  say({ op: 'leave', id: 1 });
  say({ op: 'beat', atMs: 1 });
  await eventually(() => expect(sent.at(-1)?.op).toBe('beat'));
  prices.tick('BTC', 5, T0 - 300);
  await eventually(() => expect(sent.at(-1)?.op).toBe('tick'));
  expect(sent.at(-1)).toMatchObject({ channel: 1, ageMs: 300, price: 500_000_000 });
  say({ op: 'leave', id: 2 });
  say({ op: 'beat', atMs: 2 });
  await eventually(() => expect(sent.at(-1)?.op).toBe('beat'));
  await clock.advance(2_000);
  expect(prices.running).toBe(0);
});

it('refuses what it does not read, and more than a reader may follow', async () => {
  const { say, sent } = await join();
  say({ op: 'follow', id: 0, subject: { kind: 'prices', source: 'oracle' } });
  for (let id = 1; id <= FEED_LINK.followedMaximum + 1; id += 1)
    say({ op: 'follow', id, subject: PRICES });
  await eventually(() => expect(sent.length).toBe(FEED_LINK.followedMaximum + 4));
  expect([sent[2], sent.at(-1)]).toMatchObject([
    { op: 'refused', id: 0, failure: { code: 'not_found' } },
    { op: 'refused', failure: { code: 'limit_reached', retryable: true } },
  ]);
});

it('answers what is longer than links carry with a failure, so that its reader stays', async () => {
  const { say, sent } = await join();
  const ask = (id: number, outcome: string) =>
    say({ op: 'ask', id, question: { kind: 'assess', question: { ...PLAIN_QUESTION, outcome } } });
  ask(1, 'x'.repeat(1_000));
  ask(2, 'x');
  await eventually(() => expect(sent.length).toBe(4));
  expect(sent.slice(2)).toMatchObject([
    { op: 'failed', id: 1, failure: { code: 'venue_protocol' } },
    { op: 'answer', id: 2, value: { kind: 'blocked' } },
  ]);
});

it('what a lost source ended can be followed again as often as it is lost', async () => {
  const { say, sent } = await join();
  for (let id = 0; id < FEED_LINK.followedMaximum + 5; id += 1) {
    say({ op: 'follow', id, subject: PRICES });
    await eventually(() => expect(sent.at(-1)).toMatchObject({ op: 'following', id }), {
      interval: 1,
    });
    while (prices.running === 0) await clock.advance(100);
    prices.tick('BTC', 5, T0);
    // so long that the next way back to it is short
    await clock.advance(FEEDS.reconnectHealthyAfterMs);
    prices.lose();
    await eventually(() => expect(sent.at(-1)?.op).toBe('ended'), { interval: 1 });
  }
});

it('lets its readers go and takes no others while it reaches none of its sources', async () => {
  const { say, sent, closed } = await join();
  say({ op: 'follow', id: 1, subject: PRICES });
  await eventually(() => expect(prices.running).toBe(1));
  prices.lose();
  await eventually(() => expect(sent.at(-1)?.op).toBe('ended'));
  say({ op: 'follow', id: 2, subject: PRICES });
  await eventually(() => expect(sent.at(-1)?.op).toBe('following'));
  expect(feed.isReaching()).toBe(true);
  await clock.advance(FEED_LINK.lostMs);
  expect([feed.isReaching(), await closed]).toEqual([false, 4503]);
  const refused = new WebSocket(`${feed.url.replace('http', 'ws')}/link`);
  sockets.push(refused);
  const status = await new Promise((resolve) =>
    refused
      .on('error', () => undefined)
      .once('unexpected-response', (_request, { statusCode }) => resolve(statusCode)),
  );
  expect(status).toBe(503);
  // it goes on trying, for longer than a source lingers that is not wanted, until that is back
  expect(prices.running).toBe(1);
  prices.lose();
  await clock.advance(10 * FEEDS.reconnectMaximumMs);
  expect([prices.running, feed.isReaching()]).toEqual([1, false]);
  prices.tick('BTC', 5, T0);
  expect(feed.isReaching()).toBe(true);
});

it('serves no users', async () => {
  const answer = await fetch(`${feed.url}/api/venue_a/markets/`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
});
