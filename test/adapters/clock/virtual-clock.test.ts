import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';

describe('the virtual clock', () => {
  it('does not move until it is advanced', async () => {
    const clock = createVirtualClock(1_000);
    expect(clock.nowMs()).toBe(1_000);
    await clock.advance(250);
    expect(clock.nowMs()).toBe(1_250);
  });

  it('runs timers in order of their moments, equal moments in the order they were set, each at its own time', async () => {
    const clock = createVirtualClock(0);
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.nowMs()]);
    clock.after(30, note('c'));
    clock.after(10, note('a'));
    clock.after(30, note('d'));
    clock.after(20, note('b'));
    await clock.advance(30);
    expect(ran).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 30],
      ['d', 30],
    ]);
  });

  it('settles promise chains between two timers of the same moment', async () => {
    const clock = createVirtualClock(0);
    const ran: string[] = [];
    clock.after(10, () => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => ran.push('chain of the first'));
    });
    clock.after(10, () => ran.push('second'));
    await clock.advance(10);
    expect(ran).toEqual(['chain of the first', 'second']);
  });

  it('runs timers that timers set, when they fall into the same advance', async () => {
    const clock = createVirtualClock(0);
    const ran: number[] = [];
    clock.after(10, () => clock.after(5, () => ran.push(clock.nowMs())));
    await clock.advance(20);
    expect(ran).toEqual([15]);
  });

  it('never runs a cancelled timer, however many were cancelled', async () => {
    const clock = createVirtualClock(0);
    const ran: number[] = [];
    const timers = Array.from({ length: 1_000 }, (_, index) =>
      clock.after(index, () => ran.push(index)),
    );
    timers.filter((_, index) => index % 100 !== 7).forEach((timer) => timer.cancel());
    expect(clock.pending).toBe(10);
    await clock.advance(1_000);
    expect(ran).toEqual([7, 107, 207, 307, 407, 507, 607, 707, 807, 907]);
    expect(clock.pending).toBe(0);
  });

  it('says whether it came to rest: a repeating timer never does', async () => {
    const clock = createVirtualClock(0);
    clock.after(5, () => undefined);
    expect(await clock.runUntilIdle(1_000)).toBe(true);
    const repeat = (): unknown => clock.after(10, repeat);
    repeat();
    expect(await clock.runUntilIdle(1_000)).toBe(false);
    expect(clock.nowMs()).toBeLessThanOrEqual(1_005);
  });

  it('stops at the timer after which the requested state holds', async () => {
    const clock = createVirtualClock(0);
    let count = 0;
    const repeat = (): unknown =>
      clock.after(10, () => {
        count += 1;
        repeat();
      });
    repeat();
    expect(await clock.advanceUntil(() => count === 3, 1_000)).toBe(true);
    expect(clock.nowMs()).toBe(30);
  });

  it('refuses two callers that move it at once', async () => {
    const clock = createVirtualClock(0);
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('two callers');
    await first;
  });

  it('runs many timers in one turn of the event loop where that is set, each with its own promise chains, and stops at the same timer', async () => {
    const runs = await Promise.all(
      [1, 3, 256].map(async (timersPerTurn) => {
        const clock = createVirtualClock(0, { timersPerTurn });
        const ran: string[] = [];
        const repeat = (): unknown =>
          clock.after(10, () => {
            ran.push(`timer at ${clock.nowMs()}`);
            void Promise.resolve()
              .then(() => Promise.resolve())
              .then(() => ran.push(`chain at ${clock.nowMs()}`));
            repeat();
          });
        repeat();
        const wasDone = await clock.advanceUntil(() => ran.length === 10, 1_000);
        return { ran, wasDone, nowMs: clock.nowMs() };
      }),
    );
    expect(runs[0]?.ran.slice(0, 3)).toEqual(['timer at 10', 'chain at 10', 'timer at 20']);
    expect(runs[0]).toMatchObject({ wasDone: true, nowMs: 50 });
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  it('fails with what a timer throws, and can go on', async () => {
    const clock = createVirtualClock(0, { timersPerTurn: 8 });
    const ran: number[] = [];
    clock.after(10, () => {
      throw new Error('broken');
    });
    clock.after(20, () => ran.push(clock.nowMs()));
    await expect(clock.advance(30)).rejects.toThrow('broken');
    await clock.advance(30);
    expect(ran).toEqual([20]);
  });
});
