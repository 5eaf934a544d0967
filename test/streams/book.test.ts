import { describe, expect, it } from 'vitest';
import { BOOKS } from '../../config/limits/market-data.ts';
import { AppError } from '../../src/domain/errors.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { BookUpdate } from '../../streams/book.ts';
import { createBooks } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { createFakeBookSource } from '../support/fakes/fake-book-source.ts';

const market = aMarket(1);
const [up, down] = [market.outcomes[0].tokenId, market.outcomes[1].tokenId];

function setUp({ highestWaits = false, speed = 1 } = {}) {
  const clock = createVirtualClock(T0);
  const source = createFakeBookSource(clock, market);
  source.setBook([aLevel(4_800, 10), aLevel(4_700, 20)], [aLevel(5_000, 30)]);
  const incidents: string[] = [];
  const told: string[] = [];
  let reconnects = 0;
  const books = createBooks({
    source,
    random: highestWaits
      ? { integer: (bound) => bound - 1, bytes: (count) => new Uint8Array(count) }
      : createSeededRandom(1),
    scheduler: clockScheduler(clock),
    speed,
    report: {
      incident: (incident) => incidents.push(incident),
      reconnecting({ cause }) {
        reconnects += 1;
        told.push(`lost: ${String(cause)}`);
      },
      reconnected: () => void told.push('back'),
      failed: (cause) => void told.push(`failed: ${String(cause)}`),
    },
  });
  const distrusts: string[] = [];
  const watch = () =>
    books.watch(market).subscribe((update: BookUpdate) => {
      if (update.kind === 'book' && update.tokenId === up)
        distrusts.push(update.distrust() ?? 'trusted');
    });
  /** Keeps the market busy: the same level of Up and its mirror, every 500 ms. */
  const busyFor = async (ms: number, tokens = [up, down]) => {
    for (let passed = 0; passed < ms; passed += 500) {
      await clock.advance(500);
      const connection = source.connections.at(-1);
      if (tokens.includes(up)) connection?.level(up, 'bid', 4_700, 20_000_000);
      if (tokens.includes(down)) connection?.level(down, 'ask', 5_300, 20_000_000);
    }
  };
  /** Distrust of Up as told, without repeats. */
  const story = () => distrusts.filter((word, index) => word !== distrusts[index - 1]);
  return {
    clock,
    source,
    books,
    incidents,
    told,
    watch,
    busyFor,
    story,
    reconnects: () => reconnects,
  };
}

