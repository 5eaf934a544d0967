import { describe, expect, it } from 'vitest';
import { screenListing } from '../../../src/domain/farming/screen.ts';
import { FARM_VENUE_B } from '../../../src/domain/farming/venues.ts';
import { createMarketScan } from '../../../src/venues/venue-b/scan.ts';
import { T0 } from '../../support/builders.ts';
import { aWire, aWireMarket, TICKER, USDC, type Answer } from './wire.ts';

const QUERY = {
  volumeAtLeastUsd: 0,
  liquidityAtLeastUsd: 0,
  endsAfterMs: T0,
  endsBeforeMs: null,
  cursor: null,
};
const anEvent = (number: number, markets: readonly object[]) => ({
  ticker: `KX-${number}`,
  seriesTicker: 'KXRAIN',
  title: 'Weather',
  markets,
});

function begin(answers: Record<string, Answer>) {
  const wire = aWire({
    '/api/v1/series': {
      series: [
        { ticker: 'KXRAIN', title: 'Rain', category: 'Climate and Weather', tags: ['Daily'] },
        { ticker: 'KXBTC', title: 'Bitcoin', category: 'Crypto', tags: null },
      ],
    },
    ...answers,
  });
  return { ...wire, scan: createMarketScan(wire) };
}
const events = (...all: readonly object[]) => ({
  '/api/v1/events': { events: all, cursor: all.length },
});

describe('the scan of venue_b', () => {
  it('gives the markets of events, filed by their series, priced by the middle of what is quoted', async () => {
    const { scan, asked } = begin(events(anEvent(1, [aWireMarket()])));
    const { data, nextCursor } = await scan.page(QUERY);
    expect([data.length, nextCursor]).toEqual([1, null]);
    expect(data[0]).toMatchObject({
      market: { marketId: TICKER },
      listedTicks: [9_550, 450],
      categories: ['climate-and-weather', 'daily', 'kxrain'],
      eventTitle: 'Weather',
      needsSetup: false,
    });
    await scan.page(QUERY);
    expect(asked.filter(({ path }) => path.includes('/series'))).toHaveLength(1);
  });

  it('goes on where a full page ended, and counts an event it cannot read', async () => {
    const full = Array.from({ length: 99 }, (_, index) => anEvent(index, []));
    const { scan, metrics } = begin(events(...full, { ticker: 7 }));
    expect((await scan.page(QUERY)).nextCursor).toBe('100');
    expect(await metrics.renderMetrics()).toContain(
      'venue_dropped_total{venue="venue_b",channel="scan",reason="unreadable"} 1',
    );
  });

  it.each([
    [{ yesAsk: null }, null],
    [{ yesBid: '0.9700' }, null],
    [{ yesBid: '0.0300', yesAsk: '0.0500' }, [400, 9_600]],
  ])('has a price only where both sides are quoted: %o', async (change, ticks) => {
    const { scan } = begin(events(anEvent(1, [aWireMarket(change)])));
    expect((await scan.page(QUERY)).data[0]?.listedTicks ?? null).toEqual(ticks);
  });

  it('leaves a market out that its first buyer would have to make, and prices of crypto assets', async () => {
    const rail = (aWireMarket()['accounts'] as Record<string, object>)[USDC];
    const closeTime = T0 / 1_000 + 10 * 3_600;
    const { scan } = begin(
      events(
        anEvent(1, [
          aWireMarket({ closeTime, accounts: { [USDC]: { ...rail, isInitialized: false } } }),
        ]),
        { ...anEvent(2, [aWireMarket({ closeTime })]), seriesTicker: 'KXBTC' },
        anEvent(3, [aWireMarket({ closeTime })]),
      ),
    );
    const { data } = await scan.page(QUERY);
    expect(
      data.map((listing) => {
        const { passed, criteria } = screenListing(listing, FARM_VENUE_B, T0);
        return [passed, criteria.find((each) => !each.passed)?.name];
      }),
    ).toEqual([
      [false, 'first buy'],
      [false, 'category'],
      [true, undefined],
    ]);
  });
});
