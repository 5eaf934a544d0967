import { describe, expect, it } from 'vitest';
import { createScaledClock } from '../../../src/adapters/clock/scaled-clock.ts';
import { inWallTime, type Clock } from '../../../src/ports/clock.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';

function aWallClock(): { clock: Clock; sources: { wall: number; steady: number } } {
  const sources = { wall: 1_000_000, steady: 0 };
  return {
    clock: createWallClock({ wallMs: () => sources.wall, steadyMs: () => sources.steady }),
    sources,
  };
}

describe('the wall clock', () => {
  it('never falls when the wall is set back, and goes on at half speed until the wall has caught up', () => {
    const { clock, sources } = aWallClock();
    sources.wall -= 10_000;
    expect(clock.nowMs()).toBe(1_000_000);
    sources.wall += 4_000;
    sources.steady += 4_000;
    expect(clock.nowMs()).toBe(1_002_000);
    sources.wall += 20_000;
    sources.steady += 20_000;
    expect(clock.nowMs()).toBe(1_014_000);
  });

  it('follows the wall at once when it jumps ahead', () => {
    const { clock, sources } = aWallClock();
    sources.wall += 3_600_000;
    sources.steady += 5;
    expect(clock.nowMs()).toBe(4_600_000);
  });

  it('runs a timer whose moment a jump ahead has passed, long before its delay is over', async () => {
    const { clock, sources } = aWallClock();
    const ran = new Promise<number>((resolve) => {
      clock.after(3_600_000, () => resolve(clock.nowMs()));
    });
    sources.wall += 3_600_000;
    expect(await ran).toBe(4_600_000);
  });

  it('lets input and output in between two timers without delay', async () => {
    const clock = createWallClock();
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      clock.after(0, () => {
        ran.push('first');
        setImmediate(() => ran.push('turn of the event loop'));
        clock.after(0, () => {
          ran.push('second');
          resolve();
        });
      });
    });
    expect(ran).toEqual(['first', 'turn of the event loop', 'second']);
  });

  it('lets input and output in while a thousand timers fall due at one moment, and keeps their order', async () => {
    const clock = createWallClock();
    const ran: number[] = [];
    let turns = 0;
    const count = () =>
      setImmediate(() => {
        turns += 1;
        if (ran.length < 1_000) count();
      });
    await new Promise<void>((resolve) => {
      for (let number = 0; number < 1_000; number += 1)
        clock.after(0, () => {
          if (ran.push(number) === 1_000) resolve();
        });
      count();
    });
    expect(ran).toEqual(Array.from({ length: 1_000 }, (_, number) => number));
    expect(turns).toBeGreaterThan(50);
  });

  it('keeps the other timers when one throws', async () => {
    const clock = createWallClock();
    const thrown = new Promise<unknown>((resolve) => {
      const others = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        others.forEach((listener) => process.on('uncaughtException', listener));
        resolve(error);
      });
    });
    clock.after(0, () => {
      throw new Error('from a timer');
    });
    const ran = new Promise<string>((resolve) => {
      clock.after(1, () => resolve('ran'));
    });
    expect(await thrown).toEqual(new Error('from a timer'));
    expect(await ran).toBe('ran');
  });
});

describe('the scaled clock', () => {
  const aScaledClock = (scale: number) => {
    const wall = { ms: 500_000 };
    return {
      wall,
      clock: createScaledClock({
        anchorWallMs: 500_000,
        anchorMs: 9_000_000,
        scale,
        wallMs: () => wall.ms,
      }),
    };
  };

  it('passes its time at the scale from the anchor, so processes that share the anchor agree', () => {
    const { clock, wall } = aScaledClock(60);
    wall.ms += 1_500;
    expect(clock.nowMs()).toBe(9_090_000);
  });

  it('never falls', () => {
    const { clock, wall } = aScaledClock(10);
    wall.ms += 100;
    expect(clock.nowMs()).toBe(9_001_000);
    wall.ms -= 5_000;
    expect(clock.nowMs()).toBe(9_001_000);
  });

  it('holds timers beyond 2^31 ms back until their moment', async () => {
    const { clock, wall } = aScaledClock(1_000);
    let hasRun = false;
    const ran = new Promise<void>((resolve) => {
      clock.after(2 ** 33, () => {
        hasRun = true;
        resolve();
      });
    });
    await new Promise<void>((resolve) => {
      clock.after(0, resolve);
    });
    expect(hasRun).toBe(false);
    wall.ms += 2 ** 33 / 1_000 + 1;
    await ran;
  });

  it('refuses a scale at which time stops or runs back', () => {
    expect(() => aScaledClock(0)).toThrow(RangeError);
    expect(() => aScaledClock(Number.NaN)).toThrow(RangeError);
  });
});

describe('time that a caller outside waits for', () => {
  it('is as long on the wall however fast the clock runs', () => {
    const scaled = createScaledClock({ anchorWallMs: 0, anchorMs: 0, scale: 10, wallMs: () => 0 });
    expect([inWallTime(scaled, 5_000), inWallTime(createWallClock(), 5_000)]).toEqual([
      50_000, 5_000,
    ]);
  });
});
