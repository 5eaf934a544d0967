import { describe, expect, it } from 'vitest';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';
import { asId, type Address, type MarketId, type TokenId } from '../../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { EngineTrade, ExchangeEvent } from '../../../src/sandbox/engine/exchange-types.ts';
import { aMarket, aVenue, DOWN, MARKET, UP } from './a-venue.ts';

const A = asId<Address>('a');
const B = asId<Address>('b');

describe('matching', () => {
  it("fills a taker at the makers' prices and keeps the improvement with the taker", () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 20 });
    const answer = venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5500, usdc: 10 });
    expect(answer).toMatchObject({
      kind: 'matched',
      makingMicros: 9_999_978,
      takingMicros: 19_607_800,
    });
    expect(venue.exchange.sharesOf(B, UP)).toBe(1_019_607_800);
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 - 9_999_978 - 343_000);
    expect(venue.exchange.balanceOf(A)).toBe(1_000_000_000 + 9_999_978);
  });

  it('mints a pair when two buyers meet, each paying its own price', () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: DOWN, side: 'buy', price: 4000, shares: 10 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 6500, usdc: 6 });
    expect([venue.exchange.sharesOf(A, DOWN), venue.exchange.sharesOf(B, UP)]).toEqual([
      1_010_000_000, 1_010_000_000,
    ]);
    expect(venue.exchange.balanceOf(A)).toBe(1_000_000_000 - 4_000_000);
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 - 6_000_000 - 168_000);
  });

  it("merges a pair when two sellers meet, deducting the taker's fee from the proceeds", () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: DOWN, side: 'sell', price: 4000, shares: 10 });
    venue.take({ maker: 'b', tokenId: UP, side: 'sell', price: 5500, shares: 10 });
    expect([venue.exchange.sharesOf(A, DOWN), venue.exchange.sharesOf(B, UP)]).toEqual([
      990_000_000, 990_000_000,
    ]);
    expect(venue.exchange.balanceOf(A)).toBe(1_000_000_000 + 4_000_000);
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 + 6_000_000 - 168_000);
  });

  it("mirrors one outcome's book on the other", () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'buy', price: 4700, shares: 10 });
    venue.rest({ maker: 'a', tokenId: DOWN, side: 'buy', price: 4900, shares: 7 });
    expect(venue.exchange.book(UP)).toEqual({
      bids: [{ price: 4700, size: 10_000_000 }],
      asks: [{ price: 5100, size: 7_000_000 }],
    });
    expect(venue.exchange.book(DOWN)).toEqual({
      bids: [{ price: 4900, size: 7_000_000 }],
      asks: [{ price: 5300, size: 10_000_000 }],
    });
  });

  it('rests what a GTC could not match and lets a FAK give it up', () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 10 });
    expect(
      venue.rest({ maker: 'b', tokenId: UP, side: 'buy', price: 5100, shares: 15 }),
    ).toMatchObject({ kind: 'matched', takingMicros: 10_000_000 });
    expect(venue.exchange.book(UP).bids).toEqual([{ price: 5100, size: 5_000_000 }]);
    venue.take({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 8 });
    expect(venue.exchange.book(UP)).toEqual({ bids: [], asks: [] });
  });

  it('fills a FOK wholly or not at all', () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
    expect(
      venue.take({
        maker: 'b',
        tokenId: UP,
        side: 'buy',
        price: 5000,
        usdc: 6,
        timeInForce: 'FOK',
      }),
    ).toEqual({
      kind: 'rejected',
      status: 400,
      reason: "order couldn't be fully filled. FOK orders are fully filled or killed.",
    });
    expect(venue.exchange.book(UP).asks).toEqual([{ price: 5000, size: 10_000_000 }]);
    expect(
      venue.take({
        maker: 'b',
        tokenId: UP,
        side: 'buy',
        price: 5000,
        usdc: 5,
        timeInForce: 'FOK',
      }),
    ).toMatchObject({ kind: 'matched', takingMicros: 10_000_000 });
  });
});

