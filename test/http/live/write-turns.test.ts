import { describe, expect, it } from 'vitest';
import { SURFACE } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createWriteTurns } from '../../../src/http/live/write-turns.ts';

const START_MS = 1_800_000_000_000;

describe('the turns of groups that are written to', () => {
  it('let the first write at once and each further one in a later turn, in the order asked', async () => {
    const clock = createVirtualClock(START_MS);
    const turns = createWriteTurns(clock);
    const written: string[] = [];
    for (const name of ['a', 'b', 'c']) turns.take(() => written.push(name));
    expect(written).toEqual(['a']);
    await clock.advance(0);
    expect([written, clock.nowMs()]).toEqual([['a', 'b', 'c'], START_MS]);
  });

  it('are held to the rate once the burst is written, whatever asks', async () => {
    const clock = createVirtualClock(START_MS);
    const turns = createWriteTurns(clock);
    let sockets = 0;
    const write = (): number => {
      sockets += SURFACE.socketsPerGroup;
      clock.after(1, () => turns.take(write));
      return SURFACE.socketsPerGroup;
    };
    for (let group = 0; group < 20; group += 1) turns.take(write);
    await clock.advance(10_000);
    const allowed = SURFACE.socketWritesBurst + 10 * SURFACE.socketWritesPerSecond;
    expect(sockets).toBeGreaterThanOrEqual(allowed - SURFACE.socketsPerGroup);
    expect(sockets).toBeLessThanOrEqual(allowed + SURFACE.socketsPerGroup);
  });

  it('save no more than the burst, and the write that uses it up, while nobody writes', async () => {
    const clock = createVirtualClock(START_MS);
    const turns = createWriteTurns(clock);
    turns.take(() => 1);
    await clock.advance(3_600_000);
    let sockets = 0;
    for (let group = 0; group < 40; group += 1) {
      turns.take(() => {
        sockets += SURFACE.socketsPerGroup;
        return SURFACE.socketsPerGroup;
      });
    }
    await clock.advance(0);
    expect(sockets).toBe(SURFACE.socketWritesBurst + SURFACE.socketsPerGroup);
  });

  it('drop what waits when they are closed', async () => {
    const clock = createVirtualClock(START_MS);
    const turns = createWriteTurns(clock);
    const written: string[] = [];
    for (const name of ['a', 'b']) turns.take(() => written.push(name));
    turns.close();
    await clock.advance(60_000);
    expect(written).toEqual(['a']);
  });
});
