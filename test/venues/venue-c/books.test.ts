import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { VENUE_C, VENUE_C_POOL } from '../../../config/limits/venue-c.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import type { BookChange, BookSnapshot } from '../../../src/ports/venue-books.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { createBookSource } from '../../../src/venues/venue-c/books.ts';
import type {
  PoolBooks,
  PoolListener,
  PoolMarket,
  PoolPair,
} from '../../../src/venues/venue-c/pool/books.ts';
import { aWire, aWireMarket, aWirePool, NO, POOL_ADDRESS, SLUG, YES, type Answer } from './wire.ts';

const [YES_TOKEN, NO_TOKEN] = [asId<TokenId>(YES), asId<TokenId>(NO)];
const FIRST = {
  bids: [
    { price: 0.14, size: 12_360_330_000, side: 'BUY' },
    { price: '0.151', size: '5000', side: 'BUY' },
  ],
  asks: [{ price: 0.161, size: 222_000_000, side: 'SELL' }],
  tokenId: YES,
};
const update = (change: object = {}, marketSlug = SLUG) =>
  event('orderbookUpdate', {
    marketSlug,
    orderbook: { bids: [{ price: 0.3, size: 10_000_000 }], asks: [], ...change },
    timestamp: '2026-01-01T12:00:00.000Z',
  });
const event = (name: string, payload: unknown) => `42/markets,${JSON.stringify([name, payload])}`;
const subscribed = (...marketSlugs: readonly string[]) =>
  event('subscribe_market_prices', { marketSlugs, marketAddresses: [] });

const POOL_MARKET = asId<PoolMarket['marketId']>('a-pool-1');
const POOL_YES = asId<TokenId>('71');

/** A pool that is read as it is set, and as it is said to have become. */
function aPool() {
  const books: { pair: PoolPair | null; listeners: Set<PoolListener> } = {
    pair: pairAt(4_000),
    listeners: new Set(),
  };
  const reads: PoolMarket[] = [];
  const pools: PoolBooks = {
    async read(market) {
      reads.push(market);
      return books.pair;
    },
    follow(_market, listener) {
      books.listeners.add(listener);
      return () => void books.listeners.delete(listener);
    },
  };
  return { books, reads, pools };
}

function pairAt(price: number): PoolPair {
  const bookOf = (tokenId: TokenId, ask: number): BookSnapshot => ({
    tokenId,
    marketId: POOL_MARKET,
    bids: [],
    asks: [{ price: priceTicks(ask), size: shareMicros(1_000_000) }],
    venueAtMs: 0,
    tickSize: null,
  });
  return [bookOf(POOL_YES, price), bookOf(asId('72'), 10_000 - price)];
}

function aSource(change: Record<string, Answer> = {}, pools: PoolBooks = aPool().pools) {
  const wire = aWire({
    [`/markets/${SLUG}`]: aWireMarket(),
    [`/markets/${SLUG}/orderbook`]: FIRST,
    ...change,
  });
  const source = createBookSource({
    ...wire,
    url: 'ws://venue',
    openSocket: wire.transport.openSocket,
    pools,
  });
  const watched = (tokens: readonly TokenId[], error: (cause: unknown) => void) => {
    const heard: BookChange[] = [];
    return { heard, ...source.watch(tokens, { next: (one) => heard.push(one), error }) };
  };
  return { ...wire, source, watched };
}

async function begin(change: Record<string, Answer> = {}) {
  const world = aSource(change);
  await world.listing.market(SLUG);
  const lost: unknown[] = [];
  const watch = world.watched([YES_TOKEN, NO_TOKEN], (cause) => lost.push(cause));
  await world.clock.settle();
  const [socket] = world.sockets;
  if (socket === undefined) return expect.unreachable();
  socket.say('0{"sid":"a","pingInterval":25000,"pingTimeout":20000}');
  socket.say('40/markets,{"sid":"b"}');
  await world.clock.settle();
  const levels = (token: TokenId) => {
    const view = watch.book(token)?.view();
    return [view?.bids, view?.asks].map((side) => side?.map(({ price, size }) => [price, size]));
  };
  return { ...world, ...watch, lost, socket, levels };
}