describe('rules of entry', () => {
  const refusal = (venue: ReturnType<typeof aVenue>, request: Parameters<typeof venue.rest>[0]) => {
    const order = venue.order(request);
    const answer = venue.exchange.place(order);
    return answer.kind === 'rejected' ? answer.reason.replace(order.orderId, 'ID') : answer.kind;
  };
  const bid = { maker: 'a', tokenId: UP, side: 'buy', price: 4700 } as const;

  it.each([
    [
      'a price off the tick',
      { ...bid, price: 4750, shares: 10 },
      'order ID is invalid. Price (0.475) breaks minimum tick size rule: 0.01',
    ],
    [
      'fewer shares than the minimum',
      { ...bid, shares: 3 },
      'order ID is invalid. Size (3) lower than the minimum: 5',
    ],
    [
      'shares with more than two decimals',
      { ...bid, shares: 5.001 },
      'invalid amounts, the buy orders maker amount supports a max accuracy of 4 decimals, taker amount a max of 2 decimals',
    ],
    [
      'a market order with more than two decimals of money',
      { ...bid, timeInForce: 'FAK', usdc: 5.001 } as const,
      'invalid amounts, the market buy orders maker amount supports a max accuracy of 2 decimals, taker amount a max of 4 decimals',
    ],
    [
      'a market buy under a dollar',
      { ...bid, timeInForce: 'FAK', usdc: 0.98 } as const,
      'invalid amount for a marketable BUY order ($0.98), min size: $1',
    ],
    [
      'an expiry on a GTC',
      { ...bid, shares: 10, expiresAtMs: 1_795_249_000_000 },
      'invalid expiration',
    ],
    [
      'a GTD that ends within the security minute',
      { ...bid, shares: 10, timeInForce: 'GTD', expiresAtMs: 1_795_248_060_000 } as const,
      'invalid expiration',
    ],
    [
      'a post-only FOK',
      { ...bid, usdc: 5, timeInForce: 'FOK', postOnly: true } as const,
      'postOnly is not supported for FOK/FAK orders',
    ],
    [
      'more than the balance',
      { ...bid, shares: 3_000 },
      'not enough balance / allowance: the balance is not enough -> balance: 1000000000, sum of active orders: 0, order amount (inc. fees): 1410000000',
    ],
    [
      'an unknown token',
      { ...bid, tokenId: asId<TokenId>('99'), shares: 10 } as const,
      'No orderbook exists for the requested token id',
    ],
  ])("refuses %s in the venue's words", (_what, request, text) => {
    expect(refusal(aVenue(), request)).toBe(text);
  });

  it('counts what open orders have promised, and gives it back on cancel', () => {
    const venue = aVenue();
    const first = venue.order({ ...bid, price: 5000, shares: 1_900 });
    venue.exchange.place(first);
    expect(refusal(venue, { ...bid, price: 5000, shares: 200 })).toContain(
      'sum of active orders: 950000000, order amount (inc. fees): 100000000',
    );
    venue.exchange.cancel('key-a', first.orderId);
    expect(refusal(venue, { ...bid, price: 5000, shares: 200 })).toBe('live');
  });

  it("wants the taker's fee on top of the amount", () => {
    const venue = aVenue();
    venue.rest({ maker: 'b', tokenId: UP, side: 'sell', price: 5000, shares: 1_000 });
    expect(refusal(venue, { ...bid, price: 5000, shares: 1_000 })).toBe('matched');
    expect(refusal(venue, { ...bid, price: 5000, shares: 970 })).toContain('balance: 482500000');
  });

  it('takes no orders before a market opens and none after it ends', async () => {
    const early = aVenue({
      market: { opensForOrdersAtMs: 1_795_248_001_000, endsAtMs: 1_795_248_002_000 },
    });
    expect(refusal(early, { ...bid, shares: 10 })).toBe(
      'the market is not yet ready to process new orders',
    );
    await early.clock.advance(1_000);
    expect(refusal(early, { ...bid, shares: 10 })).toBe('live');
    await early.clock.advance(1_000);
    expect(refusal(early, { ...bid, shares: 10 })).toBe(
      'No orderbook exists for the requested token id',
    );
  });

  it('accepts the amounts clients cut to four decimals as the price they stand for', () => {
    const venue = aVenue();
    venue.rest({ maker: 'b', tokenId: UP, side: 'sell', price: 700, shares: 100 });
    expect(venue.take({ maker: 'a', tokenId: UP, side: 'buy', price: 700, usdc: 1 })).toMatchObject(
      { kind: 'matched', makingMicros: 999_999, takingMicros: 14_285_700 },
    );
  });
});