describe('createBooks', () => {
  it('gives trusted books of both outcomes over one socket however many readers', async () => {
    const { clock, source, books, watch } = setUp();
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
    const { clock, books, watch } = setUp();
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
    const { clock, books } = setUp();
    let updates = 0;
    books.watch(market).subscribe(() => (updates += 1));
    await clock.advance(1_000);
    const before = updates;
    await clock.advance(60_000);
    expect(updates).toBe(before);
  });

  it('tells of a lost connection and of its return', async () => {
    const { clock, source, told, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.lose();
    await clock.advance(1_000);
    expect(told).toEqual(['lost: AppError: socket lost', 'back']);
  });

  it('keeps books disconnected whose connection failed in a way that trying again cannot mend, and tells it', async () => {
    const { clock, source, books, told, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.lose(new AppError('venue_protocol', 'no such market'));
    await clock.advance(60_000);
    expect([told, source.connections.length, books.view(up)?.distrust]).toEqual([
      ['failed: AppError: no such market'],
      1,
      'disconnected',
    ]);
  });

  it('needs nobody who is told of losses, doubts and failures', async () => {
    const { clock, source } = setUp();
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
    const { clock, source, books, watch } = setUp();
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
    const { clock, source, books, watch, reconnects } = setUp();
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

  it('has a place for a market that is traded however many are shown: the one shown longest gives its own up, and is told', async () => {
    const { clock, source, books } = setUp();
    const told: string[] = [];
    const show = (number: number) =>
      books
        .watch(aMarket(number), 'show')
        .subscribe({ error: ({ code, retryable }) => told.push(`${number} ${code} ${retryable}`) });
    for (let number = 1; number <= BOOKS.marketsMaximum; number += 1) show(number);
    const both = books.watch(aMarket(1)).subscribe();
    show(101);
    expect([told, source.open]).toEqual([['101 limit_reached true'], BOOKS.marketsMaximum]);
    books.watch(aMarket(102)).subscribe();
    await clock.advance(300);
    expect([told.slice(1), source.open]).toEqual([['2 limit_reached true'], BOOKS.marketsMaximum]);
    expect([
      books.view(aMarket(2).outcomes[0].tokenId),
      books.view(aMarket(102).outcomes[0].tokenId)?.epoch,
    ]).toEqual([null, 1]);
    both.unsubscribe();
    books.watch(aMarket(103)).subscribe();
    expect(told.slice(2)).toEqual(['1 limit_reached true']);
    await clock.advance(300);
    books.close();
    expect([source.open, clock.pending]).toEqual([0, 0]);
  });

  it('refuses a market that is traded only where all others are traded too, and takes it once one of those has been left', async () => {
    const { clock, source, books } = setUp();
    const traded = Array.from({ length: BOOKS.marketsMaximum }, (_, index) =>
      books.watch(aMarket(index + 1)).subscribe(),
    );
    const told: string[] = [];
    const watch = () =>
      books.watch(aMarket(101)).subscribe({ error: ({ code }) => told.push(code) });
    watch();
    traded[7]?.unsubscribe();
    // Nobody reads it any more, though it lingers.
    watch();
    await clock.settle();
    expect([told, source.open, source.connections.length]).toEqual([
      ['limit_reached'],
      BOOKS.marketsMaximum,
      BOOKS.marketsMaximum + 1,
    ]);
  });

  it('passes trades and tick changes on', async () => {
    const { clock, source, books } = setUp();
    const kinds: string[] = [];
    books.watch(market).subscribe(({ kind }) => kinds.push(kind));
    await clock.advance(200);
    source.connections[0]?.trade(up);
    source.connections[0]?.tickChange();
    expect(kinds).toEqual(['book', 'book', 'trade', 'book', 'book', 'tick_size']);
  });

  it('shows a lost socket at once as disconnected and comes back with a higher epoch', async () => {
    const { clock, source, books, watch, story, reconnects } = setUp();
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

  it('no-snapshot: reads the books by REST after two seconds and opens a new socket that starts from them', async () => {
    const { clock, source, books, watch, incidents } = setUp();
    source.greets = false;
    watch();
    await clock.advance(1_999);
    expect([books.view(up)?.distrust, source.asked]).toEqual(['no_snapshot', []]);
    await clock.advance(1);
    expect(source.asked).toEqual([up, down]);
    await clock.advance(699);
    expect(source.connections).toHaveLength(2);
    expect([books.top(up)?.value, books.top(down)?.value]).toEqual([
      { bid: aLevel(4_800, 10), ask: aLevel(5_000, 30) },
      { bid: aLevel(5_000, 30), ask: aLevel(5_200, 10) },
    ]);
    expect(incidents).toEqual(['no_snapshot', 'no_snapshot']);
  });

  it('no-snapshot: keeps a socket whose first books come after all while REST is asked', async () => {
    const { clock, source, books, watch, reconnects } = setUp();
    source.greets = false;
    source.restTakesMs = 600;
    watch();
    await clock.advance(2_300);
    for (const token of [up, down]) source.connections[0]?.snapshot(token);
    source.connections[0]?.level(up, 'bid', 4_700, 1_000_000);
    source.connections[0]?.level(down, 'ask', 5_300, 1_000_000);
    await clock.advance(1_000);
    expect([source.asked, reconnects(), books.view(up)?.distrust]).toEqual([[up, down], 0, null]);
  });

  it('waits for first books in wall time: twenty seconds of a clock that runs ten times as fast', async () => {
    const { clock, source, watch } = setUp({ speed: 10 });
    source.greets = false;
    watch();
    await clock.advance(19_999);
    expect([source.connections.length, source.asked]).toEqual([1, []]);
    await clock.advance(700);
    expect(source.asked.length).toBeGreaterThan(0);
  });

  it('no-snapshot: reads the one book that is missing, and opens a new socket that starts from it', async () => {
    const { clock, source, books, watch, incidents } = setUp();
    source.greets = false;
    watch();
    await clock.advance(300);
    source.connections[0]?.snapshot(down);
    await clock.advance(2_400);
    expect([source.connections.length, source.asked, incidents]).toEqual([
      2,
      [up],
      ['no_snapshot'],
    ]);
    expect(books.top(up)?.value.bid).toEqual(aLevel(4_800, 10));
  });

  it('counts the age of a book that REST gave in wall time, as long as it may be one', async () => {
    const { clock, source, books, watch } = setUp({ highestWaits: true, speed: 10 });
    source.greets = false;
    watch();
    await clock.advanceUntil(() => source.connections.length === 2, 30_000);
    expect([books.view(up)?.distrust, books.top(down)?.value.bid]).toEqual([
      null,
      aLevel(5_000, 30),
    ]);
  });

  // Each loss doubles the next wait.
  it.each([
    ['starts a connection from a book that REST gave a second ago', 2, null, aLevel(4_800, 10)],
    ['starts none from one that REST gave two seconds ago', 3, 'no_snapshot', undefined],
  ] as const)('L8: %s', async (_, losses, distrust, bid) => {
    const { clock, source, books, watch } = setUp({ highestWaits: true });
    source.greets = false;
    watch();
    for (let loss = 0; loss < losses; loss += 1) {
      source.connections.at(-1)?.lose();
      await clock.advance(1_000);
    }
    await clock.advanceUntil(() => source.connections.length === losses + 2, 20_000);
    expect([
      source.asked.length,
      books.view(up)?.distrust,
      books.top(up)?.value.bid ?? undefined,
    ]).toEqual([2, distrust, bid]);
  });

  it.each([
    ['fails', 'restFails'],
    ['has no book either', 'restLacks'],
  ] as const)('no-snapshot: tries a new socket when REST %s', async (_, lever) => {
    const { clock, source, books, watch, reconnects } = setUp();
    source.greets = false;
    source[lever] = true;
    watch();
    await clock.advance(9_999);
    expect(reconnects()).toBe(0);
    await clock.advance(1);
    expect(reconnects()).toBe(1);
    source.greets = true;
    await clock.advance(1_000);
    expect([source.connections.length, books.view(up)?.distrust]).toEqual([2, null]);
  });

  it('gap: distrusts a book that contradicts the best prices of the venue at once, and refetches it', async () => {
    const { clock, source, books, watch, incidents, reconnects } = setUp();
    watch();
    await clock.advance(1_000);
    source.setBook([aLevel(4_900, 5), aLevel(4_800, 10)], [aLevel(5_000, 30)]);
    source.connections[0]?.level(up, 'bid', 4_700, 1_000_000, { bid: 4_900, ask: 5_000 });
    expect([books.view(up)?.distrust, books.top(up)]).toEqual(['gap', null]);
    await clock.advance(500);
    expect(books.view(up)).toMatchObject({
      distrust: null,
      epoch: 2,
      bids: [aLevel(4_900, 5), aLevel(4_800, 10)],
    });
    expect([incidents[0], reconnects()]).toEqual(['gap', 0]);
  });

  it('gap: asks REST again, ever more rarely, while it fails', async () => {
    const { clock, source, books, watch, incidents } = setUp();
    watch();
    await clock.advance(1_000);
    source.restFails = true;
    source.connections[0]?.level(up, 'bid', 4_700, 1_000_000, { bid: 4_900, ask: 5_000 });
    await clock.advance(20_000);
    expect(source.asked.filter((token) => token === up).length).toBeLessThan(10);
    expect(incidents).toContain('snapshot_failed');
    source.restFails = false;
    source.setBook([aLevel(4_900, 5)], [aLevel(5_000, 30)]);
    await clock.advance(5_250);
    expect(books.view(up)).toMatchObject({ distrust: null, bids: [aLevel(4_900, 5)] });
  });

  it.each([
    ['fails', 'restFails'],
    ['has no book', 'restLacks'],
  ] as const)('gap: waits twice as long each time REST %s, up to the longest', async (_, lever) => {
    const { clock, source, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source[lever] = true;
    source.connections[0]?.level(up, 'bid', 4_700, 1_000_000, { bid: 4_900, ask: 5_000 });
    const ownAsked = () => source.asked.filter((tokenId) => tokenId === up).length;
    const askedAtMs: number[] = [];
    while (askedAtMs.length < 8) {
      await clock.advanceUntil(() => ownAsked() > askedAtMs.length, 6_000);
      askedAtMs.push(clock.nowMs());
    }
    const gaps = askedAtMs.slice(1).map((atMs, index) => atMs - (askedAtMs[index] ?? 0));
    expect(gaps).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it.each([false, true])(
    'tells nothing of a question that is answered once its connection is over (REST fails: %s)',
    async (restFails) => {
      const { clock, source, books, watch, incidents } = setUp();
      watch();
      await clock.advance(1_000);
      source.restTakesMs = 600;
      source.restFails = restFails;
      source.connections[0]?.level(up, 'bid', 4_700, 1_000_000, { bid: 4_900, ask: 5_000 });
      await clock.advanceUntil(() => source.asked.length > 0, 2_000);
      books.close();
      await clock.advance(10_000);
      expect([incidents, clock.pending]).toEqual([[], 0]);
    },
  );

  it('gives a doubt that takes the place of another its own time', async () => {
    const { clock, source, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.level(up, 'bid', 5_000, 1_000_000);
    await clock.advance(750);
    source.connections[0]?.tickChange();
    await clock.advance(BOOKS.snapshotWaitMs);
    expect(source.asked).toEqual([]);
    await clock.advance(BOOKS.inspectEveryMs);
    expect(source.asked.length).toBeGreaterThan(0);
  });

  it('crossed: distrusts a crossed book and refetches it after a second', async () => {
    const { clock, source, books, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.level(up, 'bid', 5_000, 1_000_000);
    source.setBook([aLevel(4_800, 10)], [aLevel(5_100, 30)]);
    expect(books.view(up)?.distrust).toBe('crossed');
    await clock.advance(900);
    expect([books.view(up)?.distrust, source.asked]).toEqual(['crossed', []]);
    await clock.advance(400);
    expect(books.view(up)).toMatchObject({
      distrust: null,
      bids: [aLevel(4_800, 10)],
      asks: [aLevel(5_100, 30)],
    });
  });

  it.each([
    [0, 250],
    [125, 500],
    [600, 1_000],
  ])(
    'crossed: reads REST once at a time, and again a moment after its answer: %i ms later, every %i ms',
    async (restMs, everyMs) => {
      const { clock, source, watch } = setUp();
      watch();
      await clock.advance(1_000);
      source.restTakesMs = restMs;
      source.connections[0]?.level(up, 'bid', 5_000, 1_000_000);
      const ownAsked = () => source.asked.filter((tokenId) => tokenId === up).length;
      const askedAtMs: number[] = [];
      while (askedAtMs.length < 3) {
        await clock.advanceUntil(() => ownAsked() > askedAtMs.length, 2_000);
        askedAtMs.push(clock.nowMs());
      }
      const gaps = askedAtMs.slice(1).map((atMs, index) => atMs - (askedAtMs[index] ?? 0));
      expect(gaps).toEqual([everyMs, everyMs]);
    },
  );

  it('crossed: opens a new socket when REST stays older than the frames it should correct', async () => {
    const { clock, source, books, watch, reconnects } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.level(up, 'bid', 5_000, 1_000_000);
    await clock.advanceUntil(() => reconnects() > 0, 3_500);
    expect(source.asked.filter((token) => token === up)).toHaveLength(BOOKS.refusalsMaximum);
    await clock.advance(1_000);
    expect([reconnects(), books.view(up)?.distrust]).toEqual([1, null]);
  });

  it('tick-change: drops the book until its next snapshot, and reads it by REST when none comes', async () => {
    const { clock, source, books, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.tickChange();
    source.connections[0]?.level(up, 'bid', 4_750, 1_000_000);
    expect(books.view(up)?.distrust).toBe('tick_changed');
    source.connections[0]?.snapshot(up);
    expect(books.view(up)).toMatchObject({ distrust: null, epoch: 2 });
    await clock.advance(2_500);
    expect(books.view(down)).toMatchObject({ distrust: null, epoch: 2 });
  });

  it('silent-stall: finds within five seconds that an open socket says nothing of a market that moves', async () => {
    const { clock, source, books, watch, busyFor, incidents, reconnects } = setUp();
    watch();
    await clock.advance(300);
    await busyFor(3_000);
    const stalledAtMs = clock.nowMs();
    source.setBook([aLevel(3_000, 10)], [aLevel(3_200, 30)]);
    await clock.advanceUntil(
      () => books.view(up)?.distrust === 'disconnected' || incidents.includes('silent_stall'),
      10_000,
    );
    expect(clock.nowMs() - stalledAtMs).toBeLessThanOrEqual(5_000);
    expect(source.asked).toEqual([up, up]);
    // The next connection starts from the book that showed it.
    source.greets = false;
    await clock.advance(1_000);
    expect([books.top(up)?.value.bid, reconnects()]).toEqual([aLevel(3_000, 10), 1]);
  });

  it('silent-stall: takes one book of REST that is ahead of the socket for no proof', async () => {
    const { clock, source, watch, incidents, reconnects } = setUp();
    watch();
    await clock.advance(300);
    source.setBook([aLevel(4_900, 10)], [aLevel(5_000, 30)]);
    await clock.advanceUntil(() => source.asked.length === 1, 5_000);
    for (const token of [up, down]) source.connections[0]?.snapshot(token);
    await clock.advance(10_000);
    expect([incidents, reconnects()]).toEqual([[], 0]);
  });

  it('silent-stall: takes a book of REST that is older than the frames for no proof', async () => {
    const { clock, source, watch, incidents, reconnects } = setUp();
    watch();
    await clock.advance(300);
    source.connections[0]?.level(up, 'bid', 4_700, 1_000_000);
    source.connections[0]?.level(down, 'ask', 5_300, 1_000_000);
    await clock.advance(10_000);
    expect([source.asked.length > 2, incidents, reconnects()]).toEqual([true, [], 0]);
  });

  it('silent-stall: takes a frame that comes while REST is asked for the better word', async () => {
    const { clock, source, watch, incidents, reconnects } = setUp();
    watch();
    await clock.advance(300);
    source.restTakesMs = 600;
    for (let question = 1; question <= 3; question += 1) {
      await clock.advanceUntil(() => source.asked.length === question, 5_000);
      await clock.advance(300);
      source.connections[0]?.level(up, 'bid', 4_700, question * 1_000_000);
      source.connections[0]?.level(down, 'ask', 5_300, question * 1_000_000);
      await clock.advance(100);
      source.setBook([aLevel(4_900, question)], [aLevel(5_000, 30)]);
    }
    expect([incidents, reconnects()]).toEqual([[], 0]);
  });

  it('compares a book with REST as soon as it has been silent for two and a half seconds', async () => {
    const { clock, source, watch } = setUp();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.level(down, 'ask', 5_300, 20_000_000);
    await clock.advance(BOOKS.inspectEveryMs);
    source.connections[0]?.level(up, 'bid', 4_700, 20_000_000);
    await clock.advance(BOOKS.quietCheckMs - 1);
    expect(source.asked).toEqual([]);
    await clock.advance(1);
    expect(source.asked).toEqual([up]);
  });

  it('takes what REST confirms of one book for no word about the other where the two contradict each other', async () => {
    const { clock, source, books, watch } = setUp();
    watch();
    await clock.advance(2_600);
    source.connections[0]?.level(down, 'ask', 5_100, 1_000_000);
    await clock.advance(300);
    expect(source.asked).toEqual([up]);
    expect([books.view(up)?.receivedAtMs, books.view(down)?.receivedAtMs]).toEqual([
      T0 + 2_750,
      T0 + 2_600,
    ]);
  });

  it('silent-stall: raises no alarm on a quiet market, whose book stays trusted while REST says the same', async () => {
    const { clock, source, books, watch, incidents, reconnects } = setUp();
    watch();
    await clock.advance(120_000);
    expect({
      incidents,
      reconnects: reconnects(),
      up: books.view(up)?.distrust,
      down: books.view(down)?.distrust,
    }).toEqual({ incidents: [], reconnects: 0, up: null, down: null });
    // One question for both books about every two and a half seconds.
    expect(source.asked.length).toBeLessThan(50);
    expect(new Set(source.asked)).toEqual(new Set([up]));
  });

  it('silent-stall: finds one book silent beside its busy sibling', async () => {
    const { clock, source, watch, busyFor, incidents } = setUp();
    watch();
    await clock.advance(300);
    source.setBook([aLevel(4_800, 10), aLevel(4_700, 20), aLevel(4_600, 1)], [aLevel(5_000, 30)]);
    await busyFor(5_000, [up]);
    expect(source.asked).toContain(down);
    expect(incidents).toContain('silent_stall');
  });

  it('L8: distrusts a quiet book as stale when REST cannot be asked, and trusts it again when it can', async () => {
    const { clock, source, books, watch, story } = setUp();
    watch();
    await clock.advance(300);
    source.restFails = true;
    await clock.advanceTo(T0 + 5_200);
    expect(books.top(up)).not.toBeNull();
    await clock.advance(300);
    expect([books.view(up)?.distrust, books.top(up), story().at(-1)]).toEqual([
      'stale',
      null,
      'stale',
    ]);
    source.restFails = false;
    await clock.advance(6_000);
    expect([books.view(up)?.distrust, story().at(-1)]).toEqual([null, 'trusted']);
  });

  it('mirror-broken: distrusts both books that contradict each other for a second, tells it, and refetches', async () => {
    const { clock, source, books, watch, incidents } = setUp();
    watch();
    await clock.advance(1_000);
    source.restFails = true;
    source.connections[0]?.level(up, 'bid', 4_900, 1_000_000);
    await clock.advance(900);
    expect(books.view(down)?.distrust).toBeNull();
    await clock.advance(500);
    expect([books.view(up)?.distrust, books.view(down)?.distrust]).toEqual([
      'mirror_broken',
      'mirror_broken',
    ]);
    source.restFails = false;
    source.setBook([aLevel(4_900, 1)], [aLevel(5_000, 30)]);
    await clock.advance(5_500);
    expect([
      books.view(up)?.distrust,
      books.view(down)?.distrust,
      incidents.includes('mirror_broken'),
    ]).toEqual([null, null, true]);
  });

  it('one-sided and empty books are valid', async () => {
    const { clock, source, books, watch, incidents } = setUp();
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
    const { books } = setUp();
    const errors: unknown[] = [];
    for (let number = 1; number <= BOOKS.marketsMaximum + 1; number += 1)
      books.watch(aMarket(number)).subscribe({ error: (cause) => errors.push(cause) });
    expect(errors).toMatchObject([{ code: 'limit_reached' }]);
  });
});
