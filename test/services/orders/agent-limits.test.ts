import { describe, expect, it } from 'vitest';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import { exposureUsdc } from '../../../src/domain/risk.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import { agentRiskOf } from '../../../src/services/books/record-changes.ts';
import {
  aBook,
  aLevel,
  aLimitBuy,
  aMarketBuy,
  aMarketId,
  aMarketSell,
} from '../../support/builders.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';

const entry: OrderOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_1'),
  purpose: 'entry',
};

describe('L5: caps of an agent', () => {
  it('L5: count what the agent itself has at risk, and not what its user holds manually', async () => {
    const { world, life, store } = await aFundedLife();
    await anEnabledAgent(life, world.user);
    const agentLimits = () => ({ openPositions: 1, exposureUsdc: usdcMicros(11_000_000) });
    await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })));
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBe(0);
    expect(
      (
        await during(
          world,
          life.orders.place(world.user, aMarketBuy({ origin: entry, agentLimits })),
        )
      ).state,
    ).toBe('filled');
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBe(10_350_000);
    await expect(
      during(
        world,
        life.orders.place(
          world.user,
          aMarketBuy({ marketId: aMarketId(2), origin: entry, agentLimits }),
        ),
      ),
    ).rejects.toMatchObject({ code: 'cap_exceeded' });
  });

  it('L5: 200 entries at once never pass the cap by a micro, and what is refused is not signed', async () => {
    const { world, life, store } = await aFundedLife(1_000_000_000, {
      lock: { leaseMs: 30_000, queueMaximum: 500 },
    });
    await anEnabledAgent(life, world.user);
    const agentLimits = () => ({ exposureUsdc: usdcMicros(10_701_000 * 2 - 1) });
    const asExit: OrderOrigin = { ...entry, purpose: 'exit' };
    // An exit claims no market, so that only the cap limits the 200.
    const calls = Array.from({ length: 200 }, () =>
      life.orders.place(
        world.user,
        aLimitBuy({ amount: { unit: 'shares', micros: 25_000_000 }, origin: asExit, agentLimits }),
      ),
    );
    const results = await during(world, Promise.allSettled(calls));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBe(10_701_000);
    expect(world.venue.bodies.size).toBe(1);
  });
});

describe('the worst price of a market order', () => {
  it('keeps a buy below it although slippage would allow more', async () => {
    const { world, life } = await aFundedLife();
    const record = await during(
      world,
      life.orders.place(
        world.user,
        aMarketBuy({ type: { kind: 'market', worstPrice: priceTicks(5_050) } }),
      ),
    );
    expect(record.intent.price).toBe(5_000);
    expect(
      (await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }))))
        .intent.price,
    ).toBe(5_100);
  });

  it('refuses a buy the book cannot fill within it, and a sale it cannot', async () => {
    const { world, life } = await aFundedLife();
    world.books.set(
      world.market.outcomes[0].tokenId,
      aBook(world.market, 0, { asks: [aLevel(5_000, 1), aLevel(5_200, 1_000)] }),
    );
    await expect(
      during(
        world,
        life.orders.place(
          world.user,
          aMarketBuy({ type: { kind: 'market', worstPrice: priceTicks(5_100) } }),
        ),
      ),
    ).rejects.toMatchObject({ code: 'no_liquidity' });
    world.books.delete(world.market.outcomes[0].tokenId);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    await expect(
      during(
        world,
        life.orders.place(
          world.user,
          aMarketSell(5, { type: { kind: 'market', worstPrice: priceTicks(4_900) } }),
        ),
      ),
    ).rejects.toMatchObject({ code: 'no_liquidity' });
    expect(
      (
        await during(
          world,
          life.orders.place(
            world.user,
            aMarketSell(5, { type: { kind: 'market', worstPrice: priceTicks(4_750) } }),
          ),
        )
      ).intent.price,
    ).toBe(4_800);
  });
});