describe('the life of an order', () => {
  it('holds a marketable order through the taker delay, promised and not to be cancelled', async () => {
    const venue = aVenue({ market: { takerDelayMs: 250 } });
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
    const order = venue.order({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, shares: 10 });
    expect(venue.exchange.place(order)).toEqual({ kind: 'delayed' });
    expect(venue.exchange.cancel('key-b', order.orderId)).toEqual({
      cancelled: false,
      reason: "order can't be canceled while it is delayed",
    });
    expect(venue.exchange.funds(B, 'usdc').held).toBe(5_000_000 + 175_000);
    await venue.clock.advance(250);
    expect(venue.exchange.order(order.orderId)).toMatchObject({
      status: 'MATCHED',
      matchedShares: 10_000_000,
    });
    expect(venue.exchange.funds(B, 'usdc').held).toBe(0);
  });

  it('ends a GTD order a minute before its stated time', async () => {
    const venue = aVenue();
    const order = venue.order({
      maker: 'a',
      tokenId: UP,
      side: 'buy',
      price: 4700,
      shares: 10,
      timeInForce: 'GTD',
      expiresAtMs: venue.clock.nowMs() + 70_000,
    });
    venue.exchange.place(order);
    await venue.clock.advance(9_999);
    expect(venue.exchange.order(order.orderId)?.status).toBe('LIVE');
    await venue.clock.advance(1);
    expect(venue.exchange.order(order.orderId)?.status).toBe('CANCELED');
  });

  it('refuses a hash it has seen, cancelled or killed ones included', () => {
    const venue = aVenue();
    const killed = venue.order({
      maker: 'a',
      tokenId: UP,
      side: 'buy',
      price: 4700,
      usdc: 5,
      timeInForce: 'FAK',
    });
    venue.exchange.place(killed);
    expect(venue.exchange.place(killed)).toEqual({
      kind: 'rejected',
      status: 400,
      reason: `order ${killed.orderId} is invalid. Duplicated.`,
    });
  });

  it("lets no user cancel another's order", () => {
    const venue = aVenue();
    const order = venue.order({ maker: 'a', tokenId: UP, side: 'buy', price: 4700, shares: 10 });
    venue.exchange.place(order);
    expect(venue.exchange.cancel('key-b', order.orderId)).toEqual({
      cancelled: false,
      reason: "order can't be found - already canceled or matched",
    });
  });

  it('switches to the fine tick past 0.96 and goes on matching exactly', () => {
    const venue = aVenue();
    const events: ExchangeEvent[] = [];
    venue.exchange.subscribe((event) => void events.push(event));
    venue.rest({ maker: 'a', tokenId: UP, side: 'buy', price: 9700, shares: 10 });
    expect(events.filter(({ kind }) => kind === 'tick_size')).toEqual([
      { kind: 'tick_size', marketId: MARKET, from: 100, to: 10 },
    ]);
    expect(venue.rest({ maker: 'b', tokenId: UP, side: 'sell', price: 9730, shares: 10 })).toEqual({
      kind: 'live',
    });
    expect(
      venue.take({ maker: 'c', tokenId: UP, side: 'buy', price: 9730, usdc: 5 }),
    ).toMatchObject({ kind: 'matched', makingMicros: 4_999_274, takingMicros: 5_138_000 });
  });

  it('cancels INVALID what a withdrawal leaves without funds', () => {
    const venue = aVenue();
    const order = venue.order({ maker: 'a', tokenId: UP, side: 'buy', price: 5000, shares: 1_000 });
    venue.exchange.place(order);
    venue.exchange.withdraw(A, usdcMicros(600_000_000));
    expect(venue.exchange.order(order.orderId)).toMatchObject({ status: 'INVALID' });
    expect(venue.exchange.funds(A, 'usdc')).toMatchObject({ balance: 400_000_000, held: 0 });
  });

  it('tells listeners in order, and what they do in answer afterwards', () => {
    const venue = aVenue();
    const seen: string[] = [];
    venue.exchange.subscribe((event) => {
      seen.push(event.kind === 'order' ? `${event.type} ${event.order.order.maker}` : event.kind);
      if (event.kind === 'order' && event.order.order.maker === 'a' && event.type === 'PLACEMENT')
        venue.rest({ maker: 'b', tokenId: UP, side: 'buy', price: 4600, shares: 10 });
    });
    venue.rest({ maker: 'a', tokenId: UP, side: 'buy', price: 4700, shares: 10 });
    expect(seen).toEqual(['PLACEMENT a', 'level', 'PLACEMENT b', 'level']);
  });
});

