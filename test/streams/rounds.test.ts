import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createRounds, type RoundEvent } from '../../streams/rounds.ts';
import { asId, type TokenId } from '../../src/domain/ids.ts';
import type { RoundWindow } from '../../src/domain/market.ts';
import { T0 } from '../support/builders.ts';
import { createFakeDirectory } from '../support/fakes/fake-directory.ts';
import { usd } from '../support/fakes/fake-feeds.ts';

const MINUTE = 60_000;

function setUp(startMs = T0 + 2 * MINUTE) {
  const clock = createVirtualClock(startMs);
  const directory = createFakeDirectory(clock);
  const failures: unknown[] = [];
  const rounds = createRounds({
    directory,
    random: createSeededRandom(1),
    scheduler: clockScheduler(clock),
    onFailed: (_, __, cause) => failures.push(cause),
  });
  const listen = (minutes: 5 | 15) => {
    const events: string[] = [];
    const reader = rounds
      .events('BTC', minutes)
      .subscribe((event: RoundEvent) =>
        events.push(
          `${event.kind} ${(event.market.window.startsAtMs - T0) / MINUTE} at ${(clock.nowMs() - T0) / MINUTE}`,
        ),
      );
    return { events, reader };
  };
  return { clock, directory, failures, rounds, listen };
}

