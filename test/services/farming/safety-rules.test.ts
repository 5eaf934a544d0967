import { asyncProperty, assert as check, array, integer, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FARMING } from '../../../config/limits/farming.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { exposureUsdc, openPositionCount } from '../../../src/domain/risk.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { agentRiskOf } from '../../../src/services/books/record-changes.ts';
import { POSITIONS } from '../../../src/services/books/tables.ts';
import { aMarketBuy, aMarketId, aUserId } from '../../support/builders.ts';
import { aFarmWorld, type FarmProcess, type FarmWorld } from '../../support/worlds/farm-world.ts';
import { brokenLaws, during, ordersOf } from '../../support/worlds/trading-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const AGENT = 'venue_a_farming';
const HOUR_MS = 3_600_000;
const buys = (farm: FarmWorld) =>
  ordersOf(farm.store).filter(({ intent }) => intent.side === 'buy');
const sales = (farm: FarmWorld) =>
  ordersOf(farm.store).filter(({ intent }) => intent.side === 'sell');
const receipts = (life: FarmProcess, userId: UserId) =>
  life.agents.decisions(userId, AGENT, { limit: 200, cursor: null }).data;

/** One market, bought at 0.97 by an enabled agent. */
async function aHoldingFarm(settings: Readonly<Record<string, unknown>> = {}) {
  const farm = aFarmWorld(1);
  const life = await farm.start();
  await farm.enable(life, settings);
  await farm.world.clock.advance(30_000);
  const [market] = farm.markets;
  if (market === undefined) throw new Error('a market');
  return { farm, life, market };
}

describe('safety rule 1: no second trade on a market already traded', () => {
  it('trades each market once, however often its slot comes around and its price comes back', async () => {
    const farm = aFarmWorld(2);
    const life = await farm.start();
    await farm.enable(life);
    await farm.world.clock.advance(120_000);
    expect(buys(farm)).toHaveLength(2);
    // Out by the stop-loss, and back in the band.
    for (const market of farm.markets) farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(120_000);
    expect(sales(farm).length).toBeGreaterThanOrEqual(2);
    for (const market of farm.markets) farm.quote(market, 1, { bid: 9_600, ask: 9_700 });
    await farm.world.clock.advance(3_600_000);
    expect(buys(farm)).toHaveLength(2);
    expect(new Set(buys(farm).map(({ intent }) => intent.marketId)).size).toBe(2);
  });

  it('holds over a restart between the two', async () => {
    const { farm, life } = await aHoldingFarm();
    expect(buys(farm)).toHaveLength(1);
    life.die();
    await life.agents.stop();
    const next = await farm.start();
    await farm.world.clock.advance(1_800_000);
    expect(buys(farm)).toHaveLength(1);
    expect(next.agents.view(farm.world.user, AGENT)).toMatchObject({
      enabled: true,
      activity: 'holding',
    });
  });
});

