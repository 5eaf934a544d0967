import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readAssets, readDeposit, readStatus } from '../../src/adapters/bridge/parse.ts';
import { assetsSchema, depositSchema, statusSchema } from '../../src/adapters/bridge/schema.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { readEvents, readReceipt } from '../../src/adapters/evm/parse.ts';
import { createSymbolPrices } from '../../src/adapters/exchange/mid-price.ts';
import { aggregateTrade, bookTicker } from '../../src/adapters/exchange/schema.ts';
import { parseInference } from '../../src/adapters/inference/parse.ts';
import { inferenceAnswer } from '../../src/adapters/inference/schema.ts';
import { decodeReport } from '../../src/adapters/oracle/report.ts';
import { wireReportEnvelope } from '../../src/adapters/oracle/schema.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { relayOutcome, relayWord } from '../../src/adapters/safe-relayer/parse.ts';
import { createAccounts } from '../../src/venues/venue-a/accounts.ts';
import { createBookSource } from '../../src/venues/venue-a/books.ts';
import { createVenueClient, jsonOf } from '../../src/venues/venue-a/client.ts';
import { createDirectory } from '../../src/venues/venue-a/directory.ts';
import { createMarketFrames } from '../../src/venues/venue-a/market-data/market-frames.ts';
import { createOrderGateway } from '../../src/venues/venue-a/order-gateway.ts';
import { createPriceSocket } from '../../src/venues/venue-a/market-data/price-socket.ts';
import { createMarketScan } from '../../src/venues/venue-a/scan.ts';
import { createUserSocket } from '../../src/venues/venue-a/user-socket.ts';
import { cancelOutcome, submitOutcome } from '../../src/venues/venue-a/orders/write-outcomes.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import type { SocketOptions } from '../../src/adapters/wire/socket-frames.ts';
import { BookFold } from '../../src/domain/book-fold.ts';
import { AppError } from '../../src/domain/errors.ts';
import {
  asId,
  type Address,
  type MarketId,
  type OrderId,
  type TokenId,
  type UserId,
} from '../../src/domain/ids.ts';
import type { Listener } from '../../src/ports/listener.ts';
import type { Hex } from '../../src/ports/evm.ts';
import { cannedHosts } from '../support/fakes/canned-hosts.ts';
import { vaultWith } from '../support/known-keys.ts';
import { mutationsOf, unsoundIn } from '../support/mutations.ts';
import { memoryRecordStore, silentMetrics } from '../support/fixtures/wire-venue.ts';
import { OTHER_KEY } from '../conformance/venue-a-fixture.ts';
import { aReport } from './oracle/report-builder.ts';
import { anAttempt } from '../support/attempts.ts';
import type { OrderHandle } from '../../src/domain/order.ts';

/** Wrong answers to each question. */
const EACH = 250;
const NOW_MS = 1_782_287_450_000;
const USER = asId<UserId>('usr_ada');
const FUNDER = asId<Address>('0xAA00000000000000000000000000000000000001');
const ORDER = asId<OrderId>(`0x${'ab'.repeat(32)}`);
const HASH: Hex = `0x${'cd'.repeat(32)}`;
const FEED = `0x0003${'12'.repeat(30)}`;
/** Figures for people, of which no money is made. */
const APART = new Set([
  'volumeUsd',
  'liquidityUsd',
  'atMs',
  'resolvedAtMs',
  'endsAtMs',
  'startsAtMs',
  'matchedAtMs',
  'sourceAtMs',
]);

