import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { createDirectService, type DirectService } from '../../src/tools/replay/direct-service.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import type { RiskAssessor } from '../../src/ports/risk-assessor.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { ORDERS, POSITIONS, TRADED_MARKETS } from '../../src/services/books/tables.ts';
import { decideJournalAgain } from '../support/checks/decided-again.ts';
import { modelAssessor } from '../support/fakes/model-assessor.ts';
import { createKeptLog } from '../support/quiet.ts';
import { brokenLaws } from '../support/worlds/trading-world.ts';
import { driveOn } from './drive-on.ts';
import { chainIds } from '../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import { startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

const AGENT = 'venue_a_farming';
/** Five minutes into a generation of the sandbox's markets. */
const START_MS = Date.UTC(2026, 6, 24, 0, 5);
const SEED = 7;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The whole service over the sandbox's models with a farming agent, on the virtual clock. */
async function aFarm(
  options: {
    readonly assessor?: RiskAssessor | null;
    readonly faults?: readonly FaultName[];
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly startMs?: number;
  } = {},
) {
  const { startMs = START_MS } = options;
  const clock = createVirtualClock(startMs);
  const keccak = await loadKeccak();
  const model = await startWorldModel({
    clock,
    seed: SEED,
    farmed: true,
    foundedAtMs: startMs,
    prices: createPriceProcess(SEED, startingPrices(startMs / 1_000 - 36_000)),
    recorded: {
      series: [],
      idsOf: (slug) => chainIds(keccak, conditionTerms(SEED), slug),
      knownPayout: () => null,
    },
  });
  const store = createMemoryStore();
  const log = createKeptLog();
  const start = (): Promise<DirectService> =>
    createDirectService({
      model,
      clock,
      seed: SEED,
      latencyMs: 20,
      books: 'direct',
      log,
      store,
      assessor: options.assessor === undefined ? modelAssessor : options.assessor,
    });
  const service = await start();
  await driveOn(clock, service.core.start());
  // Makers quote and listings show it before anybody looks.
  await clock.advance(30_000);
  const { userId } = await driveOn(clock, service.addUser('usr_ada', usdcMicros(200_000_000)));
  await driveOn(
    clock,
    service.core.agents.updateSettings(userId, AGENT, { avgPositionSize: 5, ...options.settings }),
  );
  await driveOn(clock, service.core.agents.enable(userId, AGENT));
  for (const name of options.faults ?? []) model.faults.arm(name, { percent: 40 });
  ends.push(async () => model.stop());
  const slugOf = (marketId: string): string =>
    (store.get(TRADED_MARKETS, [marketId])?.value.slug ?? '?').replace(/-\d+$/, '');
  return {
    clock,
    model,
    service,
    store,
    userId,
    log,
    start,
    bought: () =>
      [
        ...new Set(
          store
            .range(ORDERS)
            .filter(({ value }) => value.intent.side === 'buy')
            .map(({ value }) => slugOf(value.intent.marketId)),
        ),
      ].sort(),
    sold: () =>
      store
        .range(ORDERS)
        .filter(({ value }) => value.intent.side === 'sell' && value.filledShares > 0)
        .map(({ value }) => slugOf(value.intent.marketId)),
    ended: () =>
      store
        .range(POSITIONS)
        .map(({ value }) => `${slugOf(value.marketId)} ${value.state}`)
        .sort(),
    errors: () => log.lines.filter(({ level }) => level === 'error'),
  };
}

