import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import { formatMicros, priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { viewOrder } from '../../../src/http/views/order.ts';
import type { Store } from '../../../src/ports/store.ts';
import { ORDER } from '../../../config/limits.ts';
import { API } from '../../../config/limits/api.ts';
import { exposureUsdc } from '../../../src/domain/risk.ts';
import { createIdempotency } from '../../../src/services/idempotency.ts';
import { agentRiskOf } from '../../../src/services/books/record-changes.ts';
import { ORDER_KEYS, ORDERS, USER_CAPS } from '../../../src/services/books/tables.ts';
import {
  aLevel,
  aBook,
  aLimitBuy,
  aMarket,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  T0,
} from '../../support/builders.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
  type LifeOptions,
  type World,
} from '../../support/worlds/trading-world.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { orderIdOf } from '../../support/attempts.ts';

const entry: OrderOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_1'),
  purpose: 'entry',
};
const exit: OrderOrigin = { ...entry, purpose: 'exit' };

/** What came of many calls at once: how many were placed and the codes of the others. */
async function outcomes(world: World, calls: readonly Promise<unknown>[]) {
  const results = await during(world, Promise.allSettled(calls));
  const refused = results
    .filter((result) => result.status === 'rejected')
    .map(({ reason }) => (reason as { code: string }).code); // services throw AppErrors
  return { placed: results.length - refused.length, codes: [...new Set(refused)] };
}