describe('safety rule 2: a cap on open positions and on total exposure', () => {
  it('opens no more positions than it may, says so once, and goes on when one has ended', async () => {
    const farm = aFarmWorld(5);
    const life = await farm.start();
    await farm.enable(life, { maxOpenPositions: 2 });
    await farm.world.clock.advance(600_000);
    expect(buys(farm)).toHaveLength(2);
    const [first] = buys(farm);
    if (first === undefined) throw new Error('nothing was bought');
    farm.world.venue.resolve(first.intent.marketId, [0, 10_000]);
    farm.listings.splice(
      0,
      farm.listings.length,
      ...farm.listings.filter(({ market }) => market.marketId !== first.intent.marketId),
    );
    await farm.world.clock.advance(1_800_000);
    expect(buys(farm)).toHaveLength(3);
    expect(life.portfolio.holdings(farm.world.user, { type: 'open' })).toHaveLength(2);
  });

  it('L5: holds an entry that waits for its turn to the caps in force when it is signed', async () => {
    const farm = aFarmWorld(2);
    const { clock, venue, user } = farm.world;
    const life = await farm.start();
    await farm.enable(life);
    // The first check that finds everything in place is five seconds after the start: a manual
    // trade has the user's lock then.
    await clock.advance(4_900);
    venue.submitFaults.push({ kind: 'late-ack', ms: 3_000 });
    venue.isChannelMute = true;
    venue.areReadsDown = true;
    const manual = life.orders.place(user, aMarketBuy({ marketId: aMarketId(1), outcome: 1 }));
    await clock.advance(200);
    expect(life.agents.view(user, AGENT).activity).toBe('trading');
    await life.agents.updateSettings(user, AGENT, { maxTotalExposure: 1 });
    await during(farm.world, manual);
    await clock.advance(100);
    expect(buys(farm).map(({ intent }) => intent.origin.kind)).toEqual(['manual']);
    expect(
      receipts(life, user).flatMap(({ decision: { outcome } }) =>
        outcome.kind === 'refused' ? [outcome.code] : [],
      ),
    ).toContain('cap_exceeded');
  });

  it('keeps what it has at stake within the exposure cap, cutting the last position to what is left', async () => {
    const farm = aFarmWorld(5);
    const life = await farm.start();
    await farm.enable(life, { maxTotalExposure: 12, minPositionSize: 1 });
    await farm.world.clock.advance(600_000);
    const exposure = exposureUsdc(agentRiskOf(farm.store, farm.world.user, AGENT));
    expect(exposure).toBeLessThanOrEqual(12_000_000);
    expect(exposure).toBeGreaterThan(11_000_000);
    expect(buys(farm)).toHaveLength(3);
    expect(
      receipts(life, farm.world.user).some(({ decision }) =>
        decision.decision.reason.startsWith('room below the exposure cap'),
      ),
    ).toBe(true);
  });

  it('counts what the agent opened, and not what its user holds manually', async () => {
    const farm = aFarmWorld(2);
    const life = await farm.start();
    const [one, two] = farm.markets;
    if (one === undefined || two === undefined) throw new Error('two markets');
    await during(
      farm.world,
      life.orders.place(farm.world.user, {
        venue: VENUE_A,
        marketId: one.marketId,
        outcome: 0,
        side: 'buy',
        amount: { unit: 'usdc', micros: 20_000_000 },
        type: { kind: 'market' },
        origin: { kind: 'manual' },
      }),
    );
    await farm.world.clock.advance(10_000);
    farm.listings.splice(0, 1);
    await farm.enable(life, { maxOpenPositions: 1, maxTotalExposure: 6 });
    await farm.world.clock.advance(60_000);
    expect(buys(farm).map(({ intent }) => intent.marketId)).toEqual([one.marketId, two.marketId]);
  });

  it.each([
    ['open positions', { maxOpenPositions: 2 }, 'open positions is 2, needed fewer than 2.'],
    ['exposure', { maxTotalExposure: 6 }, 'room below the exposure cap is '],
  ] as const)(
    'says once, in a receipt, that the cap on %s is reached',
    async (_cap, settings, reason) => {
      const farm = aFarmWorld(4);
      const life = await farm.start();
      // Candidates come one by one: with the last place taken an agent is not even woken for more.
      for (const market of farm.markets) farm.quote(market, 1, { bid: 9_000, ask: 9_100 });
      await farm.enable(life, settings);
      await farm.world.clock.advance(10_000);
      for (const market of farm.markets) farm.quote(market, 1, { bid: 9_600, ask: 9_700 });
      await farm.world.clock.advance(120_000);
      expect(
        receipts(life, farm.world.user).filter(({ decision }) =>
          decision.decision.reason.startsWith(reason),
        ),
      ).toHaveLength(1);
    },
  );

  it.each([
    [
      'exposure',
      { maxTotalExposure: 13, minPositionSize: 5 },
      1,
      'open positions and orders of agent venue_a_farming would come to',
    ],
    [
      'open positions',
      { maxOpenPositions: 2 },
      0,
      '3 open positions of agent venue_a_farming would exceed the cap of 2',
    ],
  ] as const)(
    'L5: holds in the order’s own transaction, when something else has used the room for %s up while the order waited',
    async (_cap, settings, outcome, message) => {
      const farm = aFarmWorld(3);
      const life = await farm.start();
      const [held, candidate, other] = farm.markets;
      if (held === undefined || candidate === undefined || other === undefined)
        throw new Error('three markets');
      for (const market of [candidate, other]) farm.quote(market, 1, { bid: 9_000, ask: 9_100 });
      await farm.enable(life, settings);
      await farm.world.clock.advance(30_000);
      expect(buys(farm)).toHaveLength(1);
      const { submit } = farm.world.venue;
      // The bytes leave at once, and reach the venue late.
      farm.world.venue.submit = async (order, permission) => {
        if (permission === undefined) throw new Error('an order may be withheld');
        const hasLeft = permission.isGranted();
        await new Promise<void>((resolve) => void farm.world.clock.after(5_000, resolve));
        return submit.call(farm.world.venue, order, { ...permission, isGranted: () => hasLeft });
      };
      // The user's own orders: one that keeps the lock, and one in the market the agent has
      // entered, which counts as the agent's.
      const manual = [other, held].map((market) =>
        life.orders.place(farm.world.user, {
          venue: VENUE_A,
          marketId: market.marketId,
          outcome: market === held ? outcome : 0,
          side: 'buy',
          amount: { unit: 'usdc', micros: 5_000_000 },
          type: { kind: 'market' },
          origin: { kind: 'manual' },
        }),
      );
      farm.quote(candidate, 1, { bid: 9_600, ask: 9_700 });
      await during(farm.world, Promise.allSettled(manual));
      await farm.world.clock.advance(30_000);
      expect(buys(farm).filter(({ intent }) => intent.marketId === candidate.marketId)).toEqual([]);
      expect(buys(farm)).toHaveLength(3);
      expect(
        receipts(life, farm.world.user).map(({ decision }) => decision.outcome),
      ).toContainEqual({
        kind: 'refused',
        code: 'cap_exceeded',
        message: expect.stringContaining(message),
      });
    },
  );

  it('L5: holds whatever the settings and however many candidates come at once', async () => {
    const cases = record({
      positions: integer({ min: 1, max: 6 }),
      exposure: integer({ min: 1, max: 40 }),
      size: integer({ min: 1, max: 10 }),
      asks: array(integer({ min: 9_500, max: 9_800 }), { minLength: 1, maxLength: 7 }),
    });
    await check(
      asyncProperty(cases, async ({ positions, exposure, size, asks }) => {
        const farm = aFarmWorld(asks.length);
        farm.markets.forEach((market, index) =>
          farm.quote(market, 1, { bid: (asks[index] ?? 9_700) - 100, ask: asks[index] ?? 9_700 }),
        );
        const life = await farm.start();
        await farm.enable(life, {
          maxOpenPositions: positions,
          maxTotalExposure: exposure,
          minPositionSize: 1,
          avgPositionSize: size,
          maxPositionSize: 10,
        });
        for (let step = 0; step < 6; step += 1) {
          await farm.world.clock.advance(7_000);
          const risk = agentRiskOf(farm.store, farm.world.user, AGENT);
          expect(openPositionCount(risk)).toBeLessThanOrEqual(positions);
          expect(exposureUsdc(risk)).toBeLessThanOrEqual(exposure * 1_000_000);
        }
        await life.agents.stop();
        expect(brokenLaws(farm.store, farm.world.user)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('safety rule 3: a position is closed when the price falls 10 percent from entry', () => {
  it('sells once the bid stays at or below the stop, with a receipt that says by how much', async () => {
    const { farm, life, market } = await aHoldingFarm();
    // Bought at 0.97: the stop is 0.873.
    farm.quote(market, 1, { bid: 8_740, ask: 8_800 });
    await farm.world.clock.advance(60_000);
    expect(sales(farm)).toEqual([]);
    farm.quote(market, 1, { bid: 8_700, ask: 8_800 });
    await farm.world.clock.advance(60_000);
    expect(sales(farm)).toMatchObject([
      {
        state: 'filled',
        intent: { outcome: 1, origin: { kind: 'agent', agentId: AGENT, purpose: 'exit' } },
      },
    ]);
    // Less than the smallest amount the venue lets one sell is left, and counts as no position.
    const [left] = life.portfolio.holdings(farm.world.user);
    expect(left?.position.shares).toBeLessThan(10_000);
    expect(openPositionCount(agentRiskOf(farm.store, farm.world.user, AGENT))).toBe(0);
    expect(life.agents.view(farm.world.user, AGENT).activity).toBe('watching');
    const [exit] = life.agents.trades(farm.world.user, AGENT, { limit: 1, cursor: null }).data;
    expect(exit?.decision.decision).toMatchObject({
      verdict: 'exit',
      criteria: [
        {
          name: 'best bid',
          value: '0.87, 0.87, 0.87',
          threshold: '3 looks in a row at or below 0.873',
          passed: true,
        },
      ],
    });
  });

  it('is closed once the venue takes orders again, however long it refused them, and tries less and less often meanwhile', async () => {
    const { farm, market } = await aHoldingFarm();
    for (let fault = 0; fault < 1_000; fault += 1)
      farm.world.venue.submitFaults.push({ kind: 'rejected', reason: 'trading is halted' });
    farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(4 * HOUR_MS);
    const tried = sales(farm).length;
    expect([
      tried >= FARMING.exitsQuick,
      tried <= FARMING.exitsQuick + 5 + (4 * HOUR_MS) / FARMING.exitRetryMaximumMs,
    ]).toEqual([true, true]);
    farm.world.venue.submitFaults.length = 0;
    await farm.world.clock.advance(FARMING.exitRetryMaximumMs + 30_000);
    expect(sales(farm).slice(tried)).toMatchObject([{ state: 'filled' }]);
  });

  it('L3: sells again what a sale did not settle', async () => {
    const { farm, life, market } = await aHoldingFarm();
    farm.world.venue.settlements.push([{ afterMs: 20_000, word: 'failed' }]);
    farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(HOUR_MS);
    expect(
      life.portfolio
        .fills(farm.world.user)
        .filter(({ side }) => side === 'sell')
        .map(({ settlement }) => settlement)
        .sort(),
    ).toEqual(['reversed', 'settled']);
    expect(sales(farm)).toHaveLength(2);
    expect(brokenLaws(farm.store, farm.world.user)).toEqual([]);
  });

  it('keeps the position through one flickering quote, and through an untrusted book', async () => {
    const { farm, life, market } = await aHoldingFarm();
    farm.quote(market, 1, { bid: 5_000, ask: 9_700 });
    await farm.world.clock.advance(6_000);
    farm.quote(market, 1, { bid: 9_600, ask: 9_700 });
    await farm.world.clock.advance(30_000);
    farm.quote(market, 1, null);
    await farm.world.clock.advance(120_000);
    expect(sales(farm)).toEqual([]);
    expect(life.agents.view(farm.world.user, AGENT).activity).toBe('holding');
  });

  it('follows the stop its user sets, while the position is held', async () => {
    const { farm, life, market } = await aHoldingFarm({ stopLossPercent: 20 });
    farm.quote(market, 1, { bid: 9_000, ask: 9_100 });
    await farm.world.clock.advance(60_000);
    expect(sales(farm)).toEqual([]);
    await life.agents.updateSettings(farm.world.user, AGENT, { stopLossPercent: '5' });
    await farm.world.clock.advance(60_000);
    expect(sales(farm)).toHaveLength(1);
  });

  it('L9: watches on after a restart', async () => {
    const { farm, life } = await aHoldingFarm();
    life.die();
    await life.agents.stop();
    await farm.start();
    const [market] = farm.markets;
    if (market === undefined) throw new Error('a market');
    farm.listings.length = 0;
    farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(60_000);
    expect(sales(farm)).toHaveLength(1);
  });

  it('L6: sells nothing for an agent that was disabled', async () => {
    const { farm, life, market } = await aHoldingFarm();
    await life.agents.disable(farm.world.user, AGENT);
    farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(120_000);
    expect(sales(farm)).toEqual([]);
    expect([...farm.watched.keys()]).toEqual([]);
  });
});

describe('safety rule 4: a per-user lock prevents concurrent trade execution', () => {
  it('has one order of a user on its way at a time, whatever the agent and the user want at once', async () => {
    const farm = aFarmWorld(6);
    const life = await farm.start();
    let inFlight = 0;
    let most = 0;
    const { submit } = farm.world.venue;
    farm.world.venue.submit = async (...call) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise<void>((resolve) => void farm.world.clock.after(400, resolve));
      inFlight -= 1;
      return submit.apply(farm.world.venue, call);
    };
    await farm.enable(life, { maxOpenPositions: 20 });
    const manual = farm.markets.map((market) =>
      life.orders.place(farm.world.user, {
        venue: VENUE_A,
        marketId: market.marketId,
        outcome: 0,
        side: 'buy',
        amount: { unit: 'usdc', micros: 2_000_000 },
        type: { kind: 'market' },
        origin: { kind: 'manual' },
      }),
    );
    await during(farm.world, Promise.allSettled(manual));
    await farm.world.clock.advance(120_000);
    expect(most).toBe(1);
    expect(buys(farm).filter(({ intent }) => intent.origin.kind === 'agent')).toHaveLength(6);
  });

  it('serves other users meanwhile: one scan, one review and one assessment for all of them', async () => {
    const farm = aFarmWorld(2);
    const life = await farm.start();
    const users = [farm.world.user, aUserId(2), aUserId(3)];
    for (const user of users.slice(1)) {
      farm.world.venue.deposit(user, usdcMicros(50_000_000));
      await life.funding.syncDeposits(user);
    }
    for (const user of users) await farm.enable(life, {}, { userId: user });
    await farm.world.clock.advance(60_000);
    expect(farm.store.range(POSITIONS)).toHaveLength(6);
    expect([farm.scans.length, farm.questions.length]).toEqual([1, 2]);
  });
});
