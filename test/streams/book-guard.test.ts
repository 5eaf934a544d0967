import { describe, expect, it } from 'vitest';
import { BOOKS } from '../../config/limits/market-data.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { watchedMarket } from './watched-market.ts';

const market = aMarket(1);
const [up, down] = [market.outcomes[0].tokenId, market.outcomes[1].tokenId];

describe('the guard of the books of a connection', () => {
  it('no-snapshot: reads the books by REST after two seconds and opens a new socket that starts from them', async () => {
    const { clock, source, books, watch, incidents } = watchedMarket();
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
    const { clock, source, books, watch, reconnects } = watchedMarket();
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
    const { clock, source, watch } = watchedMarket({ speed: 10 });
    source.greets = false;
    watch();
    await clock.advance(19_999);
    expect([source.connections.length, source.asked]).toEqual([1, []]);
    await clock.advance(700);
    expect(source.asked.length).toBeGreaterThan(0);
  });

  it('no-snapshot: reads the one book that is missing, and opens a new socket that starts from it', async () => {
    const { clock, source, books, watch, incidents } = watchedMarket();
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
    const { clock, source, books, watch } = watchedMarket({ highestWaits: true, speed: 10 });
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
    const { clock, source, books, watch } = watchedMarket({ highestWaits: true });
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
    const { clock, source, books, watch, reconnects } = watchedMarket();
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
    const { clock, source, books, watch, incidents, reconnects } = watchedMarket();
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
    const { clock, source, books, watch, incidents } = watchedMarket();
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
    const { clock, source, watch } = watchedMarket();
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
      const { clock, source, books, watch, incidents } = watchedMarket();
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
    const { clock, source, watch } = watchedMarket();
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
    const { clock, source, books, watch } = watchedMarket();
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
      const { clock, source, watch } = watchedMarket();
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
    const { clock, source, books, watch, reconnects } = watchedMarket();
    watch();
    await clock.advance(1_000);
    source.connections[0]?.level(up, 'bid', 5_000, 1_000_000);
    await clock.advanceUntil(() => reconnects() > 0, 3_500);
    expect(source.asked.filter((token) => token === up)).toHaveLength(BOOKS.refusalsMaximum);
    await clock.advance(1_000);
    expect([reconnects(), books.view(up)?.distrust]).toEqual([1, null]);
  });

  it('tick-change: drops the book until its next snapshot, and reads it by REST when none comes', async () => {
    const { clock, source, books, watch } = watchedMarket();
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
    const { clock, source, books, watch, busyFor, incidents, reconnects } = watchedMarket();
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
    const { clock, source, watch, incidents, reconnects } = watchedMarket();
    watch();
    await clock.advance(300);
    source.setBook([aLevel(4_900, 10)], [aLevel(5_000, 30)]);
    await clock.advanceUntil(() => source.asked.length === 1, 5_000);
    for (const token of [up, down]) source.connections[0]?.snapshot(token);
    await clock.advance(10_000);
    expect([incidents, reconnects()]).toEqual([[], 0]);
  });

  it('silent-stall: takes a book of REST that is older than the frames for no proof', async () => {
    const { clock, source, watch, incidents, reconnects } = watchedMarket();
    watch();
    await clock.advance(300);
    source.connections[0]?.level(up, 'bid', 4_700, 1_000_000);
    source.connections[0]?.level(down, 'ask', 5_300, 1_000_000);
    await clock.advance(10_000);
    expect([source.asked.length > 2, incidents, reconnects()]).toEqual([true, [], 0]);
  });

  it('silent-stall: takes a frame that comes while REST is asked for the better word', async () => {
    const { clock, source, watch, incidents, reconnects } = watchedMarket();
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
    const { clock, source, watch } = watchedMarket();
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

  it('lets a book be silent, and grow old, in wall time: ten times as long on a clock ten times as fast', async () => {
    const { clock, source, books, watch } = watchedMarket({ speed: 10 });
    watch();
    await clock.advance(BOOKS.quietCheckMs * 10 - 1);
    expect(source.asked).toEqual([]);
    source.restFails = true;
    await clock.advance(BOOKS.quietCheckMs * 10);
    expect([source.asked.length > 0, books.view(up)?.distrust]).toEqual([true, null]);
    await clock.advance(BOOKS.inspectEveryMs * 10);
    expect(books.view(up)?.distrust).toBe('stale');
  });

  it('takes what REST confirms of one book for no word about the other where the two contradict each other', async () => {
    const { clock, source, books, watch } = watchedMarket();
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
    const { clock, source, books, watch, incidents, reconnects } = watchedMarket();
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

  it('asks about a book itself once its sibling has been heard two and a half seconds after it', async () => {
    const { clock, source, watch } = watchedMarket();
    watch();
    const greetedAtMs = T0 + 200;
    for (const afterMs of [1_000, 2_000, BOOKS.quietCheckMs]) {
      await clock.advanceTo(greetedAtMs + afterMs);
      source.connections[0]?.level(up, 'bid', 4_700, 20_000_000);
    }
    expect(source.asked).toEqual([]);
    await clock.advance(BOOKS.inspectEveryMs);
    expect(source.asked).toEqual([down]);
  });

  it('silent-stall: finds one book silent beside its busy sibling', async () => {
    const { clock, source, watch, busyFor, incidents } = watchedMarket();
    watch();
    await clock.advance(300);
    source.setBook([aLevel(4_800, 10), aLevel(4_700, 20), aLevel(4_600, 1)], [aLevel(5_000, 30)]);
    await busyFor(5_000, [up]);
    expect(source.asked).toContain(down);
    expect(incidents).toContain('silent_stall');
  });

  it('L8: distrusts a quiet book as stale when REST cannot be asked, and trusts it again when it can', async () => {
    const { clock, source, books, watch, story } = watchedMarket();
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
    const { clock, source, books, watch, incidents } = watchedMarket();
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

  it('trusts the two books of a market whose outcomes have one each, whatever they say of each other', async () => {
    const { clock, source, books, watch, incidents } = watchedMarket({
      changes: { separateBooks: true },
    });
    watch();
    await clock.advance(1_000);
    source.connections[0]?.level(up, 'bid', 4_900, 1_000_000);
    await clock.advance(2_000);
    expect([books.view(up)?.distrust, books.view(down)?.distrust, incidents]).toEqual([
      null,
      null,
      [],
    ]);
  });

  it('counts the second in wall time: frames come over the wire in it, however fast the markets run', async () => {
    const { clock, source, books, watch, incidents } = watchedMarket({ speed: 10 });
    watch();
    await clock.advance(1_000);
    source.restFails = true;
    source.connections[0]?.level(up, 'bid', 4_900, 1_000_000);
    await clock.advance(3_000);
    expect([books.view(down)?.distrust, incidents.includes('mirror_broken')]).toEqual([
      null,
      false,
    ]);
    // Frames that change nothing keep the books fresh.
    for (let second = 0; second < 12; second += 1) {
      source.connections[0]?.level(up, 'bid', 4_900, 1_000_000);
      source.connections[0]?.level(down, 'ask', 9_000, 1_000_000);
      await clock.advance(1_000);
    }
    expect(books.view(down)?.distrust).toBe('mirror_broken');
  });
});