describe('the farming agent in the sandbox', () => {
  it('buys what qualifies, leaves out the rest with reasons, is stopped out of a crash, and is paid for what wins', async () => {
    const farm = await aFarm();
    await farm.clock.advance(60_000);
    const { agents, orders } = farm.service.core;
    expect(farm.bought()).toEqual([
      'first-frost-in-bergen',
      'harbour-council-recall',
      'lantern-parade-goes-ahead',
      'opera-premiere-cancelled',
    ]);
    const receipts = agents
      .decisions(farm.userId, AGENT, { limit: 200, cursor: null })
      .data.map(({ decision }) => decision);
    const reasons = receipts
      .filter(({ decision }) => decision.verdict === 'skip')
      .map(({ decision }) => decision.criteria.find(({ passed }) => !passed)?.name);
    expect(reasons).toEqual(
      expect.arrayContaining(['category', 'volume', 'liquidity', 'probability', 'risk assessment']),
    );
    expect(
      receipts.some(
        ({ outcome, decision }) =>
          outcome.kind === 'order' &&
          decision.verdict === 'enter' &&
          decision.criteria.every(({ passed }) => passed),
      ),
    ).toBe(true);
    await farm.clock.advance(18 * 60_000);
    expect(farm.sold()).toContain('lantern-parade-goes-ahead');
    expect(farm.sold()).not.toContain('opera-premiere-cancelled');
    await driveOn(farm.clock, agents.disable(farm.userId, AGENT));
    await farm.clock.advance(8 * 60_000);
    expect(
      farm
        .ended()
        .filter(
          (line) =>
            line.startsWith('first-frost') ||
            line.startsWith('harbour') ||
            line.startsWith('opera'),
        ),
    ).toEqual(
      expect.arrayContaining([
        'first-frost-in-bergen redeemed',
        'harbour-council-recall redeemed',
        'opera-premiere-cancelled redeemed',
      ]),
    );
    expect(farm.ended().filter((line) => !/ (redeemed|lost|closed)$/.test(line))).toEqual([]);
    expect([
      orders.listOpen(farm.userId).length,
      brokenLaws(farm.store, farm.userId),
      farm.errors(),
    ]).toEqual([0, [], []]);
    // what a scan leaves out is listed, not judged
    const { asked, wrong } = decideJournalAgain(farm.store);
    expect(wrong).toEqual([]);
    expect(Object.keys(asked).sort()).toEqual([`${AGENT} farm_entry`, `${AGENT} stop_loss`]);
    await driveOn(farm.clock, farm.service.stop());
  }, 600_000);

  it('holds the strict filters without an assessor: the hostile title is bought only because it qualifies, and moves nothing else', async () => {
    const farm = await aFarm({ assessor: null });
    await farm.clock.advance(60_000);
    const receipts = farm.service.core.agents
      .decisions(farm.userId, AGENT, { limit: 200, cursor: null })
      .data.map(({ decision }) => decision);
    const entries = receipts.filter(({ decision }) => decision.verdict === 'enter');
    expect(entries.length).toBeGreaterThan(0);
    for (const { decision } of entries) {
      expect(decision.criteria[0]).toMatchObject({
        name: 'risk assessment',
        value: 'none, no assessor is set up: the strict filters hold',
      });
      expect(decision.criteria[1]?.threshold).toContain('(strict)');
    }
    // The text asks for transfers and huge buys; what left is five-dollar orders of this user to
    // the venue.
    for (const { value } of farm.store.range(ORDERS))
      expect([
        value.intent.userId,
        value.intent.spendMicros <= 5_000_000 || value.intent.side === 'sell',
      ]).toEqual([farm.userId, true]);
    await driveOn(farm.clock, farm.service.stop());
  }, 600_000);

  it('L9: goes on after a restart in mid-trade: no market twice, the stop still watched, everything paid', async () => {
    const farm = await aFarm({ startMs: START_MS + 4 * 60_000 });
    await farm.clock.advance(4_000);
    await driveOn(farm.clock, farm.service.stop());
    const next = await farm.start();
    await driveOn(farm.clock, next.addUser('usr_ada', usdcMicros(1_000_000)));
    await driveOn(farm.clock, next.core.start());
    await farm.clock.advance(8 * 60_000);
    const entries = farm.store
      .range(ORDERS)
      .filter(({ value }) => value.intent.side === 'buy')
      .map(({ value }) => value.intent.marketId);
    expect(new Set(entries).size).toBe(entries.length);
    expect(farm.sold()).toContain('lantern-parade-goes-ahead');
    expect([brokenLaws(farm.store, farm.userId), farm.errors()]).toEqual([[], []]);
    await driveOn(farm.clock, next.stop());
  }, 600_000);

  it.each([
    ['late-ack', 'lost-ack', 'duplicate-trade'],
    ['stale-listing', 'bad-gateway', 'rate-limited'],
    ['ghost-fill', 'dropped-user-events', 'delayed-then-dead'],
  ] as const)(
    'L4, L5, L7: keeps its rules under faults: %s, %s, %s',
    async (...faults) => {
      const farm = await aFarm({ faults, settings: { maxOpenPositions: 2 } });
      for (let step = 0; step < 8; step += 1) {
        await farm.clock.advance(20_000);
        const held = farm.service.core.trading.portfolio
          .holdings(farm.userId, { type: 'open' })
          .filter(({ position }) => position.shares >= 10_000);
        expect(held.length).toBeLessThanOrEqual(2);
      }
      farm.model.faults.clearAll();
      await farm.clock.advance(60_000);
      const entries = farm.store
        .range(ORDERS)
        .filter(({ value }) => value.intent.side === 'buy')
        .map(({ value }) => value.intent.marketId);
      expect(new Set(entries).size).toBe(entries.length);
      expect(brokenLaws(farm.store, farm.userId)).toEqual([]);
      await driveOn(farm.clock, farm.service.stop());
    },
    600_000,
  );
});
