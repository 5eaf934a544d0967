import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { assert } from '../../src/domain/errors.ts';
import { asId } from '../../src/domain/ids.ts';
import { createBookSource } from '../../src/venues/venue-c/books.ts';
import { venueCRules } from '../../src/venues/venue-c/order-book/rules.ts';
import { createOrderDigest } from '../../src/venues/venue-c/order-book/digest.ts';
import { createOrderSigner } from '../../src/venues/venue-c/order-book/sign.ts';
import { OrderBuilder, OrderSigner, Side, Wallet } from '../peers/pool-sdk.ts';
import { TEST_ADDRESS, TEST_KEY } from '../conformance/venue-a-fixture.ts';
import { aMarket } from '../support/builders.ts';
import { vaultWith } from '../support/known-keys.ts';
import {
  ADA,
  EXCHANGE,
  PREPARED,
  YES as SIGNED_TOKEN,
  anOrderIntent,
} from '../venues/venue-c/intents.ts';
import { aWire, aWireMarket, NO, SLUG, YES } from '../venues/venue-c/wire.ts';
import { timeEach, type Timing } from './measure.ts';
import { loadPeer } from './peer.ts';
import type { Row } from './row.ts';

const CHAIN_ID = 8_453;
const FEE_BPS = 300;
const LEVELS = 49;
const FRAMES = 500;
const OFTEN = { rounds: 3_000, warmUp: 500 };
/** What a user of the published client would gain at least. */
const TIMES_CLIENT = 0.15;
/** Two books are made in no more than the time it takes for one of them. */
const TIMES_CCXT = 1;

/** Building and signing one limit order of venue_c, beside the client that the venue publishes. */
export async function signingRows(): Promise<readonly Row[]> {
  const signer = createOrderSigner({
    vault: await vaultWith(await loadKeccak(), ADA, TEST_KEY),
    digestOf: createOrderDigest(await loadKeccak(), CHAIN_ID),
    random: createSeededRandom('salts'),
    accounts: { accountOf: async () => ({ ownerId: 7, feeRateBps: FEE_BPS }) },
    allowances: { ensure: async () => undefined },
  });
  const market = aMarket(1);
  const ours = await timeEach((round) => {
    const terms = venueCRules.terms({
      market,
      side: 'buy',
      amount: { unit: 'shares', micros: 7_500_000 + (round % 100) * 10_000 },
      type: { kind: 'limit', price: anOrderIntent().price },
    });
    return signer.sign(anOrderIntent(terms), { ...PREPARED, salt: 1_000 + round });
  }, OFTEN);
  const builder = new OrderBuilder(TEST_ADDRESS, FEE_BPS);
  const published = new OrderSigner(new Wallet(TEST_KEY));
  const theirs = await timeEach((round) => {
    const size = 7.5 + (round % 100) / 100;
    const order = { tokenId: SIGNED_TOKEN, price: 0.5, size, side: Side.BUY };
    return published.signOrder(builder.buildOrder(order), {
      chainId: CHAIN_ID,
      contractAddress: EXCHANGE,
    });
  }, OFTEN);
  return rowsOf('build + sign one limit order of venue_c', {
    ours,
    peer: { name: '@limitless-exchange/sdk 1.1.0', timing: theirs },
    timesPeer: TIMES_CLIENT,
  });
}

/** A whole book of venue_c as the socket sends it, into both books that are traded by. */
export async function bookRows(): Promise<readonly Row[]> {
  const books = makeBooks();
  const say = await openWatch();
  const frames = books.map(
    (orderbook) =>
      `42/markets,${JSON.stringify(['orderbookUpdate', { marketSlug: SLUG, orderbook, timestamp: '2026-01-01T12:00:00.000Z' }])}`,
  );
  const ours = await timeEach((round) => say(frames[round % FRAMES] ?? ''), OFTEN);
  const read = ccxtOver(books);
  if (read === null) return [];
  return rowsOf(`whole book of venue_c (two sides of ${LEVELS} levels) to two trusted books`, {
    ours,
    peer: { name: 'ccxt 4.5.84, one book, read', timing: await timeEach(read, OFTEN) },
    timesPeer: TIMES_CCXT,
  });
}

