import { watchUser } from '../support/watched-users.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import type { MarketId } from '../../src/domain/ids.ts';
import type { Resolution } from '../../src/domain/market.ts';
import type { Store } from '../../src/ports/store.ts';
import { createTrading } from '../../src/services/trading.ts';
import { aBook, aLevel, aLimitBuy, aMarket, aMarketBuy, aMarketSell } from '../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { brokenLaws } from '../support/worlds/trading-world.ts';
import { startWireVenue, type WireVenue } from '../support/fixtures/wire-venue.ts';
import { onOneVenue } from '../support/traded-venues.ts';

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The trading services over the venue adapter and the sandbox's loopback servers. */
async function startTrading(
  wire: WireVenue & { readonly resolutions: ReadonlyMap<MarketId, Resolution> },
  store: Store,
  seed = 'wire',
) {
  const market = aMarket(1, {
    marketId: wire.marketId,
    outcomes: [
      { tokenId: wire.tokens[0], label: 'Up' },
      { tokenId: wire.tokens[1], label: 'Down' },
    ],
    endsAtMs: wire.clock.nowMs() + 3_600_000,
  });
  const bus = createKeptBus();
  const log = createKeptLog();
  const trading = createTrading({
    store,
    bus,
    clock: wire.clock,
    random: createSeededRandom(seed),
    log,
    metrics: createKeptMetrics(),
    venues: onOneVenue({
      signer: wire.signer,
      gateway: wire.orders,
      accounts: wire.accounts,
      directory: { resolution: async (marketId) => wire.resolutions.get(marketId) ?? null },
      markets: { known: () => market, find: () => Promise.resolve(market) },
      books: (tokenId) =>
        tokenId === wire.tokens[0]
          ? aBook(market, 0, {
              asks: [aLevel(5_000, 100)],
              bids: [aLevel(4_800, 100)],
              receivedAtMs: wire.clock.nowMs(),
            })
          : null,
    }),
  });
  open.push(() => trading.orders.stop());
  await trading.orders.recover();
  await trading.funding.syncDeposits(wire.userId);
  watchUser(trading, wire.userId);
  /** Resolves when the journal holds `count` facts of a kind. */
  const until = (type: JournalEntry['event']['type'], count = 1): Promise<void> =>
    new Promise((resolve) => {
      const isThere = () => bus.entries.filter(({ event }) => event.type === type).length >= count;
      if (isThere()) return resolve();
      const unsubscribe = bus.subscribe(() => {
        if (!isThere()) return;
        unsubscribe();
        resolve();
      });
    });
  return { ...trading, bus, log, until };
}

describe("trading over the venue's wire", () => {
  it('buys, settles, rests, cancels and sells, and agrees with the venue on every micro', async () => {
    const wire = { ...(await startWireVenue()), resolutions: new Map() };
    open.push(wire.close);
    const store = createMemoryStore();
    const trading = await startTrading(wire, store);
    await wire.accounts.open(wire.userId);
    wire.quote({ tokenId: wire.tokens[0], side: 'sell', price: 5_000, shares: 100 });
    wire.quote({ tokenId: wire.tokens[0], side: 'buy', price: 4_800, shares: 100 });
    expect(trading.portfolio.cash(wire.userId, 'usdc:safe').settled).toBe(1_000_000_000);

    const purchase = aMarketBuy({ marketId: wire.marketId });
    const estimated = await trading.orders.estimate(wire.userId, purchase);
    const bought = await trading.orders.place(wire.userId, purchase);
    expect(['matched', 'filled']).toContain(bought.state);
    await trading.until('fill.settled');
    expect(trading.orders.get(wire.userId, bought.intent.intentId)).toMatchObject({
      intent: { price: estimated.intent.price, spendMicros: estimated.intent.spendMicros },
      filledShares: estimated.shares,
      filledUsdc: estimated.usdc,
      feesUsdc: estimated.fee,
    });
    expect([estimated.refusal, estimated.networkCost]).toEqual([null, 0]);
    expect(trading.portfolio.cash(wire.userId, 'usdc:safe').settled).toBe(989_650_000);

    const resting = await trading.orders.place(wire.userId, aLimitBuy({ marketId: wire.marketId }));
    expect(resting.state).toBe('live');
    wire.take({ tokenId: wire.tokens[0], side: 'sell', price: 4_800, shares: 100 });
    wire.take({ tokenId: wire.tokens[0], side: 'sell', price: 4_000, shares: 6 });
    await trading.until('fill.settled', 2);
    const cancelled = await trading.orders.cancel(wire.userId, resting.intent.intentId);
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      filledShares: 6_000_000,
      feesUsdc: 0,
      reserved: { usdc: 0, shares: 0 },
    });

    wire.quote({ tokenId: wire.tokens[0], side: 'buy', price: 4_800, shares: 10 });
    const sold = await trading.orders.place(
      wire.userId,
      aMarketSell(26, { marketId: wire.marketId }),
    );
    await trading.until('fill.settled', 3);
    expect(trading.orders.get(wire.userId, sold.intent.intentId)).toMatchObject({
      filledShares: 10_000_000,
    });
    expect(trading.portfolio.holdings(wire.userId)).toMatchObject([
      { settledShares: 16_000_000, provisionalShares: 0 },
    ]);
    expect(trading.portfolio.cash(wire.userId, 'usdc:safe')).toMatchObject({
      provisional: 0,
      settled: await wire.accounts.collateral(wire.userId),
    });
    expect(brokenLaws(store, wire.userId)).toEqual([]);
    expect(trading.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
