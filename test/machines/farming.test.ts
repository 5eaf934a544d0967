import { describe, expect, it } from 'vitest';
import { FARMING } from '../../config/farming-limits.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import type { FarmDecideResult, FarmEffects, FarmEnterResult, FarmTask } from '../../machines/farming.ts';
import { createFarmingActor, farmingMachine, withFarmEffects } from '../../machines/farming.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import { aMarketId, aUserId, T0 } from '../support/builders.ts';

const PLAN: FarmDecideResult = {
  kind: 'enter',
  plan: {
    strategy: 'farming', inputs: [], atMs: T0, decision: { verdict: 'enter', outcome: 1, criteria: [], reason: 'test' },
    amountUsdc: usdcMicros(5_000_000), mostUsdc: usdcMicros(5_100_000), worstPrice: priceTicks(9_800),
  },
};
const enter = (market: number): FarmTask => ({ kind: 'enter', marketId: aMarketId(market), outcome: 1 });
const leave = (market: number): FarmTask => ({ kind: 'leave', marketId: aMarketId(market), outcome: 1 });
const never = new Promise<never>(() => {});

interface Script {
  readonly decide?: readonly (FarmDecideResult | Error | Promise<never>)[];
  readonly enter?: readonly (FarmEnterResult | Error | Promise<never>)[];
  readonly leave?: readonly (null | Error | Promise<never>)[];
}

/** Starts an agent with a task; its effects answer by script, the last answer for good. */
function startFarming(task: FarmTask, script: Script = {}) {
  const clock = createVirtualClock(T0);
  const calls: string[] = [];
  const seen: string[] = [];
  const counts = new Map<string, number>();
  const answer = async <T>(name: string, { marketId }: FarmTask, answers: readonly (T | Error | Promise<never>)[] | undefined, fallback: T): Promise<T> => {
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    calls.push(`${name} ${Number(BigInt(marketId))}`);
    const next = answers?.[Math.min(index, answers.length - 1)] ?? fallback;
    if (next instanceof Error) throw next;
    return next;
  };
  const effects: FarmEffects = {
    decide: (input) => answer<FarmDecideResult>('decide', input.task, script.decide, PLAN),
    enter: (input) => answer<FarmEnterResult>('enter', input.task, script.enter, { kind: 'traded' }),
    leave: async (input) => void (await answer<null>('leave', input.task, script.leave, null)),
  };
  const agent = createFarmingActor(withFarmEffects(farmingMachine, effects), { userId: aUserId(1), agentId: 'venue_a_farming', task }, toActorClock(clock));
  agent.subscribe(({ value }) => void seen.push(value));
  agent.start();
  return { agent, clock, calls, seen, state: () => agent.getSnapshot().value, offer: (offered: FarmTask) => agent.send({ type: 'task.offered', task: offered }) };
}

