import { describe, expect, it } from 'vitest';
import { LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { createLookups, type LookupBounds } from '../../src/services/lookups.ts';
import { T0 } from '../support/builders.ts';

const BOUNDS: LookupBounds = {
  runningMaximum: 4,
  runningPerUserMaximum: 2,
  waitingMaximum: 12,
  waitingPerUserMaximum: 6,
  waitMaximumMs: 5_000,
  keptMs: 1_000,
  absentKeptMs: 10_000,
  failedKeptMs: 2_000,
  keptMaximum: 100,
};

/** Lookups whose questions wait until they are answered. */
function start(bounds: Partial<LookupBounds> = {}) {
  const clock = createVirtualClock(T0);
  const lookups = createLookups(clock, { ...BOUNDS, ...bounds });
  const asked: string[] = [];
  const answers = new Map<string, { give(value: unknown): void; fail(error: Error): void }>();
  const results = new Map<string, unknown>();
  const ask = (user: string, name: string): void => {
    lookups
      .ask({ userId: asId<UserId>(user), name }, () => {
        asked.push(name);
        return new Promise<unknown>((give, fail) => void answers.set(name, { give, fail }));
      })
      .then(
        (value) => void results.set(`${user} ${name}`, value),
        (error: unknown) =>
          void results.set(
            `${user} ${name}`,
            error instanceof AppError ? error.code : String(error),
          ),
      );
  };
  const answer = async (name: string, value: unknown): Promise<void> => {
    answers.get(name)?.give(value);
    await clock.settle();
  };
  return { clock, lookups, asked, answers, results, ask, answer };
}

describe('what users have looked up', () => {
  it('is asked a few at a time for one user, whose further questions wait for that user alone', async () => {
    const { asked, ask, answer } = start();
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
    for (const name of ['b1', 'b2', 'b3']) ask('b', name);
    expect(asked).toEqual(['a1', 'a2', 'b1', 'b2']);
    await answer('b1', 1);
    expect(asked).toEqual(['a1', 'a2', 'b1', 'b2', 'b3']);
  });

  it('is asked in turn, user by user, however many one of them has waiting', async () => {
    const { asked, ask, answer } = start();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask('a', name);
    for (const user of ['b', 'c', 'd']) for (const number of [1, 2]) ask(user, `${user}${number}`);
    expect(asked).toEqual(['a1', 'a2', 'b1', 'b2']);
    for (const name of ['a1', 'a2', 'b1', 'b2']) await answer(name, 1);
    expect(asked.slice(4)).toEqual(['a3', 'c1', 'd1', 'a4']);
  });

  it('is shared while it runs and for a while after, but no user waits for the turn of another', async () => {
    const { asked, ask, answer, results } = start();
    for (const name of ['a1', 'a2', 'page']) ask('a', name);
    ask('b', 'page');
    ask('c', 'page');
    expect(asked).toEqual(['a1', 'a2', 'page']);
    await answer('page', 'markets');
    expect([results.get('b page'), results.get('c page'), results.get('a page')]).toEqual([
      'markets',
      'markets',
      undefined,
    ]);
    await answer('a1', 1);
    expect([results.get('a page'), asked]).toEqual(['markets', ['a1', 'a2', 'page']]);
  });

  it('is refused beyond what one user, or all, may have waiting, with the code that says which', async () => {
    const { ask, results, clock } = start();
    for (let number = 0; number < 9; number += 1) ask('a', `a${number}`);
    for (let number = 0; number < 7; number += 1) ask('b', `b${number}`);
    for (let number = 0; number < 3; number += 1) ask('c', `c${number}`);
    await clock.settle();
    expect([...results]).toEqual([
      ['a a8', 'rate_limited'],
      ['c c1', 'overloaded'],
      ['c c2', 'overloaded'],
    ]);
  });

  it('waits for its turn for a bounded time, and says whose lookups it waited for', async () => {
    const { ask, results, clock } = start({ runningMaximum: 2 });
    for (const name of ['a1', 'a2', 'a3']) ask('a', name);
    ask('b', 'b1');
    await clock.advance(BOUNDS.waitMaximumMs);
    expect([...results]).toEqual([
      ['a a3', 'rate_limited'],
      ['b b1', 'overloaded'],
    ]);
  });

  it('remembers that nothing was found, and that it failed, each for its time', async () => {
    const { asked, answers, ask, answer, results, clock } = start();
    ask('a', 'none');
    ask('a', 'broken');
    await answer('none', null);
    answers.get('broken')?.fail(new AppError('venue_unavailable', 'away', { retryable: true }));
    await clock.advance(BOUNDS.failedKeptMs - 1);
    ask('b', 'none');
    ask('b', 'broken');
    await clock.settle();
    expect([asked, results.get('b none'), results.get('b broken')]).toEqual([
      ['none', 'broken'],
      null,
      'venue_unavailable',
    ]);
    await clock.advance(1);
    ask('b', 'broken');
    await clock.advance(BOUNDS.absentKeptMs - BOUNDS.failedKeptMs - 1);
    ask('c', 'none');
    expect(asked).toEqual(['none', 'broken', 'broken']);
    await clock.advance(1);
    ask('c', 'none');
    expect(asked).toEqual(['none', 'broken', 'broken', 'none']);
  });

  it('is bounded by the minute; what is answered from memory is not counted', async () => {
    const { lookups, clock } = start();
    const ask = (user: string, name: string) =>
      lookups.ask({ userId: asId<UserId>(user), name }, async () => name);
    for (let number = 0; number < LOOKUPS.perMinute; number += 1) await ask('a', `a${number}`);
    await expect(ask('a', 'more')).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 60_000 / LOOKUPS.perMinute,
    });
    expect([await ask('a', `a${LOOKUPS.perMinute - 1}`), await ask('b', 'more')]).toEqual([
      `a${LOOKUPS.perMinute - 1}`,
      'more',
    ]);
    await clock.advance(60_000 / LOOKUPS.perMinute);
    expect(await ask('a', 'again')).toBe('again');
  });
});
