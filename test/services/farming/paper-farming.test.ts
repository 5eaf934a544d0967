import { describe, expect, it } from 'vitest';
import { PAPER } from '../../../config/limits/paper.ts';
import { openPositionCount } from '../../../src/domain/risk.ts';
import { agentRiskOf } from '../../../src/services/books/record-changes.ts';
import { OPEN_PAIRS, PAIRS } from '../../../src/services/paper/tables.ts';
import { ORDERS } from '../../../src/services/books/tables.ts';
import { aUserId } from '../../support/builders.ts';
import { aFarmWorld, type FarmProcess, type FarmWorld } from '../../support/worlds/farm-world.ts';
import { paperOrders } from '../../support/worlds/paper-world.ts';
import { VENUE_B } from '../../support/venue-ids.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';

const AGENT = 'venue_a_farming';
const liveOrders = ({ store }: FarmWorld) => store.range(ORDERS).map(({ value }) => value);

async function aFarmThat(
  mode: 'live' | 'paper',
  count: number,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly farm: FarmWorld; readonly life: FarmProcess }> {
  const farm = aFarmWorld(count);
  const life = await farm.start();
  await farm.enable(life, settings, { mode });
  await farm.world.clock.advance(40_000);
  return { farm, life };
}

describe('farming on paper', () => {
  it('buys, holds and stops by the same rules, with no order at the venue and no shadow run', async () => {
    const { farm, life } = await aFarmThat('paper', 2);
    expect([
      liveOrders(farm),
      farm.world.venue.orders.size,
      paperOrders(farm.store).shadows,
    ]).toEqual([[], 0, []]);
    expect(paperOrders(farm.store).agents.map(({ intent, state }) => [intent.side, state])).toEqual(
      [
        ['buy', 'filled'],
        ['buy', 'filled'],
      ],
    );
    expect(life.agents.view(farm.world.user, AGENT)).toMatchObject({
      mode: 'paper',
      activity: 'holding',
    });
    for (const market of farm.markets) farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(60_000);
    expect(
      paperOrders(farm.store)
        .agents.map(({ intent, state }) => [intent.side, state])
        .slice(2),
    ).toEqual([
      ['sell', 'filled'],
      ['sell', 'filled'],
    ]);
    expect(
      life.agents.trades(farm.world.user, AGENT, { limit: 1, cursor: null }).data[0]?.decision.mode,
    ).toBe('paper');
  });
});

describe('farming on paper at a venue with a wallet of its own', () => {
  it('buys with the paper money of that wallet, which the one of another venue leaves alone', async () => {
    const farm = aFarmWorld(2, 100_000_000, () => ({ venue: VENUE_B }));
    const { user, clock } = farm.world;
    const life = await farm.start();
    await life.agents.enable(user, 'venue_b_farming', { mode: 'paper' });
    await clock.advance(40_000);
    expect(
      paperOrders(farm.store).agents.map(({ intent, state }) => [intent.cashAccount, state]),
    ).toEqual([
      ['usdc:solana', 'filled'],
      ['usdc:solana', 'filled'],
    ]);
    const { portfolio } = life.paper;
    const bought = portfolio
      .holdings(user)
      .reduce((sum, { position }) => sum + position.costUsdc, 0);
    expect(bought).toBeGreaterThan(0);
    expect(portfolio.cash(user, 'usdc:safe').settled).toBe(PAPER.startingUsdcMicros);
    expect(portfolio.cash(user, 'usdc:solana').settled).toBe(PAPER.startingUsdcMicros - bought);
  });
});

describe('the shadow run of farming agents', () => {
  it('trades on paper what they trade for real, from one scan, one review and one assessment for both', async () => {
    const { farm, life } = await aFarmThat('live', 3);
    expect(liveOrders(farm)).toHaveLength(3);
    expect(paperOrders(farm.store)).toMatchObject({
      agents: [],
      shadows: [{ state: 'filled' }, { state: 'filled' }, { state: 'filled' }],
    });
    expect([farm.scans.length, farm.questions.length]).toEqual([1, 3]);
    expect(life.agents.performance(farm.world.user, AGENT).paper).toMatchObject({
      own: { trades: 0 },
      shadow: { trades: 3, openPositions: 3 },
      difference: { entries: 3, liveFilled: 3, paperFilled: 3, bothFilled: 3, slippageUsdc: 0 },
    });
    expect(brokenLaws(farm.store, farm.world.user)).toEqual([]);
  });

  it('is one for all with the same sizes and the same stop, and is held back by no user’s caps', async () => {
    const farm = aFarmWorld(4);
    const other = aUserId(2);
    farm.world.venue.deposit(other, 100_000_000);
    const life = await farm.start();
    await life.funding.syncDeposits(other);
    await farm.enable(life, { maxOpenPositions: 1 });
    await farm.enable(life, { maxOpenPositions: 2 }, { userId: other });
    await farm.world.clock.advance(60_000);
    expect([
      openPositionCount(agentRiskOf(farm.store, farm.world.user, AGENT)),
      openPositionCount(agentRiskOf(farm.store, other, AGENT)),
    ]).toEqual([1, 2]);
    const { shadows } = paperOrders(farm.store);
    expect([shadows.length, new Set(shadows.map(({ intent }) => intent.userId)).size]).toEqual([
      4, 1,
    ]);
    for (const userId of [farm.world.user, other]) {
      const { difference } = life.agents.performance(userId, AGENT).paper ?? {};
      expect(difference?.bothFilled).toBe(difference?.entries);
    }
  });

  it('is compared to the end of the position, the stop-loss of each side included', async () => {
    const { farm, life } = await aFarmThat('live', 1);
    expect(farm.store.range(OPEN_PAIRS)).toHaveLength(1);
    const [market] = farm.markets;
    if (market !== undefined) farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(60_000);
    const { paper, realizedPnl } = life.agents.performance(farm.world.user, AGENT);
    expect(realizedPnl).toBeLessThan(0);
    expect(paper?.difference).toMatchObject({
      entries: 1,
      liveRealisedUsdc: realizedPnl,
      paperRealisedUsdc: realizedPnl,
    });
  });

  it('L9: goes on after a restart where it stood, and sells by its stop', async () => {
    const { farm, life } = await aFarmThat('live', 1);
    life.die();
    await life.agents.stop();
    await farm.start();
    const [market] = farm.markets;
    if (market !== undefined) farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(60_000);
    expect(
      paperOrders(farm.store).shadows.map(({ intent, state }) => [intent.side, state]),
    ).toEqual([
      ['buy', 'filled'],
      ['sell', 'filled'],
    ]);
  });

  it('ends with the last agent beside it', async () => {
    const { farm, life } = await aFarmThat('live', 1);
    await life.agents.disable(farm.world.user, AGENT);
    const [market] = farm.markets;
    if (market !== undefined) farm.quote(market, 1, { bid: 8_000, ask: 8_100 });
    await farm.world.clock.advance(600_000);
    expect([paperOrders(farm.store).shadows.length, farm.store.range(PAIRS).length]).toEqual([
      1, 1,
    ]);
  });
});
