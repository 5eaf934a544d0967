import { expect, it } from 'vitest';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createAnswers } from '../../src/feed/questions.ts';
import type { Assessment } from '../../src/domain/farming/assessment.ts';
import type { MarketScan, ScanQuery } from '../../src/ports/market-scan.ts';
import type { RiskAssessor } from '../../src/ports/risk-assessor.ts';
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
  const scanned: ScanQuery[] = [];
  const scan: MarketScan = {
    async page(query) {
      scanned.push(query);
      return { data: [], nextCursor: String(scanned.length) };
    },
  };
  const verdicts: Assessment[] = [{ kind: 'none', gap: 'late' }];
  const assessor: RiskAssessor = {
    assess: async () => verdicts.shift() ?? { kind: 'blocked', reason: 'twice' },
  };
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
      catalogues: new Map(),
      rounds: new Map(),
      scans: new Map([[VENUE_A, scan]]),
      assessor,
      assets: ['BTC'],
      clock,
      random: createSeededRandom(1),
      inferenceKeptMs: FEED_LINK.inferenceKeptMs,
    },
    { correct: (venue, snapshot) => void corrected.push([venue, snapshot]) },
  );
  return { clock, books, corrected, predicted, scanned, verdicts, answer };
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

it('a page of a scan is asked once a minute for all, for a little more than each asked for', async () => {
  const { clock, scanned, answer } = setUp();
  const ask = (cursor: string | null = null) =>
    answer({
      kind: 'scan',
      venue: VENUE_A,
      query: {
        volumeAtLeastUsd: 1,
        liquidityAtLeastUsd: 1,
        endsAfterMs: clock.nowMs(),
        endsBeforeMs: clock.nowMs() + 1,
        cursor,
      },
    });
  await clock.advance(FEED_LINK.scanKeptMs - (clock.nowMs() % FEED_LINK.scanKeptMs) + 5);
  const beganMs = clock.nowMs() - 5;
  expect(await ask()).toEqual({ data: [], nextCursor: '1' });
  await clock.advance(20_000);
  expect(await ask()).toEqual({ data: [], nextCursor: '1' });
  expect(await ask('1')).toEqual({ data: [], nextCursor: '2' });
  await clock.advance(FEED_LINK.scanKeptMs);
  await ask();
  expect(scanned).toMatchObject([
    { endsAfterMs: beganMs, endsBeforeMs: beganMs + FEED_LINK.scanKeptMs, cursor: null },
    { cursor: '1' },
    { endsAfterMs: beganMs + FEED_LINK.scanKeptMs, cursor: null },
  ]);
});

it('a verdict is kept for all who ask the same, and a gap is not', async () => {
  const { verdicts, answer } = setUp();
  const ask = (description: string) =>
    answer({
      kind: 'assess',
      question: {
        question: 'q',
        description,
        outcome: 'Yes',
        probabilityPercent: '97',
        endsAtMs: T0,
      },
    });
  verdicts.push({ kind: 'allowed', reason: 'once' });
  expect([await ask('a'), await ask('a'), await ask('a'), await ask('b')]).toEqual([
    { kind: 'none', gap: 'late' },
    { kind: 'allowed', reason: 'once' },
    { kind: 'allowed', reason: 'once' },
    { kind: 'blocked', reason: 'twice' },
  ]);
});