describe('createRounds', () => {
  it('lists the windows of the next half hour at once, and opens and ends each by the clock', async () => {
    const { clock, listen } = setUp();
    const { events } = listen(5);
    await clock.advance(1);
    expect(
      events.filter((event) => event.startsWith('listed')).map((event) => event.split(' ')[1]),
    ).toEqual(['0', '5', '10', '15', '20', '25', '30', '35']);
    await clock.advanceTo(T0 + 10 * MINUTE);
    expect(events.filter((event) => !event.startsWith('listed'))).toEqual([
      'open 0 at 2',
      'over 0 at 5',
      'open 5 at 5',
      'over 5 at 10',
      'open 10 at 10',
    ]);
  });

  it('discovers 5-minute windows every half hour and asks for each only once', async () => {
    const { clock, directory, listen } = setUp();
    listen(5);
    await clock.advanceTo(T0 + 29 * MINUTE);
    expect(directory.asked).toHaveLength(8);
    await clock.advanceTo(T0 + 91 * MINUTE);
    const starts = directory.asked.map(({ startsAtMs }) => (startsAtMs - T0) / MINUTE);
    expect(starts).toEqual(Array.from({ length: starts.length }, (_, index) => index * 5));
    expect(starts.at(-1)).toBe(120);
  });

  it('leaves out rounds that are not traded here, and does not go on asking for them', async () => {
    const { clock, directory, listen } = setUp();
    directory.notTradeable = 'It is of another exchange.';
    const { events } = listen(15);
    await clock.advanceTo(T0 + 14 * MINUTE);
    expect(events).toEqual([]);
    expect(directory.asked.map(({ startsAtMs }) => (startsAtMs - T0) / MINUTE)).toEqual([
      0, 15, 30,
    ]);
    directory.notTradeable = null;
    await clock.advanceTo(T0 + 16 * MINUTE);
    expect(events.filter((event) => !event.startsWith('listed'))).toEqual(['open 15 at 15']);
  });

  it('follows one 15-minute market after the other', async () => {
    const { clock, listen } = setUp();
    const { events } = listen(15);
    await clock.advanceTo(T0 + 31 * MINUTE);
    expect(events.filter((event) => !event.startsWith('listed'))).toEqual([
      'open 0 at 2',
      'over 0 at 15',
      'open 15 at 15',
      'over 15 at 30',
      'open 30 at 30',
    ]);
  });

  it('asks for an unlisted round until it is there, the oftener the nearer its start (late-hydration)', async () => {
    const { clock, directory, listen } = setUp();
    const lateMs = T0 + 5 * MINUTE + 40_000;
    directory.hideUntil(T0 + 5 * MINUTE, lateMs);
    const { events } = listen(5);
    await clock.advanceTo(T0 + 10 * MINUTE);
    const asked = directory.asked
      .filter(({ startsAtMs }) => startsAtMs === T0 + 5 * MINUTE)
      .map(({ atMs }) => atMs);
    const waits = asked.slice(1).map((atMs, index) => atMs - (asked[index] ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(18_000);
    expect(waits[0]).toBeLessThanOrEqual(19_000);
    expect(waits.slice(-3).every((waitMs) => waitMs >= 5_000 && waitMs <= 6_000)).toBe(true);
    const own = events
      .filter((event) => event.split(' ')[1] === '5')
      .map((event) => event.split(' ')[0]);
    expect(own).toEqual(['listed', 'open', 'over']);
    expect((asked.at(-1) ?? 0) - lateMs).toBeLessThan(6_000);
  });

  it.each([0, 1])(
    'takes a round whose outcome %i has no token yet for unlisted (late-hydration)',
    async (missing) => {
      const clock = createVirtualClock(T0);
      const directory = createFakeDirectory(clock);
      let isHydrated = false;
      const rounds = createRounds({
        random: createSeededRandom(1),
        scheduler: clockScheduler(clock),
        directory: {
          market: (marketId) => directory.market(marketId),
          async round(asset, minutes, startsAtMs) {
            const market = await directory.round(asset, minutes, startsAtMs);
            if (market === null || isHydrated) return market;
            const bare = (index: number) =>
              index === missing
                ? { ...market.outcomes[index], tokenId: asId<TokenId>('') }
                : market.outcomes[index];
            return { ...market, outcomes: [bare(0), bare(1)] } as typeof market;
          },
        },
      });
      const kinds: string[] = [];
      rounds.events('BTC', 15).subscribe(({ kind }) => kinds.push(kind));
      await clock.advance(20_000);
      expect(kinds).toEqual([]);
      isHydrated = true;
      await clock.advance(10_000);
      expect(kinds.slice(0, 2)).toEqual(['listed', 'open']);
    },
  );

  it.each<[string, Partial<RoundWindow> | null]>([
    ['has no window', null],
    ['has the window of another round', { startsAtMs: T0 + 15 * MINUTE }],
  ])('takes a market that %s for unlisted', async (_, change) => {
    const clock = createVirtualClock(T0);
    const directory = createFakeDirectory(clock);
    const rounds = createRounds({
      random: createSeededRandom(1),
      scheduler: clockScheduler(clock),
      directory: {
        market: (marketId) => directory.market(marketId),
        async round(asset, minutes, startsAtMs) {
          const market = await directory.round(asset, minutes, startsAtMs);
          if (market === null || startsAtMs !== T0) return market;
          return { ...market, window: market.window && change && { ...market.window, ...change } };
        },
      },
    });
    const listed: number[] = [];
    rounds
      .events('BTC', 15)
      .subscribe(
        ({ kind, market }) =>
          void (kind === 'listed' && listed.push(market.window.startsAtMs - T0)),
      );
    await clock.advance(60_000);
    expect(listed).toEqual([15 * MINUTE]);
  });

  it.each([
    ['five seconds at least', 0, 5_000],
    ['six at most', 1_000, 6_000],
  ])(
    'waits %s between two questions about a round and its price to beat',
    async (_, draw, waitMs) => {
      const clock = createVirtualClock(T0);
      const directory = createFakeDirectory(clock);
      const asked: number[] = [];
      const rounds = createRounds({
        random: {
          integer: (bound) => Math.min(draw, bound - 1),
          bytes: (count) => new Uint8Array(count),
        },
        scheduler: clockScheduler(clock),
        directory: {
          round: (...sought) => directory.round(...sought),
          market(marketId) {
            asked.push(clock.nowMs());
            return directory.market(marketId);
          },
        },
      });
      directory.hideUntil(T0, T0 + 2 * waitMs);
      rounds.events('BTC', 15).subscribe();
      await clock.advance(4 * waitMs);
      expect(
        directory.asked.filter(({ startsAtMs }) => startsAtMs === T0).map(({ atMs }) => atMs - T0),
      ).toEqual([0, waitMs, 2 * waitMs]);
      expect(asked.map((atMs) => atMs - T0)).toEqual([2 * waitMs, 3 * waitMs, 4 * waitMs]);
    },
  );

  it.each([0, 2 * MINUTE])(
    'opens a round whose window has begun as soon as it is found (%i ms ago)',
    async (agoMs) => {
      const { clock, listen } = setUp(T0 + agoMs);
      const { events } = listen(15);
      await clock.settle();
      expect(events.map((event) => event.split(' ').slice(0, 2).join(' '))).toContain('open 0');
    },
  );

  it('survives a directory that fails though it has no listener for that', async () => {
    const clock = createVirtualClock(T0);
    const directory = createFakeDirectory(clock);
    const rounds = createRounds({
      directory,
      random: createSeededRandom(1),
      scheduler: clockScheduler(clock),
    });
    const kinds: string[] = [];
    directory.failing = true;
    rounds.events('BTC', 15).subscribe(({ kind }) => kinds.push(kind));
    await clock.advance(10_000);
    directory.failing = false;
    await clock.advance(10_000);
    directory.failing = true;
    await clock.advance(10_000);
    directory.failing = false;
    directory.stateStrike(T0, usd(60_000));
    await clock.advance(10_000);
    expect(kinds.filter((kind) => kind !== 'listed')).toEqual(['open', 'updated']);
  });

  it('gives a round up when its window is over, and says nothing of it', async () => {
    const { clock, directory, listen } = setUp();
    directory.hideUntil(T0, Infinity);
    const { events } = listen(15);
    await clock.advanceTo(T0 + 16 * MINUTE);
    const before = directory.asked.length;
    await clock.advanceTo(T0 + 29 * MINUTE);
    expect(events.filter((event) => event.split(' ')[1] === '0')).toEqual([]);
    expect(directory.asked.length).toBe(before);
  });

  it('survives a directory that fails, and tells of every failure', async () => {
    const { clock, directory, failures, listen } = setUp();
    directory.failing = true;
    const { events } = listen(15);
    await clock.advance(20_000);
    directory.failing = false;
    expect(events).toEqual([]);
    expect(failures.length).toBeGreaterThan(3);
    await clock.advance(10_000);
    expect(events.some((event) => event.startsWith('open 0'))).toBe(true);
  });

  it('asks for the price to beat after the start until the venue states it (late-strike)', async () => {
    const { clock, directory, rounds, listen } = setUp();
    const { events } = listen(15);
    await clock.advanceTo(T0 + 15 * MINUTE + 30_000);
    directory.stateStrike(T0 + 15 * MINUTE, usd(60_000));
    await clock.advance(6_001);
    const updates = events.filter((event) => event.startsWith('updated'));
    expect(updates.map((event) => event.split(' ')[1])).toEqual(['15']);
    const open = await new Promise<RoundEvent>((resolve) => {
      rounds.events('BTC', 15).subscribe((event) => event.kind === 'open' && resolve(event));
    });
    expect(rounds.market(open.market.marketId)?.window.strike).toBe(usd(60_000));
  });

  it('does not ask for a price to beat that is stated with the round', async () => {
    const { clock, directory, listen } = setUp();
    directory.stateStrike(T0, usd(60_000));
    const { events } = listen(15);
    await clock.advance(60_000);
    expect(events.filter((event) => event.startsWith('updated'))).toEqual([]);
  });

  it('ends a round with all that was known of it', async () => {
    const { clock, directory, rounds } = setUp();
    const over: RoundEvent['market'][] = [];
    rounds
      .events('BTC', 15)
      .subscribe(({ kind, market }) => void (kind === 'over' && over.push(market)));
    await clock.advance(30_000);
    directory.stateStrike(T0, usd(60_000));
    await clock.advanceTo(T0 + 15 * MINUTE + 1);
    expect(over.map(({ window }) => window.strike)).toEqual([usd(60_000)]);
  });

  it('tells a late reader the rounds already known, over one discovery', async () => {
    const { clock, directory, listen } = setUp();
    listen(15);
    await clock.advance(1_000);
    const asked = directory.asked.length;
    expect(listen(15).events.map((event) => event.slice(0, event.indexOf(' at')))).toEqual([
      'listed 0',
      'open 0',
      'listed 15',
      'listed 30',
    ]);
    expect(directory.asked.length).toBe(asked);
  });

  it('forgets a round that is over: a late reader does not hear of it', async () => {
    const { clock, rounds, listen } = setUp();
    const past: RoundEvent['market'][] = [];
    rounds
      .events('BTC', 15)
      .subscribe(({ kind, market }) => void (kind === 'over' && past.push(market)));
    await clock.advanceTo(T0 + 15 * MINUTE + 1);
    expect(past.map(({ marketId }) => rounds.market(marketId))).toEqual([null]);
    expect(listen(15).events.map((event) => event.slice(0, event.indexOf(' at')))).toEqual([
      'listed 15',
      'open 15',
      'listed 30',
    ]);
  });

  it('stops with its last reader', async () => {
    const { clock, rounds, listen } = setUp();
    const { reader } = listen(5);
    await clock.advance(1_000);
    const [market] = await new Promise<RoundEvent['market'][]>((resolve) => {
      rounds
        .events('BTC', 5)
        .subscribe((event) => resolve([event.market]))
        .unsubscribe();
    });
    reader.unsubscribe();
    expect(clock.pending).toBe(0);
    expect(market && rounds.market(market.marketId)).toBeNull();
  });
});
