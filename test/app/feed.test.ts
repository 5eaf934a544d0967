import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEnvironment } from '../../config/schema.ts';
import { linkedAssessor } from '../../src/adapters/feed-link/linked-assessor.ts';
import { linkedCatalogue, linkedScan } from '../../src/adapters/feed-link/linked-catalogue.ts';
import { linkedInference } from '../../src/adapters/feed-link/linked-inference.ts';
import { linkedPrices } from '../../src/adapters/feed-link/linked-prices.ts';
import type { FeedLink } from '../../src/adapters/feed-link/feed-link.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { runFeed } from '../../src/app/feed.ts';
import { runGateway } from '../../src/app/gateway.ts';
import type { PriceTick } from '../../src/ports/price-feed.ts';
import { startWorld, type World } from '../../src/sandbox/world.ts';
import { PLAIN_QUESTION } from '../contracts/risk-assessor.ts';
import { contractSettings } from '../crash/support/world-settings.ts';
import { collect } from '../support/collect.ts';
import { LINK_SECRET, openTestLink } from '../support/fixtures/linked-feed.ts';
import { VENUE_A } from '../support/venue-ids.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';

const clock = createWallClock();
const close: (() => unknown)[] = [];
let world: World;
let url: string;
let link: FeedLink;

/** Settings of a feed in this world. */
function settings(more: Readonly<Record<string, string>> = {}) {
  const { PREDICTD_MASTER_KEY: _, ...shared } = contractSettings(world);
  const { PREDICTD_RELAYER_SECRET: __, PREDICTD_RELAYER_KEY: ___, ...rest } = shared;
  const { PREDICTD_RELAYER_PASSPHRASE: ____, ...read } = rest;
  return readEnvironment({
    ...read,
    PREDICTD_ROLE: 'feed',
    PREDICTD_PORT: '0',
    PREDICTD_LOG_LEVEL: 'silent',
    PREDICTD_LINK_SECRET: LINK_SECRET,
    ...more,
  });
}

beforeAll(async () => {
  world = await startWorld({
    seed: 7,
    clock,
    wallClock: clock,
    dataDir: null,
    makers: false,
    chains: false,
    credentials: WORLD_CREDENTIALS,
  });
  close.push(() => world.close());
  const feed = await runFeed(settings(), '1.2.3');
  close.push(() => feed.close());
  ({ url } = feed);
  link = openTestLink([url]);
  close.push(() => link.close());
});
afterAll(async () => {
  for (const end of close.reverse()) await end();
});

it('a feed sends on what the oracle, the exchange, the mirror of a venue and the network say', async () => {
  const sources = [
    ['oracle', 'oracle'],
    ['exchange', 'exchange'],
    ['venue_oracle', 'venue_a'],
  ] as const;
  for (const [name, source] of sources) {
    const ticks = collect<PriceTick>();
    const stop = linkedPrices({ link, name, source, clock }).watch(['BTC'], ticks);
    const [tick] = await ticks.whenValues(1);
    expect(tick?.asset).toBe('BTC');
    stop();
  }
  const { value } = await linkedInference(link, clock).latest('BTC', '5m');
  expect(value.topicId).toBe(14);
});

it('a feed sends on the markets of a venue, its rounds and the pages of its scan', async () => {
  const catalogue = linkedCatalogue(link, VENUE_A);
  const page = await linkedScan(link, VENUE_A).page({
    volumeAtLeastUsd: 0,
    liquidityAtLeastUsd: 0,
    endsAfterMs: clock.nowMs(),
    endsBeforeMs: null,
    cursor: null,
  });
  const [listing] = page.data;
  if (listing === undefined) return expect.unreachable('the world lists markets');
  const { marketId, outcomes } = listing.market;
  expect(await catalogue.market(marketId)).toMatchObject({ marketId, outcomes });
  expect(await catalogue.marketOfToken(outcomes[1].tokenId)).toMatchObject({ marketId });
  expect(await catalogue.resolution(marketId)).toBeNull();
  const startsAtMs = Math.ceil(clock.nowMs() / 300_000) * 300_000;
  expect(await catalogue.round('BTC', 5, startsAtMs)).toMatchObject({
    window: { asset: 'BTC', minutes: 5, startsAtMs },
  });
});

it('a feed without an assessor says so', async () => {
  expect(await linkedAssessor(link).assess(PLAIN_QUESTION)).toEqual({
    kind: 'none',
    gap: 'missing',
  });
});

it('answers supervisors and Prometheus, and shows the metrics of what it does alone', async () => {
  const [health, ready, metrics] = await Promise.all(
    ['healthz', 'readyz', 'metrics'].map(async (path) => (await fetch(`${url}/${path}`)).text()),
  );
  expect(JSON.parse(health ?? '')).toEqual({ status: 'ok', version: '1.2.3', profile: 'feed' });
  expect(JSON.parse(ready ?? '')).toMatchObject({ status: 'ready', checks: [{ ok: true }] });
  expect(metrics).toContain('predictd_feed_readers_open 1');
  expect(metrics).not.toContain('predictd_orders');
});

it.each([
  ['the log of a shard', { PREDICTD_LOG_URLS: 'postgres://predictd@127.0.0.1:1/predictd' }],
  ['a master key', { PREDICTD_MASTER_KEY: 'a1'.repeat(32) }],
  ['the secret of operators', { PREDICTD_INTERNAL_SECRET: LINK_SECRET }],
  ['a key that moves money', { PREDICTD_VENUE_B_SPONSOR_KEY: '1'.repeat(64) }],
])('L12: a feed refuses %s', async (_, more) => {
  const [name] = Object.keys(more);
  await expect(runFeed(settings(more), '1.2.3')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`PREDICTD_ROLE=feed takes no ${name}`),
  });
});

it('a feed refuses to read from feeds, to go without the secret of its links, and a sandbox', async () => {
  const { PREDICTD_LINK_SECRET: _, ...without } = settings();
  for (const environment of [
    settings({ PREDICTD_FEED_URLS: 'http://127.0.0.1:1' }),
    without,
    settings({ PREDICTD_PROFILE: 'sandbox' }),
  ])
    await expect(runFeed(environment as never, '1.2.3')).rejects.toMatchObject({
      code: 'config_invalid',
    });
});

it('a gateway refuses feeds and the secret of links, since it reads nothing by them', async () => {
  for (const more of [
    { PREDICTD_FEED_URLS: 'http://127.0.0.1:1' },
    { PREDICTD_LINK_SECRET: LINK_SECRET },
  ])
    await expect(
      runGateway(readEnvironment({ PREDICTD_ROLE: 'gateway', ...more }), '1.2.3'),
    ).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('PREDICTD_ROLE=gateway takes no PREDICTD_FEED_URLS'),
    });
});
