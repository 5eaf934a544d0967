import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createBookSource } from '../../../src/venues/venue-a/books.ts';
import { createVenueClient, type VenueClient } from '../../../src/venues/venue-a/client.ts';
import { createDirectory } from '../../../src/venues/venue-a/directory.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { World } from '../../../src/sandbox/world.ts';
import { WORLD_START_MS, startSmallWorld } from '../../support/worlds/small-world.ts';
import { silentMetrics } from '../../support/fixtures/wire-venue.ts';

let clock: VirtualClock;
let world: World;
let client: VenueClient;
const dropped: string[] = [];
const metrics: Metrics = {
  ...silentMetrics,
  count: (name, labels) =>
    void (name === 'venue_dropped_total' && dropped.push(labels?.['reason'] ?? '')),
};

beforeAll(async () => {
  ({ clock, world } = await startSmallWorld());
  await clock.advance(20_000);
  client = createVenueClient({ urls: world.urls.venues.venue_a, clock, metrics });
});
afterAll(async () => {
  await client.close();
  await world.close();
});

describe('live books over the wire', () => {
  it('L8: stay trusted and equal to the books by REST through a minute of quotes and trades', async () => {
    const market = await createDirectory({ client, clock }).round('BTC', 5, WORLD_START_MS);
    const tokens = market?.outcomes.map(({ tokenId }) => tokenId) ?? [];
    const source = createBookSource({
      url: world.urls.venues.venue_a.clobMarketSocket,
      clock,
      metrics,
      client,
    });
    const faults = new Set<string | null>();
    let frames = 0;
    const watch = source.watch(tokens, {
      next(change) {
        if (change.kind !== 'book') return;
        frames += 1;
        faults.add(change.fault);
      },
      error: (cause) => expect.unreachable(String(cause)),
    });
    await eventually(() =>
      expect(tokens.map((token) => watch.book(token)?.fault)).toEqual([null, null]),
    );
    for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
    for (const token of tokens) {
      await eventually(async () => {
        const snapshot = await source.snapshot(token);
        const view = watch.book(token)?.view();
        expect([view?.bids, view?.asks]).toEqual([
          snapshot?.bids.toSorted((a, b) => b.price - a.price),
          snapshot?.asks.toSorted((a, b) => a.price - b.price),
        ]);
      });
    }
    watch.stop();
    expect([[...faults], dropped]).toEqual([[null], []]);
    expect(frames).toBeGreaterThan(100);
  });
});
