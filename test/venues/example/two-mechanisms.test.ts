import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { assert } from '../../../src/domain/errors.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { serviceContract } from '../../contracts/venue/service.ts';
import { CURVE } from '../../support/example-venue/venue.ts';
import { ORDER_BOOK } from '../../support/venue-ids.ts';
import { createExampleWorld } from '../../support/worlds/example-world.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';

serviceContract('the order book of a venue of two mechanisms', () =>
  createExampleWorld({ by: ORDER_BOOK }),
);
serviceContract('the curve of a venue of two mechanisms', () => createExampleWorld({ by: CURVE }));

async function begin() {
  const world = await createExampleWorld({ by: ORDER_BOOK });
  assert(world.other !== null, 'it has another market');
  const life = await startLife([world], createMemoryStore(), 'first');
  return { world, life, onCurve: world.other };
}
const rest = (life: VenueLife, marketId: OrderRecord['intent']['marketId']) =>
  life.placed({
    marketId,
    amount: { unit: 'shares', micros: 20_000_000 },
    type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null, untilCancelled: true },
  });

describe('a venue of two mechanisms', () => {
  it("L9: finds each order again by the mechanism that its intent names, at the venue's book and with us", async () => {
    const { world, life, onCurve } = await begin();
    const orders = [await rest(life, world.market.marketId), await rest(life, onCurve.marketId)];
    expect(orders.map(({ intent }) => [intent.mechanism, intent.restsAt])).toEqual([
      [ORDER_BOOK, undefined],
      [CURVE, 'service'],
    ]);
    const next = await life.killed(async () => {
      for (const { outcomes } of [world.market, onCurve])
        world.take({ tokenId: outcomes[0].tokenId, side: 'sell', price: 4_000, shares: 20 });
    });
    for (const order of orders) await next.until(() => next.order(order).state === 'filled');
    await next.agrees();
    await next.end();
  });

  it('L2: asks about an order whose answer was lost by its own mechanism alone', async () => {
    const { world, life, onCurve } = await begin();
    const { tokenId } = onCurve.outcomes[0];
    world.quote({ tokenId, side: 'sell', price: 4_000, shares: 100 });
    world.befall('unanswered');
    const order = await life.unheard({ marketId: onCurve.marketId });
    await life.until(() => life.order(order).state === 'filled');
    expect(life.order(order).attempts).toHaveLength(1);
    await life.agrees();
    await life.end();
  });
});
