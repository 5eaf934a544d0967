import { createMarketFrames } from '../../src/venues/venue-a/market-data/market-frames.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { BookFold } from '../../src/domain/book-fold.ts';
import { assert } from '../../src/domain/errors.ts';
import { asId } from '../../src/domain/ids.ts';
import { formatDecimal } from '../../src/domain/units.ts';
import { timeBatches } from './measure.ts';
import { loadPeer } from './peer.ts';
import type { Row } from './row.ts';

const MARKET = `0x${'5f'.repeat(32)}`;
const UP = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
const DOWN = '52114319501245915516055106046884209969926127482827954674443846427813813222426';
const HASH = 'bf32b3746fff40c76c98021b7f3f07261169dd26';
const FRAMES = 4_000;
const BATCHES = 25;
/** A frame is read, folded and checked in no more than the time others take to parse it. */
const TIMES_PARSING = 1;
const TIMES_OTHERS = 0.5;

/**
 * One `price_change` frame into books that are checked against the venue's best prices, beside what
 * others make of the same bytes.
 */
export async function run(): Promise<readonly Row[]> {
  const { snapshot, frames } = makeFrames();
  const ours = timeBatches(oursOver(snapshot, frames), BATCHES);
  const peers = [
    {
      name: 'JSON.parse alone',
      figure: timeBatches(() => countParsed(frames), BATCHES),
      timesPeer: TIMES_PARSING,
    },
    ...timePeer('ccxt 4.5.84', ccxtOver(snapshot, frames)),
    ...timePeer('pmxt-core 2.41.0', pmxtOver(snapshot, frames)),
  ];
  return peers.map(
    ({ timesPeer, ...peer }): Row => ({
      work: 'price_change frame (two changes, 600 bytes) to trusted book',
      ours,
      peer,
      unit: 'µs',
      bar: { timesPeer },
    }),
  );
}

function timePeer(
  name: string,
  batch: (() => number) | null,
): readonly { readonly name: string; readonly figure: number; readonly timesPeer: number }[] {
  return batch === null
    ? []
    : [{ name, figure: timeBatches(batch, BATCHES), timesPeer: TIMES_OTHERS }];
}

function oursOver(snapshot: Buffer, frames: readonly Buffer[]): () => number {
  const books = [UP, DOWN].map((token) => new BookFold(asId(token)));
  let reported = 0;
  const reader = createMarketFrames(books, {
    changed: () => {
      reported += 1;
    },
    dropped: (reason) => assert(false, `our reader drops nothing: ${reason}`),
  });
  return () => {
    // The first frame of each round follows the last one of the round before: the frames begin with
    // a whole book.
    reader.take(snapshot, 1);
    for (const frame of frames) reader.take(frame, 1);
    assert(
      books.every((book) => book.fault === null) && reported > 0,
      'our books are trusted at the end of a round',
    );
    return frames.length;
  };
}

function countParsed(frames: readonly Buffer[]): number {
  let objects = 0;
  for (const frame of frames)
    if (typeof JSON.parse(frame.toString('utf8')) === 'object') objects += 1;
  return objects;
}

type Handler = (client: { resolve(): void }, message: unknown) => void;

/**
 * What is used of ccxt's venue class: its own handler of socket messages, and its table of outcome
 * names.
 */
interface CcxtVenue {
  outcomes_by_id: Readonly<Record<string, { readonly outcome: string }>>;
  readonly orderbooks: Readonly<Record<string, { readonly bids: readonly (readonly number[])[] }>>;
  readonly handleMessage: Handler;
}

/**
 * ccxt as its socket client runs it: JSON, then the venue's handler. It does not check the stated
 * best prices.
 */
function ccxtOver(snapshot: Buffer, frames: readonly Buffer[]): (() => number) | null {
  // The pinned version exports exactly this.
  const ccxt = loadPeer('ccxt') as { prediction: { polymarket: new () => CcxtVenue } } | null;
  if (ccxt === null) return null;
  const venue = new ccxt.prediction.polymarket();
  venue.outcomes_by_id = { [UP]: { outcome: 'UP' }, [DOWN]: { outcome: 'DOWN' } };
  const client = { resolve: () => undefined };
  return () => {
    venue.handleMessage(client, JSON.parse(snapshot.toString('utf8')));
    for (const frame of frames) venue.handleMessage(client, JSON.parse(frame.toString('utf8')));
    assert((venue.orderbooks['UP']?.bids.length ?? 0) > 1, 'ccxt has folded the frames');
    return frames.length;
  };
}

