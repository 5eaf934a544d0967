import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asId, type Address, type OrderId } from '../../../src/domain/ids.ts';
import type { EngineTrade } from '../../../src/sandbox/engine/exchange-types.ts';
import { aVenue, DOWN, MARKET, UP, type TestVenue } from './a-venue.ts';

const NAMES = ['a', 'b', 'c'];
const DEPOSITS = 3 * 2_000_000_000;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      maker: fc.constantFrom(...NAMES),
      tokenId: fc.constantFrom(UP, DOWN),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      cents: fc.integer({ min: 1, max: 99 }),
      shares: fc.integer({ min: 500, max: 20_000 }),
      timeInForce: fc.constantFrom('GTC' as const, 'FAK' as const, 'FOK' as const),
      fine: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.integer({ min: 0, max: 6_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      name: fc.constantFrom(
        'ghost-fill' as const,
        'retrying-then-confirmed' as const,
        'split-match' as const,
        'delayed-then-matched' as const,
        'delayed-then-dead' as const,
      ),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function act(
  venue: TestVenue,
  placed: { orderId: OrderId; owner: string }[],
  one: Step,
): Promise<void> {
  if (one.kind === 'wait') await venue.clock.advance(one.ms);
  else if (one.kind === 'fault') venue.faults.arm(one.name, { times: 1 });
  else if (one.kind === 'cancel') {
    const target = placed[one.which % Math.max(1, placed.length)];
    if (target !== undefined) venue.exchange.cancel(target.owner, target.orderId);
  } else {
    const tick = venue.exchange.market(MARKET)?.tickSize === 10 && one.fine ? 10 : 100;
    const price = Math.min(one.cents * 100 + (tick === 10 ? 30 : 0), 9_990);
    const shares = one.shares / 100;
    const market = one.timeInForce !== 'GTC';
    const order = venue.order({
      maker: one.maker,
      tokenId: one.tokenId,
      side: one.side,
      price,
      timeInForce: one.timeInForce,
      ...(market && one.side === 'buy'
        ? { usdc: Math.max(1, Math.floor(shares)) }
        : { shares: market ? Math.ceil(shares) : shares }),
    });
    placed.push(order);
    venue.exchange.place(order);
  }
}

/** Everything that must be true between any two steps. */
function invariants(venue: TestVenue): void {
  const { exchange } = venue;
  expect(exchange.total('usdc')).toBe(DEPOSITS);
  expect(exchange.total(UP)).toBe(exchange.total(DOWN));
  const { bids, asks } = exchange.book(UP);
  if (bids[0] !== undefined && asks[0] !== undefined)
    expect(bids[0].price).toBeLessThan(asks[0].price);
  for (const name of NAMES) {
    const open = exchange.openOrders(new Set([`key-${name}`]));
    const resting = open.filter(
      ({ order, status }) => order.side === 'sell' && status === 'LIVE' && order.tokenId === UP,
    );
    const promised = resting.reduce(
      (sum, { originalMicros, matchedShares }) => sum + originalMicros - matchedShares,
      0,
    );
    expect(exchange.funds(asId<Address>(name), UP).held).toBeGreaterThanOrEqual(promised);
  }
}

describe('the model venue under random orders, cancels, waits and faults', () => {
  it('L4: neither makes nor loses a micro of collateral, keeps both outcomes equal in number, and never shows a crossed book', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const venue = aVenue();
        const placed: { orderId: OrderId; owner: string }[] = [];
        for (const one of steps) {
          await act(venue, placed, one);
          invariants(venue);
        }
        await venue.clock.advance(10_000);
        venue.exchange.resolve(MARKET, [10_000, 0]);
        expect(venue.exchange.total('usdc')).toBe(DEPOSITS);
        expect([venue.exchange.total(UP), venue.exchange.total(DOWN)]).toEqual([0, 0]);
        for (const name of NAMES)
          expect(venue.exchange.funds(asId<Address>(name), 'usdc').held).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('L10: gives the same trades, to the id, for the same seed and the same calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 1_000 }),
        async (steps, seed) => {
          const run = async (): Promise<readonly EngineTrade[]> => {
            const venue = aVenue({ seed });
            const placed: { orderId: OrderId; owner: string }[] = [];
            for (const one of steps) await act(venue, placed, one);
            return venue.exchange.trades();
          };
          expect(await run()).toEqual(await run());
        },
      ),
      { numRuns: 30 },
    );
  });

  it('fills in price-time order: no maker trades while a better or older one at the same price rests', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            cents: fc.integer({ min: 50, max: 55 }),
            shares: fc.integer({ min: 5, max: 30 }),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        fc.integer({ min: 1, max: 120 }),
        (quotes, usdc) => {
          const venue = aVenue();
          const ids = quotes.map(({ cents, shares }) => {
            const order = venue.order({
              maker: 'a',
              tokenId: UP,
              side: 'sell',
              price: cents * 100,
              shares,
            });
            venue.exchange.place(order);
            return order.orderId;
          });
          venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5_500, usdc });
          const expected = ids
            .map((id, index) => ({ id, cents: quotes[index]?.cents ?? 0, index }))
            .sort((x, y) => x.cents - y.cents || x.index - y.index)
            .map(({ id }) => id);
          const filled = venue.exchange
            .trades()
            .toReversed()
            .flatMap(({ makers }) => makers.map(({ orderId }) => orderId));
          expect(filled).toEqual(expected.slice(0, filled.length));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("never gives a taker worse than the limit, and the improvement is all the taker's", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 1, max: 99 }),
        fc.constantFrom(UP, DOWN),
        (maker, limit, makerToken) => {
          const venue = aVenue();
          venue.rest({
            maker: 'a',
            tokenId: makerToken,
            side: 'buy',
            price: maker * 100,
            shares: 100,
          });
          const takerSide = makerToken === UP ? 'sell' : 'buy';
          const answer = venue.take({
            maker: 'b',
            tokenId: UP,
            side: takerSide,
            price: limit * 100,
            ...(takerSide === 'buy' ? { usdc: 5 } : { shares: 10 }),
          });
          const price = makerToken === UP ? maker : 100 - maker;
          const crosses = takerSide === 'buy' ? limit >= price : limit <= price;
          expect(answer.kind).toBe(crosses ? 'matched' : 'rejected');
          if (answer.kind !== 'matched') return;
          const [usdc, shares] =
            takerSide === 'buy'
              ? [answer.makingMicros, answer.takingMicros]
              : [answer.takingMicros, answer.makingMicros];
          expect(usdc * 100).toBe(shares * price);
        },
      ),
      { numRuns: 200 },
    );
  });
});
