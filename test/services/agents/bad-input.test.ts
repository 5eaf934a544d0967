import { describe, expect, it } from 'vitest';
import type { Market } from '../../../src/domain/market.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { AGENT_MARKETS, BALANCES } from '../../../src/services/books/tables.ts';
import { anAgentsWorld, enableAgent } from '../../support/worlds/agents-world.ts';
import { aFarmWorld } from '../../support/worlds/farm-world.ts';
import { aRoundView } from '../../support/worlds/round-views.ts';
import { brokenLaws, ordersOf } from '../../support/worlds/trading-world.ts';

const FIRST_PAGE = { limit: 50, cursor: null };

/**
 * Changes a market while it is in use, as its venue does. The worlds below hold the list they
 * read.
 */
function changeMarket(markets: readonly Market[], changes: Partial<Market>): void {
  const [market] = markets;
  // made as a plain array by the world
  if (market !== undefined) (markets as Market[])[0] = { ...market, ...changes };
}

describe('a market that ends between decision and order', () => {
  it.each<[string, Partial<Market>, string]>([
    ['is closed by then', { closed: true, acceptingOrders: false }, 'market_closed'],
    ['takes no orders by then', { acceptingOrders: false }, 'market_not_ready'],
  ])(
    'and %s is not traded: nothing is signed, reserved, claimed or reported',
    async (_what, changes, code) => {
      const { world, store, life } = await anAgentsWorld();
      await enableAgent(life, world.user);
      const before = store.range(BALANCES);
      life.signals.show(aRoundView());
      expect(life.agents.view(world.user, 'btc_5min').activity).not.toBe('trading');
      changeMarket(world.markets, changes);
      await world.clock.advance(30_000);
      expect([
        ordersOf(store),
        [...world.venue.bodies],
        store.range(BALANCES),
        store.range(AGENT_MARKETS),
        store.range(NOTIFICATIONS).map(({ value }) => value.facts.kind),
      ]).toEqual([[], [], before, [], ['deposit_booked']]);
      const refusals = life.agents
        .decisions(world.user, 'btc_5min', FIRST_PAGE)
        .data.flatMap(({ decision: { outcome } }) =>
          outcome.kind === 'refused' ? [outcome.code] : [],
        );
      expect([...new Set(refusals)]).toEqual([code]);
      expect(brokenLaws(store, world.user)).toEqual([]);
    },
  );

  it('and is refused by its venue gives back what was set aside, and is not tried a second time', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    world.venue.submitFaults.push({ kind: 'rejected', reason: 'the market is closed' });
    life.signals.show(aRoundView());
    await world.clock.advance(30_000);
    expect([
      ordersOf(store).map(({ state, reserved }) => [state, reserved.usdc]),
      world.venue.bodies.size,
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
    ]).toEqual([[['rejected', 0]], 1, 0]);
    expect(store.range(NOTIFICATIONS).map(({ value }) => value.facts.kind)).toEqual([
      'deposit_booked',
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('is not farmed though the listing still says that it takes orders', async () => {
    const farm = aFarmWorld(1);
    changeMarket(farm.markets, { closed: true, acceptingOrders: false });
    const life = await farm.start();
    await farm.enable(life);
    await farm.world.clock.advance(600_000);
    expect([
      farm.listings[0]?.market.acceptingOrders,
      ordersOf(farm.store),
      [...farm.world.venue.bodies],
    ]).toEqual([true, [], []]);
    expect(brokenLaws(farm.store, farm.world.user)).toEqual([]);
  });
});

describe('settings and switches from elsewhere', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a strategy that does not exist', { strategy: 'martingale' }, 'setting_out_of_range'],
    ["another agent's strategy", { strategy: 'up_only' }, 'setting_out_of_range'],
    ['a strategy that is no text', { strategy: { toString: 'up_down' } }, 'setting_out_of_range'],
    ['a name every object has', { constructor: 5 }, 'unknown_setting'],
    [
      'the prototype',
      JSON.parse('{"__proto__":{"enabled":true}}') as Record<string, unknown>,
      'unknown_setting',
    ],
    ['enabled', { enabled: false }, 'setting_out_of_range'],
    ['another user', { userId: 'usr_other' }, 'unknown_setting'],
    ['a size of no number', { avgPositionSize: 'five' }, 'setting_out_of_range'],
    ['a size below nothing', { minPositionSize: -1 }, 'setting_out_of_range'],
    ['a size beyond all numbers', { maxPositionSize: 1e308 }, 'setting_out_of_range'],
    [
      'sizes in the wrong order',
      { minPositionSize: 50, avgPositionSize: 10 },
      'setting_out_of_range',
    ],
  ])('%s is refused, and the agent stays as it was', async (_what, patch, code) => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    const before = life.agents.view(world.user, 'btc_5min');
    await expect(life.agents.updateSettings(world.user, 'btc_5min', patch)).rejects.toMatchObject({
      code,
    });
    expect(life.agents.view(world.user, 'btc_5min')).toEqual(before);
  });

  it('enabling and disabling at once ends in one of both, the same in record and in memory', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await Promise.all([
      life.agents.disable(world.user, 'btc_5min'),
      life.agents.enable(world.user, 'btc_5min'),
      life.agents.disable(world.user, 'btc_5min'),
    ]);
    life.signals.show(aRoundView());
    await world.clock.advance(30_000);
    expect([life.agents.view(world.user, 'btc_5min'), ordersOf(life.store)]).toMatchObject([
      { enabled: false, activity: 'disabled' },
      [],
    ]);
  });

  it('a size chosen while an order is on its way counts for the next one', async () => {
    const { world, life, store } = await anAgentsWorld();
    await enableAgent(life, world.user);
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 3_000 });
    life.signals.show(aRoundView());
    await world.clock.advance(1_000);
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 50,
      maxPositionSize: 100,
    });
    await world.clock.advance(30_000);
    expect(
      ordersOf(store).map(({ intent, filledUsdc }) => [intent.spendMicros, filledUsdc]),
    ).toEqual([[5_000_000, 5_000_000]]);
  });
});
