import { describe, expect, it } from 'vitest';
import { FARMING } from '../../config/limits/farming.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import {
  createFarmingActor,
  farmingMachine,
  withFarmEffects,
  type FarmDecideResult,
  type FarmEffects,
  type FarmEnterResult,
  type FarmTask,
} from '../../machines/farming.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import { aMarketId, aUserId, T0 } from '../support/builders.ts';

const enterTask = (number: number): FarmTask => ({
  kind: 'enter',
  marketId: aMarketId(number),
  outcome: 1,
});
const leaveTask = (number: number): FarmTask => ({
  kind: 'leave',
  marketId: aMarketId(number),
  outcome: 1,
});
const PLAN: Extract<FarmDecideResult, { kind: 'enter' }> = {
  kind: 'enter',
  plan: {
    strategy: 'high_probability',
    decision: { verdict: 'enter', outcome: 1, criteria: [], reason: 'all' },
    inputs: [],
    atMs: T0,
    amountUsdc: usdcMicros(5_000_000),
    mostUsdc: usdcMicros(5_300_000),
    worstPrice: priceTicks(9_800),
  },
};

/**
 * A farming actor whose effects take 100 ms and give the set answers; what was done is in
 * `done`.
 */
function start(
  first: FarmTask,
  answers: {
    readonly decide?: () => FarmDecideResult | Error | 'never';
    readonly enter?: () => FarmEnterResult | Error | 'never';
    readonly leave?: () => Error | 'never' | undefined;
  } = {},
) {
  const clock = createVirtualClock(T0);
  const done: string[] = [];
  const after = async <T>(
    what: string,
    task: FarmTask,
    say: () => T | Error | 'never',
  ): Promise<T> => {
    done.push(`${what} ${Number(task.marketId)}`);
    await new Promise<void>((resolve) => void clock.after(100, resolve));
    const answer = say();
    if (answer === 'never') return new Promise(() => undefined);
    if (answer instanceof Error) throw answer;
    return answer as T; // neither a silence nor a failure
  };
  const effects: FarmEffects = {
    decide: ({ task }) => after('decide', task, answers.decide ?? (() => PLAN)),
    enter: ({ task }) =>
      after('enter', task, answers.enter ?? (() => ({ kind: 'traded' }) as const)),
    leave: ({ task }) => after('leave', task, () => answers.leave?.()) as Promise<void>,
  };
  const actor = createFarmingActor(
    withFarmEffects(farmingMachine, effects),
    { userId: aUserId(1), agentId: 'venue_a_farming', task: first },
    toActorClock(clock),
  );
  actor.start();
  return {
    clock,
    actor,
    done,
    state: () => String(actor.getSnapshot().value),
    offer: (task: FarmTask) => actor.send({ type: 'task.offered', task }),
  };
}

