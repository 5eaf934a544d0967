import { describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createBookLookup } from '../../src/app/live-sources.ts';
import type { VenueStreams } from '../../src/app/venue-streams.ts';
import type { BookLevel } from '../../src/domain/book.ts';
import { asId, type MarketId, type TokenId, type UserId } from '../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';
import { createLookups } from '../../src/services/lookups.ts';
import type { BookSnapshot } from '../../src/ports/venue-books.ts';
import { aMarket } from '../support/builders.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

const ended = aMarket(1, { closed: true });
const resolved = aMarket(2);
const open = aMarket(3);
const MARKETS = [ended, resolved, open];
const cold = {
  books: {
    top: () => null,
    view: () => expect.unreachable(),
    endOf: (marketId: MarketId) => (marketId === resolved.marketId ? 'resolved' : null),
  },
  markets: {
    ofToken: async (tokenId: TokenId) =>
      MARKETS.find(({ outcomes }) => outcomes[0].tokenId === tokenId) ?? null,
  },
};

function start() {
  const clock = createVirtualClock(1_000_000);
  const asked: {
    readonly tokenId: TokenId;
    answer(snapshot: BookSnapshot | null): void;
    fail(error: Error): void;
  }[] = [];
  const lookup = createBookLookup({
    // of the books only these two are looked at
    ...(cold as unknown as Pick<VenueStreams, 'books' | 'markets'>),
    source: {
      snapshot: (tokenId) =>
        new Promise(
          (resolve, reject) => void asked.push({ tokenId, answer: resolve, fail: reject }),
        ),
    },
    lookups: createLookups(clock, BROWSING_LOOKUPS),
    clock,
    numbers: createCountedNumbers(),
  });
  return { clock, asked, lookup };
}

const USER = asId<UserId>('usr_1');
const token = (number: number) => asId<TokenId>(String(number));
const level = (ticks: number): BookLevel => ({
  price: priceTicks(ticks),
  size: shareMicros(10_000_000),
});
const snapshot = (number: number): BookSnapshot => ({
  tokenId: token(number),
  marketId: asId<MarketId>('0x01'),
  bids: [],
  asks: [],
  venueAtMs: 999_000,
  tickSize: null,
});

describe('unwatched books', () => {
  it('are asked for once for all who read within a second, and keep their age', async () => {
    const { clock, asked, lookup } = start();
    const [first, second] = [lookup.book(USER, token(1)), lookup.book(USER, token(1))];
    asked[0]?.answer(snapshot(1));
    expect([(await first)?.receivedAtMs, (await second) === (await first), asked.length]).toEqual([
      1_000_000,
      true,
      1,
    ]);
    await clock.advance(ADMISSION.coldBookKeptMs - 1);
    expect([(await lookup.book(USER, token(1)))?.receivedAtMs, asked.length]).toEqual([
      1_000_000, 1,
    ]);
    await clock.advance(1);
    void lookup.book(USER, token(1));
    expect(asked.length).toBe(2);
  });

  it('are shown best first, in whatever order the venue states them', async () => {
    const { asked, lookup } = start();
    const book = lookup.book(USER, token(1));
    asked[0]?.answer({
      ...snapshot(1),
      bids: [level(4_000), level(4_500), level(4_200)],
      asks: [level(9_900), level(4_600), level(5_000)],
    });
    expect(await book).toEqual({
      tokenId: token(1),
      marketId: '0x01',
      epoch: 1,
      seq: 0,
      venueAtMs: 999_000,
      receivedAtMs: 1_000_000,
      distrust: null,
      bids: [level(4_500), level(4_200), level(4_000)],
      asks: [level(4_600), level(5_000), level(9_900)],
    });
  });

  it.each([
    ['closed', ended.outcomes[0].tokenId],
    ['resolved', resolved.outcomes[0].tokenId],
    [null, open.outcomes[0].tokenId],
    [null, token(9)],
  ])('may be of a market that has ended: %s', async (end, tokenId) => {
    expect(await start().lookup.endOf(USER, tokenId)).toBe(end);
  });

  it('L8: are not trusted when the venue states one that is crossed', async () => {
    const { asked, lookup } = start();
    const book = lookup.book(USER, token(1));
    asked[0]?.answer({ ...snapshot(1), bids: [level(5_000)], asks: [level(4_900)] });
    expect((await book)?.distrust).toBe('crossed');
  });
});
