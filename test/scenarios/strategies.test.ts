import { describe, expect, it } from 'vitest';
import { roundProfile } from '../../src/domain/agent.ts';
import type { AgentId } from '../../src/domain/ids.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import { FILLS } from '../../src/services/books/tables.ts';
import { decideJournalAgain } from '../support/checks/decided-again.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';
import { aStrategyFixture } from './strategy-fixture.ts';
import { orderIdOf } from '../support/attempts.ts';
import { sampled } from '../support/sampled.ts';

const FIRST_PAGE = { limit: 200, cursor: null };
type Fixture = Awaited<ReturnType<typeof aStrategyFixture>>;

const settingsOf = (strategy: string) => ({ avgPositionSize: 5, strategy });
const entriesOf = (fixture: Fixture) =>
  fixture.orders().filter(({ intent }) => intent.side === 'buy');
/** Whole seconds since the hour. */
const secondOf = (atMs: number) => Math.floor(atMs / 1_000) % 3_600;

/** What must hold of any run, whatever the strategy. */
function expectLawful(fixture: Fixture): void {
  const { store, model, log } = fixture;
  expect(verifyBooks(store)).toEqual({
    entries: expect.any(Number),
    imbalanceMicros: 0,
    differing: [],
  });
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  const atVenue = model.exchange
    .snapshot()
    .records.flatMap((record) => (record.kind === 'order' ? [record.order.order.orderId] : []));
  expect([...atVenue].sort()).toEqual(fixture.orders().map(orderIdOf).sort());
  const markets = entriesOf(fixture).map(({ intent }) => intent.marketId);
  expect(new Set(markets).size).toBe(markets.length);
}

/** L11: every receipt decides again what it says, from nothing but its text. */
function expectDecidedAgain({ store, agentId }: Fixture): void {
  const { asked, without, wrong } = decideJournalAgain(store);
  expect([wrong, without]).toEqual([[], []]);
  expect(asked[`${agentId} entry`] ?? 0).toBeGreaterThan(1);
}

/** L11: every entry has its receipt, by this strategy, with all criteria that were asked for. */
function expectReceipts(fixture: Fixture, strategy: string): void {
  const trades = fixture.service.core.agents
    .trades(fixture.userId, fixture.agentId, FIRST_PAGE)
    .data.filter(({ decision }) => decision.decision.verdict === 'enter');
  expect(trades.map(({ order }) => order?.intent.intentId).sort()).toEqual(
    entriesOf(fixture)
      .map(({ intent }) => intent.intentId)
      .sort(),
  );
  for (const { decision } of trades) {
    expect(decision.strategy).toBe(strategy);
    expect(
      decision.inputs.filter(({ ageMs, limitMs }) => ageMs !== null && ageMs > limitMs),
    ).toEqual([]);
    expect(decision.decision.criteria.length).toBeGreaterThanOrEqual(4);
  }
}

const STRATEGY_RUNS: readonly (readonly [AgentId, string, number])[] = [
  ['btc_5min', 'up_down', 1],
  ['btc_5min', 'confirmed_lead', 1],
  ['btc_5min', 'limiter', 3],
  ['btc_5min', 'inference_strike', 3],
  ['btc_5min', 'max', 8],
  ['eth_15min', 'up_down', 1],
  ['eth_15min', 'up_only', 2],
  ['btc_15min', 'up_down', 2],
  ['btc_15min', 'up_only', 3],
  ['sol_15min', 'up_down', 3],
  ['sol_15min', 'up_only', 2],
];

describe('each strategy, on the models', () => {
  it.each(sampled('strategies', STRATEGY_RUNS, 4))(
    'L7, L11: %s trades by %s, once a round, with receipts (seed %d)',
    async (agentId, strategy, seed) => {
      const fixture = await aStrategyFixture({ seed, agentId, settings: settingsOf(strategy) });
      await fixture.clock.advance((roundProfile(agentId).minutes === 5 ? 11 : 17) * 60_000);
      expectLawful(fixture);
      expectReceipts(fixture, strategy);
      expectDecidedAgain(fixture);
      const row = STRATEGIES.row(agentId, strategy);
      const roundMs = roundProfile(agentId).minutes * 60_000;
      const entries = entriesOf(fixture);
      expect(entries.length).toBeGreaterThan(0);
      for (const { intent } of entries) {
        expect(intent.life).toBe(row?.order.kind === 'limit' ? 'rests' : 'all_now');
        const inRoundMs = intent.createdAtMs % roundMs;
        expect(inRoundMs).toBeGreaterThanOrEqual(row?.window.opensAfterMs ?? Infinity);
        expect(inRoundMs).toBeLessThan(row?.window.closesAfterMs ?? 0);
        if (strategy === 'up_only') expect(intent.outcome).toBe(0);
      }
      await fixture.end();
    },
  );
});

