import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import {
  foldDurable,
  type DurableRecord,
  type ExchangeSnapshot,
} from '../../../src/sandbox/engine/durable.ts';
import { createExchange, type VenueModel } from '../../../src/sandbox/engine/exchange.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { aVenue, MARKET, UP, type TestVenue } from './a-venue.ts';

/** The venue as it would be after a restart `afterMs` later. */
function restart(venue: TestVenue, snapshot: ExchangeSnapshot) {
  const clock = createVirtualClock(venue.clock.nowMs());
  const random = createSeededRandom(2);
  return {
    clock,
    exchange: createExchange({ clock, random, faults: createFaultBoard(random), snapshot }),
  };
}

function throughJson(snapshot: ExchangeSnapshot): ExchangeSnapshot {
  return JSON.parse(JSON.stringify(snapshot));
}

function balances(exchange: VenueModel) {
  return ['a', 'b'].map((name) => [
    exchange.balanceOf(asId<Address>(name)),
    exchange.sharesOf(asId<Address>(name), UP),
  ]);
}

describe('L9: the venue after a restart', () => {
  it('has the same balances, open orders, trades, keys and book', () => {
    const venue = aVenue();
    const key = venue.exchange.keys.create(asId<Address>('a'), '0');
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 20 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5100, usdc: 5.1 });
    const { exchange } = restart(venue, throughJson(venue.exchange.snapshot()));
    expect(balances(exchange)).toEqual(balances(venue.exchange));
    expect(exchange.openOrders(new Set(['key-a']))).toEqual(
      venue.exchange.openOrders(new Set(['key-a'])),
    );
    expect(exchange.tradesOf(new Set(['key-b']))).toEqual(
      venue.exchange.tradesOf(new Set(['key-b'])),
    );
    expect(exchange.keys.derive(asId<Address>('a'), '0')).toEqual(key);
    expect(exchange.book(UP)).toEqual(venue.exchange.book(UP));
    expect(exchange.funds(asId<Address>('a'), UP)).toEqual(
      venue.exchange.funds(asId<Address>('a'), UP),
    );
  });

  it('knows the order hashes it has seen', () => {
    const venue = aVenue();
    const order = venue.order({ maker: 'a', tokenId: UP, side: 'buy', price: 4700, shares: 10 });
    venue.exchange.place(order);
    venue.exchange.cancel('key-a', order.orderId);
    const { exchange } = restart(venue, throughJson(venue.exchange.snapshot()));
    expect(exchange.place(order)).toEqual({
      kind: 'rejected',
      status: 400,
      reason: `order ${order.orderId} is invalid. Duplicated.`,
    });
  });

  it('brings trades that were on their way to their end', async () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 20 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5100, usdc: 5.1 });
    const { exchange, clock } = restart(venue, throughJson(venue.exchange.snapshot()));
    await clock.advance(5_000);
    expect(exchange.tradesOf(new Set(['key-b']))).toMatchObject([{ status: 'CONFIRMED' }]);
  });

  it('releases a delayed order that the stop caught in its delay', async () => {
    const venue = aVenue({ market: { takerDelayMs: 250 } });
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 20 });
    expect(venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5100, usdc: 5.1 })).toEqual({
      kind: 'delayed',
    });
    const { exchange, clock } = restart(venue, throughJson(venue.exchange.snapshot()));
    await clock.advance(250);
    expect(exchange.tradesOf(new Set(['key-b']))).toMatchObject([{ shares: 10_000_000 }]);
    expect(exchange.funds(asId<Address>('b'), 'usdc').held).toBe(0);
  });

  it('ends GTD orders at their time', async () => {
    const venue = aVenue();
    venue.rest({
      maker: 'a',
      tokenId: UP,
      side: 'buy',
      price: 4700,
      shares: 10,
      timeInForce: 'GTD',
      expiresAtMs: venue.clock.nowMs() + 90_000,
    });
    const { exchange, clock } = restart(venue, throughJson(venue.exchange.snapshot()));
    await clock.advance(30_000);
    expect(exchange.openOrders(new Set(['key-a']))).toEqual([]);
  });

  it('is the same from the log of changes as from a snapshot', async () => {
    const log: DurableRecord[] = [];
    const clock = createVirtualClock(aVenue().clock.nowMs());
    const random = createSeededRandom(1);
    const logged = createExchange({
      clock,
      random,
      faults: createFaultBoard(random),
      onDurableChange: (records) => void log.push(...structuredClone(records)),
    });
    const venue = aVenue({ exchange: logged, clock });
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 20 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5100, usdc: 5.1 });
    await clock.advance(3_000);
    logged.resolve(MARKET, [10_000, 0]);
    logged.keys.create(asId<Address>('a'), '0');
    const sorted = (snapshot: ExchangeSnapshot) =>
      snapshot.records
        .map((record) => JSON.stringify(record))
        .filter((text) => !text.includes('"balance":0'))
        .sort();
    expect(sorted(foldDurable(null, log))).toEqual(sorted(logged.snapshot()));
  });

  it('does not report what only the market maker does', () => {
    const reports: number[] = [];
    const clock = createVirtualClock(aVenue().clock.nowMs());
    const random = createSeededRandom(1);
    const exchange = createExchange({
      clock,
      random,
      faults: createFaultBoard(random),
      onDurableChange: (records) => void reports.push(records.length),
    });
    const venue = aVenue({ exchange, clock });
    reports.length = 0;
    venue.rest({
      maker: 'a',
      owner: 'maker:1',
      tokenId: UP,
      side: 'sell',
      price: 5100,
      shares: 20,
    });
    venue.take({ maker: 'b', owner: 'maker:2', tokenId: UP, side: 'buy', price: 5100, usdc: 5.1 });
    expect(reports).toEqual([]);
  });
});
