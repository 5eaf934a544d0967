import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { API } from '../../config/limits/api.ts';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { BOOKS, FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createLiveSources } from '../../src/app/live-sources.ts';
import { createLookups } from '../../src/services/lookups.ts';
import { createWarmBooks } from '../../src/app/warm-books.ts';
import { createBooks } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { createFakeBookSource } from '../support/fakes/fake-book-source.ts';
import { createKeptBus } from '../support/quiet.ts';
import { ONE_TIME } from '../../src/ports/market-time.ts';
import { VENUE_A } from '../support/venue-ids.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

function setUp(speed = 1) {
  const clock = createVirtualClock(T0, { speed });
  const source = createFakeBookSource(clock, aMarket(1));
  source.setBook([aLevel(4_800, 10)], [aLevel(5_000, 30)]);
  const scheduler = clockScheduler(clock);
  const books = createBooks({ source, random: createSeededRandom(1), scheduler, report: {} });
  const warmBooks = createWarmBooks({ books, clock, scheduler });
  const warm = (number: number) =>
    warmBooks.warm(aMarket(number), aMarket(number).outcomes[0].tokenId);
  return { clock, source, books, warmBooks, warm };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('createWarmBooks', () => {
  it('keeps the books asked for last, however many manual orders ask for others', async () => {
    const { clock, source, books, warmBooks, warm } = setUp();
    const asked = many(API.warmBooksMaximum + 3).map(warm);
    void warm(4);
    asked.push(warm(API.warmBooksMaximum + 4));
    await clock.advance(BOOKS.snapshotWaitMs * 3);
    await Promise.all(asked);
    expect(source.open).toBe(API.warmBooksMaximum);
    expect(
      [1, 2, 3, 4, 5, 6].filter(
        (number) => books.view(aMarket(number).outcomes[0].tokenId) !== null,
      ),
    ).toEqual([4, 6]);
    warmBooks.stop();
    await clock.advance(BOOKS.snapshotWaitMs);
    expect([source.open, clock.pending]).toEqual([0, 0]);
  });

  it('keeps a book that was trusted already, though whoever watched it leaves', async () => {
    const { clock, books, warm, warmBooks } = setUp();
    const watching = books.watch(aMarket(1)).subscribe();
    await clock.advance(300);
    await warm(1);
    watching.unsubscribe();
    await clock.advance(FEEDS.lingerMs * 2);
    expect(books.top(aMarket(1).outcomes[0].tokenId)).not.toBeNull();
    warmBooks.stop();
  });

  it('waits for one that came after a moment, though another is trusted', async () => {
    const { clock, source, books, warmBooks, warm } = setUp();
    const { tokenId } = aMarket(1).outcomes[0];
    void warm(1);
    await clock.advance(300);
    let isOver = false;
    const warmed = warmBooks.warm(aMarket(1), tokenId, clock.nowMs()).then(() => (isOver = true));
    await clock.advance(300);
    expect([isOver, books.top(tokenId) === null]).toEqual([false, false]);
    source.connections.at(-1)?.snapshot(tokenId);
    await clock.advance(1);
    await warmed;
    warmBooks.stop();
  });

  it('waits for a book as long by the wall where the markets run faster than it', async () => {
    const { clock, source, warm } = setUp(10);
    Object.assign(source, { greets: false, restFails: true });
    let isOver = false;
    const warmed = warm(1).then(() => (isOver = true));
    await clock.advance(BOOKS.snapshotWaitMs * 20 - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await warmed;
  });

  it('finds a book trusted though strangers read as many as may be watched', async () => {
    const { clock, books, warm } = setUp();
    const { watchBook } = createLiveSources({
      clock,
      marketTime: ONE_TIME,
      bus: createKeptBus(),
      numbers: createCountedNumbers(),
      venues: [],
      core: {
        exchange: { price: () => NEVER },
        at: () => ({
          books,
          browsing: createLookups(clock, BROWSING_LOOKUPS),
          markets: {
            heldOfToken: (token) =>
              many(200)
                .map((number) => aMarket(number + 1))
                .find(({ outcomes }) => outcomes[0].tokenId === token) ?? null,
            ofToken: () => expect.unreachable(),
            held: () => expect.unreachable(),
            browsed: () => expect.unreachable(),
          },
        }),
      },
    });
    const shown = many(BOOKS.marketsMaximum).map((number) =>
      watchBook(aMarket(number + 1).outcomes[0].tokenId, VENUE_A, () => undefined),
    );
    const warmed = warm(1);
    await clock.advance(300);
    await warmed;
    expect([books.top(aMarket(1).outcomes[0].tokenId)?.value.bid, shown.length]).toEqual([
      aLevel(4_800, 10),
      BOOKS.marketsMaximum,
    ]);
  });
});
