import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';
import { startLife } from '../../support/worlds/venue-life.ts';

it('nothing is bought, nor waits to be, where the operator may not sell; what is held is sold', async () => {
  const world = await createVenueBWorld();
  const [{ tokenId }] = world.market.outcomes;
  const life = await startLife([world], createMemoryStore(), 'first');
  world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
  await life.buy(5);
  await life.settled(1);
  world.moveTo('DE');
  const moved = await life.killed();
  const restricted = { code: 'venue_restricted', message: 'nothing is sold in DE; sales go on' };
  await expect(moved.buy(1)).rejects.toMatchObject(restricted);
  await expect(moved.rest(1, 4_000)).rejects.toMatchObject(restricted);
  await expect(moved.estimated({})).resolves.toMatchObject({ refusal: restricted });
  world.quote({ tokenId, side: 'buy', price: 4_800, shares: 50 });
  await world.clock.advance(100);
  await moved.placed({ side: 'sell', amount: { unit: 'shares', micros: 5_000_000 } });
  await moved.settled(2);
  expect(moved.holding()).toBe(0);
  await moved.end();
});
