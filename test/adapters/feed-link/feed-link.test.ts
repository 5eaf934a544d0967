import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { FEED_LINK } from '../../../config/limits/feed-link.ts';
import { createSteadyTurns, type SteadyTurns } from '../../support/clocks/steady-turns.ts';
import {
  openFeedLink,
  type FeedLink,
  type Follower,
  type News,
} from '../../../src/adapters/feed-link/feed-link.ts';
import { LINK_PROTOCOL } from '../../../src/adapters/feed-link/protocol.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { AppError } from '../../../src/domain/errors.ts';
import type { FeedServer } from '../../../src/feed/feed-server.ts';
import { openCutLink, type CutLink } from '../../cluster/cut-link.ts';
import { T0 } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { createFakePriceFeed, type FakePriceFeed } from '../../support/fakes/fake-feeds.ts';
import { LINK_SECRET, startTestFeed } from '../../support/fixtures/linked-feed.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const PRICES = { kind: 'prices', source: 'exchange' } as const;
const PRICE_AT = { kind: 'price_at', source: 'exchange', asset: 'BTC', atMs: T0 } as const;

/** A feed behind a way to it that can be cut, with what it reads. */
interface TestFeed {
  readonly prices: FakePriceFeed;
  readonly server: FeedServer;
  readonly way: CutLink;
}

let time: SteadyTurns;
let feeds: TestFeed[];
const open: (() => unknown)[] = [];

async function startOne(secrets?: readonly string[]): Promise<TestFeed> {
  const prices = createFakePriceFeed('exchange');
  const server = await startTestFeed(
    time.clock,
    { prices: new Map([['exchange', prices]]) },
    secrets,
  );
  const way = await openCutLink(Number(new URL(server.url).port));
  open.push(() => Promise.all([way.close(), server.close()]));
  return { prices, server, way };
}

const urlOf = ({ way }: TestFeed) => `http://127.0.0.1:${way.port}`;

beforeEach(async () => {
  time = createSteadyTurns(T0);
  feeds = [await startOne(), await startOne()];
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  await time.stop();
});

function openLink(urls: readonly string[], secret = LINK_SECRET) {
  const log = createKeptLog();
  const read: (() => void)[] = [];
  const metrics = createKeptMetrics();
  const link = openFeedLink({
    urls,
    secret,
    wallClock: time.clock,
    steadyMs: time.steadyMs,
    random: createSeededRandom(4),
    metrics: { ...metrics, beforeRead: (set) => void read.push(set) },
    log,
  });
  open.push(() => link.close());
  const silentSeconds = (): number => {
    for (const set of read) set();
    return metrics.counts.get('link_silent_seconds') ?? Number.NaN;
  };
  return { link, log, metrics, silentSeconds };
}

/** Follows the prices, again after each loss. */
function followAgain(link: FeedLink) {
  const heard: News[] = [];
  const losses: AppError[] = [];
  const follower: Follower = {
    hear: (news) => void heard.push(news),
    lost(cause) {
      losses.push(cause);
      link.follow(PRICES, follower);
    },
  };
  link.follow(PRICES, follower);
  return { heard, losses };
}

/** The feed that is followed now, which is one of them. */
function followed(): Promise<TestFeed> {
  return eventually(() => {
    const running = feeds.filter(({ prices }) => prices.running > 0);
    expect(running.length).toBeGreaterThan(0);
    return running.at(-1) as TestFeed;
  });
}

const other = (than: TestFeed) => feeds.find((one) => one !== than) as TestFeed;

it('a reader is at one of the feeds, and goes to the other one when that ends', async () => {
  const { link } = openLink(feeds.map(urlOf));
  const { heard, losses } = followAgain(link);
  const first = await followed();
  first.prices.tick('BTC', 100, T0);
  await eventually(() => expect(heard.length).toBe(1));
  expect(other(first).prices.opened).toBe(0);
  await first.server.close();
  await eventually(() => expect(other(first).prices.running).toBe(1));
  other(first).prices.tick('BTC', 101, T0);
  await eventually(() => expect(heard.length).toBe(2));
  expect(losses).toMatchObject([{ code: 'venue_unavailable', retryable: true }]);
});

it('L8: a feed that is silent is left for the other one, and nothing it says later is heard', async () => {
  const { link, metrics } = openLink(feeds.map(urlOf));
  const { heard, losses } = followAgain(link);
  const first = await followed();
  first.way.cut();
  first.prices.tick('BTC', 100, T0);
  await eventually(() => expect(other(first).prices.running).toBe(1));
  first.way.mend();
  other(first).prices.tick('BTC', 101, T0);
  await eventually(() => expect(heard.length).toBe(1));
  expect(heard).toMatchObject([{ price: 10_100_000_000 }]);
  expect([losses.length, metrics.counts.get('link_lost_total')]).toEqual([1, 1]);
});

