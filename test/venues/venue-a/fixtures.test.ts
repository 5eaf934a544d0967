import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBook } from '../../../src/venues/venue-a/market-data/book-levels.ts';
import { parseListedEvent } from '../../../src/venues/venue-a/discovery/gamma-listing.ts';
import {
  parseMarket,
  parseResolution,
  withCompact,
} from '../../../src/venues/venue-a/discovery/gamma-parse.ts';
import {
  compactMarketSchema,
  gammaMarketSchema,
} from '../../../src/venues/venue-a/discovery/gamma-schema.ts';
import {
  bookSchema,
  marketEventSchema,
} from '../../../src/venues/venue-a/market-data/market-schema.ts';
import { parseFills, parseOrder } from '../../../src/venues/venue-a/parse.ts';
import {
  activitySchema,
  balanceSchema,
  cancelAnswerSchema,
  orderSchema,
  pageSchema,
  publicTradesSchema,
  tradeSchema,
} from '../../../src/venues/venue-a/schema.ts';
import { submitOutcome } from '../../../src/venues/venue-a/orders/write-outcomes.ts';
import { asId, type OrderId } from '../../../src/domain/ids.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

const own = (name: string): unknown =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../fixtures/venue-a/${name}`, import.meta.url)), 'utf8'),
  );
const shared = sharedData('data/venue_a-fixtures');
const read = (path: string): unknown => {
  const bytes = readFileSync(join(shared ?? '', path));
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
};
const answered = (status: number, body: unknown) =>
  ({ kind: 'answered', status, text: JSON.stringify(body), retryAfterMs: null }) as const;

describe('recorded answers, kept with their credit', () => {
  it('an event of a recurring market becomes an event with its round', () => {
    const [event] = [own('gamma-event-updown.json')].flat().map(parseListedEvent);
    expect(event).toMatchObject({
      eventId: '625005',
      slug: 'hype-updown-5m-1782287400',
      series: { seriesId: '11327', slug: 'hype-up-or-down-5m', title: 'HYPE Up or Down 5m' },
      closed: false,
      startsAtMs: 1_782_287_400_000,
      endsAtMs: 1_782_287_700_000,
    });
    expect(event?.markets[0]?.market).toMatchObject({
      venue: 'venue_a',
      marketId: '0x31efd0e7ebc0f21b99fdc4298d85345c092d6365e41c0d7c34af54b4e814c17e',
      tickSize: 100,
      minSize: 5_000_000,
      own: { negRisk: false },
      fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
      // Recorded before listings stated their version.
      notTradeable: expect.stringContaining('does not say which version'),
      acceptingOrders: false,
      closed: false,
      window: null,
      outcomes: [
        { label: 'Up', tokenId: expect.stringMatching(/^\d{70,78}$/) },
        { label: 'Down', tokenId: expect.stringMatching(/^\d{70,78}$/) },
      ],
    });
  });

  it('a listing keeps what people read of it, and prices with the time of their statement', () => {
    const [event] = [own('gamma-event-updown.json')].flat().map(parseListedEvent);
    expect(event?.tags[0]).toEqual({ slug: 'up-or-down', label: 'Up or Down' });
    expect(event?.markets[0]).toMatchObject({
      eventSlug: 'hype-updown-5m-1782287400',
      series: { seriesId: '11327', slug: 'hype-up-or-down-5m' },
      tags: expect.arrayContaining([{ slug: 'crypto', label: 'Crypto' }]),
      groupTitle: null,
      description: expect.stringMatching(
        /^This market will resolve to "Up" if [^\n]+\nThe resolution source [^\n]+\nPlease note [^\n]+$/,
      ),
      resolutionSource: 'https://data.chain.link/streams/hype-usd',
      imageUrl: 'https://polymarket-upload.s3.us-east-2.amazonaws.com/hyperliquid-16f0eafaeb.png',
      opensAtMs: Date.UTC(2026, 5, 23, 7, 56, 46),
      volume24hUsd: null,
      firstBuyCost: null,
      ending: null,
      prices: {
        bid: 4_900,
        ask: 5_100,
        last: null,
        probabilityE5: 50_000,
        statedAtMs: Date.UTC(2026, 5, 23, 7, 58, 12, 30),
      },
    });
  });

  it('a book becomes levels in ticks and micro-shares', () => {
    const book = readBook(bookSchema.parse(own('clob-book.json')));
    expect(book).toMatchObject({
      dropped: 0,
      snapshot: {
        marketId: '0x31efd0e7ebc0f21b99fdc4298d85345c092d6365e41c0d7c34af54b4e814c17e',
        venueAtMs: 1_782_201_457_021,
      },
    });
    expect(book?.snapshot.bids[0]).toEqual({ price: 100, size: 1_075_000_000 });
  });

  it('compact markets lay tick, size and fees over a listing', () => {
    const [compact] = compactMarketSchema.array().parse(own('clob-compact-markets.json'));
    const [listed] = [own('gamma-event-updown.json')]
      .flat()
      .map(parseListedEvent)
      .flatMap(({ markets }) => markets.map(({ market }) => market));
    expect(
      compact !== undefined && listed !== undefined && withCompact(listed, compact),
    ).toMatchObject({
      tickSize: 10,
      own: { negRisk: true },
      takerDelay: false,
      fee: { rateMicros: 50_000, exponent: 1, takerOnly: true },
    });
  });

  it('public trades and activity parse', () => {
    expect(publicTradesSchema.parse(own('data-trades.json'))[0]).toMatchObject({
      side: 'BUY',
      size: 30,
      price: 0.97,
    });
    expect(activitySchema.parse(own('data-activity.json'))[0]).toMatchObject({
      type: 'TAKER_REBATE',
      usdcSize: 12.3622,
    });
  });
});

describe.runIf(shared !== null)('recorded answers beside the repository', () => {
  const me = {
    key: '3e2c94ca-8124-c4c1-c7ea-be1ea21b71fe',
    address: asId<Parameters<typeof parseFills>[1]['address']>(
      '0xa3D82Ed56F4c68d2328Fb8c29e568Ba2cAF7d7c8',
    ),
  };

  it('a taker trade becomes our fill', () => {
    expect(parseFills(tradeSchema.parse(read('lgpl/ws/user_trade2.json')), me)).toEqual([
      {
        tradeId: 'f50e8ab2-652d-4dc8-9c82-8e46197fe98d',
        orderId: '0x5b605a0e8e40f3402d3cb3bc19edad6733ed23fbc079d2a09ee399c3487ace81',
        marketId: '0xdd22472e552920b8438158ea7238bfadfa4f736aa4cee91a6b86c39ead110917',
        tokenId: '21742633143463906290569050155826241533067272736897614950488156847949938836455',
        side: 'buy',
        role: 'taker',
        legs: [{ shares: 5_000_000, price: 5_200 }],
        word: 'matched',
        matchedAtMs: 1_725_958_681_000,
        transactionHash: '0xa667ef3b363b70731c59e3d4fff50d7bdb3d6b165d49e448032cab68c82e3c66',
        fee: null,
      },
    ]);
  });

  it('maker-entries-of-others: a trade of many makers gives only our entry, at our price', () => {
    expect(parseFills(tradeSchema.parse(read('lgpl/ws/user_trade1.json')), me)).toMatchObject([
      {
        orderId: '0xab679e56242324e15e59cfd488cd0f12e4fd71b153b9bfb57518898b9983145e',
        role: 'maker',
        legs: [{ shares: 5_000_000, price: 5_180 }],
      },
    ]);
  });

  it('every order shape gives a status', () => {
    const folder = join(shared ?? '', 'lgpl/unit');
    const statuses = readdirSync(folder)
      .filter((file) => /^(ws_user_order_|http_open_order)/.test(file) && !file.includes('page'))
      .map((file) => {
        const { status, matchedShares, reason } = parseOrder(
          orderSchema.parse(read(`lgpl/unit/${file}`)),
        );
        return [file, status, matchedShares, reason];
      });
    expect(statuses).toEqual([
      ['http_open_order.json', 'live', 25_000_000, null],
      ['http_open_order_sell_fok.json', 'matched', 50_000_000, null],
      ['ws_user_order_cancellation.json', 'cancelled', 0, null],
      [
        'ws_user_order_fok_killed.json',
        'cancelled',
        0,
        "order couldn't be fully filled. FOK orders are fully filled or killed.",
      ],
      ['ws_user_order_matched.json', 'matched', 100_000_000, null],
      ['ws_user_order_msg.json', 'live', 0, null],
      ['ws_user_order_placement.json', 'live', 0, null],
      ['ws_user_order_update.json', 'live', 25_000_000, null],
      ['ws_user_order_venue_cancel.json', 'cancelled', 0, 'INVALID'],
    ]);
  });

  it('pages, cancels, trades, balances and order answers parse', () => {
    expect(
      pageSchema
        .parse(read('lgpl/unit/http_open_orders_page.json'))
        .data.map((row) => parseOrder(orderSchema.parse(row)).status),
    ).toEqual(['live', 'live']);
    expect(
      cancelAnswerSchema.parse(read('lgpl/unit/http_cancel_response_failed.json')).not_canceled,
    ).toEqual({
      '0xb816482a1234567890abcdef1234567890abcdef1234567890abcdef12345678':
        'already canceled or matched',
    });
    expect(
      parseFills(tradeSchema.parse(read('lgpl/unit/http_trade_report.json')), {
        ...me,
        key: '00000000-0000-0000-0000-000000000001',
      })[0],
    ).toMatchObject({ word: 'confirmed', matchedAtMs: Date.UTC(2024, 0, 1) });
    expect(balanceSchema.parse(read('lgpl/unit/http_balance_allowance_collateral.json'))).toEqual({
      balance: '1000000000',
    });
    const orderId = asId<OrderId>(
      '0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef12',
    );
    expect(
      submitOutcome(orderId, answered(200, read('lgpl/unit/http_order_response_failed.json'))),
    ).toEqual({ kind: 'rejected', reason: 'Insufficient balance' });
    expect(
      submitOutcome(orderId, answered(500, read('lgpl/unit/http_order_response_error_500.json')))
        .kind,
    ).toBe('unknown');
    // Names the order, but no status: what became of it is for the venue to say.
    expect(
      submitOutcome(orderId, answered(200, read('lgpl/unit/http_order_response_ok.json'))).kind,
    ).toBe('unknown');
  });

  it('socket events of the market channel parse, and the old flat form is refused', () => {
    for (const file of [
      'ws_market_book_msg',
      'ws_market_price_change_msg',
      'ws_market_tick_size_msg',
      'ws_market_last_trade_msg',
    ])
      expect(marketEventSchema.safeParse(read(`lgpl/unit/${file}.json`)).success, file).toBe(true);
    for (const file of ['price_change_v2', 'last_trade_price', 'tick_size_change'])
      expect(marketEventSchema.safeParse(read(`lgpl/ws/${file}.json`)).success, file).toBe(true);
    expect(marketEventSchema.safeParse(read('lgpl/ws/price_change.json')).success).toBe(false);
  });

  it('full books of one moment parse', () => {
    const rows = gunzipSync(
      readFileSync(join(shared ?? '', 'books/books_run_20260311T214149Z.jsonl.gz')),
    )
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { books: unknown[] });
    const books = rows
      .flatMap(({ books: list }) => list)
      .map((book) => readBook(bookSchema.parse(book)));
    expect([books.length, books.filter((book) => book === null).length]).toEqual([60, 0]);
    expect(bookSchema.array().parse(read('mit-2/clob-books.json.gz')).map(readBook)).not.toContain(
      null,
    );
  });

  it('listings parse: open, closed, not binary, and without hydration', () => {
    const market = (file: string) => gammaMarketSchema.parse(read(`lgpl/unit/${file}.json`));
    expect(parseMarket(market('gamma_market'), null)).toMatchObject({
      slug: 'btc-updown-5m-1773307200',
      window: {
        asset: 'BTC',
        minutes: 5,
        startsAtMs: 1_773_307_200_000,
        endsAtMs: 1_773_307_500_000,
        strike: null,
        twap: false,
      },
      eventId: '260654',
    });
    expect(parseResolution(market('gamma_market_closed_binary_accepting_false'), null, 0)).toEqual({
      marketId: '0x8ccc3f4951ff02c1d34b87988752b4444ad17228732780a6cf22afefe8478bb6',
      payoutTicks: [0, 10_000],
      resolvedAtMs: Date.UTC(2026, 2, 19, 23, 20, 15),
    });
    expect(parseResolution(market('gamma_market'), null, 0)).toBeNull();
    expect(parseResolution(market('gamma_market_closed_nonbinary_legacy'), null, 0)).toBeNull();
    expect(parseResolution(market('gamma_market_closed_zero_zero_legacy'), null, 0)).toBeNull();
    const event = parseListedEvent(read('lgpl/http/event.json'));
    expect([event.eventId, event.markets]).toEqual(['185377', []]);
    expect(parseListedEvent(read('mit-2/gamma-event.json.gz')).markets.length).toBeGreaterThan(1);
    expect(
      gammaMarketSchema
        .array()
        .parse(read('mit-3/gamma-markets.json.gz'))
        .map((row) => parseMarket(row, null)),
    ).not.toContain(null);
  });
});
