import { describe, expect, it } from 'vitest';
import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { BookChange } from '../../../src/ports/venue-books.ts';
import { createBookSource } from '../../../src/venues/venue-b/books.ts';
import { aWire, aWireMarket, NO, TICKER, USDC, YES, type Answer } from './wire.ts';

const OTHER = 'KXTEST-26DEC-B';
const MORE_YES = 'Yes2222222222222222222222222222222222222222';
const MORE_NO = 'No22222222222222222222222222222222222222222';
const railOf = (yesMint: string, noMint: string) => ({
  [USDC]: {
    marketLedger: 'Ledg',
    yesMint,
    noMint,
    isInitialized: true,
    redemptionStatus: null,
  },
});
const FIRST = {
  yes_bids: { '0.9400': 500, '0.9500': 120 },
  no_bids: { '0.0400': 60 },
  sequence: 7,
};
const frame = (change: object) => ({
  channel: 'orderbook',
  type: 'orderbook',
  market_ticker: TICKER,
  yes_bids: { '0.9600': 10 },
  no_bids: {},
  ...change,
});

async function begin(
  change: Record<string, Answer> = {},
  lost: (cause: unknown) => void = (cause) => expect.unreachable(String(cause)),
) {
  const wire = aWire({
    [`/api/v1/market/by-mint/${YES}`]: aWireMarket(),
    [`/api/v1/orderbook/${TICKER}`]: FIRST,
    ...change,
  });
  const source = createBookSource({
    ...wire,
    url: 'ws://metadata',
    apiKey: null,
    openSocket: wire.transport.openSocket,
  });
  const heard: BookChange[] = [];
  const watch = source.watch([asId(YES), asId(NO)], {
    next: (update) => heard.push(update),
    error: lost,
  });
  await wire.clock.settle();
  const levels = (token: string) => {
    const view = watch.book(asId(token))?.view();
    return [
      view?.bids.map(({ price, size }) => [price, size]),
      view?.asks.map(({ price, size }) => [price, size]),
    ];
  };
  const [socket] = wire.sockets;
  if (socket === undefined) return expect.unreachable();
  return { ...wire, source, watch, socket, levels, heard };
}

