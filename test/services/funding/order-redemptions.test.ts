import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { createOrderRedemptions } from '../../../src/services/funding/order-redemptions.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { OPEN_FILLS } from '../../../src/services/books/tables.ts';
import { aMarketBuy } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** A user with 20 final shares of Yes in a market that ends. */
async function aHolder(payoutTicks: readonly [number, number]) {
  const { world, life, store } = await aFundedLife();
  await during(world, life.orders.place(world.user, aMarketBuy()));
  await world.clock.advance(10_000);
  const { marketId } = world.market;
  const placed: PlaceOrder[] = [];
  const log = createKeptLog();
  let fails = false;
  const redemptions = createOrderRedemptions({
    store,
    log,
    portfolio: life.portfolio,
    orders: {
      async place(_userId, request) {
        placed.push(request);
        if (fails) throw new AppError('no_liquidity', 'not open', { retryable: true });
        return undefined as never;
      },
    },
  });
  const redeem = () => redemptions.redeem(VENUE_A, world.user, marketId);
  await life.portfolio.recordResolution({ marketId, payoutTicks, resolvedAtMs: 0 });
  return { world, store, life, placed, log, redeem, failNext: () => (fails = true) };
}

describe('what was won, at a venue that pays by orders', () => {
  it('is given for what it pays: all that is final, in one order', async () => {
    const { redeem, placed, life, world } = await aHolder([10_000, 0]);
    const [held] = life.portfolio.holdings(world.user, { type: 'open' });
    await redeem();
    expect(placed).toMatchObject([
      {
        side: 'sell',
        outcome: 0,
        type: { kind: 'redemption' },
        amount: { unit: 'shares', micros: held?.settledShares },
      },
    ]);
  });

  it('is left alone where it lost', async () => {
    const { redeem, placed } = await aHolder([0, 10_000]);
    await redeem();
    expect(placed).toEqual([]);
  });

  it('waits for what is still on its way', async () => {
    const { redeem, placed, life, world, store } = await aHolder([10_000, 0]);
    const [fill] = life.portfolio.fills(world.user);
    if (fill === undefined) return expect.unreachable();
    await store.write((tx) =>
      tx.put(OPEN_FILLS, [world.user, fill.orderId, fill.tradeId], {
        sinceMs: 0,
        venue: VENUE_A,
      }),
    );
    await redeem();
    expect(placed).toEqual([]);
  });

  it('is tried again where its venue is not ready', async () => {
    const { redeem, placed, failNext, log } = await aHolder([10_000, 0]);
    failNext();
    await redeem();
    await redeem();
    expect([placed.length, log.lines.map(({ event }) => event)]).toEqual([
      2,
      ['redemption.not_started', 'redemption.not_started'],
    ]);
  });
});
