import { describe, expect, it } from 'vitest';
import { assert } from '../../src/domain/errors.ts';
import type { RoundView } from '../../src/domain/signal.ts';
import { DECISIONS } from '../../src/services/books/tables.ts';
import { enableAgent, withAgents, type AgentsLife } from '../support/worlds/agents-world.ts';

import { aRoundMarket, freshRound, turnedRound } from '../support/worlds/round-views.ts';
import { runWithCut, type CrashRun, type Step } from '../support/checks/crash-run.ts';
import { cutPoints } from '../support/loads/crash-points.ts';
import {
  aWorld,
  brokenLaws,
  endState,
  ordersOf,
  type Life,
} from '../support/worlds/trading-world.ts';

function agentsOf(life: Life): AgentsLife {
  assert('agents' in life && 'signals' in life, 'the world below starts agents with every life');
  return life as AgentsLife; // the check above
}

/** Shows a view, as it would be just then, every other second for half a minute. */
function showing(view: (atMs: number) => RoundView): Step {
  return async (life, { clock }) => {
    for (let round = 0; round < 15; round += 1) {
      agentsOf(life).signals.show(view(clock.nowMs()));
      await new Promise<void>((resolve) => void clock.after(2_000, resolve));
    }
  };
}

const DAY: readonly Step[] = [
  async (life, world) => void (await life.funding.syncDeposits(world.user)),
  (life, world) => enableAgent(agentsOf(life), world.user),
  showing(freshRound),
  showing(turnedRound),
  async (life, world) => void (await agentsOf(life).agents.disable(world.user, 'btc_5min')),
  showing(freshRound),
];

const run = (cut: Parameters<typeof runWithCut>[1]): Promise<CrashRun> =>
  runWithCut(DAY, cut, withAgents(aWorld(100_000_000, [aRoundMarket(1)])));
const whole = await run(null);
const points = cutPoints(whole.moments);

describe("a power failure at every durable step of an agent's day", () => {
  it('is tried over an enabling, an entry, a sale and a disabling', () => {
    expect(ordersOf(whole.store).map(({ intent, state }) => [intent.side, state])).toEqual([
      ['buy', 'filled'],
      ['sell', 'filled'],
    ]);
    expect(points.length).toBeGreaterThan(60);
  });

  it.each(points)(
    'L6, L7, L11: one entry, one sale, a receipt for each, and a stop that stays: $at $number',
    async (point) => {
      const { world, store, life, lives } = await run(point);
      expect(lives).toBe(2);
      expect(endState(store)).toEqual(endState(whole.store));
      expect(world.venue.orders.size).toBe(2);
      expect(brokenLaws(store, world.user)).toEqual([]);
      const receipts = store.range(DECISIONS).map(({ value }) => value.decisionId);
      for (const { intent } of ordersOf(store))
        expect(receipts).toContain(
          intent.origin.kind === 'agent' ? intent.origin.decisionId : null,
        );
      expect(agentsOf(life).agents.view(world.user, 'btc_5min').enabled).toBe(false);
      expect(life.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