function rowsOf(
  work: string,
  {
    ours,
    peer: { name, timing },
    timesPeer,
  }: {
    readonly ours: Timing;
    readonly peer: { readonly name: string; readonly timing: Timing };
    readonly timesPeer: number;
  },
): readonly Row[] {
  return (['p50', 'p99'] as const).map((figure) => ({
    work: `${work}, ${figure}`,
    ours: ours[figure],
    peer: { name, figure: timing[figure] },
    unit: 'µs',
    bar: { timesPeer },
  }));
}

/** The adapter's own book source, before a venue in this process: takes a frame. */
async function openWatch(): Promise<(frame: string) => void> {
  const wire = aWire({
    [`/markets/${SLUG}`]: aWireMarket(),
    [`/markets/${SLUG}/orderbook`]: { bids: [], asks: [], tokenId: YES },
  });
  const source = createBookSource({
    ...wire,
    url: 'ws://venue',
    openSocket: wire.transport.openSocket,
    pools: { read: async () => null, follow: () => () => undefined },
  });
  await wire.listing.market(SLUG);
  const watch = source.watch([asId(YES), asId(NO)], {
    next: () => undefined,
    error: (cause) => assert(false, `the watch goes on: ${String(cause)}`),
  });
  await wire.clock.settle();
  const [socket] = wire.sockets;
  assert(socket !== undefined, 'the source has opened its socket');
  socket.say('0{"sid":"a","pingInterval":25000,"pingTimeout":20000}');
  socket.say('40/markets,{"sid":"b"}');
  await wire.clock.settle();
  return (frame) => {
    socket.say(frame);
    assert(watch.book(asId(NO))?.fault === null, 'both books are trusted');
  };
}

type WireBook = ReturnType<typeof makeBooks>[number];

/** What is used of ccxt's class: how it reads a book, its own call of the venue replaced. */
interface CcxtBooks {
  loadOutcome: () => Promise<void>;
  outcome: () => unknown;
  limitlessPublicGetMarketsSlugOrderbook: () => Promise<unknown>;
  fetchOrderBook(outcome: string): Promise<{ readonly bids: readonly unknown[] }>;
}

function ccxtOver(books: readonly WireBook[]): ((round: number) => Promise<unknown>) | null {
  // The pinned version exports exactly this.
  const ccxt = loadPeer('ccxt') as { prediction: { limitless: new () => CcxtBooks } } | null;
  if (ccxt === null) return null;
  const texts = books.map((book) => JSON.stringify(book));
  const venue = new ccxt.prediction.limitless();
  let next = '';
  venue.loadOutcome = async () => undefined;
  venue.outcome = () => ({ outcome: 'YES', info: { slug: SLUG, outcomeLabel: 'yes' } });
  venue.limitlessPublicGetMarketsSlugOrderbook = async () => JSON.parse(next) as unknown;
  return async (round) => {
    next = texts[round % FRAMES] ?? '';
    const { bids } = await venue.fetchOrderBook('YES');
    assert(bids.length === LEVELS, 'ccxt has read the book');
  };
}

/** Books of a seeded walk: one size changes from one to the next. */
function makeBooks() {
  const random = createSeededRandom('bench pool venue');
  const sides = [0, 1].map(() => Array.from({ length: LEVELS }, (_, index) => 1_000_000 + index));
  const levels = (sizes: readonly number[] | undefined, isBid: boolean) =>
    (sizes ?? []).map((size, index) => ({
      price: (isBid ? 499 - index : 501 + index) / 1_000,
      size,
      side: isBid ? 'BUY' : 'SELL',
    }));
  return Array.from({ length: FRAMES }, () => {
    sides[random.integer(2)]?.splice(random.integer(LEVELS), 1, 1_000 + random.integer(5e7));
    return { bids: levels(sides[0], true), asks: levels(sides[1], false), tokenId: YES };
  });
}
