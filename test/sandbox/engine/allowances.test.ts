import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { NO_END, type AllowedAsset } from '../../../src/sandbox/engine/allowances.ts';
import { createExchange } from '../../../src/sandbox/engine/exchange.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { aVenue, START_MS, UP, type TestVenue } from './a-venue.ts';
import { VENUE_CONTRACTS } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';

const {
  exchange: EXCHANGE,
  negRiskExchange: NEG_RISK_EXCHANGE,
  negRiskAdapter: NEG_RISK_ADAPTER,
} = VENUE_CONTRACTS;

interface GuardedVenue extends TestVenue {
  allow(maker: string, asset: AllowedAsset, spender: string, micros: bigint): void;
}

/** A venue whose accounts have let it take nothing yet. */
function aGuardedVenue(
  market: { readonly negRisk?: boolean; readonly takerDelayMs?: number } = {},
): GuardedVenue {
  const given = new Map<string, bigint>();
  const clock = createVirtualClock(START_MS);
  const random = createSeededRandom(1);
  // The trades stay on their way: none of them is settled.
  const exchange = createExchange({
    clock,
    random,
    faults: createFaultBoard(random),
    settler: { settle: () => undefined },
    allowances: {
      allowed: (account, asset, spender) => given.get(`${account} ${asset} ${spender}`) ?? 0n,
    },
  });
  return {
    ...aVenue({ exchange, clock, market }),
    allow(maker, asset, spender, micros) {
      given.set(`${maker} ${asset} ${spender}`, micros);
      exchange.allowancesChanged(new Set([asId<Address>(maker)]));
    },
  };
}

const lacks = (spender: string, allowance: number, matched: number, needed: number): unknown => ({
  kind: 'rejected',
  status: 400,
  reason: `not enough balance / allowance: the allowance is not enough -> spender: ${spender}, allowance: ${allowance}, sum of matched orders: ${matched}, order amount (inc. fees): ${needed}`,
});
const BUY = { maker: 'a', tokenId: UP, side: 'buy', price: 5_000, shares: 10 } as const;
const SALE = { maker: 'a', tokenId: UP, side: 'sell', price: 5_000, shares: 10 } as const;

describe('a venue that takes from accounts what they let it take', () => {
  it("refuses a buy without an allowance of collateral and a sale without one of shares, in the venue's words, and takes them with one", () => {
    const venue = aGuardedVenue();
    expect([venue.rest(BUY), venue.rest(SALE)]).toEqual([
      lacks(EXCHANGE, 0, 0, 5_000_000),
      lacks(EXCHANGE, 0, 0, 10_000_000),
    ]);
    venue.allow('a', 'collateral', EXCHANGE, NO_END);
    expect([venue.rest(BUY), venue.rest(SALE)]).toEqual([
      { kind: 'live' },
      lacks(EXCHANGE, 0, 0, 10_000_000),
    ]);
  });

  it('asks a market of the other kind for the allowances of its own exchange and adapter', () => {
    const venue = aGuardedVenue({ negRisk: true });
    venue.allow('a', 'collateral', EXCHANGE, NO_END);
    expect(venue.rest(BUY)).toEqual(lacks(NEG_RISK_EXCHANGE, 0, 0, 5_000_000));
    venue.allow('a', 'collateral', NEG_RISK_EXCHANGE, NO_END);
    expect(venue.rest(BUY)).toEqual(lacks(NEG_RISK_ADAPTER, 0, 0, 5_000_000));
    venue.allow('a', 'collateral', NEG_RISK_ADAPTER, NO_END);
    expect(venue.rest(BUY)).toEqual({ kind: 'live' });
  });

  it('counts what matched orders will still take of an allowance with an end', () => {
    const venue = aGuardedVenue();
    venue.allow('b', 'shares', EXCHANGE, NO_END);
    venue.allow('a', 'collateral', EXCHANGE, 12_000_000n);
    venue.rest({ ...SALE, maker: 'b' });
    expect(venue.take(BUY)).toMatchObject({ kind: 'matched', makingMicros: 5_000_000 });
    const [trade] = venue.exchange.tradesOf(new Set(['a']));
    expect(venue.rest({ ...BUY, shares: 14 })).toEqual(
      lacks(EXCHANGE, 12_000_000, 5_000_000 + (trade?.fee ?? 0), 7_000_000),
    );
    expect(venue.rest({ ...BUY, shares: 13 })).toEqual({ kind: 'live' });
  });

  it('ends a resting order as INVALID once its account takes the allowance back, and leaves others', () => {
    const venue = aGuardedVenue();
    for (const maker of ['a', 'b']) venue.allow(maker, 'collateral', EXCHANGE, NO_END);
    const orders = [venue.order(BUY), venue.order({ ...BUY, maker: 'b' })];
    for (const order of orders) venue.exchange.place(order);
    venue.allow('a', 'collateral', EXCHANGE, 0n);
    expect(orders.map(({ orderId }) => venue.exchange.order(orderId)?.status)).toEqual([
      'INVALID',
      'LIVE',
    ]);
  });

  it('looks again when a delayed order meets the book', async () => {
    const venue = aGuardedVenue({ takerDelayMs: 250 });
    venue.allow('b', 'shares', EXCHANGE, NO_END);
    venue.allow('a', 'collateral', EXCHANGE, NO_END);
    venue.rest({ ...SALE, maker: 'b' });
    const order = venue.order({ ...BUY, timeInForce: 'FAK' });
    expect(venue.exchange.place(order)).toEqual({ kind: 'delayed' });
    venue.allow('a', 'collateral', EXCHANGE, 0n);
    await venue.clock.advance(250);
    expect(venue.exchange.order(order.orderId)).toMatchObject({
      status: 'INVALID',
      reason: expect.stringContaining('the allowance is not enough'),
      tradeIds: [],
    });
  });

  it('does not ask the market maker', () => {
    expect(aGuardedVenue().rest({ ...BUY, owner: 'maker:quotes' })).toEqual({ kind: 'live' });
  });
});

describe("a venue that holds its users' money itself", () => {
  it('may take everything, unless the fault says of an account that it may not', () => {
    const venue = aVenue();
    const allowances = (maker: string) =>
      venue.exchange.allowances(asId<Address>(maker), 'usdc').map(([, micros]) => micros);
    venue.faults.arm('allowance-missing', { match: { address: 'a' } });
    expect([
      venue.rest(BUY),
      venue.rest({ ...BUY, maker: 'b' }),
      allowances('a'),
      allowances('b'),
    ]).toEqual([
      lacks(EXCHANGE, 0, 0, 5_000_000),
      { kind: 'live' },
      [0n, 0n, 0n],
      [NO_END, NO_END, NO_END],
    ]);
    venue.faults.clear('allowance-missing');
    expect(venue.rest(BUY)).toEqual({ kind: 'live' });
  });
});