describe('settlement and resolution', () => {
  const traded = () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
    const words: string[] = [];
    venue.exchange.subscribe((event) => {
      if (event.kind === 'trade')
        words.push(
          `${event.trade.status} ${event.trade.transactionHash === null ? 'no hash' : 'hash'}`,
        );
    });
    return {
      venue,
      words,
      fill: () => venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc: 5 }),
    };
  };

  it('L3: takes a trade from MATCHED over MINED to CONFIRMED on the clock', async () => {
    const { venue, words, fill } = traded();
    fill();
    expect(words).toEqual(['MATCHED no hash']);
    await venue.clock.advance(2_000);
    await venue.clock.advance(3_000);
    expect(words).toEqual(['MATCHED no hash', 'MINED hash', 'CONFIRMED hash']);
  });

  it("L3: gives every balance back when a trade fails, and the maker's order stays matched", async () => {
    const { venue, words, fill } = traded();
    venue.faults.arm('ghost-fill', { times: 1 });
    fill();
    await venue.clock.advance(5_000);
    expect(words).toEqual(['MATCHED no hash', 'FAILED no hash']);
    expect([venue.exchange.balanceOf(A), venue.exchange.balanceOf(B)]).toEqual([
      1_000_000_000, 1_000_000_000,
    ]);
    expect([venue.exchange.sharesOf(A, UP), venue.exchange.sharesOf(B, UP)]).toEqual([
      1_000_000_000, 1_000_000_000,
    ]);
  });

  it.each([
    ['ghost-fill', 'FAILED'],
    ['retrying-then-confirmed', 'CONFIRMED'],
    ['reverted-35-percent', 'CONFIRMED'],
  ] as const)(
    "spares the market maker's own trades: %s is left for the first trade of a user",
    async (fault, end) => {
      const venue = aVenue();
      const trades: EngineTrade[] = [];
      venue.exchange.subscribe(
        (event) => void (event.kind === 'trade' && trades.push(event.trade)),
      );
      venue.faults.arm(fault, { times: 1 });
      for (let round = 0; round < 10; round += 1) {
        venue.rest({
          maker: 'a',
          owner: 'maker:maker',
          tokenId: UP,
          side: 'sell',
          price: 5000,
          shares: 10,
        });
        venue.take({
          maker: 'c',
          owner: 'maker:noise',
          tokenId: UP,
          side: 'buy',
          price: 5000,
          usdc: 5,
        });
      }
      await venue.clock.advance(5_000);
      expect([new Set(trades.map(({ status }) => status)), venue.faults.armed()]).toEqual([
        new Set(['MATCHED', 'MINED', 'CONFIRMED']),
        [fault],
      ]);
      venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
      venue.take({
        maker: 'c',
        owner: 'maker:noise',
        tokenId: UP,
        side: 'buy',
        price: 5000,
        usdc: 5,
      });
      await venue.clock.advance(5_000);
      expect(trades.at(-1)?.status).toBe(end);
    },
  );

  it('resubmits a trade under another hash when it retries', async () => {
    const { venue, words, fill } = traded();
    const hashes = new Set<string | null>();
    venue.exchange.subscribe(
      (event) => void (event.kind === 'trade' && hashes.add(event.trade.transactionHash)),
    );
    venue.faults.arm('retrying-then-confirmed', { times: 1 });
    fill();
    await venue.clock.advance(5_000);
    expect(words).toEqual(['MATCHED no hash', 'RETRYING hash', 'MINED hash', 'CONFIRMED hash']);
    expect(hashes.size).toBe(3);
  });

  it('splits one match into several trades that add up to it', () => {
    const { venue, fill } = traded();
    venue.faults.arm('split-match', { times: 1 });
    fill();
    const trades = venue.exchange.tradesOf(new Set(['key-b']));
    expect(trades.map(({ bucketIndex, shares }) => [bucketIndex, shares])).toEqual([
      [1, 5_000_000],
      [0, 5_000_000],
    ]);
    expect(trades.reduce((sum, { fee }) => sum + fee, 0)).toBe(175_000);
  });

  it('rounds the fee of each part of a split match by itself, and splits none whose fees are not covered', () => {
    const { venue } = traded();
    const buy = (shares: number) =>
      venue.exchange.place(
        venue.order({ maker: 'b', tokenId: UP, side: 'buy', price: 5_000, shares }),
      );
    venue.faults.arm('split-match', { times: 2 });
    venue.exchange.place(
      venue.order({ maker: 'a', tokenId: UP, side: 'sell', price: 5_000, shares: 100 }),
    );
    // 5.9 shares at 0.50 pay 103 250 micros, each half of them 51 625, rounded up to 51 630.
    buy(5.9);
    expect(venue.exchange.tradesOf(new Set(['key-b'])).map(({ fee }) => fee)).toEqual([
      51_630, 51_630,
    ]);
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 - 2_950_000 - 103_260);
    venue.exchange.withdraw(B, venue.exchange.balanceOf(B) - 3_050_000 - 106_750);
    buy(6.1);
    expect(venue.exchange.balanceOf(B)).toBe(0);
  });

  it('pays the winners, ends what is open and knows the market as over', async () => {
    const { venue, fill } = traded();
    fill();
    const open = venue.order({ maker: 'c', tokenId: UP, side: 'buy', price: 4000, shares: 10 });
    venue.exchange.place(open);
    venue.exchange.resolve(MARKET, [10_000, 0]);
    expect(venue.exchange.order(open.orderId)?.status).toBe('CANCELED_MARKET_RESOLVED');
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 - 5_175_000 + 1_010_000_000);
    expect(venue.exchange.sharesOf(B, DOWN)).toBe(0);
    expect(venue.exchange.tradesOf(new Set(['key-b']))).toMatchObject([{ status: 'CONFIRMED' }]);
    expect(venue.exchange.payout(MARKET)).toEqual([10_000, 0]);
    expect(
      venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: priceTicks(5000), usdc: 5 }),
    ).toMatchObject({ status: 404 });
  });

  it('pays both outcomes half when a market ends undecided', () => {
    const { venue } = traded();
    venue.exchange.resolve(MARKET, [5_000, 5_000]);
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 + 500_000_000 + 500_000_000);
  });
});

