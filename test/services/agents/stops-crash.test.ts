import { describe, expect, it } from 'vitest';
import { assert } from '../../../src/domain/errors.ts';
import { UNWINDS } from '../../../src/services/books/tables.ts';
import { enableAgent, withAgents, type AgentsLife } from '../../support/worlds/agents-world.ts';
import { runWithCut, type CrashRun, type Step } from '../../support/checks/crash-run.ts';
import { cutPoints } from '../../support/loads/crash-points.ts';
import { aRoundMarket, freshRound } from '../../support/worlds/round-views.ts';
import {
  aWorld,
  brokenLaws,
  endState,
  ordersOf,
  type Life,
} from '../../support/worlds/trading-world.ts';

function agentsOf(life: Life): AgentsLife {
  assert('agents' in life && 'signals' in life, 'the world below starts agents with every life');
  return life as AgentsLife; // the check above
}

function waiting(ms: number): Step {
  return (_life, { clock }) => new Promise<void>((resolve) => void clock.after(ms, resolve));
}

const STOP: readonly Step[] = [
  async (life, world) => void (await life.funding.syncDeposits(world.user)),
  (life, world) => enableAgent(agentsOf(life), world.user),
  async (life, world) =>
    void (await agentsOf(life).agents.enable(world.user, 'btc_5min', { onStop: 'close' })),
  async (life, world) => agentsOf(life).signals.show(freshRound(world.clock.nowMs())),
  waiting(10_000),
  async (life, world) => void (await agentsOf(life).agents.stopAll(world.user)),
  waiting(30_000),
];

const run = (cut: Parameters<typeof runWithCut>[1]): Promise<CrashRun> =>
  runWithCut(STOP, cut, withAgents(aWorld(100_000_000, [aRoundMarket(1)])));
const whole = await run(null);
const points = cutPoints(whole.moments);

describe('a power failure at every durable step of an entry and a stop that closes', () => {
  it('is tried over an entry and its sale', () => {
    expect(ordersOf(whole.store).map(({ intent, state }) => [intent.side, state])).toEqual([
      ['buy', 'filled'],
      ['sell', 'filled'],
    ]);
    expect(points.length).toBeGreaterThan(50);
  });

  it.each(points)(
    'L6, L9: everything bought is sold once, and the agent is off: $at $number',
    async (point) => {
      const { world, store, life } = await run(point);
      expect(store.range(UNWINDS)).toEqual([]);
      expect(agentsOf(life).agents.view(world.user, 'btc_5min')).toMatchObject({
        enabled: false,
        activity: 'disabled',
      });
      expect(brokenLaws(store, world.user)).toEqual([]);
      // A cut before the signal was acted upon leaves a day without a trade: the signal was shown
      // once.
      expect([[], endState(whole.store)]).toContainEqual(
        ordersOf(store).length === 0 ? [] : endState(store),
      );
      expect(life.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