const recorded = (name: string): unknown =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../fixtures/venue-a/${name}`, import.meta.url)), 'utf8'),
  );
const answered = (text: string) =>
  ({ kind: 'answered', status: 200, text, retryAfterMs: null }) as const;
const page = (row: unknown) => ({ limit: 100, count: 1, next_cursor: 'LTE=', data: [row] });
const keccak = await loadKeccak();
const vault = await vaultWith(keccak, USER, OTHER_KEY);
const account = {
  address: FUNDER,
  credentials: { key: 'key-me', secret: 'c2VjcmV0', passphrase: 'open' },
};

/**
 * The parts of the venue's adapter over an answer to paths that begin with one, and right answers
 * to others.
 */
function venueOver(text: string, path: string, right: Readonly<Record<string, unknown>> = {}) {
  const clock = createVirtualClock(NOW_MS);
  const client = createVenueClient({
    urls: { clobRest: 'canned:', gamma: 'canned:', dataApi: 'canned:', site: 'canned:' },
    hosts: cannedHosts((asked) =>
      asked.startsWith(path)
        ? text
        : Object.entries(right).find(([known]) => asked.startsWith(known))?.[1],
    ),
    clock,
    metrics: silentMetrics,
  });
  const accounts = {
    ...createAccounts({
      client,
      vault,
      keccak,
      clock,
      chainId: 137,
      signatureType: 2,
      records: memoryRecordStore(),
      funderOf: () => FUNDER,
    }),
    accountOf: async () => account,
  };
  return {
    accounts,
    orders: createOrderGateway({
      client,
      accounts,
      metrics: silentMetrics,
      watch: () => () => undefined,
      funderOf: () => FUNDER,
    }),
    directory: createDirectory({ client, clock }),
    scan: createMarketScan({ client, metrics: silentMetrics }),
    books: createBookSource({ url: 'canned:', clock, metrics: silentMetrics, client }),
  };
}

/** Gives a socket one frame and collects what its reader gets. */
async function heardOf(
  frame: string,
  watch: (
    open: (
      options: SocketOptions,
      listener: Listener<Buffer>,
    ) => { send(text: string): boolean; close(): void },
    listener: Listener<unknown>,
  ) => unknown,
): Promise<readonly unknown[]> {
  const reported: unknown[] = [];
  watch(
    (_options, listener) => {
      queueMicrotask(() => listener.next(Buffer.from(frame)));
      return { send: () => true, close: () => undefined };
    },
    { next: (event) => void reported.push(event), error: (cause) => void reported.push(cause) },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return reported;
}

const book = recorded('clob-book.json') as { readonly asset_id: string };
const TOKEN = asId<TokenId>(book.asset_id);
const trade = {
  event_type: 'trade',
  id: 'f50e8ab2',
  taker_order_id: '0xt',
  market: HASH,
  asset_id: TOKEN,
  side: 'BUY',
  size: '25',
  price: '0.49',
  status: 'TRADE_STATUS_MATCHED',
  match_time: '1782287445',
  owner: 'key-me',
  maker_address: FUNDER,
  transaction_hash: '',
  trader_side: 'TAKER',
  maker_orders: [
    {
      order_id: '0xm1',
      owner: 'other',
      maker_address: '0xbb',
      matched_amount: '10',
      price: '0.47',
      asset_id: TOKEN,
      side: 'SELL',
    },
    {
      order_id: '0xm2',
      owner: 'key-me',
      maker_address: FUNDER,
      matched_amount: '15',
      price: '0.5',
      asset_id: '12',
      side: 'BUY',
    },
  ],
};
const order = {
  event_type: 'order',
  type: 'UPDATE',
  id: ORDER,
  status: 'LIVE',
  size_matched: '2.5',
  original_size: '10',
  price: '0.47',
  side: 'BUY',
  asset_id: TOKEN,
};
const [event] = [recorded('gamma-event-updown.json')].flat() as readonly {
  readonly markets: readonly { readonly conditionId: string }[];
}[];
const [market] = event?.markets ?? [];
const MARKET = asId<MarketId>(market?.conditionId ?? '');
const closed = {
  ...market,
  closed: true,
  outcomePrices: '["1", "0"]',
  closedTime: '2026-06-24 08:00:00+00',
};
const [compact] = recorded('clob-compact-markets.json') as readonly unknown[];
const changes = {
  event_type: 'price_change',
  market: HASH,
  timestamp: String(NOW_MS),
  price_changes: [
    { asset_id: TOKEN, price: '0.49', size: '85', side: 'BUY', best_bid: '0.49', best_ask: '0.51' },
  ],
};
const logged = {
  address: FUNDER,
  topics: [HASH],
  data: `0x${'00'.repeat(32)}`,
  blockNumber: '0x64',
  transactionHash: HASH,
  logIndex: '0x2',
  removed: false,
};

const HANDLE = {
  intent: { userId: USER },
  attempt: anAttempt(ORDER),
} as OrderHandle; // all that a lookup reads

type Reader = (text: string) => unknown;
const QUESTIONS: readonly (readonly [string, unknown, Reader])[] = [
  [
    'trades of a user',
    page(trade),
    (text) => venueOver(text, '/data/trades').orders.fills(USER, 0),
  ],
  [
    'resting orders of a user',
    page(order),
    (text) => venueOver(text, '/data/orders').orders.openOrders(USER),
  ],
  ['an order by id', order, (text) => venueOver(text, '/data/order').orders.lookup(HANDLE)],
  [
    'a submission',
    {
      success: true,
      errorMsg: '',
      orderID: ORDER,
      status: 'live',
      makingAmount: '',
      takingAmount: '',
    },
    (text) => submitOutcome(ORDER, answered(text)),
  ],
  [
    'a cancel',
    { canceled: [ORDER], not_canceled: {} },
    (text) => cancelOutcome(ORDER, answered(text)),
  ],
  [
    'deposits',
    [{ type: 'DEPOSIT', timestamp: 1_782_287_440, usdcSize: 12.36, transactionHash: HASH }],
    (text) => venueOver(text, '/activity').accounts.deposits(USER, 0),
  ],
  [
    'collateral',
    { balance: '1500000', allowances: {} },
    (text) =>
      venueOver(text, '/balance-allowance', {
        '/auth/api-key': { apiKey: 'key-me', secret: 'c2VjcmV0', passphrase: 'open' },
      }).accounts.collateral(USER),
  ],
  [
    'the event of a round',
    { ...event, markets: [{ ...market, slug: 'btc-updown-5m-1782287400' }] },
    (text) =>
      venueOver(text, '/events/slug', { '/clob-markets': compact }).directory.round(
        'BTC',
        5,
        1_782_287_400_000,
      ),
  ],
  [
    'a market by its listing',
    { markets: [market] },
    (text) =>
      venueOver(text, '/markets/keyset', { '/clob-markets': compact }).directory.market(MARKET),
  ],
  [
    'a compact market',
    compact,
    (text) =>
      venueOver(text, '/clob-markets', {
        '/markets/keyset': { markets: [market] },
      }).directory.market(MARKET),
  ],
  [
    'a page of events',
    { events: [event] },
    (text) => venueOver(text, '/events/keyset').directory.events({ limit: 5, cursor: null }),
  ],
  [
    'a page of a scan',
    { markets: [market] },
    (text) =>
      venueOver(text, '/markets/keyset').scan.page({
        volumeAtLeastUsd: 1,
        liquidityAtLeastUsd: 1,
        endsAfterMs: 0,
        endsBeforeMs: null,
        cursor: null,
      }),
  ],
  [
    'how a market ended',
    { markets: [closed] },
    (text) => venueOver(text, '/markets/keyset').directory.resolution(MARKET),
  ],
  [
    'public trades',
    recorded('data-trades.json'),
    (text) => venueOver(text, '/trades').directory.whaleTrades(1, 10),
  ],
  ['a fetched book', book, (text) => venueOver(text, '/book').books.snapshot(TOKEN)],
  [
    'frames of books',
    [{ ...book, event_type: 'book' }, changes],
    (text) => {
      const fold = new BookFold(TOKEN);
      const reported: unknown[] = [];
      createMarketFrames([fold], {
        changed: (change) => void reported.push(change.kind === 'book' ? null : change),
        dropped: () => undefined,
      }).take(Buffer.from(text), NOW_MS);
      return [reported, fold.view()];
    },
  ],
  [
    'frames of a user',
    [trade, order],
    (text) =>
      heardOf(text, (open, listener) =>
        createUserSocket({
          url: 'canned:',
          clock: createVirtualClock(NOW_MS),
          metrics: silentMetrics,
          accounts: venueOver('', '/nothing').accounts,
          funderOf: () => FUNDER,
          open,
        })(USER, listener),
      ),
  ],
  [
    'frames of prices',
    {
      topic: 'crypto_prices_chainlink',
      type: 'update',
      payload: {
        symbol: 'btc/usd',
        timestamp: NOW_MS,
        value: 60_000.5,
        full_accuracy_value: '60000500000000000000000',
      },
    },
    (text) =>
      heardOf(text, (open, listener) =>
        createPriceSocket({
          url: 'canned:',
          clock: createVirtualClock(NOW_MS),
          metrics: silentMetrics,
          open,
        }).watch(['BTC'], listener),
      ),
  ],
  [
    'a report of the oracle',
    { report: aReport({ feedId: FEED, atSeconds: 1_782_287_440, price: 10n ** 20n }) },
    (text) => {
      const read = wireReportEnvelope.safeParse(jsonOf(text));
      return read.success ? decodeReport(read.data.report) : null;
    },
  ],
  [
    'a quote of the exchange',
    { u: 400, s: 'BTCUSDT', b: '60000.10', a: '60000.20' },
    (text) => {
      const read = bookTicker.safeParse(jsonOf(text));
      return read.success
        ? createSymbolPrices(1_000).quote(read.data.u, read.data.b, read.data.a, NOW_MS)
        : null;
    },
  ],
  [
    'a trade of the exchange',
    { e: 'aggTrade', E: NOW_MS, s: 'BTCUSDT', a: 7, p: '60000.10' },
    (text) => {
      const read = aggregateTrade.safeParse(jsonOf(text));
      const prices = createSymbolPrices(1_000);
      return read.success
        ? [prices.trade(read.data.a, read.data.p, read.data.E, NOW_MS), prices.lagMs(NOW_MS)]
        : null;
    },
  ],
  [
    'a prediction',
    {
      status: true,
      data: {
        inference_data: {
          network_inference_normalized: '60000.5',
          confidence_interval_percentiles_normalized: ['2.28', '15.87', '50', '84.13', '97.72'],
          confidence_interval_values_normalized: ['1', '2', '3', '4', '5'],
          topic_id: '14',
          timestamp: 1_782_287_440,
        },
      },
    },
    (text) => {
      const read = inferenceAnswer.safeParse(jsonOf(text));
      return read.success ? parseInference(read.data.data.inference_data, 14) : null;
    },
  ],
  [
    'assets of the bridge',
    {
      supportedAssets: [
        {
          chainId: '1',
          chainName: 'Ethereum',
          token: { name: 'USD Coin', symbol: 'USDC', address: FUNDER, decimals: 6 },
          minCheckoutUsd: 7,
        },
      ],
    },
    (text) => {
      const read = assetsSchema.safeParse(jsonOf(text));
      return read.success ? readAssets(read.data) : null;
    },
  ],
  [
    'addresses of the bridge',
    {
      address: {
        evm: FUNDER,
        svm: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
        btc: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
        tvm: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      },
    },
    (text) => {
      const read = depositSchema.safeParse(jsonOf(text));
      return read.success ? readDeposit(read.data) : null;
    },
  ],
  [
    'transfers of the bridge',
    {
      transactions: [
        {
          fromChainId: '1',
          fromTokenAddress: FUNDER,
          fromAmountBaseUnit: '7000000',
          status: 'COMPLETED',
          txHash: HASH,
          createdTimeMs: NOW_MS,
        },
      ],
    },
    (text) => {
      const read = statusSchema.safeParse(jsonOf(text));
      return read.success ? readStatus(read.data) : null;
    },
  ],
  [
    'a receipt of a chain',
    { transactionHash: HASH, status: '0x1', blockNumber: '0x64', blockHash: HASH, logs: [logged] },
    (text) => readReceipt(jsonOf(text), { asked: HASH, newest: 200 }),
  ],
  [
    'events of a chain',
    [logged, { ...logged, logIndex: '0x3' }],
    (text) => readEvents(jsonOf(text)),
  ],
  [
    'an answer of the relayer',
    { transactionID: 'r-1', state: 'STATE_NEW', transactionHash: '' },
    (text) => relayOutcome(answered(text)),
  ],
  [
    'a status of the relayer',
    [{ transactionID: 'r-1', state: 'STATE_CONFIRMED', transactionHash: HASH }],
    (text) => relayWord('r-1', answered(text)),
  ],
];

describe('a wrong answer', () => {
  it.each(QUESTIONS)(
    'to the question for %s is refused by a reason, or is read as what it says',
    async (name, answer, read) => {
      const faults: string[] = [];
      for (const { what, text } of mutationsOf(createSeededRandom(`${name} ci`), answer, EACH)) {
        try {
          const fault = unsoundIn(await read(text), APART);
          if (fault !== null) faults.push(`${what}: ${fault}`);
        } catch (error) {
          if (!(error instanceof AppError) || error.code === 'internal')
            faults.push(`${what}: threw ${String(error)}`);
        }
      }
      expect([...new Set(faults)]).toEqual([]);
    },
  );

  it.each(QUESTIONS)(
    'to the question for %s differs from the right one, which is read',
    async (_name, answer, read) => {
      const found = await read(JSON.stringify(answer));
      expect([null, 'unreadable']).not.toContain(found);
      expect(found).not.toMatchObject({
        kind: expect.stringMatching(/^(unknown|unreachable|dropped)$/),
      });
      expect(unsoundIn(found, APART)).toBeNull();
    },
  );
});
