import { expect, it } from 'vitest';
import { BROWSING_LOOKUPS, TRADING_LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createBrowsing } from '../../src/app/live-sources.ts';
import { followVenue } from '../../src/app/venue-streams.ts';
import type { UserId, VenueId } from '../../src/domain/ids.ts';
import type { Venue } from '../../src/ports/venue.ts';
import type { MarketDirectory } from '../../src/ports/catalogue.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { aMarket, aUserId, T0 } from '../support/builders.ts';
import { VENUE_A, VENUE_B } from '../support/venue-ids.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

/** Two venues, the first of which never answers. */
function aSlowAndAQuick() {
  const clock = createVirtualClock(T0);
  const hangs = () => new Promise<never>(() => undefined);
  const follow = (id: VenueId, isSlow: boolean) => {
    // of the directory only these three are asked
    const directory = {
      market: isSlow ? hangs : async () => aMarket(1, { venue: id }),
      marketOfToken: isSlow ? hangs : async () => aMarket(1, { venue: id }),
      series: isSlow ? hangs : async () => ({ data: [], nextCursor: String(id) }),
    } as unknown as MarketDirectory;
    // of the venue only what is read of it
    const venue = {
      id,
      catalogue: directory,
      discovery: directory,
      browsing: { directory, books: { snapshot: hangs }, candles: null },
      books: null,
      mechanisms: {},
    } as unknown as Venue;
    return followVenue(venue, {
      clock,
      wallClock: clock,
      random: createSeededRandom(1),
      scheduler: clockScheduler(clock),
      report: {},
      roundMarket: () => null,
      hear: () => undefined,
      accountFunds: {},
      fundsInWallets: () => expect.unreachable(),
    });
  };
  const venues = { [VENUE_A]: follow(VENUE_A, true), [VENUE_B]: follow(VENUE_B, false) };
  const at = (id: VenueId) => venues[id] ?? expect.unreachable(`${id} is followed`);
  return { at, browse: createBrowsing({ at }, clock, createCountedNumbers()) };
}

/** Has as many ask as are answered at a time, of users with as many questions as one may have. */
function crowd(count: number, ask: (userId: UserId, number: number) => Promise<unknown>): void {
  for (let number = 0; number < count; number += 1)
    void ask(aUserId(number >> 1), number).catch(() => undefined);
}

it('a venue that never answers takes no turn of those who read a market for their orders elsewhere', async () => {
  const { at } = aSlowAndAQuick();
  crowd(TRADING_LOOKUPS.runningMaximum + 5, (userId, number) =>
    at(VENUE_A).markets.find(aMarket(number).marketId, userId),
  );
  const { marketId } = aMarket(1);
  expect((await at(VENUE_B).markets.find(marketId, aUserId(0)))?.venue).toBe(VENUE_B);
});

it('nor of those who browse, who are answered by the venue they asked, though the question is the same', async () => {
  const { browse } = aSlowAndAQuick();
  const page = { limit: 10, cursor: null };
  crowd(BROWSING_LOOKUPS.runningMaximum + 5, (userId, number) =>
    browse(VENUE_A).markets.series(userId, { limit: number + 10, cursor: null }),
  );
  expect((await browse(VENUE_B).markets.series(aUserId(0), page)).nextCursor).toBe(VENUE_B);
});
