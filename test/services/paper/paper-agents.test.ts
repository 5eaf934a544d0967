import { describe, expect, it } from 'vitest';
import { PAPER } from '../../../config/limits/paper.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import type { StopPolicy } from '../../../src/domain/agent.ts';
import { readerOf } from '../../../src/domain/user-topic.ts';
import {
  AGENTS,
  BALANCES,
  DECISIONS,
  FILLS,
  LEDGER_ENTRIES,
  ORDERS,
  POSITIONS,
  RISK,
  UNWINDS,
  paperTable,
} from '../../../src/services/books/tables.ts';
import { aBook, aLevel, aMarketBuy, T0 } from '../../support/builders.ts';
import {
  aPaperWorld,
  paperOrders,
  startPaper,
  type PaperLife,
} from '../../support/worlds/paper-world.ts';
import { aRoundView, freshRound, turnedRound } from '../../support/worlds/round-views.ts';
import { brokenLaws, type World } from '../../support/worlds/trading-world.ts';

/** Too little for any trade. */
const CENT = 10_000;
const FIRST_PAGE = { limit: 50, cursor: null };

async function enableOnPaper(life: PaperLife, world: World, strategy = 'up_down'): Promise<void> {
  await life.agents.updateSettings(world.user, 'btc_5min', { avgPositionSize: 5, strategy });
  await life.agents.enable(world.user, 'btc_5min', { mode: 'paper' });
}

