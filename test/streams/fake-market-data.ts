import { throwError } from 'rxjs';
import { AppError } from '../../src/domain/errors.ts';
import type { TokenId } from '../../src/domain/ids.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Random } from '../../src/ports/random.ts';
import type { BookSource } from '../../src/ports/venue-books.ts';
import { createBooks } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createExchange } from '../../streams/exchange.ts';
import { createPredictions } from '../../streams/inference.ts';
import { createOracle } from '../../streams/oracle.ts';
import { createRoundViews } from '../../streams/round-view.ts';
import { createRounds } from '../../streams/rounds.ts';
import { aLevel } from '../support/builders.ts';
import { createFakeBookSource, type FakeBookSource } from '../support/fakes/fake-book-source.ts';
import { createFakeDirectory } from '../support/fakes/fake-directory.ts';
import { createFakeInference, createFakePriceFeed } from '../support/fakes/fake-feeds.ts';

/**
 * Wires all streams over fakes. Each round has its own fake of the venue's books, found by its
 * start. Without `hasOracle` its prices are those of the venue's mirror.
 */
export function startFakeMarketData(
  clock: Clock,
  random: Random,
  {
    twap = false,
    hasHistory = true,
    hasOracle = true,
    isReported = true,
    refusesBooks = false,
  } = {},
) {
  const scheduler = clockScheduler(clock);
  const directory = createFakeDirectory(clock);
  directory.twap = twap;
  const oracleFeed = createFakePriceFeed(hasOracle ? 'oracle' : 'venue_oracle', { hasHistory });
  const exchangeFeed = createFakePriceFeed('exchange', { hasHistory });
  const inference = createFakeInference(clock);
  const reports: string[] = [];
  const bySource = new Map<number, FakeBookSource>();
  const byToken = new Map<TokenId, FakeBookSource>();

  const rounds = createRounds({
    random,
    scheduler,
    directory: {
      market: (marketId) => directory.market(marketId),
      async round(asset, minutes, startsAtMs) {
        const market = await directory.round(asset, minutes, startsAtMs);
        if (market !== null && !bySource.has(startsAtMs)) {
          const source = createFakeBookSource(clock, market);
          source.setBook([aLevel(4_800, 10)], [aLevel(5_000, 30)]);
          bySource.set(startsAtMs, source);
          for (const { tokenId } of market.outcomes) byToken.set(tokenId, source);
        }
        return market;
      },
    },
  });
  const sourceOf = (tokenId: TokenId | undefined): FakeBookSource => {
    const source = tokenId === undefined ? undefined : byToken.get(tokenId);
    if (source === undefined) throw new Error('a book of no known round is watched');
    return source;
  };
  const bookSource: BookSource = {
    watch: (tokenIds, listener) => sourceOf(tokenIds[0]).watch(tokenIds, listener),
    snapshot: (tokenId) => sourceOf(tokenId).snapshot(tokenId),
  };
  const deps = { random, scheduler, report: {} };
  const books = createBooks({ ...deps, source: bookSource });
  const roundViews = createRoundViews({
    rounds,
    oracle: createOracle({
      ...deps,
      primary: hasOracle ? oracleFeed : null,
      fallback: hasOracle ? null : oracleFeed,
      assets: ['BTC', 'ETH', 'SOL'],
    }),
    exchange: createExchange({ ...deps, feed: exchangeFeed, assets: ['BTC', 'ETH', 'SOL'] }),
    predictions: createPredictions({ inference, random, scheduler }),
    books: {
      ...books,
      watch: (...asked) =>
        refusesBooks
          ? throwError(() => new AppError('limit_reached', 'no more'))
          : books.watch(...asked),
    },
    scheduler,
    report: isReported
      ? {
          strikeContradicted: () => reports.push('strike contradicted'),
          feedsApart: (_, areApart) => reports.push(`apart ${areApart}`),
          booksRefused: (_, cause) => reports.push(`refused ${String(cause)}`),
        }
      : {},
  });
  return {
    roundViews,
    rounds,
    directory,
    inference,
    reports,
    oracle: oracleFeed,
    exchange: exchangeFeed,
    bookSource: (startsAtMs: number) => bySource.get(startsAtMs),
  };
}
