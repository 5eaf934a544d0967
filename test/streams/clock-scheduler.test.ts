import { auditTime, interval, of, Subject, take, timer } from 'rxjs';
import { delay } from 'rxjs/operators';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';

describe('clockScheduler', () => {
  it('L10: runs timers of streams by the clock port', async () => {
    const clock = createVirtualClock(1_000);
    const seen: string[] = [];
    const scheduler = clockScheduler(clock);
    timer(50, scheduler).subscribe(() => seen.push(`timer ${scheduler.now()}`));
    interval(30, scheduler)
      .pipe(take(3))
      .subscribe((count) => seen.push(`interval ${count} ${scheduler.now()}`));
    of('late')
      .pipe(delay(10, scheduler))
      .subscribe((word) => seen.push(`${word} ${scheduler.now()}`));
    await clock.advance(100);
    expect(seen).toEqual([
      'late 1010',
      'interval 0 1030',
      'timer 1050',
      'interval 1 1060',
      'interval 2 1090',
    ]);
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer behind when the reader goes', async () => {
    const clock = createVirtualClock(0);
    const source = new Subject<number>();
    const reader = source.pipe(auditTime(100, clockScheduler(clock))).subscribe();
    const ticks = interval(10, clockScheduler(clock)).subscribe();
    source.next(1);
    reader.unsubscribe();
    ticks.unsubscribe();
    expect(clock.pending).toBe(0);
  });

  it('hands scheduled work its state, again when the work reschedules itself', async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    clockScheduler(clock).schedule<number>(
      function count(state = 0) {
        seen.push(state);
        if (state < 3) this.schedule(state + 1, 5);
      },
      5,
      1,
    );
    await clock.advance(100);
    expect(seen).toEqual([1, 2, 3]);
    expect(clock.pending).toBe(0);
  });

  it('is done with work that has run and did not schedule itself again', async () => {
    const clock = createVirtualClock(0);
    const action = clockScheduler(clock).schedule(() => undefined, 5);
    await clock.advance(4);
    expect(action.closed).toBe(false);
    await clock.advance(1);
    expect(action.closed).toBe(true);
  });
});