describe('the farming machine', () => {
  it('decides on a candidate, buys, and is over when nothing waits', async () => {
    const { clock, calls, state, agent } = startFarming(enter(1));
    expect(state()).toBe('deciding');
    await clock.settle();
    expect([state(), agent.getSnapshot().status, calls, clock.pending]).toEqual(['over', 'done', ['decide 1', 'enter 1'], 0]);
  });

  it('L7: sees to one task after the other, and leaves positions before it buys', async () => {
    const { clock, calls, offer, state } = startFarming(enter(1));
    offer(enter(2));
    offer(leave(3));
    offer(enter(4));
    offer(leave(5));
    await clock.settle();
    expect([calls, state()]).toEqual([['decide 1', 'enter 1', 'leave 3', 'leave 5', 'decide 2', 'enter 2', 'decide 4', 'enter 4'], 'over']);
  });

  it('takes a task that waits or is under way no second time', async () => {
    const { clock, calls, offer } = startFarming(enter(1));
    for (const task of [enter(1), enter(2), enter(2), leave(2), leave(2)]) offer(task);
    await clock.settle();
    expect(calls).toEqual(['decide 1', 'enter 1', 'leave 2', 'decide 2', 'enter 2']);
  });

  it('holds a bounded number of tasks', async () => {
    const { clock, calls, offer } = startFarming(enter(1), { decide: [{ kind: 'pass', again: false }] });
    for (let market = 2; market <= FARMING.tasksMaximum + 10; market += 1) offer(enter(market));
    await clock.settle();
    expect(calls).toHaveLength(FARMING.tasksMaximum + 1);
  });

  it('passes on to the next task after a pass that lasts', async () => {
    const { clock, calls, offer } = startFarming(enter(1), { decide: [{ kind: 'pass', again: false }, PLAN] });
    offer(enter(2));
    await clock.settle();
    expect(calls).toEqual(['decide 1', 'decide 2', 'enter 2']);
  });

  it.each<[string, Script]>([
    ['a pass that may not last', { decide: [{ kind: 'pass', again: true }] }],
    ['a refusal that may not last', { enter: [{ kind: 'refused', retryable: true }] }],
  ])('decides anew after %s, a bounded number of times', async (_what, script) => {
    const { clock, calls, state } = startFarming(enter(1), script);
    await clock.settle();
    expect(state()).toBe('pausing');
    await clock.advance(FARMING.retryAfterMs - 1);
    const early = calls.filter((call) => call === 'decide 1').length;
    await clock.advance(60_000);
    expect([early, calls.filter((call) => call === 'decide 1').length, state()]).toEqual([1, FARMING.entriesMaximum, 'over']);
  });

  it('gives a candidate up after a refusal that lasts', async () => {
    const { clock, calls, state } = startFarming(enter(1), { enter: [{ kind: 'refused', retryable: false }] });
    await clock.advance(60_000);
    expect([calls, state()]).toEqual([['decide 1', 'enter 1'], 'over']);
  });

  it.each<[string, Script, FarmTask, number]>([
    ['a decision that fails', { decide: [new Error('store'), PLAN] }, enter(1), 0],
    ['a decision that hangs', { decide: [never, PLAN] }, enter(1), FARMING.decisionTimeoutMs],
    ['an entry that fails', { enter: [new Error('store'), { kind: 'traded' }] }, enter(1), 0],
    ['an entry that hangs', { enter: [never, { kind: 'traded' }] }, enter(1), FARMING.orderTimeoutMs],
    ['a sale that fails', { leave: [new Error('store')] }, leave(1), 0],
    ['a sale that hangs', { leave: [never] }, leave(1), FARMING.orderTimeoutMs],
  ])('L2: goes on to the next task after %s, and does not come back to it by itself', async (_what, script, task, afterMs) => {
    const { clock, calls, offer, state } = startFarming(task, script);
    offer(enter(2));
    await clock.advance(afterMs);
    expect([calls.filter((call) => call.endsWith(' 1')).length <= 2, calls.at(-1), state()]).toEqual([true, 'enter 2', 'over']);
  });

  const ways: readonly (readonly [string, FarmTask, Script])[] = [
    ['deciding', enter(1), { decide: [never] }],
    ['trading', enter(1), { enter: [never] }],
    ['pausing', enter(1), { decide: [{ kind: 'pass', again: true }] }],
    ['leaving', leave(1), { leave: [never] }],
  ];

  it.each(ways)('L6: ends from %s when it is stopped, and does nothing afterwards, whatever waits', async (name, task, script) => {
    const { agent, clock, calls, offer, state } = startFarming(task, script);
    offer(enter(2));
    offer(leave(3));
    await clock.settle();
    expect(state()).toBe(name);
    const before = [...calls];
    agent.send({ type: 'agent.stop' });
    await clock.advance(600_000);
    expect([agent.getSnapshot().status, state(), calls, clock.pending]).toEqual(['done', 'over', before, 0]);
  });

  it.each(ways)('ends from %s by itself, whatever hangs', async (_name, task, script) => {
    const { agent, clock, state } = startFarming(task, script);
    await clock.advance(10 * (FARMING.orderTimeoutMs + FARMING.decisionTimeoutMs));
    expect([agent.getSnapshot().status, state(), clock.pending]).toEqual(['done', 'over', 0]);
  });

  it('reaches every one of its states in these tests', () => {
    // Passed through within one step: it chooses at once.
    const covered = [...ways.map(([name]) => name), 'choosing', 'over'];
    expect(Object.keys(farmingMachine.states).sort()).toEqual([...covered].sort());
  });

  it('does nothing without its effects', async () => {
    const clock = createVirtualClock(T0);
    const agent = createFarmingActor(farmingMachine, { userId: aUserId(1), agentId: 'venue_a_farming', task: enter(1) }, toActorClock(clock));
    agent.start();
    await clock.settle();
    expect(agent.getSnapshot().value).toBe('over');
  });
});