describe('faults of the engine', () => {
  const bought = () => {
    const venue = aVenue({ accounts: ['a'] });
    venue.exchange.deposit(B, usdcMicros(100_000_000));
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc: 5 });
    return {
      venue,
      sell: () => venue.rest({ maker: 'b', tokenId: UP, side: 'sell', price: 6000, shares: 10 }),
    };
  };

  it('sells fresh shares at once, unless sell-before-confirmed holds them back until they are final', async () => {
    expect(bought().sell()).toEqual({ kind: 'live' });
    const { venue, sell } = bought();
    venue.faults.arm('sell-before-confirmed');
    expect(sell()).toMatchObject({
      reason: expect.stringContaining(
        'balance: 0, sum of active orders: 0, order amount (inc. fees): 10000000',
      ),
    });
    await venue.clock.advance(5_000);
    expect(sell()).toEqual({ kind: 'live' });
  });

  it('phantom-reservation: a filled order stays in the sum of active orders', () => {
    const venue = aVenue();
    venue.faults.arm('phantom-reservation', { times: 1 });
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc: 5 });
    expect(venue.exchange.funds(B, 'usdc').held).toBe(10_000_000);
  });

  it('phantom-reservation: spares the market maker, and is left for a user', () => {
    const venue = aVenue();
    venue.faults.arm('phantom-reservation', { times: 1 });
    venue.rest({
      maker: 'a',
      owner: 'maker:maker',
      tokenId: UP,
      side: 'sell',
      price: 5000,
      shares: 20,
    });
    venue.take({
      maker: 'c',
      owner: 'maker:noise',
      tokenId: UP,
      side: 'buy',
      price: 5000,
      usdc: 5,
    });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc: 5 });
    expect(venue.exchange.funds(B, 'usdc').held).toBe(10_000_000);
  });

  it('phantom-reservation: ends by itself where a delay says when', async () => {
    const venue = aVenue();
    venue.faults.arm('phantom-reservation', { times: 1, delayMs: 60_000 });
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 10 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc: 5 });
    await venue.clock.advance(59_000);
    expect(venue.exchange.funds(B, 'usdc').held).toBe(10_000_000);
    await venue.clock.advance(1_000);
    expect(venue.exchange.funds(B, 'usdc').held).toBe(0);
  });

  it('gtd-early: ends another minute before its time', async () => {
    const venue = aVenue();
    venue.faults.arm('gtd-early', { times: 1 });
    const order = venue.order({
      maker: 'a',
      tokenId: UP,
      side: 'buy',
      price: 4700,
      shares: 10,
      timeInForce: 'GTD',
      expiresAtMs: venue.clock.nowMs() + 180_000,
    });
    venue.exchange.place(order);
    await venue.clock.advance(60_000);
    expect(venue.exchange.order(order.orderId)?.status).toBe('CANCELED');
  });

  it('reverted-35-percent: about a third of the trades fail while it is armed', async () => {
    const venue = aVenue({ market: { fee: null } });
    venue.faults.arm('reverted-35-percent');
    for (let trade = 0; trade < 100; trade += 1) {
      venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 5 });
      venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc: 2.5 });
    }
    await venue.clock.advance(5_000);
    const failed = venue.exchange.trades().filter(({ status }) => status === 'FAILED').length;
    expect(failed).toBeGreaterThan(20);
    expect(failed).toBeLessThan(50);
    expect(venue.exchange.balanceOf(B)).toBe(1_000_000_000 - (100 - failed) * 2_500_000);
  });

  it.each([
    ['overfill-dust', 10_000_100, 'MATCHED'],
    ['underfill-dust', 9_999_900, 'LIVE'],
  ] as const)(
    '%s: a limit order of 10 shares gets %i micro-shares',
    (name, matchedShares, status) => {
      const venue = aVenue();
      venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 50 });
      venue.faults.arm(name, { times: 1 });
      const order = venue.order({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, shares: 10 });
      expect(venue.exchange.place(order)).toMatchObject({
        kind: 'matched',
        takingMicros: matchedShares,
      });
      expect(venue.exchange.order(order.orderId)).toMatchObject({ matchedShares, status });
      expect(venue.exchange.total('usdc')).toBe(6_000_000_000);
    },
  );

  it('balance-drops-elsewhere: the collateral leaves and the order ends INVALID', async () => {
    const venue = aVenue();
    venue.faults.arm('balance-drops-elsewhere', { times: 1 });
    const order = venue.order({ maker: 'a', tokenId: UP, side: 'buy', price: 4700, shares: 10 });
    venue.exchange.place(order);
    await venue.clock.advance(500);
    expect(venue.exchange.order(order.orderId)?.status).toBe('INVALID');
    expect(venue.exchange.balanceOf(A)).toBe(0);
  });

  it.each([
    ['buy', UP],
    ['sell', DOWN],
  ] as const)(
    'fill-races-cancel: a resting %s is filled before its cancel is looked at',
    (side, tokenId) => {
      const venue = aVenue();
      venue.rest({ maker: 'b', tokenId, side, price: 4700, shares: 12.5 });
      const order = venue.order({ maker: 'a', tokenId, side, price: 4700, shares: 10 });
      venue.exchange.place(order);
      venue.faults.arm('fill-races-cancel', { times: 1 });
      expect(venue.exchange.cancel('key-a', order.orderId)).toEqual({
        cancelled: false,
        reason: "order can't be found - already canceled or matched",
      });
      expect(venue.exchange.order(order.orderId)).toMatchObject({
        status: 'MATCHED',
        matchedShares: 10_000_000,
      });
      expect(venue.exchange.book(tokenId)).toEqual({ bids: [], asks: [] });
    },
  );

  it('several-fills-one-tx: trades of one second share a transaction', async () => {
    const venue = aVenue();
    venue.faults.arm('several-fills-one-tx');
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5000, shares: 20 });
    for (const usdc of [2, 3])
      venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5000, usdc });
    await venue.clock.advance(2_000);
    const hashes = venue.exchange.trades().map(({ transactionHash }) => transactionHash);
    expect([hashes.length, new Set(hashes).size]).toEqual([2, 1]);
  });
});

describe('markets beyond those kept', () => {
  it('are retired, the oldest resolved one first, and say who held its tokens', () => {
    const venue = aVenue({ accounts: ['a'] });
    const heard: ExchangeEvent[] = [];
    venue.exchange.subscribe((event) => void heard.push(event));
    const account = '0x00000000000000000000000000000000000000aa';
    const balances = [{ account, holding: UP, micros: 7_000_000 }];
    venue.exchange.takeNews({ words: [], balances, movements: [] });
    venue.exchange.resolve(MARKET, [0, 10_000]);
    for (let index = 0; index < VENUE_MODEL.marketsKeptMaximum; index += 1)
      venue.exchange.listMarket(
        aMarket({
          marketId: asId<MarketId>(`market ${index}`),
          tokens: [asId<TokenId>(`up ${index}`), asId<TokenId>(`down ${index}`)],
        }),
      );
    expect(venue.exchange.market(MARKET)).toBeNull();
    expect(heard.filter(({ kind }) => kind === 'market_retired')).toMatchObject([
      {
        market: { marketId: MARKET },
        payoutTicks: [0, 10_000],
        holders: [{ account, tokenId: UP }],
      },
    ]);
  });
});