describe('the farming machine', () => {
  it('decides, trades and is over when nothing else waits', async () => {
    const { clock, actor, done, state } = start(enterTask(1));
    expect(state()).toBe('deciding');
    await clock.advance(100);
    expect(state()).toBe('trading');
    await clock.advance(100);
    expect([state(), actor.getSnapshot().status, done]).toEqual([
      'over',
      'done',
      ['decide 1', 'enter 1'],
    ]);
  });

  it('L7: sees to one task after the other, positions to be left before anything is bought', async () => {
    const { clock, done, offer } = start(enterTask(1));
    for (const task of [enterTask(2), leaveTask(3), enterTask(4), leaveTask(5)]) offer(task);
    await clock.advance(2_000);
    expect(done).toEqual([
      'decide 1',
      'enter 1',
      'leave 3',
      'leave 5',
      'decide 2',
      'enter 2',
      'decide 4',
      'enter 4',
    ]);
  });

  it('takes a task once while it waits or is under way, and no more than it can hold', async () => {
    const { clock, done, offer, actor } = start(enterTask(1));
    for (const task of [enterTask(1), enterTask(2), enterTask(2)]) offer(task);
    expect(actor.getSnapshot().context.waiting).toHaveLength(1);
    for (let number = 3; number < 200; number += 1) offer(enterTask(number));
    expect(actor.getSnapshot().context.waiting).toHaveLength(FARMING.tasksMaximum);
    await clock.advance(400);
    expect(done).toEqual(['decide 1', 'enter 1', 'decide 2', 'enter 2', 'decide 3']);
  });

  it('leaves what it holds in a market though an entry into the same one waits', async () => {
    const { clock, done, offer } = start(enterTask(1));
    offer(enterTask(2));
    offer(leaveTask(2));
    await clock.advance(1_000);
    expect(done).toEqual(['decide 1', 'enter 1', 'leave 2', 'decide 2', 'enter 2']);
  });

  it('tries a passing refusal again after a pause, and gives up in the end', async () => {
    const { clock, done, state } = start(enterTask(1), {
      enter: () => ({ kind: 'refused', retryable: true }),
    });
    await clock.advance(200);
    expect(state()).toBe('pausing');
    await clock.advance(FARMING.retryAfterMs * 10);
    expect([state(), done.filter((line) => line.startsWith('enter')).length]).toEqual([
      'over',
      FARMING.entriesMaximum,
    ]);
  });

  it('looks again where the market has only changed its mind, and not where it is over', async () => {
    const again = start(enterTask(1), { decide: () => ({ kind: 'pass', again: true }) });
    await again.clock.advance(FARMING.retryAfterMs * 10);
    expect(again.done).toHaveLength(FARMING.entriesMaximum);
    const over = start(enterTask(1), { decide: () => ({ kind: 'pass', again: false }) });
    await over.clock.advance(100);
    expect([over.state(), over.done]).toEqual(['over', ['decide 1']]);
  });

  it.each([
    ['a refusal for good', { enter: () => ({ kind: 'refused', retryable: false }) as const }],
    ['a failure of deciding', { decide: () => new Error('lost') }],
    ['a failure of trading', { enter: () => new Error('lost') }],
  ])('goes on with the next task after %s', async (_case, answers) => {
    const { clock, done, offer, state } = start(enterTask(1), answers);
    offer(leaveTask(2));
    await clock.advance(1_000);
    expect([state(), done.at(-1)]).toEqual(['over', 'leave 2']);
  });

  it.each([
    ['deciding', enterTask(1), { decide: () => 'never' as const }, FARMING.decisionTimeoutMs],
    ['trading', enterTask(1), { enter: () => 'never' as const }, FARMING.orderTimeoutMs + 100],
    ['leaving', leaveTask(1), { leave: () => 'never' as const }, FARMING.orderTimeoutMs],
  ])('waits no longer than it may while %s', async (state, task, answers, waitMs) => {
    const farm = start(task, answers);
    await farm.clock.advance(waitMs - 1);
    expect(farm.state()).toBe(state);
    await farm.clock.advance(1);
    expect(farm.state()).toBe('over');
  });

  it('leaves what fails to be left for the next check', async () => {
    const { clock, state } = start(leaveTask(1), { leave: () => new Error('lost') });
    await clock.advance(100);
    expect(state()).toBe('over');
  });

  it.each([
    ['deciding', enterTask(1), 50, {}],
    ['trading', enterTask(1), 150, {}],
    [
      'pausing',
      enterTask(1),
      250,
      { enter: () => ({ kind: 'refused', retryable: true }) as const },
    ],
    ['leaving', leaveTask(1), 50, {}],
  ])('L6: a stop ends it while %s, and nothing follows', async (state, task, atMs, answers) => {
    const farm = start(task, answers);
    farm.offer(enterTask(9));
    await farm.clock.advance(atMs);
    expect(farm.state()).toBe(state);
    farm.actor.send({ type: 'agent.stop' });
    const { length } = farm.done;
    await farm.clock.advance(60_000);
    expect([farm.actor.getSnapshot().status, farm.done.length]).toEqual(['done', length]);
  });

  it('needs its effects', async () => {
    const clock = createVirtualClock(T0);
    const actor = createFarmingActor(
      farmingMachine,
      { userId: aUserId(1), agentId: 'venue_a_farming', task: leaveTask(1) },
      toActorClock(clock),
    );
    actor.start();
    await clock.advance(1);
    expect(actor.getSnapshot().status).toBe('done');
  });
});
