import { afterEach, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { explainOrder } from '../../../src/domain/order-reason.ts';
import { FUNDS_DISPUTES } from '../../../src/services/books/tables.ts';
import { createVenueCWorld } from '../../support/worlds/venue-c-world.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';

let life: VenueLife;
afterEach(() => life.end());

/** A user before a book that offers a hundred shares at a half. */
async function begin() {
  const world = await createVenueCWorld();
  const { tokenId } = world.market.outcomes[0];
  world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
  life = await startLife([world], createMemoryStore(), 'first');
  return world.faults;
}

it('an order whose right the venue finds missing is signed once more, after the chain was asked for the right', async () => {
  const faults = await begin();
  faults.arm('allowance-missing', { times: 1 });
  const order = await life.buy(20);
  await life.until(() => life.order(order).state === 'filled');
  expect(life.order(order).attempts).toHaveLength(2);
  expect(life.store.range(FUNDS_DISPUTES)).toEqual([]);
  await life.agrees();
});

it('one that is refused so again ends, with the cause in words, and pauses no other', async () => {
  const faults = await begin();
  faults.arm('allowance-missing', {});
  const order = await life.buy(20);
  await life.until(() => life.order(order).state === 'rejected');
  expect(explainOrder(life.order(order)).reason).toContain('had not let the exchange take');
  expect(life.store.range(FUNDS_DISPUTES)).toEqual([]);
  faults.clear('allowance-missing');
  const next = await life.buy(20);
  await life.until(() => life.order(next).state === 'filled');
  await life.agrees();
});
