import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerQueue } from '../../../src/adapters/clock/timer-queue.ts';
import type { Timer } from '../../../src/ports/clock.ts';

interface Known {
  readonly dueMs: number;
  readonly order: number;
}

const aStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      dueMs: fc.integer({ min: 0, max: 99 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cancel' as const),
      which: fc.integer({ min: 0, max: 150 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      nowMs: fc.integer({ min: 0, max: 99 }),
    }),
  },
);

describe('a queue of timers', () => {
  it('gives what a sorted list would, whatever is cancelled on the way, and holds those that are alive', () => {
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 100, maxLength: 200 }), (steps) => {
        const queue = new TimerQueue();
        const timers: Timer[] = [];
        const ran: number[] = [];
        let alive: readonly Known[] = [];
        for (const step of steps) {
          if (step.kind === 'add') {
            const order = timers.length;
            timers.push(queue.add(step.dueMs, () => void ran.push(order)));
            alive = [...alive, { dueMs: step.dueMs, order }].sort(
              (a, b) => a.dueMs - b.dueMs || a.order - b.order,
            );
          } else if (step.kind === 'cancel') {
            // Often one that ran or was cancelled before.
            timers[step.which]?.cancel();
            alive = alive.filter(({ order }) => order !== step.which);
          } else {
            const first = alive.find(({ dueMs }) => dueMs <= step.nowMs);
            const due = queue.takeDue(step.nowMs);
            due?.run();
            expect(due?.dueMs).toBe(first?.dueMs);
            if (first !== undefined) expect(ran.at(-1)).toBe(first.order);
            alive = alive.filter((known) => known !== first);
          }
          expect([queue.size, queue.nextDueMs()]).toEqual([alive.length, alive[0]?.dueMs ?? null]);
        }
      }),
    );
  });

  it('leaves out what was set behind a mark', () => {
    const queue = new TimerQueue();
    queue.add(1, () => undefined);
    const mark = queue.mark();
    queue.add(0, () => undefined);
    expect(queue.takeDue(5, mark)).toBeNull();
    expect(queue.takeDue(5)?.dueMs).toBe(0);
    expect(queue.takeDue(5, mark)?.dueMs).toBe(1);
  });
});