describe('an agent on paper', () => {
  it('is enabled with hardly a cent and says so, and with which money it trades cannot change under it', async () => {
    const { world, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    expect(life.agents.view(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      mode: 'paper',
      activity: 'watching',
    });
    await expect(
      life.agents.enable(world.user, 'btc_5min', { mode: 'live' }),
    ).rejects.toMatchObject({ code: 'agent_enabled' });
    expect(await life.agents.enable(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      mode: 'paper',
    });
    await life.agents.disable(world.user, 'btc_5min');
    await expect(
      life.agents.enable(world.user, 'btc_5min', { mode: 'live' }),
    ).rejects.toMatchObject({ code: 'agent_not_ready' });
  });

  it('that is disabled and enabled with real money at the same moment trades with that, and no more on paper', async () => {
    const { world, store, life } = await aPaperWorld();
    await enableOnPaper(life, world);
    await Promise.all([
      life.agents.disable(world.user, 'btc_5min'),
      life.agents.enable(world.user, 'btc_5min', { mode: 'live' }),
    ]);
    expect(life.agents.view(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      mode: 'live',
      activity: 'watching',
    });
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect([world.venue.orders.size, paperOrders(store).agents]).toEqual([1, []]);
  });

  it('trades by the same machine and the same code: decides, buys at the visible book with the venue’s fee, holds, wins', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    const [order] = paperOrders(store).agents;
    expect(order).toMatchObject({
      state: 'filled',
      filledShares: 10_000_000,
      filledUsdc: 5_000_000,
      feesUsdc: 175_000,
      intent: { side: 'buy', life: 'all_now' },
    });
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('holding');
    expect(life.paper.portfolio.cash(world.user, 'usdc:safe').settled).toBe(
      PAPER.startingUsdcMicros - 5_175_000,
    );
    const [receipt] = life.agents.trades(world.user, 'btc_5min', FIRST_PAGE).data;
    expect(receipt).toMatchObject({
      decision: { mode: 'paper', decision: { verdict: 'enter' } },
      order: { intent: { intentId: order?.intent.intentId } },
    });
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    await world.clock.advance(120_000);
    expect(life.paper.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed', realizedPnl: 4_825_000 } },
    ]);
    expect(life.paper.portfolio.cash(world.user, 'usdc:safe').settled).toBe(
      PAPER.startingUsdcMicros + 4_825_000,
    );
  });

  it('never signs, sends, reserves, or writes a record of real money', async () => {
    const { world, store, life } = await aPaperWorld();
    const before = [ORDERS, FILLS, POSITIONS, BALANCES, LEDGER_ENTRIES, RISK].map((table) =>
      store.range<unknown>(table),
    );
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(paperOrders(store).agents).toMatchObject([
      { state: 'filled', attempts: [{ attemptId: expect.stringMatching(/^paper:/) }] },
    ]);
    expect(world.venue.orders.size).toBe(0);
    expect(world.venue.bodies.size).toBe(0);
    expect(
      [ORDERS, FILLS, POSITIONS, BALANCES, LEDGER_ENTRIES, RISK].map((table) =>
        store.range<unknown>(table),
      ),
    ).toEqual(before);
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      available: 100_000_000,
      reserved: 0,
    });
    expect(brokenLaws(store, world.user)).toEqual([]);
    expect(
      life.bus.entries.filter(
        ({ event }) =>
          event.type.startsWith('order.') ||
          event.type.startsWith('fill.') ||
          event.type === 'position.changed',
      ),
    ).toEqual([]);
  });

  it('tells its user that it entered, and of what it holds to the payout', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    await world.clock.advance(120_000);
    const published = life.bus.entries.flatMap(({ seq, event }) =>
      event.type === 'paper.recorded' ? [{ seq, event }] : [],
    );
    expect(
      published.map(({ event: { fact } }) =>
        fact.type === 'position.changed' ? fact.position.state : fact.type,
      ),
    ).toEqual(['agent.traded', 'open', 'redeemed']);
    expect(published.map(({ event }) => readerOf(event))).toEqual(published.map(() => world.user));
    expect(published.map(({ seq }) => store.readJournal(seq - 1, 1))).toEqual(
      published.map((entry) => [entry]),
    );
  });

  it('leaves by the same review, sells what is final, and pays the fee of both ways', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    for (let review = 0; review < 6; review += 1) {
      life.signals.show(turnedRound(world.clock.nowMs()));
      await world.clock.advance(5_000);
    }
    expect(
      paperOrders(store).agents.map(({ intent, state, filledShares }) => [
        intent.side,
        intent.life,
        state,
        filledShares,
      ]),
    ).toEqual([
      ['buy', 'all_now', 'filled', 10_000_000],
      ['sell', 'part_now', 'filled', 10_000_000],
    ]);
    expect(
      life.agents
        .trades(world.user, 'btc_5min', FIRST_PAGE)
        .data.map(({ decision }) => decision.decision.verdict),
    ).toEqual(['exit', 'enter']);
  });

  it('is killed where the book had not enough when its order arrived, though it had when it was decided', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(PAPER.latencyMs / 2);
    const [up] = world.market.outcomes;
    world.books.set(
      up.tokenId,
      aBook(world.market, 0, { asks: [aLevel(5_000, 2)], receivedAtMs: world.clock.nowMs() }),
    );
    await world.clock.advance(PAPER.latencyMs);
    expect(paperOrders(store).agents).toMatchObject([
      { state: 'cancelled', filledShares: 0, reason: expect.stringContaining('not enough') },
    ]);
  });

  it('L8: is killed where the book cannot be trusted when its order arrives', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(PAPER.latencyMs / 2);
    world.books.set(
      world.market.outcomes[0].tokenId,
      aBook(world.market, 0, { distrust: 'gap', receivedAtMs: world.clock.nowMs() }),
    );
    await world.clock.advance(PAPER.latencyMs);
    expect(paperOrders(store).agents).toMatchObject([
      { state: 'cancelled', reason: expect.stringContaining('no trusted book') },
    ]);
  });

  it('L9: keeps orders and positions over a restart, holds again, and is paid by the same resolution', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    await life.agents.stop();
    life.die();
    const next = await startPaper(world, store.crash({ keptCommits: 0 }));
    expect(next.agents.view(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      mode: 'paper',
      activity: 'holding',
    });
    next.signals.show(freshRound(world.clock.nowMs()));
    expect(next.paper.portfolio.holdings(world.user)).toMatchObject([
      { position: { shares: 10_000_000, agentId: 'btc_5min' } },
    ]);
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [0, 10_000]);
    await world.clock.advance(120_000);
    expect(next.paper.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'lost', realizedPnl: -5_175_000 } },
    ]);
  });

  it('L2: finds after a restart that an order which the end met on its way never arrived, and trades the market no more', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(PAPER.latencyMs / 2);
    expect(paperOrders(store).agents).toMatchObject([{ state: 'signed' }]);
    await life.agents.stop();
    life.die();
    // Until the request is stale: a moment later the same order would have been sent again.
    await world.clock.advance(10_000);
    const next = await startPaper(world, store.crash({ keptCommits: 0 }));
    await world.clock.advance(60_000);
    expect(paperOrders(next.store).agents).toMatchObject([{ state: 'rejected', filledShares: 0 }]);
    next.signals.show(freshRound(world.clock.nowMs()));
    await world.clock.advance(10_000);
    expect(paperOrders(next.store).agents).toHaveLength(1);
  });

  it('L6: buys nothing once it is disabled, nor while all trading is stopped', async () => {
    const { world, store, life } = await aPaperWorld(CENT);
    await enableOnPaper(life, world);
    await life.orders.setStop({ kind: 'all' }, true, 'maintenance');
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(paperOrders(store).agents).toEqual([]);
    await life.orders.setStop({ kind: 'all' }, false, 'over');
    await life.agents.disable(world.user, 'btc_5min');
    life.signals.show(freshRound(world.clock.nowMs()));
    await world.clock.advance(8_000);
    expect(paperOrders(store).agents).toEqual([]);
  });
});

