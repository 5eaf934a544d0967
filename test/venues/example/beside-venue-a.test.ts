import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { startLife } from '../../support/worlds/venue-life.ts';
import { createExampleWorld } from '../../support/worlds/example-world.ts';
import { createVenueAWorld } from '../../support/worlds/venue-a-world.ts';

const OFFER = { side: 'sell', price: 5_000, shares: 100 } as const;

async function begin() {
  const venueA = await createVenueAWorld();
  const example = await createExampleWorld({ clock: venueA.clock });
  for (const { quote, market } of [venueA, example])
    quote({ ...OFFER, tokenId: market.outcomes[0].tokenId });
  const atA = await startLife([venueA, example], createMemoryStore(), 'both');
  return { venueA, example, atA, atExample: atA.at(example) };
}

describe('two venues of one service', () => {
  it("L5: an order spends its own venue's account, and the other is as it was", async () => {
    const { atA, atExample } = await begin();
    await atExample.buy(20);
    await atExample.settled(1);
    expect([atA.cash().settled, atExample.cash().settled]).toEqual([1_000_000_000, 990_000_000]);
    await atA.buy(20);
    await atA.settled(1);
    await atA.agrees();
    await atExample.agrees();
    await atA.end();
  });

  it('L7: an order whose answer one venue keeps to itself holds up none at the other', async () => {
    const { example, atA, atExample } = await begin();
    example.befall('lost');
    const lost = await atExample.unheard({});
    const bought = await atA.buy(20);
    expect(['matched', 'filled']).toContain(bought.state);
    expect(atExample.order(lost).state).not.toBe('filled');
    await atExample.settled(1);
    await atA.end();
  });

  it('L9: both are taken up again after a kill, each order at its own', async () => {
    const { venueA, example, atA, atExample } = await begin();
    const orders = [await atA.rest(20, 4_000), await atExample.rest(20, 4_000)] as const;
    const next = await atA.killed(async () => {
      for (const { take, market } of [venueA, example])
        take({ tokenId: market.outcomes[0].tokenId, side: 'sell', price: 4_000, shares: 20 });
    });
    for (const [life, order] of [
      [next, orders[0]],
      [next.at(example), orders[1]],
    ] as const) {
      await life.settled(1);
      expect(life.order(order).state).toBe('filled');
      await life.agrees();
    }
    await next.end();
  });

  it('goes on at one while the other cannot be opened, whose orders and money wait for it', async () => {
    const { venueA, example, atA, atExample } = await begin();
    const resting = await atExample.rest(20, 4_000);
    const open = () => Promise.reject(new AppError('config_invalid', 'no key'));
    const next = await atA.killed(undefined, [venueA, { ...example, open }]);
    await next.buy(20);
    await next.settled(1);
    await next.agrees();
    const { marketId } = example.market;
    await expect(next.placed({ venue: example.row.id, marketId })).rejects.toMatchObject({
      code: 'venue_unavailable',
      retryable: true,
    });
    expect(next.cash('usdc:base')).toMatchObject({ settled: 1_000_000_000, reserved: 8_000_000 });
    const { take, market } = example;
    take({ tokenId: market.outcomes[0].tokenId, side: 'sell', price: 4_000, shares: 20 });
    const last = (await next.killed(undefined, [venueA, example])).at(example);
    await last.settled(1);
    expect(last.order(resting).state).toBe('filled');
    await last.agrees();
    await last.end();
  });

  it('L4: refuses a market that has the id of one traded at the other, whose end would pay it', async () => {
    const venueA = await createVenueAWorld();
    const { marketId, outcomes } = venueA.market;
    const example = await createExampleWorld({ clock: venueA.clock, ids: { marketId, outcomes } });
    const atA = await startLife([venueA, example], createMemoryStore(), 'both');
    await atA.rest(20, 4_000);
    await expect(atA.at(example).rest(20, 4_000)).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(atA.at(example).orders()).toEqual([]);
    await atA.end();
  });
});
