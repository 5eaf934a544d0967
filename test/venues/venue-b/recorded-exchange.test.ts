import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { asId } from '../../../src/domain/ids.ts';
import { createBookSource } from '../../../src/venues/venue-b/books.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';
import { aWire, aWireMarket, NO, TICKER, YES } from './wire.ts';

const samples = sharedData('data/venue_b-books/depth-2026-07-23.jsonl.gz');
const stream = sharedData('data/venue_b-gold15m-wire/events/KXGOLD15M-26AUG101900-00.ndjson.gz');
const record = sharedData('data/venue_b-gold15m-wire/markets/KXGOLD15M-26AUG101800.json');
/** Messages of the stream that are played: a few minutes of it. */
const MESSAGES = 6_000;

/** Contracts by price in ticks of 0.0001. */
type Side = Map<number, number>;
interface Book {
  readonly yes: Side;
  readonly no: Side;
}

function lines(path: string): readonly string[] {
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** A side as the router would write it: the exchange's own sizes, prices with four decimals. */
function routed(side: Side): Record<string, number> {
  return Object.fromEntries(
    [...side].map(([ticks, contracts]) => [(ticks / 10_000).toFixed(4), contracts]),
  );
}

function frameOf({ yes, no }: Book): object {
  return {
    channel: 'orderbook',
    type: 'orderbook',
    market_ticker: TICKER,
    yes_bids: routed(yes),
    no_bids: routed(no),
  };
}

/** What the adapter is to make of a book, best first, to the hundredth of a contract. */
function expected({ yes, no }: Book): unknown {
  const exact = (side: Side) =>
    [...side]
      .map(([ticks, contracts]) => [ticks, Math.round(contracts * 100) * 10_000] as const)
      .filter(([, size]) => size > 0)
      .toSorted(([one], [other]) => other - one);
  return { bids: exact(yes), asks: exact(no).map(([ticks, size]) => [10_000 - ticks, size]) };
}

async function begin() {
  const wire = aWire({
    [`/api/v1/market/by-mint/${YES}`]: aWireMarket(),
    [`/api/v1/orderbook/${TICKER}`]: { yes_bids: {}, no_bids: {} },
  });
  const { openSocket } = wire.transport;
  const source = createBookSource({ ...wire, url: 'ws://metadata', apiKey: null, openSocket });
  const watch = source.watch([asId(YES), asId(NO)], {
    next: () => undefined,
    error: (cause) => expect.unreachable(String(cause)),
  });
  await wire.clock.settle();
  const [socket] = wire.sockets;
  if (socket === undefined) return expect.unreachable();
  const shown = (token: string) => {
    const book = watch.book(asId(token));
    const levels = (side: readonly { readonly price: number; readonly size: number }[] = []) =>
      side.map(({ price, size }) => [price, size]);
    const view = book?.view();
    return { fault: book?.fault, bids: levels(view?.bids), asks: levels(view?.asks) };
  };
  return { ...wire, socket, shown };
}

describe('books the exchange has shown, in the words of the router', () => {
  it.runIf(samples !== null)('are read level by level, 2,940 of them', async () => {
    const { socket, shown } = await begin();
    const side = (levels: readonly (readonly [number, number])[]): Side =>
      new Map(levels.map(([price, size]) => [Math.round(price * 10_000), size]));
    let read = 0;
    for (const line of lines(samples ?? '')) {
      const sample = JSON.parse(line) as { yes: [number, number][]; no: [number, number][] };
      const book = { yes: side(sample.yes), no: side(sample.no) };
      socket.say(frameOf(book));
      expect(shown(YES)).toEqual({ fault: null, ...Object(expected(book)) });
      expect(shown(NO)).toMatchObject(Object(expected({ yes: book.no, no: book.yes })));
      read += 1;
    }
    expect(read).toBeGreaterThan(2_900);
  });

  it.runIf(stream !== null)(
    'are followed change by change, as fast as they were sent',
    async () => {
      const { socket, shown, metrics } = await begin();
      const book: Book = { yes: new Map(), no: new Map() };
      const ticksOf = (text: string) => Math.round(Number(text) * 10_000);
      let changes = 0;
      for (const line of lines(stream ?? '').slice(0, MESSAGES)) {
        const { event } = JSON.parse(line) as {
          event: { type: string; msg: Record<string, unknown> };
        };
        if (event.type === 'orderbook_snapshot') {
          const all = (levels: unknown) => (levels ?? []) as readonly (readonly [string, string])[];
          for (const [side, levels] of [
            [book.yes, all(event.msg['yes_dollars_fp'])],
            [book.no, all(event.msg['no_dollars_fp'])],
          ] as const) {
            side.clear();
            for (const [price, count] of levels) side.set(ticksOf(price), Number(count));
          }
        } else if (event.type === 'orderbook_delta') {
          const { price_dollars: price, delta_fp: delta, side: name } = event.msg;
          const side = name === 'yes' ? book.yes : book.no;
          const ticks = ticksOf(String(price));
          const left = Math.round(((side.get(ticks) ?? 0) + Number(delta)) * 100) / 100;
          if (left > 0) side.set(ticks, left);
          else side.delete(ticks);
        } else continue;
        changes += 1;
        socket.say(frameOf(book));
        if (changes % 50 === 0)
          expect(shown(YES)).toEqual({ fault: null, ...Object(expected(book)) });
      }
      expect(changes).toBeGreaterThan(MESSAGES / 2);
      expect(await metrics.renderMetrics()).not.toMatch(/venue_dropped_total\{venue="venue_b"/);
    },
  );

  it.runIf(record !== null)('are of markets that read as they were recorded', async () => {
    const { response } = JSON.parse(readFileSync(record ?? '', 'utf8')) as {
      response: { markets: readonly Record<string, unknown>[] };
    };
    const [recorded = {}] = response.markets;
    const seconds = (name: string) => Date.parse(String(recorded[name])) / 1_000;
    const { listing } = aWire({
      [`/api/v1/market/${String(recorded['ticker'])}`]: aWireMarket({
        ticker: recorded['ticker'],
        eventTicker: recorded['event_ticker'],
        marketType: recorded['market_type'],
        title: recorded['title'] ?? '',
        yesSubTitle: recorded['yes_sub_title'],
        noSubTitle: recorded['no_sub_title'],
        openTime: seconds('open_time'),
        closeTime: seconds('close_time'),
        expirationTime: seconds('expiration_time'),
        status: recorded['status'],
        result: recorded['result'],
        volume: Math.floor(Number(recorded['volume_fp'])),
        rulesPrimary: recorded['rules_primary'],
        rulesSecondary: recorded['rules_secondary'],
        yesBid: recorded['yes_bid_dollars'],
        yesAsk: recorded['yes_ask_dollars'],
        noBid: recorded['no_bid_dollars'],
        noAsk: recorded['no_ask_dollars'],
      }),
    });
    const market = await listing.market(String(recorded['ticker']));
    expect(market?.market).toMatchObject({
      marketId: recorded['ticker'],
      closed: true,
      endsAtMs: Date.parse(String(recorded['close_time'])),
    });
  });
});
