import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDirectory } from '../../../src/venues/venue-c/directory.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';
import { aWire, EXCHANGE } from './wire.ts';

const file = sharedData('data/venue_c-fixtures/markets-active.json');

describe.skipIf(file === null)('recorded active markets', () => {
  const recorded: readonly unknown[] = JSON.parse(
    file === null ? '[]' : readFileSync(file, 'utf8'),
  );
  const { listing, clock, metrics } = aWire({
    '/markets/active': { data: recorded, totalMarketsCount: recorded.length },
  });
  const directory = createDirectory({ listing, clock, payouts: async () => null });

  it('are all listed with their windows, tokens and rules', async () => {
    const { data } = await directory.markets({ limit: 50, cursor: null });
    expect(data).toHaveLength(recorded.length);
    expect(data[0]).toMatchObject({
      market: {
        slug: 'sol-up-or-down-5-min-1782065705541',
        question: 'SOL Up or Down - 5 Min',
        endsAtMs: 1_782_066_600_000,
        acceptingOrders: true,
        own: { tradeType: 'clob', exchange: EXCHANGE },
      },
      opensAtMs: 1_782_066_300_000,
      prices: { bid: null, ask: null, probabilityE5: 50_000 },
    });
    const [first = ''] = data[0]?.description.split('\n') ?? [];
    expect(first).toMatch(/^This market will resolve to "Up" if the Chainlink SOL\/USD price on/);
    expect(await metrics.renderMetrics()).not.toContain('venue_dropped_total{venue="venue_c"');
  });
});
