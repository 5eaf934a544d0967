import { EMPTY, NEVER, throwError } from 'rxjs';
import { expect, it } from 'vitest';
import { SURFACE } from '../../config/limits.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createLiveSources } from '../../src/app/live-sources.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Market } from '../../src/domain/market.ts';
import { aMarket, T0 } from '../support/builders.ts';
import { createKeptBus } from '../support/quiet.ts';

it('seeks a followed book again, while somebody follows it, when the venue did not answer or too many were watched', async () => {
  const clock = createVirtualClock(T0);
  const market = aMarket(1);
  const asked: string[] = [];
  const failures = { venue: true, room: true };
  let known: Market | null = null;
  const sources = createLiveSources({
    clock, bus: createKeptBus(),
    core: {
      exchange: { price: () => EMPTY },
      markets: {
        knownOfToken: () => known,
        async ofToken() {
          asked.push('market');
          if (failures.venue) throw new AppError('venue_unavailable', 'the venue does not answer', { retryable: true });
          return (known = market);
        },
      },
      books: {
        view: () => null,
        watch() {
          asked.push('book');
          return failures.room ? throwError(() => new AppError('limit_reached', 'too many are watched', { retryable: true })) : NEVER;
        },
      },
    },
  });
  const watch = sources.watchBook(market.outcomes[0].tokenId, () => undefined);
  await clock.advance(SURFACE.bookSoughtAgainMs);
  expect(asked).toEqual(['market', 'market']);
  failures.venue = false;
  await clock.advance(SURFACE.bookSoughtAgainMs);
  expect(asked).toEqual(['market', 'market', 'market', 'book']);
  failures.room = false;
  await clock.advance(3 * SURFACE.bookSoughtAgainMs);
  expect(asked).toEqual(['market', 'market', 'market', 'book', 'book']);
  watch?.stop();
  failures.venue = true;
  known = null;
  const other = sources.watchBook(market.outcomes[0].tokenId, () => undefined);
  await clock.settle();
  other?.stop();
  await clock.advance(3 * SURFACE.bookSoughtAgainMs);
  expect(asked).toHaveLength(6);
});