describe('bids of a strategy, on the models', () => {
  it('rest, expire, are filled by the market, never above 60 cents, and are held where selling pays no more than the market says they are worth', async () => {
    const fixture = await aStrategyFixture({
      seed: 3,
      agentId: 'btc_5min',
      settings: settingsOf('inference_strike'),
    });
    await fixture.clock.advance(25 * 60_000);
    expect(fixture.orders().map(({ intent, state }) => [intent.side, intent.life, state])).toEqual([
      ['buy', 'rests', 'expired'],
      ['buy', 'rests', 'filled'],
    ]);
    const bought = fixture.store
      .range(FILLS)
      .map(({ value }) => value)
      .filter(({ side }) => side === 'buy');
    expect(bought.length).toBeGreaterThan(0);
    for (const { usdc, shares } of bought)
      expect(usdc).toBeLessThanOrEqual(Math.ceil(shares * 0.6));
    const [expired, filled] = fixture.orders();
    expect(secondOf(expired?.updatedAtMs ?? 0)).toBe(570);
    expect((filled?.updatedAtMs ?? 0) - (filled?.intent.createdAtMs ?? 0)).toBeGreaterThan(10_000);
    expect(fixture.service.core.trading.portfolio.cash(fixture.userId, 'usdc:safe')).toMatchObject({
      reserved: 0,
      provisional: 0,
    });
    expectLawful(fixture);
    expectDecidedAgain(fixture);
    await fixture.end();
  });

  it('L9: are followed over restarts while they rest: filled after the first, held after the second', async () => {
    const fixture = await aStrategyFixture({
      seed: 3,
      agentId: 'btc_5min',
      settings: settingsOf('inference_strike'),
    });
    await fixture.clock.advance(20 * 60_000);
    const rests = () => entriesOf(fixture).some(({ state }) => state === 'live');
    expect(await fixture.clock.advanceUntil(rests, 300_000)).toBe(true);
    const activity = () => fixture.service.core.agents.view(fixture.userId, 'btc_5min').activity;
    await fixture.restart();
    expect(activity()).toBe('resting');
    expect(
      await fixture.clock.advanceUntil(
        () => entriesOf(fixture).some(({ state }) => state === 'filled'),
        300_000,
      ),
    ).toBe(true);
    await fixture.clock.advance(1_000);
    expect(activity()).toBe('holding');
    await fixture.restart();
    expect(activity()).toBe('holding');
    await fixture.clock.advance(4 * 60_000);
    expect(entriesOf(fixture).length).toBeLessThanOrEqual(3);
    expectLawful(fixture);
    await fixture.end();
  });

  it('L9: of the inference strike begin to count evaluation windows anew after a restart', async () => {
    const settings = settingsOf('inference_strike');
    const untouched = await aStrategyFixture({ seed: 1, agentId: 'btc_5min', settings });
    const enters = (fixture: Fixture) =>
      fixture.clock.advanceUntil(() => entriesOf(fixture).length > 0, 300_000);
    expect(await enters(untouched)).toBe(true);
    const { createdAtMs: enteredAtMs = 0, marketId } = untouched.orders()[0]?.intent ?? {};
    await untouched.end();

    const fixture = await aStrategyFixture({ seed: 1, agentId: 'btc_5min', settings });
    await fixture.clock.advanceTo(enteredAtMs - 5_000);
    await fixture.restart();
    const restartedAtMs = fixture.clock.nowMs();
    expect(await enters(fixture)).toBe(true);
    const [late] = fixture.orders();
    expect(late?.intent.marketId).toBe(marketId);
    expect((late?.intent.createdAtMs ?? 0) - restartedAtMs).toBeGreaterThanOrEqual(30_000);
    await fixture.clock.advance(1_000);
    expectLawful(fixture);
    await fixture.end();
  });

  it('are taken back when the market turns before anybody sells to them', async () => {
    const fixture = await aStrategyFixture({
      seed: 22,
      agentId: 'btc_5min',
      settings: settingsOf('max'),
    });
    await fixture.clock.advance(5 * 60_000);
    expect(fixture.orders().map(({ state, filledShares }) => [state, filledShares])).toEqual([
      ['cancelled', 0],
    ]);
    const receipts = fixture.service.core.agents
      .decisions(fixture.userId, 'btc_5min', FIRST_PAGE)
      .data.map(({ decision }) => decision.decision);
    expect(receipts.find(({ verdict }) => verdict === 'exit')?.criteria).toEqual([
      {
        name: expect.stringMatching(/^signal strength/),
        value: expect.any(String),
        threshold: "above 60.0 %, the bid's price",
        passed: false,
      },
    ]);
    expectLawful(fixture);
    await fixture.end();
  });

  it('L10: are made and end in the same way from the same seed', async () => {
    const reported: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const fixture = await aStrategyFixture({
        seed: 4,
        agentId: 'btc_5min',
        settings: settingsOf('max'),
      });
      await fixture.clock.advance(6 * 60_000);
      reported.push(JSON.stringify(fixture.orders()));
      await fixture.end();
    }
    expect(reported[1]).toBe(reported[0]);
    expect(reported[0]).toContain('GTD');
  });
});