describe('books of venue_c', () => {
  it('are asked for once the namespace is joined, and begin with what is read', async () => {
    const { socket, levels } = await begin();
    expect(socket.url).toBe('ws://venue/socket.io/?EIO=4&transport=websocket');
    expect(socket.sent).toEqual([
      '40/markets,',
      event('subscribe_market_lifecycle', {}),
      subscribed(SLUG),
    ]);
    expect(levels(YES_TOKEN)).toEqual([
      [
        [1_510, 5_000],
        [1_400, 12_360_330_000],
      ],
      [[1_610, 222_000_000]],
    ]);
  });

  it('of NO mirror those of YES', async () => {
    const { levels } = await begin();
    expect(levels(NO_TOKEN)).toEqual([
      [[8_390, 222_000_000]],
      [
        [8_490, 5_000],
        [8_600, 12_360_330_000],
      ],
    ]);
  });

  it('are replaced whole by each update', async () => {
    const { socket, levels, heard } = await begin();
    heard.length = 0;
    socket.say(update());
    expect([levels(YES_TOKEN), levels(NO_TOKEN), heard.length]).toEqual([
      [[[3_000, 10_000_000]], []],
      [[], [[7_000, 10_000_000]]],
      2,
    ]);
  });

  it.each([
    ['a price with too many digits', { bids: [{ price: '0.12345', size: 1 }] }],
    ['a size in parts', { bids: [{ price: 0.1, size: 1.5 }] }],
    ['no asks', { asks: null }],
  ])('are in doubt after %s, until the next', async (_what, change) => {
    const { socket, book, metrics } = await begin();
    socket.say(update(change));
    expect([book(YES_TOKEN)?.fault, book(NO_TOKEN)?.fault]).toEqual(['gap', 'gap']);
    expect(await metrics.renderMetrics()).toContain(
      'venue_dropped_total{venue="venue_c",channel="market",reason="schema"} 1',
    );
    socket.say(update());
    expect(book(YES_TOKEN)?.fault).toBeNull();
  });

  it('are in doubt after a frame of an unknown form, and not after an unknown event', async () => {
    const { socket, book } = await begin();
    socket.say(event('system', 'hello'));
    expect(book(YES_TOKEN)?.fault).toBeNull();
    socket.say('42/markets,["orderbookUp');
    expect(book(YES_TOKEN)?.fault).toBe('gap');
  });

  it('read prices that floats have blurred', async () => {
    const { socket, levels } = await begin();
    socket.say(update({ bids: [{ price: 0.1 + 0.2, size: 1 }] }));
    expect(levels(YES_TOKEN)[0]).toEqual([[3_000, 1]]);
  });

  it('share one socket, whose list always names all that are followed', async () => {
    const { socket, sockets, listing, watched, answers, clock } = await begin();
    answers['/markets/other'] = aWireMarket({ slug: 'other', tokens: { yes: '7', no: '8' } });
    await listing.market('other');
    const other = watched([asId('7')], () => undefined);
    await clock.settle();
    expect(socket.sent.at(-1)).toBe(subscribed(SLUG, 'other'));
    other.stop();
    expect([socket.sent.at(-1), sockets.length, socket.isClosed]).toEqual([
      subscribed(SLUG),
      1,
      false,
    ]);
  });

  it('are followed no more once the last watch has stopped', async () => {
    const { socket, stop } = await begin();
    stop();
    expect(socket.isClosed).toBe(true);
  });

  it('are lost with the socket, and begin anew with another', async () => {
    const { socket, lost, watched, sockets, clock } = await begin();
    socket.lose(new Error('reset'));
    expect(lost).toEqual([new Error('reset')]);
    watched([YES_TOKEN], () => undefined);
    await clock.settle();
    expect(sockets).toHaveLength(2);
  });

  it('tell of a market that has ended', async () => {
    const { socket, heard } = await begin();
    heard.length = 0;
    socket.say(event('marketResolved', { slug: SLUG, winningIndex: 1, winningOutcome: 'NO' }));
    socket.say(event('marketResolved', { slug: SLUG, winningIndex: null }));
    socket.say(event('marketResolved', { slug: 'another', winningIndex: 0 }));
    expect(heard).toMatchObject([
      { kind: 'resolved', marketId: SLUG, winner: NO },
      { kind: 'resolved', marketId: SLUG, winner: null },
    ]);
  });

  it('that are read while a watch shows others are given once the socket may have sent them', async () => {
    const { source, answers, clock } = await begin();
    answers[`/markets/${SLUG}/orderbook`] = { bids: [], asks: [] };
    let given = false;
    const asked = source.snapshot(YES_TOKEN).then((book) => {
      given = true;
      return book;
    });
    await clock.settle();
    expect(given).toBe(false);
    await clock.advance(VENUE_C.socketTrailsMs);
    expect(await asked).toMatchObject({ bids: [], asks: [] });
  });

  it('of a pool are its curve: read on the chain, and again while they are followed', async () => {
    const { books, reads, pools } = aPool();
    const { source, listing, asked, sockets, clock, watched } = aSource(
      { '/markets/a-pool-1': aWirePool() },
      pools,
    );
    await listing.market('a-pool-1');
    expect(await source.snapshot(POOL_YES)).toMatchObject({ asks: [{ price: 4_000 }] });
    expect(reads).toEqual([
      { marketId: POOL_MARKET, tokens: ['71', '72'], address: getAddress(POOL_ADDRESS) },
    ]);
    const lost: unknown[] = [];
    const watch = watched([POOL_YES, asId('72')], (cause) => lost.push(cause));
    await clock.settle();
    const hear = (how: (listener: PoolListener) => void) => [...books.listeners].forEach(how);
    hear((listener) => listener.next(pairAt(4_500)));
    expect([POOL_YES, asId<TokenId>('72')].map((token) => watch.book(token)?.bestAsk)).toEqual([
      4_500, 5_500,
    ]);
    hear((listener) => listener.failed());
    expect(watch.book(POOL_YES)?.fault).toBe('gap');
    hear((listener) => listener.next(pairAt(4_600)));
    expect([watch.book(POOL_YES)?.fault, watch.book(POOL_YES)?.bestAsk]).toEqual([null, 4_600]);
    watch.stop();
    // The market itself, before the books and with the one that was asked for.
    expect([books.listeners.size, sockets.length, asked.length, lost]).toEqual([0, 0, 2, []]);
  });

  it('of a pool that is followed are in doubt once its market has ended', async () => {
    const { books, pools } = aPool();
    let now: object = aWirePool();
    const { listing, clock, watched } = aSource({ '/markets/a-pool-1': () => now }, pools);
    await listing.market('a-pool-1');
    const watch = watched([POOL_YES], () => undefined);
    await clock.settle();
    const read = async (): Promise<string | null | undefined> => {
      for (const listener of books.listeners) listener.next(pairAt(4_500));
      await clock.settle();
      for (const listener of books.listeners) listener.next(pairAt(4_500));
      return watch.book(POOL_YES)?.fault;
    };
    now = { ...aWirePool(), status: 'RESOLVED', expired: true };
    expect(await read()).toBeNull();
    await clock.advance(VENUE_C_POOL.endAskedMs);
    expect(await read()).toBe('gap');
    watch.stop();
  });

  it('of a pool are gone once its market has ended, though the contract trades on', async () => {
    const { reads, pools } = aPool();
    const { source, listing } = aSource(
      { '/markets/a-pool-1': { ...aWirePool(), status: 'RESOLVED', expired: true } },
      pools,
    );
    await listing.market('a-pool-1');
    expect([await source.snapshot(POOL_YES), reads.length]).toEqual([null, 1]);
  });
});
