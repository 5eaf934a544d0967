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
  expect(life.portfolio.cash(world.user).provisional).toBe(
    -(1_566_667 + 960_000 + 58_120 + 34_940),
  );
  expect(brokenLaws(store, world.user)).toEqual([]);
});