describe('L5: caps and funds', () => {
  const lock = { leaseMs: 30_000, queueMaximum: 500 };

  it('L5: 200 calls at once never set aside a micro more than there is', async () => {
    const { world, life, store } = await aFundedLife(53_505_000, { lock });
    const calls = Array.from({ length: 200 }, () =>
      life.orders.place(world.user, aLimitBuy({ amount: { unit: 'shares', micros: 25_000_000 } })),
    );
    // Each order sets aside 10 USDC, 7 % of it for the worst fee and a thousandth for rounding:
    // 10.701.
    expect(await outcomes(world, calls)).toEqual({ placed: 5, codes: ['insufficient_funds'] });
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      reserved: 53_505_000,
      available: 0,
    });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L5: 200 calls at once never pass the exposure cap by a micro', async () => {
    const { world, life } = await aFundedLife(1_000_000_000, { lock });
    const limits = { exposureUsdc: usdcMicros(107_009_999) };
    const calls = Array.from({ length: 200 }, () =>
      life.orders.place(
        world.user,
        aLimitBuy({ amount: { unit: 'shares', micros: 25_000_000 }, limits }),
      ),
    );
    expect(await outcomes(world, calls)).toEqual({ placed: 9, codes: ['cap_exceeded'] });
    expect(life.metrics.counts.get('cap_refusals_total exposure')).toBe(191);
    expect(life.portfolio.cash(world.user, 'usdc:safe').reserved).toBe(96_309_000);
  });

  it('L5: the caps bind across markets, positions and orders in motion, and are given back on proof', async () => {
    const { world, life } = await aFundedLife();
    const limits = { openPositions: 1 };
    await during(world, life.orders.place(world.user, aMarketBuy({ limits })));
    await expect(
      during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2), limits }))),
    ).rejects.toMatchObject({ code: 'cap_exceeded' });
    await world.clock.advance(10_000);
    await during(world, life.orders.place(world.user, aMarketSell(20)));
    await world.clock.advance(10_000);
    expect(
      (
        await during(
          world,
          life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2), limits })),
        )
      ).state,
    ).toBe('filled');
  });

  it('L5: 200 calls of one agent at once never pass its own caps, which the orders of others do not use up', async () => {
    const { world, life, store } = await aFundedLife(1_000_000_000, { lock });
    await during(world, anEnabledAgent(life, world.user));
    const agentLimits = () => ({ exposureUsdc: usdcMicros(32_102_999), openPositions: 2 });
    await during(
      world,
      life.orders.place(
        world.user,
        aLimitBuy({ marketId: aMarketId(2), amount: { unit: 'shares', micros: 25_000_000 } }),
      ),
    );
    const calls = Array.from({ length: 200 }, (_, index) =>
      life.orders.place(
        world.user,
        aLimitBuy({
          marketId: aMarketId(1 + (index % 2)),
          outcome: index % 3 === 0 ? 0 : 1,
          origin: { ...entry, purpose: index < 2 ? 'entry' : 'exit' },
          amount: { unit: 'shares', micros: 25_000_000 },
          agentLimits,
        }),
      ),
    );
    const { placed, codes } = await outcomes(world, calls);
    expect([placed, codes]).toEqual([2, ['cap_exceeded']]);
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBe(21_402_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it("L5: what the user holds in a market counts as the agent's once it has entered there", async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, anEnabledAgent(life, world.user));
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBe(0);
    const agentLimits = () => ({ exposureUsdc: usdcMicros(21_050_999) });
    const enter = () => life.orders.place(world.user, aMarketBuy({ origin: entry, agentLimits }));
    await expect(during(world, enter())).rejects.toMatchObject({
      code: 'cap_exceeded',
      message: expect.stringContaining('of agent btc_5min would come to 21.051 USDC'),
    });
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBe(0);
    await during(
      world,
      life.orders.place(
        world.user,
        aMarketBuy({
          origin: entry,
          agentLimits: () => ({ exposureUsdc: usdcMicros(21_051_000) }),
        }),
      ),
    );
    expect(exposureUsdc(agentRiskOf(store, world.user, 'btc_5min'))).toBeLessThanOrEqual(
      21_051_000,
    );
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it("L5: the caps of the operator and the user's own bind every order, the tightest first", async () => {
    const world = aWorld(1_000_000_000);
    const life = world.live(createMemoryStore(), {
      caps: { orderUsdc: usdcMicros(20_000_000), openPositions: 5 },
    });
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    const buy = (micros: number) =>
      during(
        world,
        life.orders.place(world.user, aMarketBuy({ amount: { unit: 'usdc', micros } })),
      );
    await expect(buy(20_000_000)).rejects.toMatchObject({ code: 'cap_exceeded' });
    await life.commit((tx) =>
      tx.put(USER_CAPS, [world.user], { orderUsdc: usdcMicros(15_000_000) }),
    );
    await expect(buy(15_000_000)).rejects.toMatchObject({ code: 'cap_exceeded' });
    expect((await buy(10_000_000)).state).toBe('filled');
  });

  it('L5: a refused order leaves nothing behind', async () => {
    const { world, life, store } = await aFundedLife(5_000_000);
    const before = store.readJournal(0, 1_000).length;
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    expect(ordersOf(store)).toEqual([]);
    expect(store.readJournal(0, 1_000)).toHaveLength(before);
    expect(world.venue.bodies.size).toBe(0);
  });
});

describe('L6: stops', () => {
  it('L6: nothing is signed while the operator or the user is stopped, across a restart', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, life.orders.setStop({ kind: 'all' }, true, 'alarm'));
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'trading_stopped',
    });
    await life.orders.stop();
    const next = world.live(store.crash(), { seed: 'second' });
    await next.orders.recover();
    await expect(during(world, next.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'trading_stopped',
    });
    await during(world, next.orders.setStop({ kind: 'all' }, false, 'over'));
    await during(
      world,
      next.orders.setStop({ kind: 'user', userId: world.user }, true, 'manually'),
    );
    await expect(during(world, next.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'trading_stopped',
    });
    await during(world, next.orders.setStop({ kind: 'user', userId: world.user }, false, 'over'));
    expect((await during(world, next.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
  });

  it('L6: a stop that is set while an order waits for the lock is seen at the signer', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 1_000 });
    world.venue.isChannelMute = true;
    const first = life.orders.place(world.user, aMarketBuy());
    const second = life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }));
    second.catch(() => undefined);
    await world.clock.advanceUntil(() => world.venue.bodies.size === 1, 1_000);
    await life.orders.setStop({ kind: 'all' }, true, 'alarm');
    await during(world, first);
    await expect(second).rejects.toMatchObject({ code: 'trading_stopped' });
    expect(world.venue.orders.size).toBe(1);
  });

  it('L6: an order that was signed and not yet sent when the stop was stored never leaves', async () => {
    const { world, life, store } = await aFundedLife();
    const placed = life.orders.place(world.user, aMarketBuy());
    await life.orders.setStop({ kind: 'user', userId: world.user }, true, 'alarm');
    expect(await during(world, placed)).toMatchObject({
      state: 'rejected',
      reason: `buying is stopped for user ${world.user}`,
    });
    await world.clock.advance(60_000);
    expect([
      world.venue.bodies.size,
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
      brokenLaws(store, world.user),
    ]).toEqual([0, 0, []]);
  });

  it('L6: a stop of the operator or a user locks no position in: what is held may be sold', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    await life.orders.setStop({ kind: 'all' }, true, 'alarm');
    await life.orders.setStop({ kind: 'user', userId: world.user }, true, 'alarm');
    expect((await during(world, life.orders.place(world.user, aMarketSell(20)))).state).toBe(
      'filled',
    );
  });

  it('L6: bytes whose answer was lost are not sent again after a stop', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'refused-silently' });
    const placed = during(world, life.orders.place(world.user, aMarketBuy()));
    await placed;
    await life.orders.setStop({ kind: 'all' }, true, 'alarm');
    await world.clock.advance(60_000);
    expect([...world.venue.bodies.values()].flat()).toHaveLength(1);
    expect(ordersOf(life.store)).toMatchObject([{ state: 'rejected' }]);
  });

  it('L6: an agent that is not enabled signs nothing, neither in nor out', async () => {
    const { world, life } = await aFundedLife();
    await expect(
      during(world, life.orders.place(world.user, aMarketBuy({ origin: entry }))),
    ).rejects.toMatchObject({ code: 'agent_stopped' });
    await during(world, anEnabledAgent(life, world.user));
    expect(
      (await during(world, life.orders.place(world.user, aMarketBuy({ origin: entry })))).state,
    ).toBe('filled');
    await world.clock.advance(10_000);
    await during(world, anEnabledAgent(life, world.user, { enabled: false }));
    await expect(
      during(world, life.orders.place(world.user, aMarketSell(20, { origin: exit }))),
    ).rejects.toMatchObject({ code: 'agent_stopped' });
  });
});