interface PmxtEvent {
  readonly event_type: string;
}

/** What is used of pmxt's socket class: the handlers its subscription calls. */
interface PmxtSocket {
  readonly orderBooks: ReadonlyMap<string, { readonly bids: readonly unknown[] }>;
  handleBookSnapshot(event: PmxtEvent): void;
  handlePriceChange(event: PmxtEvent): void;
}

/** pmxt's handlers over parsed frames. It does not check the stated best prices either. */
function pmxtOver(snapshot: Buffer, frames: readonly Buffer[]): (() => number) | null {
  const pmxt = loadPeer('pmxt-core/dist/exchanges/polymarket/websocket.js') as {
    PolymarketWebSocket: new (callApi: () => void) => PmxtSocket;
  } | null; // As in the pinned version.
  if (pmxt === null) return null;
  const socket = new pmxt.PolymarketWebSocket(() => undefined);
  return () => {
    for (const book of JSON.parse(snapshot.toString('utf8')) as PmxtEvent[])
      socket.handleBookSnapshot(book); // Made below.
    for (const frame of frames)
      socket.handlePriceChange(JSON.parse(frame.toString('utf8')) as PmxtEvent); // Made below.
    assert((socket.orderBooks.get(UP)?.bids.length ?? 0) > 1, 'pmxt has folded the frames');
    return frames.length;
  };
}

/**
 * A whole book of 49 levels a side and the frames of a seeded walk from there: one level changes,
 * and its mirror with it.
 */
function makeFrames(): { readonly snapshot: Buffer; readonly frames: readonly Buffer[] } {
  const random = createSeededRandom('bench frames');
  const bids = new Map(Array.from({ length: 49 }, (_, index) => [index + 1, 1_000 + index]));
  const asks = new Map(Array.from({ length: 49 }, (_, index) => [99 - index, 1_000 + index]));
  const cents = (value: number): string => formatDecimal(value, 2);
  const row = ([price, size]: readonly [number, number]) => ({
    price: cents(price),
    size: cents(size),
  });
  const book = (
    token: string,
    rising: readonly (readonly [number, number])[],
    falling: readonly (readonly [number, number])[],
  ) => ({
    event_type: 'book',
    market: MARKET,
    asset_id: token,
    timestamp: '1760000000000',
    hash: HASH,
    bids: rising.map(row),
    asks: falling.map(row),
  });
  const mirror = (side: Map<number, number>) =>
    [...side].map(([price, size]) => [100 - price, size] as const);
  const snapshot = Buffer.from(
    JSON.stringify([book(UP, [...bids], [...asks]), book(DOWN, mirror(asks), mirror(bids))]),
  );
  const frames = Array.from({ length: FRAMES }, (_, index) => {
    const isBid = random.integer(2) === 0;
    const [side, other] = isBid ? [bids, asks] : [asks, bids];
    const [bestBid, bestAsk] = [Math.max(...bids.keys()), Math.min(...asks.keys())];
    // Most changes are near the best prices, as in the recorded books.
    const distance = random.integer(random.integer(4) === 0 ? 40 : 6);
    const price = isBid
      ? Math.max(1, bestAsk - 1 - distance)
      : Math.min(99, bestBid + 1 + distance);
    const size =
      side.size > 5 && side.has(price) && random.integer(3) === 0
        ? 0
        : 100 + random.integer(500_000);
    if (size === 0) side.delete(price);
    else side.set(price, size);
    assert(other.size > 0, 'no side of the walk runs empty');
    const top = { bid: Math.max(...bids.keys()), ask: Math.min(...asks.keys()) };
    const change = (token: string, at: number, word: string, best: typeof top) => ({
      asset_id: token,
      price: cents(at),
      size: cents(size),
      side: word,
      hash: HASH,
      best_bid: cents(best.bid),
      best_ask: cents(best.ask),
    });
    return Buffer.from(
      JSON.stringify({
        market: MARKET,
        price_changes: [
          change(UP, price, isBid ? 'BUY' : 'SELL', top),
          change(DOWN, 100 - price, isBid ? 'SELL' : 'BUY', {
            bid: 100 - top.ask,
            ask: 100 - top.bid,
          }),
        ],
        timestamp: String(1_760_000_001_000 + index),
        event_type: 'price_change',
      }),
    );
  });
  return { snapshot, frames };
}
