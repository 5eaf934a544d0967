import { expect, it } from 'vitest';
import type { TradeId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { OrderId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { aLimitBuy } from '../../support/builders.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';

it('L3, L4: books a trade that met several makers by each leg at its own price, cost and fee rounded leg by leg', async () => {
  const { world, life, store } = await aFundedLife();
  const order = await during(
    world,
    life.orders.place(
      world.user,
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_900), expiresAtMs: null } }),
    ),
  );
  const [tokenId, orderId] = [order.intent.tokenId, order.signed?.orderId ?? asId<OrderId>('none')];
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
    word: 'matched',
    matchedAtMs: world.clock.nowMs(),
    transactionHash: null,
  });
  // 3.333333 at 0.47 costs 1.56666651, 2 at 0.48 cost 0.96; fees 7 % of shares × p × (1 − p): 0.058123… and 0.034944, in steps of 0.00001.
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
  const { intent, signed } = await during(world, life.orders.place(world.user, aLimitBuy()));
  expect(intent.createdAtMs % 1_000).toBeGreaterThan(0);
  const matchedAt = async (tradeId: string, matchedAtMs: number) => {
    await life.portfolio.recordFill({
      tradeId: asId<TradeId>(tradeId),
      orderId: signed?.orderId ?? asId<OrderId>('none'),
      marketId: world.market.marketId,
      tokenId: intent.tokenId,
      side: 'buy',
      role: 'maker',
      legs: [{ shares: shareMicros(1_000_000), price: intent.price }],
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
