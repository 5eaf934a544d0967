import { ORDER } from '../../../config/limits.ts';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { serviceContract } from '../../contracts/venue/service.ts';
import { createExampleWorld } from '../../support/worlds/example-world.ts';
import { startLife } from '../../support/worlds/venue-life.ts';

serviceContract('the example venue', () => createExampleWorld());

describe('the example venue, where it differs', () => {
  async function begin() {
    const world = await createExampleWorld();
    const life = await startLife([world], createMemoryStore(), 'first');
    return { world, life };
  }

  it('L1: an order lost on its way follows as a second attempt, once it is proven that the first can never land', async () => {
    const { world, life } = await begin();
    for (let sent = 0; sent < ORDER.sendsMaximum; sent += 1) world.befall('lost');
    const order = await life.rest(20, 4_000);
    await life.until(() => life.order(order).state === 'live');
    const [lost, taken] = life.order(order).attempts;
    expect(lost).toMatchObject({
      orderId: null,
      ended: { how: 'never', proof: 'its bytes are good no more' },
    });
    expect(taken).toMatchObject({ orderId: 'ex-1', ended: null });
    expect(taken?.attemptId).not.toBe(lost?.attemptId);
    await life.end();
  });

  it('books a fill at once that was reported before the answer named its order', async () => {
    const { world, life } = await begin();
    const { tokenId } = world.market.outcomes[0];
    world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
    await life.buy(20);
    await life.settled(1);
    await life.buy(20);
    await world.clock.advance(50);
    expect(life.fills().map(({ settlement }) => settlement)).toContain('provisional');
    await life.end();
  });

  it('books the fee it states: shares of a purchase, cash of a sale', async () => {
    const { world, life } = await begin();
    const { tokenId } = world.market.outcomes[0];
    world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
    await life.buy(20);
    expect(await life.settled(1)).toMatchObject([{ fee: 0, feeShares: 400_000 }]);
    expect(life.holding()).toBe(19_600_000);
    world.quote({ tokenId, side: 'buy', price: 4_000, shares: 100 });
    await world.clock.advance(100);
    await life.placed({ side: 'sell', amount: { unit: 'shares', micros: 10_000_000 } });
    const [, sale] = await life.settled(2);
    expect([sale?.side, sale?.usdc, sale?.fee]).toEqual(['sell', 4_000_000, 80_000]);
    await life.agrees();
    await life.end();
  });
});
serviceContract('an example venue that keeps no orders', () =>
  createExampleWorld({ keepsOrders: false }),
);
serviceContract(
  'an example venue that keeps no orders and tells trades with their order alone',
  () => createExampleWorld({ keepsOrders: false, listsTrades: false }),
);