describe('L7: one at a time', () => {
  it('L7: an agent never trades a market it has traded, not even at once or after a restart', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, anEnabledAgent(life, world.user));
    const calls = Array.from({ length: 20 }, () =>
      life.orders.place(world.user, aMarketBuy({ origin: entry })),
    );
    expect(await outcomes(world, calls)).toEqual({ placed: 1, codes: ['already_traded'] });
    await world.clock.advance(10_000);
    await life.orders.stop();
    const next = world.live(store.crash(), { seed: 'second' });
    await next.orders.recover();
    expect(next.orders.hasTraded(world.user, 'btc_5min', aMarketId(1))).toBe(true);
    await expect(
      during(world, next.orders.place(world.user, aMarketBuy({ origin: entry }))),
    ).rejects.toMatchObject({ code: 'already_traded' });
    expect(
      (await during(world, next.orders.place(world.user, aMarketSell(20, { origin: exit })))).state,
    ).toBe('filled');
  });

  it('L7: an order that fails its checks does not use up the market', async () => {
    const { world, life } = await aFundedLife(5_000_000);
    await during(world, anEnabledAgent(life, world.user));
    await expect(
      during(world, life.orders.place(world.user, aMarketBuy({ origin: entry }))),
    ).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(life.orders.hasTraded(world.user, 'btc_5min', aMarketId(1))).toBe(false);
  });

  it('L7: trades of one user run in the order of asking, and those beyond the queue are refused for it', async () => {
    const { world, life } = await aFundedLife(undefined, {
      lock: { leaseMs: 30_000, queueMaximum: 2 },
    });
    const calls = Array.from({ length: 5 }, () =>
      life.orders.place(world.user, aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } })),
    );
    expect(await outcomes(world, calls)).toEqual({ placed: 3, codes: ['lock_busy'] });
  });

  it('L7: a holder that says nothing loses the lock, and its fence keeps its market', async () => {
    const { world, life } = await aFundedLife(undefined, {
      lock: { leaseMs: 1_000, queueMaximum: 10 },
    });
    world.venue.submitFaults.push({ kind: 'hangs' });
    world.venue.isChannelMute = true;
    const stuck = life.orders.place(world.user, aMarketBuy());
    const same = life.orders.place(world.user, aMarketBuy());
    same.catch(() => undefined);
    const other = life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }));
    expect((await during(world, other)).state).toBe('matched');
    await expect(same).rejects.toMatchObject({ code: 'market_fenced' });
    expect((await during(world, stuck)).state).toBe('unknown');
  });
});

