import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { SIGNAL_RECEIPTS } from '../../../src/services/execution/tables.ts';
import {
  anAgentsWorld,
  enableAgent,
  startAgents,
  type AgentsLife,
} from '../../support/worlds/agents-world.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { aPrice, aRoundView, aTop, observed } from '../../support/worlds/round-views.ts';
import type { World } from '../../support/worlds/trading-world.ts';

/**
 * Makes the shared signal change its mind `times` times, a second apart, between two reasons to
 * skip.
 */
async function flicker(world: World, life: AgentsLife, times: number): Promise<void> {
  for (let change = 0; change < times; change += 1) {
    const atMs = world.clock.nowMs();
    const view = aRoundView({
      atMs,
      exchange: observed(aPrice(70_072), atMs),
      books: [aTop(4_900, 5_000, atMs), null],
    });
    const group = [...life.signals.groups.values()][0];
    if (group !== undefined)
      life.agents.onSignal({
        ...group,
        marketId: view.market.marketId,
        view,
        decision: {
          verdict: 'skip',
          outcome: null,
          criteria: [],
          reason: `change ${change} at ${atMs}`,
        },
      });
    await world.clock.advance(1_000);
  }
}

function reasons(life: AgentsLife, world: World, limit = 200): readonly string[] {
  const all: string[] = [];
  let cursor: string | null = null;
  do {
    const page = life.agents.decisions(world.user, 'btc_5min', { limit, cursor });
    all.push(...page.data.map(({ decision }) => decision.decision.reason.replace(/ at .*/u, '')));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

describe('receipts', () => {
  it('of a shared signal are written once for the group, whatever its size', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await flicker(world, life, 3);
    expect(store.range(SIGNAL_RECEIPTS)).toHaveLength(3);
    expect(reasons(life, world)).toEqual(['change 2', 'change 1', 'change 0']);
  });

  it('of a shared signal belong to an agent only for the time it was enabled', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await flicker(world, life, 2);
    await life.agents.updateSettings(world.user, 'btc_5min', { inferenceDifferencePercent: 1 });
    await flicker(world, life, 1);
    await life.agents.disable(world.user, 'btc_5min');
    await flicker(world, life, 5);
    await life.agents.enable(world.user, 'btc_5min');
    await flicker(world, life, 1);
    expect(reasons(life, world)).toEqual(['change 0', 'change 0', 'change 1', 'change 0']);
  });

  it('are listed newest first, own and shared together, in pages of any size without a gap or a double', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await flicker(world, life, 5);
    life.signals.show(
      aRoundView({
        oracle: observed(aPrice(70_070), world.clock.nowMs()),
        exchange: observed(aPrice(70_072), world.clock.nowMs()),
        books: [aTop(7_000, 7_200, world.clock.nowMs()), null],
      }),
    );
    await world.clock.advance(6_000);
    await flicker(world, life, 4);
    const whole = reasons(life, world);
    expect(whole).toHaveLength(11);
    expect(whole.filter((reason) => reason.startsWith('change'))).toHaveLength(9);
    for (const limit of [1, 2, 3, 10]) expect(reasons(life, world, limit)).toEqual(whole);
  });

  it('L11: are found by their id, own and shared, with the text that their link covers', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await flicker(world, life, 3);
    life.signals.show(
      aRoundView({
        oracle: observed(aPrice(70_070), world.clock.nowMs()),
        exchange: observed(aPrice(70_072), world.clock.nowMs()),
        atMs: world.clock.nowMs(),
      }),
    );
    await world.clock.advance(1_000);
    await flicker(world, life, 1);
    const { data } = life.agents.decisions(world.user, 'btc_5min', { limit: 200, cursor: null });
    expect(data.length).toBeGreaterThan(3);
    for (const view of data) {
      const { decisionId } = view.decision;
      const found = life.agents.decision(world.user, 'btc_5min', decisionId);
      expect(found).toEqual({ ...view, text: expect.any(String) });
      const place = Buffer.alloc(8);
      place.writeBigUInt64BE(BigInt(view.place?.seq ?? 0));
      const link = createHash('sha256')
        .update(Buffer.from(view.place?.previousHash ?? '', 'hex'))
        .update(place)
        .update(found?.text ?? '');
      expect(link.digest('hex')).toBe(view.place?.hash);
    }
    const [first] = data;
    const id = asId<DecisionId>(first?.decision.decisionId ?? '');
    expect(life.agents.decision(world.user, 'eth_15min', id)).toBeNull();
    expect(life.agents.decision(aUserId(99), 'btc_5min', id)).toBeNull();
    const other = asId<DecisionId>(`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`);
    expect(life.agents.decision(world.user, 'btc_5min', other)).toBeNull();
  });

  it('are read across many more records than are read at once', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await flicker(world, life, 150);
    expect(reasons(life, world, 7)).toEqual(
      Array.from({ length: 150 }, (_, index) => `change ${149 - index}`),
    );
  });

  it('of a shared signal are bounded in one round', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    const view = aRoundView();
    const group = [...life.signals.groups.values()][0];
    for (let change = 0; change < AGENT.signalReceiptsPerRoundMaximum + 50; change += 1) {
      if (group !== undefined)
        life.agents.onSignal({
          ...group,
          marketId: view.market.marketId,
          view,
          decision: { verdict: 'skip', outcome: null, criteria: [], reason: 'flicker' },
        });
    }
    await world.clock.settle();
    expect(store.range(SIGNAL_RECEIPTS)).toHaveLength(AGENT.signalReceiptsPerRoundMaximum);
  });

  it('of a shared signal are pruned after their time, also by a later process', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await flicker(world, life, 3);
    const laterMs = world.clock.nowMs() + AGENT.signalReceiptsKeptMs;
    await life.agents.stop();
    await life.orders.stop();
    await world.clock.advanceTo(laterMs);
    const next = await startAgents(world, store);
    const view = aRoundView({ atMs: laterMs, endsAtMs: laterMs + 300_000 });
    const group = [...next.signals.groups.values()][0];
    for (let change = 0; change < 2; change += 1) {
      if (group !== undefined)
        next.agents.onSignal({
          ...group,
          marketId: view.market.marketId,
          view,
          decision: { verdict: 'skip', outcome: null, criteria: [], reason: 'later' },
        });
    }
    await world.clock.settle();
    expect(store.range(SIGNAL_RECEIPTS).map(({ value }) => value.decision.reason)).toEqual([
      'later',
      'later',
    ]);
  });

  it.each([
    '',
    'x',
    '5',
    `${T0}.dec_short`,
    `${T0}.dec_${'0'.repeat(27)}`,
    `-1.dec_${'0'.repeat(26)}`,
  ])('refuse the cursor %j', async (cursor) => {
    const { world, life } = await anAgentsWorld();
    expect(() => life.agents.decisions(world.user, 'btc_5min', { limit: 10, cursor })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(() => life.agents.trades(world.user, 'btc_5min', { limit: 10, cursor })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it.each([0, 201, 1.5, Number.NaN])('refuse the limit %j', async (limit) => {
    const { world, life } = await anAgentsWorld();
    expect(() => life.agents.decisions(world.user, 'btc_5min', { limit, cursor: null })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});
