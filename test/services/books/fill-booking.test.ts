import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { VenueFill } from '../../../src/domain/fill.ts';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { costMicros, priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { aLimitBuy } from '../../support/builders.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';
import { orderIdOf } from '../../support/attempts.ts';

it('L3, L4: books a trade that met several makers by each leg at its own price, cost and fee rounded leg by leg', async () => {
  const { world, life, store } = await aFundedLife();
  const order = await during(
    world,
    life.orders.place(
      world.user,
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_900), expiresAtMs: null } }),
    ),
  );
  const [tokenId, orderId] = [order.intent.tokenId, orderIdOf(order)];
  await life.portfolio.recordFill({
    tradeId: asId<TradeId>('two legs'),
    orderId,
    marketId: world.market.marketId,
    tokenId,
    side: 'buy',
    role: 'taker',
    legs: [
      { shares: shareMicros(3_333_333), price: priceTicks(4_700) },
      { shares: shareMicros(2_000_000), price: priceTicks(4_800) },
    ],
    fee: null,
    word: 'matched',
    matchedAtMs: world.clock.nowMs(),
    transactionHash: null,
  });
  // 3.333333 at 0.47 costs 1.56666651, 2 at 0.48 cost 0.96; fees 7 % of shares × p × (1 − p):
  // 0.058123… and 0.034944, in steps of 0.00001.
  expect(life.portfolio.fills(world.user)).toMatchObject([
    { shares: 5_333_333, usdc: 1_566_667 + 960_000, fee: 58_120 + 34_940 },
  ]);
  expect(life.portfolio.cash(world.user, 'usdc:safe').provisional).toBe(
    -(1_566_667 + 960_000 + 58_120 + 34_940),
  );
  expect(brokenLaws(store, world.user)).toEqual([]);
});

it("never has a match before its order was created: the venue's stamp is a whole second rounded down", async () => {
  const { world, life } = await aFundedLife();
  await world.clock.advance(1_700 - (world.clock.nowMs() % 1_000));
  const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
  const { intent } = placed;
  expect(intent.createdAtMs % 1_000).toBeGreaterThan(0);
  const matchedAt = async (tradeId: string, matchedAtMs: number) => {
    await life.portfolio.recordFill({
      tradeId: asId<TradeId>(tradeId),
      orderId: orderIdOf(placed),
      marketId: world.market.marketId,
      tokenId: intent.tokenId,
      side: 'buy',
      role: 'maker',
      legs: [{ shares: shareMicros(1_000_000), price: intent.price }],
      fee: null,
      word: 'matched',
      matchedAtMs,
      transactionHash: null,
    });
    return life.portfolio.fills(world.user).find((fill) => fill.tradeId === tradeId)?.matchedAtMs;
  };
  const second = intent.createdAtMs - (intent.createdAtMs % 1_000);
  expect(await matchedAt('same second', second)).toBe(intent.createdAtMs);
  expect(await matchedAt('next second', second + 1_000)).toBe(second + 1_000);
});

const feeOfAnyUnit = fc.record({
  unit: fc.constantFrom('cash' as const, 'shares' as const),
  micros: fc.integer({ min: 0, max: 900_000 }),
});
const aLeg = fc.record({
  shares: fc.integer({ min: 1_000_000, max: 6_000_000 }).map(shareMicros),
  price: fc.integer({ min: 1, max: 49 }).map((cents) => priceTicks(cents * 100)),
});

it('L3, L4: a fee as the venue states it is booked to the micro, in cash or out of the shares bought, and taken back with its trade', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aLeg, { minLength: 1, maxLength: 3 }),
      feeOfAnyUnit,
      fc.constantFrom('confirmed' as const, 'failed' as const),
      async (legs, fee, word) => {
        const { world, life, store } = await aFundedLife();
        const order = await during(world, life.orders.place(world.user, aLimitBuy()));
        const { tokenId } = order.intent;
        const fill = aFillOf(order, { legs, fee });
        await life.portfolio.recordFill(fill);
        const shares = legs.reduce((sum, leg) => sum + leg.shares, 0);
        const usdc = legs.reduce((sum, leg) => sum + costMicros(leg.shares, leg.price, 'ceil'), 0);
        const [cash, kept] = fee.unit === 'cash' ? [fee.micros, 0] : [0, fee.micros];
        expect([
          life.portfolio.cash(world.user, 'usdc:safe').provisional,
          life.portfolio.holdings(world.user).map(({ position }) => position.shares),
          life.orders.get(world.user, order.intent.intentId)?.filledShares,
          balanceOf(store, 'fees', tokenId).provisional,
          brokenLaws(store, world.user),
        ]).toEqual([-usdc - cash, [shares - kept], shares, kept, []]);
        await life.portfolio.recordFill({ ...fill, word });
        const isFinal = word === 'confirmed';
        expect([
          life.portfolio.cash(world.user, 'usdc:safe').settled,
          balanceOf(store, world.user, tokenId).settled,
          balanceOf(store, 'fees', tokenId).settled,
          brokenLaws(store, world.user),
        ]).toEqual([
          isFinal ? 100_000_000 - usdc - cash : 100_000_000,
          isFinal ? shares - kept : 0,
          isFinal ? kept : 0,
          [],
        ]);
        await life.orders.stop();
      },
    ),
    { numRuns: 25 },
  );
});

it.each([
  ['more shares than were bought', { unit: 'shares', micros: 1_000_000 }],
  ['a part of a micro', { unit: 'cash', micros: 0.5 }],
  ['less than nothing', { unit: 'cash', micros: -1 }],
] as const)('books no trade whose stated fee is %s', async (_what, fee) => {
  const { world, life } = await aFundedLife();
  const order = await during(world, life.orders.place(world.user, aLimitBuy()));
  const legs = [{ shares: shareMicros(1_000_000), price: order.intent.price }];
  await expect(life.portfolio.recordFill(aFillOf(order, { legs, fee }))).rejects.toMatchObject({
    code: 'venue_protocol',
  });
  expect(life.portfolio.fills(world.user)).toEqual([]);
});

function aFillOf(order: OrderRecord, part: Pick<VenueFill, 'legs' | 'fee'>): VenueFill {
  return {
    tradeId: asId<TradeId>('stated'),
    orderId: orderIdOf(order),
    marketId: order.intent.marketId,
    tokenId: order.intent.tokenId,
    side: 'buy',
    role: 'taker',
    word: 'matched',
    matchedAtMs: order.intent.createdAtMs,
    transactionHash: null,
    ...part,
  };
}