describe('L8: a request that waits', () => {
  it('L8: for its turn longer than a request is good for is refused, its agent may judge anew, and nothing of it is signed', async () => {
    const world = aWorld(100_000_000, [aMarket(1), aMarket(2), aMarket(3)]);
    const life = world.live(createMemoryStore());
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    await anEnabledAgent(life, world.user);
    // Each of the two before it holds the lock until its answer is given up.
    world.venue.submitFaults.push({ kind: 'hangs' }, { kind: 'hangs' });
    world.venue.isChannelMute = true;
    world.venue.areReadsDown = true;
    const before = [1, 2].map((number) =>
      life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(number) })),
    );
    const late = life.orders.place(
      world.user,
      aMarketBuy({ marketId: aMarketId(3), origin: entry }),
    );
    await expect(during(world, late)).rejects.toMatchObject({ code: 'lock_busy', retryable: true });
    expect((await Promise.all(before)).map(({ state }) => state)).toEqual(['unknown', 'unknown']);
    expect([
      world.venue.bodies.size,
      life.orders.hasTraded(world.user, 'btc_5min', aMarketId(3)),
    ]).toEqual([2, false]);
  });
});

describe('a person who waits for an order', () => {
  /** A sandbox at ten times the speed of life. */
  async function aFastLife(options: LifeOptions = {}) {
    const markets = Array.from({ length: 10 }, (_, index) => aMarket(index + 1));
    const world = aWorld(1_000_000_000, markets, createVirtualClock(T0, { speed: 10 }));
    const life = world.live(createMemoryStore(), options);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    world.venue.isChannelMute = true;
    const buy = (number: number) =>
      life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(number) }));
    return { world, buy };
  }

  it('L7: has ten different orders placed at once where each is answered within half a second of the wall', async () => {
    const { world, buy } = await aFastLife();
    world.venue.submitFaults.push(
      ...Array.from({ length: 10 }, () => ({ kind: 'late-ack', ms: 4_500 }) as const),
    );
    expect(
      await outcomes(
        world,
        Array.from({ length: 10 }, (_, index) => buy(index + 1)),
      ),
    ).toEqual({ placed: 10, codes: [] });
  });

  it('hears of the other trades that held the lock, in the time the wall showed', async () => {
    const { world, buy } = await aFastLife();
    world.venue.areReadsDown = true;
    world.venue.submitFaults.push({ kind: 'hangs' }, { kind: 'hangs' });
    const before = [buy(1), buy(2)];
    await expect(during(world, buy(3))).rejects.toMatchObject({
      code: 'lock_busy',
      retryable: true,
      retryAfterMs: 1_000,
      message:
        'waited 10.0 s for other trades of yours; an order is good for 5 s, and nothing was sent',
    });
    expect((await Promise.all(before)).map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  });

  it('has an order placed whose market took three seconds of the wall to read, and with six is refused for that alone', async () => {
    const { world, buy } = await aFastLife({ lookupMs: 30_000 });
    expect(await during(world, buy(1))).toMatchObject({ state: 'matched' });
    const slow = await aFastLife({ lookupMs: 60_000 });
    await expect(during(slow.world, slow.buy(1))).rejects.toMatchObject({
      code: 'preparation_timeout',
      retryable: true,
      retryAfterMs: 1_000,
      message: 'reading the market took 6.0 s; an order is good for 5 s, and nothing was sent',
    });
    expect(slow.world.venue.bodies.size).toBe(0);
  });

  it.each([
    ['is not there', null],
    ['has no first snapshot', 'no_snapshot' as const],
  ])('hears that the book %s yet', async (_, distrust) => {
    const world = aWorld();
    const [market] = world.markets;
    const books = {
      get: () =>
        distrust === null || market === undefined ? null : aBook(market, 0, { distrust }),
    };
    const life = world.live(createMemoryStore(), { books: books.get });
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'preparation_timeout',
      retryable: true,
      retryAfterMs: 1_000,
    });
  });
});

