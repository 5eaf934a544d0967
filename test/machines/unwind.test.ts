import { describe, expect, it } from 'vitest';
import { UNWIND } from '../../config/limits/risk.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import {
  createUnwindActor,
  unwindMachine,
  withUnwindEffects,
  type UnwindStep,
} from '../../machines/unwind.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { aUserId, T0 } from '../support/builders.ts';

const never = new Promise<never>(() => {});

/** Starts an unwind whose looks answer by script; the last answer repeats. */
function startUnwind(answers: readonly (UnwindStep | Error | Promise<UnwindStep>)[], afterMs = 0) {
  const clock = createVirtualClock(T0);
  const looks: number[] = [];
  const machine = withUnwindEffects({
    async step(of) {
      expect(of).toEqual({ userId: aUserId(1), agentId: 'btc_5min' });
      const next = answers[Math.min(looks.length, answers.length - 1)] ?? 'over';
      looks.push(clock.nowMs() - T0);
      if (next instanceof Error) throw next;
      return next;
    },
  });
  const actor = createUnwindActor(
    machine,
    { userId: aUserId(1), agentId: 'btc_5min', afterMs },
    toActorClock(clock),
  );
  actor.start();
  return { actor, clock, looks, state: () => actor.getSnapshot().value };
}

describe('the unwind machine', () => {
  it('waits its turn, looks until nothing is left, and is over', async () => {
    const { clock, looks, state, actor } = startUnwind(['moved', 'moved', 'over'], 500);
    await clock.advance(499);
    expect([state(), looks]).toEqual(['arriving', []]);
    await clock.advance(60_000);
    expect([state(), actor.getSnapshot().status, looks, clock.pending]).toEqual([
      'over',
      'done',
      [500, 500 + UNWIND.pauseFirstMs, 500 + 2 * UNWIND.pauseFirstMs],
      0,
    ]);
  });

  it.each<[string, UnwindStep | Error]>([
    ['all has to wait', 'waiting'],
    ['looks fail', new Error('store')],
  ])(
    'looks ever more slowly while %s, up to a bound, and never gives up',
    async (_what, answer) => {
      const { clock, looks, state } = startUnwind([answer]);
      await clock.advance(10 * UNWIND.pauseMaximumMs);
      const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
      expect([
        waits.every((wait, index) => wait >= (waits[index - 1] ?? 0)),
        waits.at(-1),
        state(),
      ]).toEqual([true, UNWIND.pauseMaximumMs, 'pausing']);
    },
  );

  it('looks soon again once an order or a trade has moved', async () => {
    const { actor, clock, looks } = startUnwind(['waiting']);
    await clock.advance(5 * UNWIND.pauseMaximumMs);
    const before = looks.length;
    actor.send({ type: 'agent.moved' });
    await clock.advance(UNWIND.pauseFirstMs);
    expect(looks.length).toBe(before + 1);
  });

  it('looks soon again also where an order or a trade has moved while it was looking, however long nothing had', async () => {
    let found = (_step: UnwindStep): void => undefined;
    const delayed = new Promise<UnwindStep>((resolve) => (found = resolve));
    const { actor, clock, looks, state } = startUnwind([
      'waiting',
      'waiting',
      'waiting',
      'waiting',
      'waiting',
      'waiting',
      delayed,
      'waiting',
    ]);
    await clock.advanceUntil(() => looks.length === 7, 10 * UNWIND.pauseMaximumMs);
    expect(state()).toBe('working');
    actor.send({ type: 'agent.moved' });
    found('waiting');
    await clock.advance(2 * UNWIND.pauseFirstMs);
    expect(looks.length).toBe(8);
  });

  it('gives up a round that hangs, and begins another', async () => {
    const { clock, looks, state } = startUnwind([never, 'over']);
    await clock.advance(UNWIND.stepTimeoutMs - 1);
    expect([state(), looks.length]).toEqual(['working', 1]);
    await clock.advance(1 + UNWIND.pauseMaximumMs);
    expect([state(), looks.length]).toEqual(['over', 2]);
  });

  const ways: readonly (readonly [string, readonly (UnwindStep | Promise<never>)[], number])[] = [
    ['arriving', [], 1_000],
    ['working', [never], 0],
    ['pausing', ['waiting'], 0],
  ];

  it.each(ways)(
    'ends from %s when it is asked to, and does nothing afterwards',
    async (name, answers, afterMs) => {
      const { actor, clock, looks, state } = startUnwind(answers, afterMs);
      await clock.advance(afterMs === 0 ? 1 : 0);
      expect(state()).toBe(name);
      const before = looks.length;
      actor.send({ type: 'unwind.stop' });
      await clock.advance(600_000);
      expect([actor.getSnapshot().status, state(), looks.length, clock.pending]).toEqual([
        'done',
        'over',
        before,
        0,
      ]);
    },
  );

  it('reaches every one of its states in these tests', () => {
    expect(Object.keys(unwindMachine.states).sort()).toEqual(
      [...ways.map(([name]) => name), 'over'].sort(),
    );
  });
});
