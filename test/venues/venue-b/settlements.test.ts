import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { viewSettlement } from '../../../src/http/views/settlement.ts';
import { createTradeHistory } from '../../../src/services/history/trade-history.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';
import { startLife } from '../../support/worlds/venue-life.ts';

it('a winner that an order has redeemed is listed among the settlements, as redeemed, with what it brought', async () => {
  const world = await createVenueBWorld();
  const store = createMemoryStore();
  const life = await startLife([world], store, 'first');
  const [{ tokenId }] = world.market.outcomes;
  world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
  await life.buy(20);
  await life.settled(1);
  world.resolve([10_000, 0]);
  await life.until(() => life.holding() === 0, 2 * 86_400_000);
  const { data } = createTradeHistory(store).holdings(world.userId, {
    venue: world.row.id,
    type: 'all',
    resolved: true,
    limit: 10,
    cursor: null,
  });
  // Twenty dollars, less ten for the contracts and 0.40 for the fee.
  expect(data.map(viewSettlement)).toMatchObject([
    { marketId: world.market.marketId, state: 'redeemed', result: 'yes', realizedPnl: '9.6' },
  ]);
  await life.end();
});