describe('a person who waits for the end of an order', () => {
  it('hears that it was filled, and at what price, though the venue had called it live', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'fok-stuck-live', ms: 1_000 });
    const { intent, state } = await during(world, life.orders.place(world.user, aMarketBuy()));
    expect(state).toBe('live');
    expect(
      await during(world, life.orders.ended(world.user, intent.intentId, 60_000)),
    ).toMatchObject({ state: 'cancelled', filledShares: 0 });
    const bought = await during(
      world,
      life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })),
    );
    expect(
      await during(world, life.orders.ended(world.user, bought.intent.intentId, 5_000)),
    ).toMatchObject({ state: 'filled', filledShares: 20_000_000, filledUsdc: 10_000_000 });
  });

  it('gets it in its present state after that much of the wall, or when the service stops', async () => {
    const world = aWorld(undefined, undefined, createVirtualClock(T0, { speed: 10 }));
    const life = world.live(createMemoryStore());
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    const { intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    const [began, waits] = [
      world.clock.nowMs(),
      [500, 600_000].map((withinMs) => life.orders.ended(world.user, intent.intentId, withinMs)),
    ];
    expect([
      await during(world, waits[0] ?? expect.unreachable()),
      world.clock.nowMs() - began,
    ]).toEqual([expect.objectContaining({ state: 'live' }), 5_000]);
    await life.orders.stop();
    expect(await waits[1]).toMatchObject({ state: 'live' });
    expect(await life.orders.ended(world.user, intent.intentId, 600_000)).toMatchObject({
      state: 'live',
    });
  });

  it('hears of the end of an order that was signed once more', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'reissue', reason: 'another version' });
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    const ended = await during(world, life.orders.ended(world.user, intent.intentId, 5_000));
    expect([ended.state, ended.attempts.length]).toEqual(['filled', 2]);
  });
});

describe('an amount', () => {
  it.each([
    [
      'of dollars beyond cents',
      aMarketBuy({ amount: { unit: 'usdc', micros: 5_555_000 } }),
      'must have at most two decimals: orders are placed in whole cents',
    ],
    [
      'of dollars beyond cents with a limit',
      aLimitBuy({ amount: { unit: 'usdc', micros: 5_555_000 } }),
      'must have at most two decimals: orders are placed in whole cents',
    ],
    [
      'of shares beyond hundredths',
      aLimitBuy({ amount: { unit: 'shares', micros: 10_001_000 } }),
      'must have at most two decimals: the venue takes hundredths of a share',
    ],
    [
      'of shares beyond hundredths, which no user holds',
      aMarketSell(10.001),
      'must have at most two decimals: the venue takes hundredths of a share',
    ],
  ])('%s is refused instead of being rounded without a word', async (_, request, message) => {
    const { world, life } = await aFundedLife();
    await expect(during(world, life.orders.place(world.user, request))).rejects.toMatchObject({
      code: 'amount_off_step',
      fields: [{ path: '/amount', message }],
    });
    expect(world.venue.bodies.size).toBe(0);
  });

  it('of shares whose trade is not final is refused with why they cannot be sold', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await expect(
      during(world, life.orders.place(world.user, aMarketSell(20))),
    ).rejects.toMatchObject({
      code: 'insufficient_shares',
      message:
        '20 shares wanted, 0 available: shares whose trade is not final yet, or that other sales hold, cannot be sold now',
    });
  });

  it('that is all one holds, as it is shown, sells all the venue takes of it and names the rest', async () => {
    const { world, life } = await aFundedLife();
    // 10 dollars at 0.47 buy 21.2765 shares.
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [4_600, 1_000],
      ask: [4_700, 1_000],
    });
    world.books.set(
      world.market.outcomes[0].tokenId,
      aBook(world.market, 0, {
        bids: [aLevel(4_600, 1_000)],
        asks: [aLevel(4_700, 1_000)],
        receivedAtMs: T0 + 3_600_000,
      }),
    );
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    const held = life.portfolio.holdings(world.user)[0]?.position.shares ?? expect.unreachable();
    expect(held % 10_000).toBeGreaterThan(0);
    await expect(
      during(world, life.orders.place(world.user, aMarketSell((held - 1_000) / 1_000_000))),
    ).rejects.toMatchObject({
      code: 'amount_off_step',
      message: expect.stringContaining('or be the 21.'),
    });
    // what is held is no reason to buy as much
    const asMuch = aMarketBuy({ amount: { unit: 'shares', micros: held } });
    await expect(during(world, life.orders.place(world.user, asMuch))).rejects.toMatchObject({
      code: 'amount_off_step',
    });
    const { intent } = await during(
      world,
      life.orders.place(world.user, aMarketSell(held / 1_000_000)),
    );
    await world.clock.advance(10_000);
    const left = life.portfolio.holdings(world.user)[0]?.position.shares;
    expect([intent.spendMicros, left]).toEqual([held - (held % 10_000), held % 10_000]);
    const ended = life.orders.get(world.user, intent.intentId) ?? expect.unreachable();
    expect(viewOrder(ended)).toMatchObject({
      requestedAmount: formatMicros(held),
      orderMode: 'shares',
      leftoverShares: formatMicros(shareMicros(left ?? 0)),
    });
  });
});