describe('books of venue_b', () => {
  it('asks for the market of its tokens and for its first books, and makes asks of the bids for the other side', async () => {
    const { levels, socket } = await begin();
    expect(socket.sent).toEqual([{ type: 'subscribe', channel: 'orderbook', tickers: [TICKER] }]);
    expect(levels(YES)).toEqual([
      [
        [9_500, 120_000_000],
        [9_400, 500_000_000],
      ],
      [[9_600, 60_000_000]],
    ]);
    expect(levels(NO)).toEqual([
      [[400, 60_000_000]],
      [
        [500, 120_000_000],
        [600, 500_000_000],
      ],
    ]);
  });

  it('puts a frame in the place of both books, however often it comes', async () => {
    const { levels, socket, heard } = await begin();
    heard.length = 0;
    socket.say(frame({}));
    socket.say(frame({}));
    expect([levels(YES), levels(NO), heard.length]).toEqual([
      [[[9_600, 10_000_000]], []],
      [[], [[400, 10_000_000]]],
      4,
    ]);
  });

  it('reads sizes in hundredths, numbers and text, to the last digit', async () => {
    const { levels, socket, watch } = await begin();
    const sizes = ['2.01', '0.29', '1.15', '4.35', '8.2', '1020.00', '33482.07', '0.000001'];
    const bids = (write: (text: string) => number | string) =>
      Object.fromEntries(sizes.map((text, at) => [`0.${90 - at}00`, write(text)]));
    for (const write of [Number, String]) {
      socket.say(frame({ yes_bids: bids(write) }));
      expect(levels(YES)[0]?.map(([, size]) => size)).toEqual([
        2_010_000, 290_000, 1_150_000, 4_350_000, 8_200_000, 1_020_000_000, 33_482_070_000, 1,
      ]);
    }
    expect(watch.book(asId(YES))?.fault).toBeNull();
  });

  it('takes no frame that is numbered before the book it has, and one without a number', async () => {
    const { levels, socket } = await begin();
    socket.say(frame({ sequence: 6 }));
    expect(levels(YES)[0]).toHaveLength(2);
    socket.say(frame({ sequence: 9 }));
    expect(levels(YES)[0]).toHaveLength(1);
    socket.say(frame({ yes_bids: {} }));
    expect(levels(YES)[0]).toEqual([]);
  });

  it('takes no book that was asked for before the newest frame came', async () => {
    const { source, socket, watch, clock } = await begin();
    const asked = await source.snapshot(asId(YES));
    await clock.advance(5);
    socket.say(frame({}));
    expect(asked === null ? null : watch.replace(asked)).toBe(false);
  });

  it('counts what it cannot read, and puts the books it may be of in doubt until a whole one comes', async () => {
    const { levels, socket, metrics, watch, heard } = await begin();
    const faults = () => [YES, NO].map((token) => watch.book(asId(token))?.fault);
    const strange = [
      frame({ yes_bids: { dear: 1 } }),
      frame({ yes_bids: { '0.9400': -1 } }),
      frame({ yes_bids: { '0.9400': 0.0000001 } }),
      frame({ no_bids: { '0.0400': '1e3' } }),
      frame({ no_bids: { '1.0400': 1 } }),
      frame({ no_bids: 7 }),
      frame({ market_ticker: 7 }),
      '{',
    ];
    for (const words of strange) {
      heard.length = 0;
      socket.say(words);
      expect([faults(), heard.length]).toEqual([['gap', 'gap'], 2]);
      socket.say(frame({ yes_bids: FIRST.yes_bids }));
      expect(faults()).toEqual([null, null]);
    }
    socket.say(frame({ market_ticker: OTHER, no_bids: 7 }));
    socket.say({ channel: 'prices', type: 'ticker', market_ticker: TICKER });
    expect([faults(), levels(YES)[0]?.length]).toEqual([[null, null], 2]);
    expect(await metrics.renderMetrics()).toMatch(
      /venue_dropped_total\{venue="venue_b",channel="market",reason="schema"\} 9/,
    );
  });

  it('has no book where the venue has none, nor for a token of no market', async () => {
    const { source } = await begin({ [`/api/v1/orderbook/${TICKER}`]: [404, {}] });
    expect([await source.snapshot(asId(YES)), await source.snapshot(asId('12345'))]).toEqual([
      null,
      null,
    ]);
  });

  it('is given what was asked for only once the socket could have sent it, where they differ', async () => {
    const { source, answers, clock } = await begin();
    const given: unknown[] = [];
    const ask = () => void source.snapshot(asId(YES)).then((book) => given.push(book?.bids.length));
    ask();
    await clock.settle();
    answers[`/api/v1/orderbook/${TICKER}`] = { ...FIRST, yes_bids: {} };
    ask();
    await clock.settle();
    expect(given).toEqual([2]);
    expect((await source.read(asId(YES)))?.bids).toEqual([]);
    await clock.advance(VENUE_B.socketTrailsMs);
    expect(given).toEqual([2, 0]);
  });

  it('are followed on one socket, whoever watches which, for as long as anybody does', async () => {
    const other = { ...aWireMarket(), ticker: OTHER, accounts: railOf(MORE_YES, MORE_NO) };
    const { source, watch, socket, sockets, clock, levels } = await begin({
      [`/api/v1/market/by-mint/${MORE_YES}`]: other,
      [`/api/v1/orderbook/${OTHER}`]: FIRST,
    });
    const reported: number[] = [];
    const second = source.watch([asId(MORE_YES)], {
      next: (update) => 'view' in update && reported.push(update.view().bids.length),
      error: (cause) => expect.unreachable(String(cause)),
    });
    await clock.settle();
    socket.say(frame({ market_ticker: OTHER }));
    expect([sockets.length, reported, levels(YES)[0]?.length]).toEqual([1, [2, 1], 2]);
    expect(socket.sent.slice(1)).toEqual([
      { type: 'subscribe', channel: 'orderbook', tickers: [TICKER, OTHER] },
    ]);
    second.stop();
    expect([socket.sent.at(-1), socket.isClosed]).toEqual([
      { type: 'unsubscribe', channel: 'orderbook', tickers: [OTHER] },
      false,
    ]);
    watch.stop();
    expect(socket.isClosed).toBe(true);
  });

  it('are lost to all who watch with the socket, and followed anew on another', async () => {
    const lost: unknown[] = [];
    const { source, socket, sockets, clock, watch } = await begin({}, (cause) => lost.push(cause));
    const again = () =>
      source.watch([asId(NO)], { next: () => undefined, error: (cause) => lost.push(cause) });
    again();
    await clock.settle();
    socket.lose('gone');
    expect(lost).toEqual(['gone', 'gone']);
    watch.stop();
    again();
    await clock.settle();
    expect([sockets.length, sockets[1]?.sent.length]).toEqual([2, 1]);
  });

  it('says nothing more once it has stopped', async () => {
    const { watch, socket } = await begin();
    watch.stop();
    expect(socket.isClosed).toBe(true);
  });
});
