import { expect, it } from 'vitest';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createAnswers } from '../../src/feed/questions.ts';
import type { BookSnapshot } from '../../src/ports/venue-books.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { createFakeBookSource } from '../support/fakes/fake-book-source.ts';
import { usd } from '../support/fakes/fake-feeds.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const MARKET = aMarket(1);
const [{ tokenId: UP }] = MARKET.outcomes;

function setUp() {
  const clock = createVirtualClock(T0);
  const books = createFakeBookSource(clock, MARKET);
  books.setBook([aLevel(4_000, 10)], []);
  const corrected: (readonly [string, BookSnapshot])[] = [];
  const predicted: string[] = [];
  const answer = createAnswers(
    {
      prices: new Map(),
      books: new Map([[VENUE_A, books]]),
      inference: {
        async latest(asset) {
          predicted.push(asset);
          const price = usd(3);
          return {
            value: { topicId: 14, price, interval: [price, price, price, price, price] },
            sourceAtMs: T0 - 60_000,
            receivedAtMs: clock.nowMs(),
          };
        },
      },
      assets: ['BTC'],
      clock,
      random: createSeededRandom(1),
      inferenceKeptMs: FEED_LINK.inferenceKeptMs,
    },
    { correct: (venue, snapshot) => void corrected.push([venue, snapshot]) },
  );
  return { clock, books, corrected, predicted, answer };
}

const SNAPSHOT = { kind: 'snapshot', venue: VENUE_A, tokenId: UP } as const;
const INFERENCE = { kind: 'inference', asset: 'BTC', horizon: '5m' } as const;

it('all who ask for a book at once are one question to the venue, and who asks later is another', async () => {
  const { clock, books, answer } = setUp();
  books.restTakesMs = 100;
  const answers = Promise.all([answer(SNAPSHOT), answer(SNAPSHOT)]);
  await clock.advance(100);
  const [one, two] = await answers;
  expect([one, books.asked.length]).toEqual([two, 1]);
  const later = answer(SNAPSHOT);
  await clock.advance(100);
  await later;
  expect(books.asked.length).toBe(2);
});

it('a book is put in place at the feed before its asker has it', async () => {
  const { corrected, answer } = setUp();
  const asked = answer(SNAPSHOT).then((value) => [value, corrected.length]);
  expect(await asked).toMatchObject([{ bids: [4_000, 10_000_000], tickSize: null }, 1]);
  expect(corrected).toMatchObject([[VENUE_A, { tokenId: UP }]]);
});

it('a book that the venue does not have is null', async () => {
  const { books, corrected, answer } = setUp();
  books.restLacks = true;
  expect([await answer(SNAPSHOT), corrected]).toEqual([null, []]);
});

it('L8: a prediction is good for all for a while, and comes with the age it has', async () => {
  const { clock, predicted, answer } = setUp();
  expect(await answer(INFERENCE)).toMatchObject({ ageMs: 0, sourceAtMs: T0 - 60_000 });
  await clock.advance(FEED_LINK.inferenceKeptMs - 1);
  expect(await answer(INFERENCE)).toMatchObject({ ageMs: FEED_LINK.inferenceKeptMs - 1 });
  expect(predicted.length).toBe(1);
  await clock.advance(1);
  expect(await answer(INFERENCE)).toMatchObject({ ageMs: 0 });
  expect(predicted.length).toBe(2);
});

it('what is not read is refused: prices for good, books until the next start', async () => {
  const { answer } = setUp();
  await expect(
    answer({ kind: 'price_at', source: 'oracle', asset: 'BTC', atMs: T0, twapSeconds: null }),
  ).rejects.toMatchObject({ code: 'not_found', retryable: false });
  await expect(answer({ ...SNAPSHOT, venue: 'venue_x' })).rejects.toMatchObject({
    code: 'venue_unavailable',
    retryable: true,
  });
});