describe('what is asked for', () => {
  it('the same idempotency key gives the order made first, at once and later', async () => {
    const { world, life } = await aFundedLife();
    const calls = Array.from({ length: 5 }, () =>
      life.orders.place(world.user, aMarketBuy({ idempotencyKey: 'once' })),
    );
    const records = await during(world, Promise.all(calls));
    expect(new Set(records.map(({ intent }) => intent.intentId)).size).toBe(1);
    expect([...world.venue.bodies.values()].map(({ length }) => length)).toEqual([1]);
    await world.clock.advance(10_000);
    expect(
      await life.orders.place(world.user, aMarketBuy({ idempotencyKey: 'once' })),
    ).toMatchObject({ state: 'filled' });
  });

  it('the longest idempotency key a caller may send makes an order', async () => {
    const { world, life, store } = await aFundedLife();
    const idempotency = createIdempotency({
      store,
      commit: life.commit,
      clock: world.clock,
      made: [ORDER_KEYS],
    });
    const key = 'k'.repeat(API.idempotencyKeyMaximumChars);
    const answered = idempotency.run(
      { userId: world.user, key, fingerprint: 'f' },
      async (idempotencyKey) => {
        const { state } = await life.orders.place(world.user, aMarketBuy({ idempotencyKey }));
        return { answer: { status: 201, contentType: 'text/plain', body: state }, keep: true };
      },
    );
    expect(await during(world, answered)).toMatchObject({ answer: { body: 'filled' } });
  });

  it('an idempotency key has a character, and not too many', async () => {
    const { world, life } = await aFundedLife();
    const place = (length: number) =>
      during(
        world,
        life.orders.place(world.user, aLimitBuy({ idempotencyKey: 'k'.repeat(length) })),
      );
    const most = ORDER.idempotencyKeyMaximumChars;
    for (const length of [0, most + 1])
      await expect(place(length)).rejects.toMatchObject({ code: 'invalid_request' });
    expect([(await place(1)).state, (await place(most)).state]).toEqual(['live', 'live']);
  });

  it('L8: a market order needs a trusted and fresh book', async () => {
    const { world, life } = await aFundedLife();
    const { tokenId } = world.market.outcomes[0];
    world.books.set(tokenId, aBook(world.market, 0, { distrust: 'gap', receivedAtMs: T0 }));
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'book_untrusted',
    });
    world.books.set(tokenId, aBook(world.market, 0, { receivedAtMs: T0 - 5_001 }));
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'book_untrusted',
    });
    world.books.set(tokenId, aBook(world.market, 0, { receivedAtMs: T0 - 5_000 }));
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
  });

  it('L8: a book is taken for twice as old as it looks while our clock runs slow', async () => {
    const { world, life } = await aFundedLife();
    const { tokenId } = world.market.outcomes[0];
    Object.assign(world.clock, { slowSinceMs: () => T0 - 60_000 });
    world.books.set(tokenId, aBook(world.market, 0, { receivedAtMs: T0 - 2_501 }));
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'book_untrusted',
    });
    world.books.set(tokenId, aBook(world.market, 0, { receivedAtMs: T0 - 2_500 }));
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
  });

  it('a market buy is all or nothing at most a cent beyond the worst level; a market sell takes what it gets', async () => {
    const { world, life } = await aFundedLife();
    const { tokenId } = world.market.outcomes[0];
    world.books.set(
      tokenId,
      aBook(world.market, 0, {
        asks: [aLevel(5_000, 10), aLevel(5_200, 100)],
        bids: [aLevel(4_800, 5)],
        receivedAtMs: T0,
      }),
    );
    const buy = await during(world, life.orders.place(world.user, aMarketBuy()));
    expect(buy.intent).toMatchObject({
      life: 'all_now',
      price: 5_300,
      spendMicros: 10_000_000,
      expiresAtMs: null,
    });
    world.books.set(
      tokenId,
      aBook(world.market, 0, { bids: [aLevel(4_800, 5)], receivedAtMs: T0 + 10_000 }),
    );
    await world.clock.advance(10_000);
    const sell = await during(world, life.orders.place(world.user, aMarketSell(15)));
    expect(sell.intent).toMatchObject({
      life: 'part_now',
      price: 4_700,
      spendMicros: 15_000_000,
    });
  });

  it.each([
    [
      'a book that cannot fill it',
      aMarketBuy({ amount: { unit: 'usdc', micros: 900_000_000 } }),
      'no_liquidity',
      ['/amount'],
    ],
    [
      'less than a dollar',
      aMarketBuy({ amount: { unit: 'usdc', micros: 990_000 } }),
      'amount_too_small',
      ['/amount'],
    ],
    [
      'more dollars than there are shares to count',
      aLimitBuy({
        amount: { unit: 'usdc', micros: 9_007_199_254_740_000 },
        type: { kind: 'limit', price: priceTicks(100), expiresAtMs: null },
      }),
      'invalid_request',
      ['/amount'],
    ],
    [
      'more shares than can be paid for with their fee',
      aLimitBuy({
        amount: { unit: 'shares', micros: 9_007_199_254_740_000 },
        type: { kind: 'limit', price: priceTicks(9_900), expiresAtMs: null },
      }),
      'invalid_request',
      ['/amount'],
    ],
    [
      'an amount of nothing',
      aMarketBuy({ amount: { unit: 'usdc', micros: 0 } }),
      'amount_too_small',
      ['/amount'],
    ],
    ['an unknown market', aMarketBuy({ marketId: aMarketId(99) }), 'not_found', []],
    [
      'a price off the tick',
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_050), expiresAtMs: null } }),
      'price_off_tick',
      ['/price'],
    ],
    [
      'a price at the edge',
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(9_950), expiresAtMs: null } }),
      'price_out_of_range',
      ['/price'],
    ],
    [
      'fewer shares than the minimum',
      aLimitBuy({ amount: { unit: 'shares', micros: 4_990_000 } }),
      'size_too_small',
      ['/amount'],
    ],
    [
      'an expiry in the past',
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: T0 - 1 } }),
      'invalid_request',
      ['/expiresAtMs'],
    ],
    ['shares the user does not hold', aMarketSell(20), 'insufficient_shares', ['/amount']],
    [
      'more than the user has',
      aLimitBuy({ amount: { unit: 'usdc', micros: 2_000_000_000 } }),
      'insufficient_funds',
      ['/amount'],
    ],
    [
      'more than its cap',
      aMarketBuy({ limits: { orderUsdc: usdcMicros(1_000_000) } }),
      'cap_exceeded',
      ['/amount'],
    ],
    [
      'one position too many',
      aMarketBuy({ limits: { openPositions: 0 } }),
      'cap_exceeded',
      ['/marketId'],
    ],
    [
      'a key that is too long',
      aMarketBuy({ idempotencyKey: 'k'.repeat(145) }),
      'invalid_request',
      [],
    ],
  ])('is refused, with the path of what to change: %s', async (_, request, code, paths) => {
    const { world, life, store } = await aFundedLife(1_000_000_000);
    await expect(during(world, life.orders.place(world.user, request))).rejects.toMatchObject({
      code,
      fields: paths.map((path) => ({ path })),
    });
    expect(store.range(ORDERS)).toEqual([]);
  });

  it.each([VENUE_A_TRAITS.sendWindowMs, ORDER.limitLifeMaximumMs + 1])(
    'says when an order may end where one would end %i ms from now',
    async (lifeMs) => {
      const { world, life } = await aFundedLife();
      const request = aLimitBuy({
        type: {
          kind: 'limit',
          price: priceTicks(4_000),
          expiresAtMs: world.clock.nowMs() + lifeMs,
        },
      });
      await expect(life.orders.place(world.user, request)).rejects.toMatchObject({
        code: 'invalid_request',
        fields: [{ path: '/expiresAtMs', message: 'must be 5 seconds to 30 days from now' }],
      });
    },
  );

  it.each([
    [
      'of dollars',
      aMarketBuy({ amount: { unit: 'usdc', micros: 900_500_000 } }),
      'cannot fill 900.5 USDC',
    ],
    [
      'of shares',
      aMarketBuy({ amount: { unit: 'shares', micros: 9_000_000_000 } }),
      'cannot fill 9000 shares',
    ],
  ])(
    'is refused with the amount %s that the book cannot fill, as a person reads it',
    async (_, request, updates) => {
      const { world, life } = await aFundedLife(1_000_000_000);
      await expect(during(world, life.orders.place(world.user, request))).rejects.toMatchObject({
        code: 'no_liquidity',
        message: expect.stringContaining(updates),
      });
    },
  );

  it.each([
    ['closed', aMarket(1, { closed: true }), 'market_closed'],
    ['ended', aMarket(1, { endsAtMs: T0 }), 'market_closed'],
    ['not taking orders', aMarket(1, { acceptingOrders: false }), 'market_not_ready'],
  ])('is refused on a market that is %s', async (_, market, code) => {
    const world = aWorld(undefined, [market]);
    const life = world.live(createMemoryStore());
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code,
    });
  });

  it('another user sees nothing of an order', async () => {
    const { world, life } = await aFundedLife();
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    const { intent } = placed;
    const stranger = asId<typeof world.user>('usr_stranger');
    expect(life.orders.get(stranger, intent.intentId)).toBeNull();
    expect(life.orders.get(stranger, orderIdOf(placed))).toBeNull();
    expect(life.orders.get(world.user, orderIdOf(placed))?.intent.intentId).toBe(intent.intentId);
    await expect(life.orders.cancel(stranger, intent.intentId)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect([life.orders.listOpen(stranger), life.orders.listOpen(world.user)]).toEqual([
      [],
      [placed],
    ]);
  });

  it('L1: nothing leaves when the disk took longer than the request is worth', async () => {
    const { world, life, store } = await aFundedLife();
    let isSlow = true;
    const slow: Store = {
      ...store,
      flushed: () =>
        isSlow
          ? new Promise(
              (resolve) =>
                void world.clock.after(VENUE_A_TRAITS.sendWindowMs + 1, () =>
                  resolve(store.flushed()),
                ),
            )
          : store.flushed(),
    };
    await life.orders.stop();
    const next = world.live(slow, { seed: 'slow' });
    const placed = next.orders.place(world.user, aMarketBuy());
    await world.clock.advance(VENUE_A_TRAITS.sendWindowMs);
    isSlow = false;
    expect(await during(world, placed)).toMatchObject({
      state: 'rejected',
      reserved: { usdc: 0, shares: 0 },
    });
    expect(world.venue.bodies.size).toBe(0);
  });

  it('nothing leaves when the disk fails', async () => {
    const world = aWorld();
    let isFull = false;
    const store = createMemoryStore({
      beforeCommit: () => {
        if (isFull) throw new Error('no space left');
      },
    });
    const life = world.live(store);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    isFull = true;
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect(world.venue.bodies.size).toBe(0);
    isFull = false;
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
    expect(brokenLaws(store, world.user)).toEqual([]);
  });
});
