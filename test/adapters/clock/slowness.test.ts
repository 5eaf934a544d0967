import { describe, expect, it } from 'vitest';
import { createScaledClock } from '../../../src/adapters/clock/scaled-clock.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';

function aSetBackWall(backMs: number) {
  const sources = { wall: 1_000_000, steady: 0 };
  const clock = createWallClock({ wallMs: () => sources.wall, steadyMs: () => sources.steady });
  const pass = (ms: number): number | null => {
    sources.wall += ms;
    sources.steady += ms;
    return clock.slowSinceMs?.() ?? null;
  };
  pass(1_000);
  sources.wall -= backMs;
  return { clock, sources, pass };
}

describe('a clock whose wall was set back', () => {
  it('L8: says that it runs slow until it has caught up, and for as long as a book that came in meanwhile may be used', () => {
    const { pass } = aSetBackWall(10_000);
    expect(pass(0)).toBe(1_001_000);
    expect(pass(19_000)).toBe(1_001_000);
    // Caught up after twenty seconds: the last of what came in is too old five seconds later.
    expect(pass(1_000)).toBe(1_001_000);
    expect(pass(4_000)).toBe(1_001_000);
    expect(pass(1_000)).toBeNull();
  });

  it('says nothing of corrections that are as fine as its own grain, nor of a wall that jumps ahead', () => {
    expect(aSetBackWall(200).pass(0)).toBeNull();
    expect(aSetBackWall(-60_000).pass(0)).toBeNull();
  });

  it('says so too where the clock is scaled and stops meanwhile', () => {
    const wall = { ms: 1_000 };
    const clock = createScaledClock({
      anchorWallMs: 1_000,
      anchorMs: 5_000,
      scale: 10,
      wallMs: () => wall.ms,
    });
    expect(clock.slowSinceMs?.()).toBeNull();
    wall.ms -= 100;
    expect([clock.nowMs(), clock.slowSinceMs?.()]).toEqual([5_000, 5_000]);
    wall.ms += 1_000;
    expect(clock.slowSinceMs?.()).toBeNull();
  });
});
