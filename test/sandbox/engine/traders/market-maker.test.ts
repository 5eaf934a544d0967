import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../../../src/adapters/wire/keccak.ts';
import { BOOKS } from '../../../../src/sandbox/calibration/calibration.ts';
import { createExchangePrices } from '../../../../src/sandbox/feeds/prices/exchange-prices.ts';
import { createExchange } from '../../../../src/sandbox/engine/exchange.ts';
import type { EngineTrade } from '../../../../src/sandbox/engine/exchange-types.ts';
import { createFairValue } from '../../../../src/sandbox/feeds/prices/fair-value.ts';
import { createFaultBoard } from '../../../../src/sandbox/faults.ts';
import { streamOf } from '../../../../src/sandbox/hashed-chance.ts';
import type { Listing } from '../../../../src/sandbox/engine/listing.ts';
import { startMarketMaker } from '../../../../src/sandbox/engine/traders/market-maker.ts';
import { startNoiseTraders } from '../../../../src/sandbox/engine/traders/noise-traders.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { ladderAt } from '../../../../src/sandbox/engine/traders/quote-ladder.ts';
import { startRounds } from '../../../../src/sandbox/venues/venue-a/markets/rounds.ts';
import { chainIds } from '../../../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../../../src/sandbox/venues/venue-a/markets/market-ids.ts';

const TERMS = conditionTerms(3);

const START_MS = 1_780_876_800_000;
const keccak = await loadKeccak();

describe('ladder', () => {
  it('shows the recorded spreads and depth', () => {
    const ladders = Array.from({ length: 2_000 }, (_, index) =>
      ladderAt({
        seed: 3,
        stream: 9,
        fairCents: 45.3,
        secondsLeft: 200,
        nowMs: index * 5_000,
        levels: 60,
        depth: 1,
      }),
    );
    const one = ladders.filter(
      ({ bids, asks }) => Math.min(...asks.keys()) - Math.max(...bids.keys()) === 1,
    ).length;
    expect(one / ladders.length).toBeCloseTo(BOOKS.early.spreadShares[0], 1);
    const best = ladders.map(({ bids }) => bids.get(Math.max(...bids.keys())) ?? 0);
    expect(
      best.reduce((sum, shares) => sum + shares, 0) / best.length / (BOOKS.early.meanDepth[0] ?? 1),
    ).toBeCloseTo(1, 0);
  });

  it('has no level on the losing side once the outcome is nearly sure', () => {
    const { bids, asks } = ladderAt({
      seed: 3,
      stream: 9,
      fairCents: 99.7,
      secondsLeft: 5,
      nowMs: START_MS,
      levels: 60,
      depth: 1,
    });
    expect(Math.max(...bids.keys())).toBe(99);
    expect(asks.size).toBe(0);
  });
});

describe('market makers', () => {
  it('keep an uncrossed book around the fair value of a running window, and never trade with themselves', async () => {
    const world = startWorldOfMakers();
    await world.clock.advance(60_000);
    const listing = world.running('btc-updown-5m');
    const { bids, asks } = world.exchange.book(listing.market.tokens[0]);
    const [bid, ask, fair] = [
      bids[0]?.price ?? 0,
      asks[0]?.price ?? 10_000,
      (world.fairOf(listing) ?? 0) * 10_000,
    ];
    expect(bid).toBeLessThan(ask);
    expect(Math.abs((bid + ask) / 2 - fair)).toBeLessThan(400);
    expect(bids.length + asks.length).toBeGreaterThan(60);
    expect(world.trades).toEqual([]);
  });

  it('L10: quote the same book for the same seed', async () => {
    const books = [];
    for (const world of [startWorldOfMakers(), startWorldOfMakers()]) {
      await world.clock.advance(45_000);
      books.push(world.exchange.book(world.running('btc-updown-5m').market.tokens[1]));
    }
    expect(books[0]).toEqual(books[1]);
  });

  it('come back after a sweep and after an end, and leave markets alone that start much later', async () => {
    const world = startWorldOfMakers();
    await world.clock.advance(420_000);
    const listing = world.running('btc-updown-5m');
    expect(world.exchange.book(listing.market.tokens[0]).bids.length).toBeGreaterThan(0);
    const later = world.rounds
      .listings()
      .find(({ window }) => window !== null && window.startsAtMs > START_MS + 3_600_000);
    expect(world.exchange.book(later?.market.tokens[0] ?? listing.market.tokens[0]).bids).toEqual(
      [],
    );
  });

  it('trade now and then, small and large, with collateral conserved', async () => {
    const world = startWorldOfMakers();
    const traders = startNoiseTraders({
      clock: world.clock,
      exchange: world.exchange,
      seed: 3,
      listings: () => world.rounds.listings(),
    });
    await world.clock.advance(900_000);
    traders.stop();
    const sizes = world.trades.map(({ shares }) => shares / 1_000_000);
    expect(sizes.length).toBeGreaterThan(300);
    expect(Math.max(...sizes)).toBeGreaterThan(1_000);
    expect(world.exchange.total('usdc') % 100_000_000_000_000).toBe(0);
  });
});

function startWorldOfMakers() {
  const clock = createVirtualClock(START_MS);
  const exchange = createExchange({
    clock,
    random: createSeededRandom(3),
    faults: createFaultBoard(createSeededRandom(4)),
  });
  const prices = createPriceProcess(3, startingPrices(START_MS / 1000 - 3_600));
  const fair = createFairValue({
    seed: 3,
    prices,
    exchange: createExchangePrices(3, prices),
    rule: 'spot',
  });
  const rounds = startRounds({
    clock,
    exchange,
    prices,
    idsOf: (slug) => chainIds(keccak, TERMS, slug),
    rule: 'spot',
    listingHorizonMs: 7_200_000,
    hydrationDelayMs: 0,
    resolutionDelayMs: 10_000,
  });
  const fairOf = ({ window, market }: Listing) => {
    const strikeE18 = window === null ? null : rounds.strikeE18(window);
    return window === null || strikeE18 === null
      ? 0.5
      : fair({
          asset: window.series.asset,
          strikeE18,
          endsAtMs: window.endsAtMs,
          nowMs: clock.nowMs(),
          stream: streamOf(market.slug),
        });
  };
  startMarketMaker({ clock, exchange, seed: 3, listings: rounds.listings, fairOf });
  const trades: EngineTrade[] = [];
  exchange.subscribe((event) => {
    if (event.kind === 'trade' && event.trade.status === 'MATCHED') trades.push(event.trade);
  });
  const running = (prefix: string): Listing => {
    const found = rounds
      .listings()
      .find(
        ({ market, window }) =>
          market.slug.startsWith(prefix) &&
          window !== null &&
          window.startsAtMs <= clock.nowMs() &&
          window.endsAtMs > clock.nowMs(),
      );
    if (found === undefined) throw new Error('no running window');
    return found;
  };
  return { clock, exchange, rounds, fairOf, trades, running };
}
