import { describe, expect, it } from 'vitest';
import { BOOKS } from '../../config/limits/market-data.ts';
import { AppError } from '../../src/domain/errors.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createBooks, type BookUpdate } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { watchedMarket } from './watched-market.ts';

const market = aMarket(1);
const [up, down] = [market.outcomes[0].tokenId, market.outcomes[1].tokenId];

describe('createBooks', () => {
  it('gives trusted books of both outcomes over one socket however many readers', async () => {
    const { clock, source, books, watch } = watchedMarket();
    watch();
    watch();
    watch();
    await clock.advance(300);
    expect(source.connections.map(({ tokenIds }) => tokenIds)).toEqual([[up, down]]);
    expect(books.top(up)).toEqual({
      value: { bid: aLevel(4_800, 10), ask: aLevel(5_000, 30) },
      sourceAtMs: T0,
      receivedAtMs: T0 + 200,
    });
    expect(books.top(down)?.value).toEqual({ bid: aLevel(5_000, 30), ask: aLevel(5_200, 10) });
    expect(books.view(up)).toMatchObject({
      epoch: 1,
      distrust: null,
      bids: [aLevel(4_800, 10), aLevel(4_700, 20)],
      asks: [aLevel(5_000, 30)],
    });
  });

  it('gives a late reader both books first, and lists both', async () => {
    const { clock, books, watch } = watchedMarket();
    watch();
    await clock.advance(300);
    const first: BookUpdate[] = [];
    books.watch(market).subscribe((update) => void first.push(update));
    expect(first).toEqual(books.all());
    expect(first.map((update) => update.kind === 'book' && update.view())).toEqual([
      books.view(up),
      books.view(down),
    ]);
  });

  it('says nothing while nothing changes', async () => {
    const { clock, books } = watchedMarket();
    let updates = 0;
    books.watch(market).subscribe(() => (updates += 1));
    await clock.advance(1_000);
    const before = updates;
    await clock.advance(60_000);
    expect(updates).toBe(before);
  });

  it('ends with the market: says so last, leaves the venue in peace, and tells who comes later at once', async () => {
    const { clock, source, books } = watchedMarket({ endOf: async () => 'resolved' });
    const heard: string[] = [];
    const listen = (name: string) =>
      books.watch(market).subscribe({
        next: ({ kind }) => void (kind === 'book' ? undefined : heard.push(`${name} ${kind}`)),
        complete: () => void heard.push(`${name} over`),
      });
    listen('first');
    await clock.advance(1_000);
    source.restLacks = true;
    await clock.advance(BOOKS.quietCheckMs * 2);
    const asked = source.asked.length;
    await clock.advance(60_000);
    listen('late');
    await clock.advance(60_000);
    expect([heard, source.open, source.connections.length, source.asked.length]).toEqual([
      ['first ended', 'first over', 'late ended', 'late over'],
      0,
      1,
      asked,
    ]);
    expect([books.endOf(market.marketId), books.view(up), books.all()]).toEqual([
      'resolved',
      null,
      [],
    ]);
  });

  it('follows a market again some time after its end: it may only have been paused', async () => {
    const { clock, source, books } = watchedMarket({ endOf: async () => 'closed' });
    books.watch(market).subscribe();
    await clock.advance(1_000);
    source.restLacks = true;
    await clock.advance(BOOKS.quietCheckMs * 2);
    source.restLacks = false;
    await clock.advance(BOOKS.endKeptMs);
    books.watch(market).subscribe();
    await clock.advance(1_000);
    expect([books.endOf(market.marketId), books.top(up) === null]).toEqual([null, false]);
  });

  it('goes on with a market that lacks a book and has not ended, or of which that is unknown, and asks seldom', async () => {
    let asked = 0;
    const { clock, source, books, watch } = watchedMarket({
      endOf: () => {
        asked += 1;
        return asked % 2 === 0 ? Promise.resolve(null) : Promise.reject(new Error('no answer'));
      },
    });
    Object.assign(source, { greets: false, restLacks: true });
    watch();
    await clock.advance(60_000);
    expect([asked > 2, asked <= 60_000 / BOOKS.endAskedEveryMs]).toEqual([true, true]);
    Object.assign(source, { greets: true, restLacks: false });
    await clock.advance(30_000);
    expect(books.top(up)).not.toBeNull();
  });

  it('tells of a lost connection and of its return', async () => {
    const { clock, source, reported, watch } = watchedMarket();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.lose();
    await clock.advance(1_000);
    expect(reported).toEqual(['lost: AppError: socket lost', 'back']);
  });

  it('keeps books disconnected whose connection failed in a way that trying again cannot mend, and tells it', async () => {
    const { clock, source, books, reported, watch } = watchedMarket();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.lose(new AppError('venue_protocol', 'no such market'));
    await clock.advance(60_000);
    expect([reported, source.connections.length, books.view(up)?.distrust]).toEqual([
      ['failed: AppError: no such market'],
      1,
      'disconnected',
    ]);
  });

  it('needs no listener for losses, doubts and failures', async () => {
    const { clock, source } = watchedMarket();
    const books = createBooks({
      source,
      random: createSeededRandom(1),
      scheduler: clockScheduler(clock),
      report: {},
    });
    let failures = 0;
    books.watch(market).subscribe({ error: () => (failures += 1) });
    await clock.advance(1_000);
    source.connections[0]?.lose();
    await clock.advance(1_000);
    source.setBook([aLevel(4_900, 5)], [aLevel(5_000, 30)]);
    source.connections[1]?.level(up, 'bid', 4_700, 1_000_000, { bid: 4_900, ask: 5_000 });
    await clock.advance(1_000);
    expect(books.view(up)?.distrust).toBeNull();
    source.connections[1]?.lose(new AppError('venue_protocol', 'no such market'));
    expect([failures, books.view(up)?.distrust]).toEqual([0, 'disconnected']);
  });

  it('closes the socket a moment after the last reader left, and keeps it for one that comes back', async () => {
    const { clock, source, books, watch } = watchedMarket();
    watch().unsubscribe();
    await clock.advance(1_900);
    const back = watch();
    await clock.advance(5_000);
    expect([source.connections.length, source.open]).toEqual([1, 1]);
    back.unsubscribe();
    await clock.advance(2_001);
    expect([source.open, books.view(up), clock.pending]).toEqual([0, null, 0]);
  });

  it('ends every watch when it closes, those that linger too, and takes a socket lost afterwards for no loss', async () => {
    const { clock, source, books, watch, reconnects } = watchedMarket();
    let isOver = false;
    books.watch(market).subscribe({ complete: () => (isOver = true) });
    watch().unsubscribe();
    await clock.advance(300);
    books.close();
    expect([isOver, source.open, books.all(), clock.pending]).toEqual([true, 0, [], 0]);
    source.connections[0]?.lose();
    watch();
    await clock.advance(10_000);
    expect([reconnects(), source.connections.length]).toEqual([0, 1]);
  });

  it('has a place for a market that is traded however many are shown: the one shown longest gives its own up, and hears of it', async () => {
    const { clock, source, books } = watchedMarket();
    const reported: string[] = [];
    const show = (number: number) =>
      books.watch(aMarket(number), 'show').subscribe({
        error: ({ code, retryable }) => reported.push(`${number} ${code} ${retryable}`),
      });
    for (let number = 1; number <= BOOKS.marketsMaximum; number += 1) show(number);
    const both = books.watch(aMarket(1)).subscribe();
    show(101);
    expect([reported, source.open]).toEqual([['101 limit_reached true'], BOOKS.marketsMaximum]);
    books.watch(aMarket(102)).subscribe();
    await clock.advance(300);
    expect([reported.slice(1), source.open]).toEqual([
      ['2 limit_reached true'],
      BOOKS.marketsMaximum,
    ]);
    expect([
      books.view(aMarket(2).outcomes[0].tokenId),
      books.view(aMarket(102).outcomes[0].tokenId)?.epoch,
    ]).toEqual([null, 1]);
    both.unsubscribe();
    books.watch(aMarket(103)).subscribe();
    expect(reported.slice(2)).toEqual(['1 limit_reached true']);
    await clock.advance(300);
    books.close();
    expect([source.open, clock.pending]).toEqual([0, 0]);
  });

  it('refuses a market that is traded only where all others are traded too, and takes it once one of those has been left', async () => {
    const { clock, source, books } = watchedMarket();
    const traded = Array.from({ length: BOOKS.marketsMaximum }, (_, index) =>
      books.watch(aMarket(index + 1)).subscribe(),
    );
    const reported: string[] = [];
    const watch = () =>
      books.watch(aMarket(101)).subscribe({ error: ({ code }) => reported.push(code) });
    watch();
    traded[7]?.unsubscribe();
    // It has no reader any more, though it lingers.
    watch();
    await clock.settle();
    expect([reported, source.open, source.connections.length]).toEqual([
      ['limit_reached'],
      BOOKS.marketsMaximum,
      BOOKS.marketsMaximum + 1,
    ]);
  });

  it('passes trades and tick changes on', async () => {
    const { clock, source, books } = watchedMarket();
    const kinds: string[] = [];
    books.watch(market).subscribe(({ kind }) => kinds.push(kind));
    await clock.advance(200);
    source.connections[0]?.trade(up);
    source.connections[0]?.tickChange();
    expect(kinds).toEqual(['book', 'book', 'trade', 'book', 'book', 'tick_size']);
  });

  it('shows a lost socket at once as disconnected and comes back with a higher epoch', async () => {
    const { clock, source, books, watch, story, reconnects } = watchedMarket();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.lose();
    expect(books.view(up)).toMatchObject({
      distrust: 'disconnected',
      epoch: 1,
      bids: [aLevel(4_800, 10), aLevel(4_700, 20)],
    });
    expect(books.top(up)).toBeNull();
    await clock.advance(1_000);
    expect(books.view(up)).toMatchObject({ distrust: null, epoch: 2 });
    expect([story().at(-1), reconnects(), source.open]).toEqual(['trusted', 1, 1]);
    source.connections[1]?.lose();
    expect(books.view(up)?.epoch).toBe(2);
    await clock.advance(1_000);
    expect(books.view(up)).toMatchObject({ distrust: null, epoch: 3 });
  });

  it('one-sided and empty books are valid', async () => {
    const { clock, source, books, watch, incidents } = watchedMarket();
    source.setBook([], [aLevel(5_000, 30)]);
    watch();
    await clock.advance(3_000);
    expect([books.top(up)?.value, books.top(down)?.value]).toEqual([
      { bid: null, ask: aLevel(5_000, 30) },
      { bid: aLevel(5_000, 30), ask: null },
    ]);
    source.setBook([], []);
    source.connections[0]?.snapshot(up);
    source.connections[0]?.snapshot(down);
    await clock.advance(3_000);
    expect([books.top(up)?.value, books.top(down)?.value, incidents]).toEqual([
      { bid: null, ask: null },
      { bid: null, ask: null },
      [],
    ]);
  });

  it('refuses more markets than it may watch', () => {
    const { books } = watchedMarket();
    const errors: unknown[] = [];
    for (let number = 1; number <= BOOKS.marketsMaximum + 1; number += 1)
      books.watch(aMarket(number)).subscribe({ error: (cause) => errors.push(cause) });
    expect(errors).toMatchObject([{ code: 'limit_reached' }]);
  });
});
