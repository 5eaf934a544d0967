import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { VenueFill } from '../../../src/domain/fill.ts';
import { asId, type OrderId, type TradeId, type UserId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import type { Resolution } from '../../../src/domain/market.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import { OPEN_ORDERS, POSITIONS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { createPortfolio, type HoldingQuery } from '../../../src/services/portfolio/portfolio.ts';
import type { VenueFunds } from '../../../src/services/venues.ts';
import { anAttempt } from '../../support/attempts.ts';
import {
  aMarket,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  aTokenId,
  aUserId,
  T0,
} from '../../support/builders.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aSignedOrder, at } from '../../support/worlds/folded-orders.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';

const [ANNA, BERT, CARL] = [aUserId('anna'), aUserId('bert'), aUserId('carl')] as const;
/** How a market ended in which the first outcome won. */
const ended = (market: number): Resolution => ({
  marketId: aMarketId(market),
  payoutTicks: [10_000, 0],
  resolvedAtMs: T0,
});

/**
 * A portfolio over books of its own, at a venue that takes no fee and pays winners by itself unless
 * they are redeemed on chain.
 */
function aPortfolio(redeem: VenueFunds['redeem'] | null = null) {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const log = createKeptLog();
  const metrics = createKeptMetrics();
  const announced: string[] = [];
  const writes = { count: 0 };
  const venue = {
    rules: { feeOf: () => usdcMicros(0) },
    traits: at().traits,
    funds: redeem && { redeem },
  };
  const portfolio = createPortfolio({
    store,
    commit(change) {
      writes.count += 1;
      return store.write(change);
    },
    updates: { announce: ({ intent }) => void announced.push(intent.intentId) },
    venues: {
      of: (id) => (id === VENUE_A ? venue : expect.unreachable(`no venue ${id}`)),
      trading: () => venue,
      cashAccountOf: () => 'usdc:solana',
    },
    clock,
    log,
    metrics,
  });
  /** Has a user buy two shares for a dollar; gives what the venue says of it. */
  async function buy(
    userId: UserId,
    market: number,
    outcome: 0 | 1 = 0,
    word: VenueFill['word'] = 'confirmed',
  ): Promise<VenueFill> {
    const [marketId, tokenId] = [aMarketId(market), aTokenId(market, outcome)];
    const name = `${userId} ${tokenId}`;
    const order = aSignedOrder(
      { state: 'live', attempts: [anAttempt(name)] },
      { intentId: asId(name), userId, cashAccount: 'usdc:solana', marketId, tokenId, outcome },
    );
    await store.write((tx) => {
      tx.put(TRADED_MARKETS, [marketId], aMarket(market));
      putOrder(tx, null, order);
    });
    const fill: VenueFill = {
      tradeId: asId<TradeId>(name),
      orderId: asId<OrderId>(name),
      marketId,
      tokenId,
      side: 'buy',
      role: 'taker',
      legs: [{ shares: shareMicros(2_000_000), price: priceTicks(5_000) }],
      fee: null,
      word,
      matchedAtMs: clock.nowMs(),
      transactionHash: null,
    };
    await portfolio.recordFill(fill);
    return fill;
  }
  /** The order is over: nothing more of it can be filled. */
  const end = ({ orderId }: VenueFill, userId: UserId) =>
    store.write((tx) => tx.remove(OPEN_ORDERS, [userId, orderId]));
  const hold = async (...[userId, market, outcome, word]: Parameters<typeof buy>) => {
    const fill = await buy(userId, market, outcome, word);
    await end(fill, userId);
    return fill;
  };
  const lines = (event: string) =>
    log.lines.filter((line) => line.event === event).map(({ fields }) => fields);
  const tokens = (userId: UserId, query?: HoldingQuery) =>
    portfolio.holdings(userId, query).map(({ position }) => position.tokenId);
  return { clock, portfolio, store, log, metrics, announced, writes, buy, hold, lines, tokens };
}

it('L3, L4: books no payout of won shares that come back from a failed sale while others are paid: the chain has to pay them first', async () => {
  const redeemed: string[] = [];
  const { world, life, store } = await aFundedLife(100_000_000, {
    redeem: async (userId, marketId) => void redeemed.push(`${userId} ${marketId}`),
  });
  const { clock, venue, user, market } = world;
  const [lost, won] = market.outcomes;
  await during(world, life.orders.place(user, aMarketBuy({ outcome: 0 })));
  await during(world, life.orders.place(user, aMarketBuy({ outcome: 1 })));
  await clock.advance(10_000);
  const shares = balanceOf(store, user, won.tokenId).settled;
  venue.settlements.push([]);
  await during(world, life.orders.place(user, aMarketSell(shares / 1_000_000, { outcome: 1 })));
  const sale = venue.trades.at(-1);
  const { settled } = life.portfolio.cash(user, 'usdc:safe');
  await life.portfolio.recordResolution({
    marketId: market.marketId,
    payoutTicks: [0, 10_000],
    resolvedAtMs: clock.nowMs(),
  });
  // The sale fails the moment the lost position before it is closed: the shares are the user's
  // again.
  life.bus.subscribe(({ event }) => {
    if (
      event.type === 'position.changed' &&
      event.position.tokenId === lost.tokenId &&
      sale !== undefined
    )
      venue.say(sale.tradeId, 'failed');
  });

  expect(await during(world, life.portfolio.payOut(market.marketId))).toBe(false);

  expect(redeemed).toEqual([`${user} ${market.marketId}`]);
  expect(store.get(POSITIONS, [user, won.tokenId])?.value).toMatchObject({
    state: 'resolved',
    shares,
  });
  expect([
    life.portfolio.cash(user, 'usdc:safe').settled,
    balanceOf(store, user, won.tokenId).settled,
  ]).toEqual([settled, shares]);
  expect(brokenLaws(store, user)).toEqual([]);
});

describe('what a user holds', () => {
  it('is listed by market, by whether it is open, and by whether it has won, and its trades beside it', async () => {
    const { world, life } = await aFundedLife(100_000_000);
    const { clock, user, market } = world;
    const [up, down] = market.outcomes;
    await during(world, life.orders.place(user, aMarketBuy({ outcome: 0 })));
    await during(world, life.orders.place(user, aMarketBuy({ outcome: 1 })));
    await clock.advance(10_000);
    const shares = balanceOf(life.store, user, up.tokenId).settled;
    await during(world, life.orders.place(user, aMarketSell(shares / 1_000_000, { outcome: 0 })));
    await clock.advance(10_000);
    const tokens = (query?: HoldingQuery) =>
      life.portfolio.holdings(user, query).map(({ position }) => position.tokenId);
    expect(tokens().toSorted()).toEqual([up.tokenId, down.tokenId].toSorted());
    expect([tokens({ type: 'open' }), tokens({ type: 'closed' })]).toEqual([
      [down.tokenId],
      [up.tokenId],
    ]);
    expect([
      tokens({ type: 'open', marketId: market.marketId }),
      tokens({ type: 'open', marketId: aMarketId(99) }),
      tokens({ marketId: aMarketId(99) }),
    ]).toEqual([[down.tokenId], [], []]);
    expect(life.portfolio.fills(user).map(({ tokenId, side }) => `${side} ${tokenId}`)).toEqual([
      `buy ${up.tokenId}`,
      `buy ${down.tokenId}`,
      `sell ${up.tokenId}`,
    ]);
    expect(life.portfolio.fills(aUserId('another'))).toEqual([]);

    const resolution = { marketId: market.marketId, resolvedAtMs: clock.nowMs() };
    await life.portfolio.recordResolution({ ...resolution, payoutTicks: [0, 10_000] });
    await life.portfolio.recordResolution({ ...resolution, payoutTicks: [10_000, 0] });
    expect([tokens({ redeemable: true }), tokens({ redeemable: false })]).toEqual([
      [down.tokenId],
      [up.tokenId],
    ]);
  });
});

describe('cash', () => {
  it('at a venue is what is final, on its way and set aside of the account that pays there', async () => {
    const { portfolio, store, buy } = aPortfolio();
    const deposit = { userId: ANNA, transferId: 'd1', usdc: usdcMicros(100_000_000), atMs: T0 };
    await store.write((tx) =>
      postToLedger(tx, ANNA, depositEntry({ ...deposit, cashAccount: 'usdc:solana' })),
    );
    await buy(ANNA, 1, 0, 'matched');
    const { reserved, available, ...booked } = portfolio.cashAt(ANNA, VENUE_A);
    expect(booked).toEqual({ settled: 100_000_000, provisional: -1_000_000 });
    expect(reserved).toBeGreaterThan(0);
    expect(available).toBe(100_000_000 - 1_000_000 - reserved);
    expect(portfolio.cashAt(ANNA, VENUE_A)).toEqual(portfolio.cash(ANNA, 'usdc:solana'));
  });
});

describe('what several users hold', () => {
  it('is listed for each of them alone, by token', async () => {
    const { clock, hold, tokens } = aPortfolio();
    for (const user of [ANNA, BERT]) {
      await hold(user, 2);
      await clock.advance(1_000);
      await hold(user, 1);
    }
    await hold(BERT, 3);
    const both = [aTokenId(1, 0), aTokenId(2, 0)].toSorted();
    expect([
      tokens(ANNA),
      tokens(ANNA, { type: 'open' }),
      tokens(ANNA, { type: 'open', marketId: aMarketId(2) }),
      tokens(CARL),
    ]).toEqual([both, both, [aTokenId(2, 0)], []]);
  });
});

describe('what the venue says of a trade', () => {
  it('is counted, logged and announced once for each word that says something new', async () => {
    const { portfolio, metrics, announced, log, buy } = aPortfolio();
    const fill = await buy(ANNA, 1, 0, 'matched');
    const { tradeId, orderId } = fill;
    const results = [];
    for (const word of ['matched', 'confirmed', 'confirmed'] as const)
      results.push(await portfolio.recordFill({ ...fill, word }));
    expect(results).toEqual(['unchanged', 'settled', 'unchanged']);
    expect([...metrics.counts]).toEqual([
      ['fills_total venue_a recorded', 1],
      ['fills_total venue_a settled', 1],
    ]);
    expect(log.lines).toEqual([
      {
        level: 'info',
        event: 'fill.booked',
        fields: { tradeId, orderId, word: 'matched', result: 'recorded' },
      },
      {
        level: 'info',
        event: 'fill.booked',
        fields: { tradeId, orderId, word: 'confirmed', result: 'settled' },
      },
    ]);
    expect(announced.length).toBeGreaterThan(0);
  });

  it('is booked once where it is reported twice at the same moment', async () => {
    const { portfolio, lines, buy } = aPortfolio();
    const fill = await buy(ANNA, 1, 0, 'matched');
    const reported = { ...fill, word: 'confirmed' } as const;
    expect(
      await Promise.all([portfolio.recordFill(reported), portfolio.recordFill(reported)]),
    ).toEqual(['settled', 'unchanged']);
    expect(lines('fill.booked')).toHaveLength(2);
  });

  it('and is of no known order is foreign: counted, and reported to no other part', async () => {
    const { portfolio, metrics, announced, log, buy } = aPortfolio();
    const fill = await buy(ANNA, 1);
    const before = [log.lines.length, announced.length];
    const orderId = asId<OrderId>('0xforeign');
    expect(await portfolio.recordFill({ ...fill, orderId })).toBe('foreign');
    expect(metrics.counts.get('fills_total none foreign')).toBe(1);
    expect(log.lines.slice(before[0])).toEqual([
      { level: 'debug', event: 'fill.foreign', fields: { tradeId: fill.tradeId, orderId } },
    ]);
    expect(announced).toHaveLength(before[1] ?? 0);
  });

  it('and contradicts what is final is an error for the operator', async () => {
    const { portfolio, lines, buy } = aPortfolio();
    const fill = await buy(ANNA, 1);
    expect(lines('fill.contradicted')).toEqual([]);
    const result = await portfolio.recordFill({ ...fill, word: 'failed' });
    const { tradeId, orderId } = fill;
    expect(lines('fill.contradicted')).toEqual([{ tradeId, orderId, word: 'failed', result }]);
  });
});

describe('the end of a market', () => {
  it('is logged once: the first report is kept', async () => {
    const { portfolio, lines } = aPortfolio();
    await portfolio.recordResolution(ended(1));
    await portfolio.recordResolution({ ...ended(1), payoutTicks: [0, 10_000] });
    await Promise.all([portfolio.recordResolution(ended(2)), portfolio.recordResolution(ended(2))]);
    expect(lines('market.resolved')).toEqual([
      { marketId: aMarketId(1), payoutTicks: [10_000, 0] },
      { marketId: aMarketId(2), payoutTicks: [10_000, 0] },
    ]);
  });

  it('pays no user before it is known, and leaves nothing to pay where no user had traded', async () => {
    const { portfolio, hold } = aPortfolio();
    await hold(ANNA, 1);
    expect(await portfolio.payOut(aMarketId(1))).toBe(false);
    await portfolio.recordResolution(ended(2));
    expect(await portfolio.payOut(aMarketId(2))).toBe(true);
  });

  it('pays all who hold it, and no position in another market', async () => {
    const { portfolio, hold, lines, tokens } = aPortfolio();
    await hold(ANNA, 1, 0);
    await hold(BERT, 1, 1);
    await hold(ANNA, 2);
    await portfolio.recordResolution(ended(1));
    expect(await portfolio.payOut(aMarketId(1))).toBe(true);
    const marketId = aMarketId(1);
    expect(lines('position.paid')).toEqual([
      { userId: ANNA, marketId, tokenId: aTokenId(1, 0), payoutTicks: 10_000 },
      { userId: BERT, marketId, tokenId: aTokenId(1, 1), payoutTicks: 0 },
    ]);
    expect([tokens(ANNA, { type: 'open' }), tokens(BERT, { type: 'open' })]).toEqual([
      [aTokenId(2, 0)],
      [],
    ]);
    expect([
      portfolio.cash(ANNA, 'usdc:solana').settled,
      portfolio.cash(BERT, 'usdc:solana').settled,
    ]).toEqual([2_000_000 - 2 * 1_000_000, -1_000_000]);
    expect(await portfolio.payOut(marketId)).toBe(true);
    expect(lines('position.paid')).toHaveLength(2);
  });

  it('L3: pays a position once its fills are final, and the others meanwhile', async () => {
    const { portfolio, hold, lines, tokens } = aPortfolio();
    const late = await hold(ANNA, 1, 0, 'matched');
    await hold(BERT, 1);
    await portfolio.recordResolution(ended(1));
    expect(await portfolio.payOut(aMarketId(1))).toBe(false);
    expect([tokens(ANNA, { type: 'open' }), tokens(BERT, { type: 'open' })]).toEqual([
      [late.tokenId],
      [],
    ]);
    await portfolio.recordFill({ ...late, word: 'confirmed' });
    expect(await portfolio.payOut(aMarketId(1))).toBe(true);
    expect(lines('position.paid').map(({ userId }) => userId)).toEqual([BERT, ANNA]);
  });

  it('has each winner redeemed on chain, again and again until it is, and is written down once', async () => {
    const redeemed: string[] = [];
    const { portfolio, store, hold, lines, writes } = aPortfolio(
      async (userId, marketId) => void redeemed.push(`${userId} ${marketId}`),
    );
    await hold(ANNA, 1);
    await hold(BERT, 1, 1);
    await hold(CARL, 1);
    await hold(BERT, 2);
    await portfolio.recordResolution(ended(2));
    expect(await portfolio.payOut(aMarketId(2))).toBe(false);
    expect(redeemed.splice(0)).toEqual([`${BERT} ${aMarketId(2)}`]);
    await portfolio.recordResolution(ended(1));
    const expected = [`${ANNA} ${aMarketId(1)}`, `${CARL} ${aMarketId(1)}`];
    expect(await portfolio.payOut(aMarketId(1))).toBe(false);
    expect([redeemed, lines('position.paid').map(({ userId }) => userId)]).toEqual([
      expected,
      [BERT],
    ]);
    expect(portfolio.holdings(ANNA)[0]?.position.state).toBe('resolved');
    const carls = store.get(POSITIONS, [CARL, aTokenId(1, 0)])?.value ?? expect.unreachable();
    await store.write((tx) =>
      tx.put(POSITIONS, [CARL, carls.tokenId], { ...carls, state: 'redeeming' }),
    );
    const before = writes.count;
    expect(await portfolio.payOut(aMarketId(1))).toBe(false);
    expect([redeemed, writes.count - before]).toEqual([[...expected, ...expected], 0]);
  });
});