describe('L6: a stop on paper', () => {
  async function aHolder(onStop: StopPolicy) {
    const { world, store, life } = await aPaperWorld(CENT);
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await life.agents.enable(world.user, 'btc_5min', { mode: 'paper', onStop });
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    const sides = () => paperOrders(store).agents.map(({ intent, state }) => [intent.side, state]);
    return { world, store, life, sides };
  }

  it('closes positions where its policy says so, and tells until it is done', async () => {
    const { world, store, life, sides } = await aHolder('close');
    expect(await life.agents.disable(world.user, 'btc_5min')).toMatchObject({
      activity: 'stopping',
      unwind: { policy: 'close' },
    });
    await world.clock.advance(20_000);
    expect([sides(), life.agents.view(world.user, 'btc_5min').unwind]).toEqual([
      [
        ['buy', 'filled'],
        ['sell', 'filled'],
      ],
      null,
    ]);
    expect([
      world.venue.orders.size,
      store.range(UNWINDS),
      store.range(paperTable(UNWINDS)),
    ]).toEqual([0, [], []]);
  });

  it.each<[StopPolicy]>([['keep'], ['cancel_only']])('leaves positions with %s', async (policy) => {
    const { world, life, sides } = await aHolder(policy);
    await life.agents.disable(world.user, 'btc_5min');
    await world.clock.advance(20_000);
    expect([sides(), life.agents.view(world.user, 'btc_5min').activity]).toEqual([
      [['buy', 'filled']],
      'disabled',
    ]);
  });

  it('cancels a bid that rests, with all agents of the user stopped at once', async () => {
    const { world, life, store } = await aPaperWorld(CENT);
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'limiter',
    });
    await life.agents.enable(world.user, 'btc_5min', { mode: 'paper', onStop: 'cancel_only' });
    world.books.set(
      world.market.outcomes[0].tokenId,
      aBook(world.market, 0, {
        asks: [aLevel(7_200, 1_000)],
        receivedAtMs: world.clock.nowMs() + 60_000,
      }),
    );
    life.signals.show({ ...freshRound(world.clock.nowMs()), volatility: 0.00003 });
    await world.clock.advance(2_000);
    expect(paperOrders(store).agents).toMatchObject([{ state: 'live', intent: { life: 'rests' } }]);
    expect(
      (await life.agents.stopAll(world.user)).find(({ wasEnabled }) => wasEnabled),
    ).toMatchObject({ policy: 'cancel_only', openOrders: 1 });
    await world.clock.advance(20_000);
    expect(paperOrders(store).agents).toMatchObject([{ state: 'cancelled' }]);
  });

  it('L9: is carried on after a restart, and taken back when the agent is enabled again', async () => {
    const { world, store, life, sides } = await aHolder('close');
    const { tokenId } = world.market.outcomes[0];
    world.books.set(
      tokenId,
      aBook(world.market, 0, { bids: [], receivedAtMs: world.clock.nowMs() + 600_000 }),
    );
    await life.agents.disable(world.user, 'btc_5min');
    await world.clock.advance(10_000);
    await life.agents.stop();
    life.die();
    const next = await startPaper(world, store);
    expect(next.agents.view(world.user, 'btc_5min').activity).toBe('stopping');
    world.books.delete(tokenId);
    await world.clock.advance(60_000);
    expect([sides(), next.agents.view(world.user, 'btc_5min').activity]).toEqual([
      [
        ['buy', 'filled'],
        ['sell', 'filled'],
      ],
      'disabled',
    ]);
    await next.agents.enable(world.user, 'btc_5min', { mode: 'live' }).catch(() => undefined);
    expect(store.range(paperTable(UNWINDS))).toEqual([]);
  });
});

