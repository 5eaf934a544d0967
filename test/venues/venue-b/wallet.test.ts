import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { ARRIVALS } from '../../../src/services/funding/tables.ts';
import { POSITIONS } from '../../../src/services/books/tables.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';
import { startLife } from '../../support/worlds/venue-life.ts';

const FINAL_MS = 15_000;

async function begin() {
  const world = await createVenueBWorld();
  const store = createMemoryStore();
  const life = await startLife([world], store, 'first');
  const { tokenId } = world.market.outcomes[0];
  const final = () => world.clock.advance(FINAL_MS);
  const position = () => store.get(POSITIONS, [world.userId, tokenId])?.value;
  const booked = () => balanceOf(store, world.userId, tokenId).settled;
  const buy = async (micros: number) => {
    world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
    await life.buy(micros / 1_000_000);
    await life.settled(1);
    await final();
  };
  return { world, store, life, tokenId, final, position, booked, buy };
}

describe('a wallet of venue_b, on a chain', () => {
  it('L4: tells each arrival by its transaction, between trades of its own', async () => {
    const { world, store, life, buy, final } = await begin();
    const before = life.cash().settled;
    await buy(20_000_000);
    const [one, other] = [world.give(3_000_000), world.give(4_000_000)];
    await life.syncDeposits();
    expect(life.cash().settled).toBeLessThan(before);
    await final();
    await life.syncDeposits();
    const arrived = store.range(ARRIVALS).map(({ value }) => [value.usdc, value.transactionHash]);
    expect(new Map(arrived.slice(1).map(([usdc, hash]) => [hash, usdc]))).toEqual(
      new Map([
        [one, 3_000_000],
        [other, 4_000_000],
      ]),
    );
    await life.agrees();
    await life.end();
  });

  it('L4: books no return of an order as an arrival, nor an arrival beside it as a return', async () => {
    const { world, store, life, tokenId, final } = await begin();
    world.faults.arm('reverted-fill', { times: 1 });
    world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'cancelled');
    const hash = world.give(3_000_000);
    await final();
    await life.syncDeposits();
    expect(
      store
        .range(ARRIVALS)
        .map(({ value }) => value.transactionHash)
        .slice(1),
    ).toEqual([hash]);
    await life.agrees();
    await life.end();
  });

  it('L4: takes what an exported key has moved out of the books, and out of the position', async () => {
    const { world, life, tokenId, final, position, booked, buy } = await begin();
    await buy(20_000_000);
    const cost = position()?.costUsdc ?? 0;
    world.takeOut(tokenId, 15_000_000);
    world.takeOut(null, 2_000_000);
    await final();
    await life.syncDeposits();
    expect([booked(), position()?.shares, position()?.costUsdc, position()?.state]).toEqual([
      5_000_000,
      5_000_000,
      cost / 4,
      'open',
    ]);
    world.takeOut(tokenId, 5_000_000);
    await final();
    await life.syncDeposits();
    expect([booked(), position()?.state, position()?.realizedPnl]).toEqual([0, 'removed', -cost]);
    await life.agrees();
    await life.end();
  });

  it('L4: books contracts that come by hand, at no cost, and they can be sold', async () => {
    const { world, life, tokenId, final, position, buy } = await begin();
    await buy(20_000_000);
    world.takeOut(tokenId, 20_000_000);
    await final();
    await life.syncDeposits();
    world.sendBack(tokenId, 8_000_000);
    await final();
    await life.syncDeposits();
    expect([position()?.shares, position()?.costUsdc, position()?.state]).toEqual([
      8_000_000,
      0,
      'open',
    ]);
    world.quote({ tokenId, side: 'buy', price: 4_800, shares: 50 });
    await world.clock.advance(100);
    await life.placed({ side: 'sell', amount: { unit: 'shares', micros: 8_000_000 } });
    await life.settled(2);
    expect(position()?.shares).toBe(0);
    await life.agrees();
    await life.end();
  });
});
