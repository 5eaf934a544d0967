import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { assert } from '../../src/domain/errors.ts';
import { asId } from '../../src/domain/ids.ts';
import { formatDecimal } from '../../src/domain/units.ts';
import type { Listener } from '../../src/ports/listener.ts';
import type { BookWatch } from '../../src/ports/venue-books.ts';
import { createBookSource } from '../../src/venues/venue-b/books.ts';
import { aWire, aWireMarket, NO, TICKER, YES } from '../venues/venue-b/wire.ts';
import { timeBatches } from './measure.ts';
import { bookRows } from './pool-venue.ts';
import type { Row } from './row.ts';

const LEVELS = 49;
const FRAMES = 4_000;
const BATCHES = 25;

/**
 * One frame of venue_b, a whole book of two sides, into the two books that are traded by, beside
 * what reading the same bytes costs alone and into plain maps; and one of venue_c beside ccxt.
 */
export async function run(): Promise<readonly Row[]> {
  const frames = makeFrames();
  const ours = timeBatches(await oursOver(frames), BATCHES);
  const peers = [
    { name: 'JSON.parse alone', figure: timeBatches(() => countParsed(frames), BATCHES) },
    {
      name: 'JSON.parse and a plain map a side',
      figure: timeBatches(() => countMapped(frames), BATCHES),
    },
  ];
  const rows = peers.map(
    (peer): Row => ({
      work: `whole book of venue_b (two sides of ${LEVELS} levels) to two trusted books`,
      ours,
      peer,
      unit: 'µs',
      bar: null,
    }),
  );
  return [...rows, ...(await bookRows())];
}

async function oursOver(frames: readonly Buffer[]): Promise<() => number> {
  const { watch, next } = await openWatch();
  let reported = 0;
  for (const frame of frames) next(frame);
  const books = [YES, NO].map((token) => watch.book(asId(token)));
  return () => {
    for (const frame of frames) {
      next(frame);
      reported += 1;
    }
    assert(
      reported > 0 && books.every((book) => book !== null && book.fault === null),
      'both books are trusted at the end of a round',
    );
    return frames.length;
  };
}

/** The adapter's own book source, before a venue in this process. */
async function openWatch(): Promise<{
  readonly watch: BookWatch;
  next(frame: Buffer): void;
}> {
  const wire = aWire({
    [`/api/v1/market/by-mint/${YES}`]: aWireMarket(),
    [`/api/v1/orderbook/${TICKER}`]: { yes_bids: {}, no_bids: {}, sequence: 1 },
  });
  const heard: Listener<Buffer>[] = [];
  const source = createBookSource({
    ...wire,
    url: 'ws://metadata',
    apiKey: null,
    openSocket({ opened }, listener) {
      heard.push(listener);
      const handle = { send: () => true, close: () => undefined };
      queueMicrotask(() => opened?.(handle));
      return handle;
    },
  });
  const watch = source.watch([asId(YES), asId(NO)], {
    next: () => undefined,
    error: (cause) => assert(false, `the watch goes on: ${String(cause)}`),
  });
  await wire.clock.settle();
  const [socket] = heard;
  assert(socket !== undefined, 'the source has opened its socket');
  return { watch, next: (frame) => socket.next(frame) };
}

interface Parsed {
  readonly yes_bids: Readonly<Record<string, number>>;
  readonly no_bids: Readonly<Record<string, number>>;
}

function countParsed(frames: readonly Buffer[]): number {
  let objects = 0;
  for (const frame of frames)
    if (typeof JSON.parse(frame.toString('utf8')) === 'object') objects += 1;
  return objects;
}

/** What a script does that trusts its venue: prices as they are written, and no asks. */
function countMapped(frames: readonly Buffer[]): number {
  let levels = 0;
  for (const frame of frames) {
    // made below
    const { yes_bids: yes, no_bids: no } = JSON.parse(frame.toString('utf8')) as Parsed;
    levels += new Map(Object.entries(yes)).size + new Map(Object.entries(no)).size;
  }
  assert(levels > 0, 'the frames hold levels');
  return frames.length;
}

/** Whole books of a seeded walk: one size changes from frame to frame. */
function makeFrames(): readonly Buffer[] {
  const random = createSeededRandom('bench contract frames');
  const sides = [0, 1].map(
    () => new Map(Array.from({ length: LEVELS }, (_, index) => [index + 1, 1_000 + index])),
  );
  const written = (side: ReadonlyMap<number, number> | undefined) =>
    Object.fromEntries(
      [...(side ?? [])].map(([cents, size]) => [formatDecimal(cents * 100, 4), size]),
    );
  return Array.from({ length: FRAMES }, () => {
    sides[random.integer(2)]?.set(1 + random.integer(LEVELS), 1 + random.integer(50_000));
    return Buffer.from(
      JSON.stringify({
        channel: 'orderbook',
        type: 'orderbook',
        market_ticker: TICKER,
        yes_bids: written(sides[0]),
        no_bids: written(sides[1]),
      }),
    );
  });
}