describe('L6: the two ways to trade', () => {
  it.each<['live' | 'paper']>([['live'], ['paper']])(
    'take no order of an agent that is enabled the other way than %s',
    async (mode) => {
      const { world, life } = await aPaperWorld();
      await life.agents.updateSettings(world.user, 'btc_5min', {
        avgPositionSize: 5,
        strategy: 'up_down',
      });
      await life.agents.enable(world.user, 'btc_5min', {
        mode: mode === 'live' ? 'paper' : 'live',
      });
      await life.paper.fund(world.user);
      const { orders } = mode === 'live' ? life : life.paper;
      const origin = {
        kind: 'agent',
        agentId: 'btc_5min',
        decisionId: asId<DecisionId>('dec_1'),
        purpose: 'entry',
      } as const;
      await expect(
        orders.place(world.user, aMarketBuy({ marketId: world.market.marketId, origin })),
      ).rejects.toMatchObject({ code: 'agent_stopped' });
    },
  );
});

describe('a shadow run of live agents', () => {
  it('trades on paper what they trade for real, one for all with the same signal and sizes', async () => {
    const { world, store, life } = await aPaperWorld();
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await life.agents.enable(world.user, 'btc_5min');
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(store.range(ORDERS).map(({ value }) => value)).toMatchObject([
      { state: 'filled', filledShares: 10_000_000, filledUsdc: 5_000_000 },
    ]);
    expect(paperOrders(store)).toMatchObject({
      agents: [],
      shadows: [
        { state: 'filled', filledShares: 10_000_000, filledUsdc: 5_000_000, feesUsdc: 175_000 },
      ],
    });
    expect(store.range(AGENTS)).toHaveLength(1);
    expect(life.bus.entries.filter(({ event }) => event.type === 'paper.recorded')).toEqual([]);
    expect(
      store
        .range(DECISIONS)
        .every(({ value }) => value.userId === world.user && value.mode === undefined),
    ).toBe(true);
    expect(store.range(paperTable(DECISIONS)).length).toBeGreaterThan(0);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('ends with the last of them, and follows a change of sizes', async () => {
    const { world, store, life } = await aPaperWorld();
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await life.agents.enable(world.user, 'btc_5min');
    await life.agents.updateSettings(world.user, 'btc_5min', { avgPositionSize: 4 });
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(paperOrders(store).shadows).toMatchObject([{ filledUsdc: 4_000_000 }]);
    await life.agents.disable(world.user, 'btc_5min');
    const view = aRoundView();
    life.signals.show({
      ...view,
      market: world.markets[1] ?? view.market,
      startsAtMs: T0,
      endsAtMs: T0 + 600_000,
    });
    await world.clock.advance(8_000);
    expect(paperOrders(store).shadows).toHaveLength(1);
  });
});