it('L8: what a process finds in its buffers after it was held up itself is not used', async () => {
  const { link } = openLink(feeds.map(urlOf));
  const { heard, losses } = followAgain(link);
  const first = await followed();
  await time.hold(async () => {
    first.prices.tick('BTC', 100, T0);
    time.skip(FEED_LINK.silentMs + FEED_LINK.beatMs);
    await eventually(() => expect(losses.length + heard.length).toBe(1));
  });
  expect(heard).toEqual([]);
});

it('while no feed answers it says so, questions and what is followed fail, and one that comes back is joined', async () => {
  const { link, silentSeconds } = openLink(feeds.map(urlOf));
  const { losses } = followAgain(link);
  await followed();
  const asked = link.ask({ ...PRICE_AT, twapSeconds: null });
  for (const { way } of feeds) way.cut();
  await expect(asked).rejects.toMatchObject({ code: 'venue_unavailable', retryable: true });
  await expect(link.ask({ ...PRICE_AT, twapSeconds: null })).rejects.toMatchObject({
    code: 'venue_unavailable',
    retryable: true,
  });
  await eventually(() => expect(losses.length).toBeGreaterThanOrEqual(2));
  expect(silentSeconds()).toBeGreaterThan(5);
  for (const { way } of feeds) way.mend();
  await eventually(async () =>
    expect(await link.ask({ ...PRICE_AT, twapSeconds: null })).toBeNull(),
  );
  expect(silentSeconds()).toBeLessThan(1);
});

it('a question is answered by the port behind it, its errors too', async () => {
  const { link } = openLink(feeds.map(urlOf));
  for (const { prices } of feeds) prices.note('BTC', 5, T0 + 10);
  const question = { ...PRICE_AT, twapSeconds: null };
  expect(await link.ask(question)).toEqual({ price: 500_000_000, sourceAtMs: T0 + 10 });
  await expect(link.ask({ ...question, source: 'oracle' })).rejects.toMatchObject({
    code: 'not_found',
    retryable: false,
  });
});

it('a reader that does not know the secret is sent nothing', async () => {
  const { link, log } = openLink(feeds.map(urlOf), 'another secret of links, long enough');
  const { losses } = followAgain(link);
  await eventually(() => expect(losses.length).toBe(1));
  expect(feeds.map(({ prices }) => prices.opened)).toEqual([0, 0]);
  expect(log.lines.some(({ event }) => event === 'feed_link.joined')).toBe(false);
});

it('either of two secrets is right while one replaces the other', async () => {
  const one = await startOne(['the secret that comes, which is long', LINK_SECRET]);
  const { link } = openLink([urlOf(one)]);
  expect(await link.ask({ ...PRICE_AT, twapSeconds: null })).toBeNull();
});

it.each([
  ['does not know the secret', { op: 'welcome', proof: '0'.repeat(64) }, LINK_PROTOCOL],
  ['speaks another protocol', null, LINK_PROTOCOL - 1],
] as const)('a feed that %s is left for the next one', async (_, answer, protocol) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  open.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  let joined = 0;
  const said = new Set<string>();
  server.on('connection', (socket) => {
    joined += 1;
    socket.send(JSON.stringify({ op: 'hello', protocol, nonce: 'n'.repeat(32) }));
    socket.on('message', (data) => {
      said.add((JSON.parse(String(data)) as { readonly op: string }).op);
      if (answer !== null) socket.send(JSON.stringify(answer));
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { readonly port: number };
  const [good] = feeds as [TestFeed, TestFeed];
  const { link } = openLink([urlOf(good), `http://127.0.0.1:${port}`].reverse());
  const { losses } = followAgain(link);
  await eventually(() => expect(good.prices.running).toBe(1));
  good.way.cut();
  await eventually(() => expect(joined).toBeGreaterThan(0));
  good.way.mend();
  await eventually(() => expect(good.prices.running).toBe(1));
  expect(losses.length).toBeGreaterThan(0);
  // It is asked for nothing before it has proven itself.
  expect([...said]).toEqual(answer === null ? [] : ['prove']);
});

it('what is stopped is followed no more, and a link that is closed keeps nothing waiting', async () => {
  const { link } = openLink(feeds.map(urlOf));
  const following = link.follow(PRICES, { hear: () => undefined, lost: () => undefined });
  const first = await followed();
  following.stop();
  await eventually(() => expect(first.prices.running).toBe(0));
  const asked = link.ask({ ...PRICE_AT, twapSeconds: null });
  link.close();
  await expect(asked).rejects.toMatchObject({ code: 'venue_unavailable' });
});
