import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createLaneLimit, createRateLimit } from '../../../src/adapters/wire/rate-limit.ts';

function start() {
  const clock = createVirtualClock(0);
  const limit = createRateLimit({
    name: 'test',
    clock,
    perSecond: 10,
    burst: 3,
    waitingMaximum: 4,
  });
  const passed: string[] = [];
  const call = (name: string): void => {
    const turn = limit.take();
    if (turn === null) passed.push(name);
    else void turn.then(() => passed.push(name));
  };
  return { clock, call, passed, limit };
}

describe('a rate limit', () => {
  it('says how much of the burst was used up at most since it was last asked', async () => {
    const { clock, call, limit } = start();
    const used = [limit.used()];
    for (const name of 'abc') call(name);
    await clock.advance(1_000);
    used.push(limit.used());
    call('d');
    used.push(limit.used(), limit.used());
    await clock.advance(1_000);
    used.push(limit.used(), limit.used());
    expect(used.map((share) => Number(share.toFixed(3)))).toEqual([0, 1, 0.333, 0.333, 0.333, 0]);
  });

  it('lets a burst pass at once and the rest in order at the rate', async () => {
    const { clock, call, passed } = start();
    for (const name of 'abcdef') call(name);
    expect(passed).toEqual(['a', 'b', 'c']);
    await clock.advance(100);
    expect(passed).toEqual(['a', 'b', 'c', 'd']);
    await clock.advance(200);
    expect(passed).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('lets no caller overtake those who wait', async () => {
    const { clock, call, passed } = start();
    for (const name of 'abcd') call(name);
    await clock.advance(99);
    call('e');
    await clock.advance(1);
    expect(passed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses when too many wait, and says when to come back', () => {
    const { call } = start();
    for (const name of 'abcdefg') call(name);
    expect(() => call('h')).toThrowError(
      expect.objectContaining({ code: 'rate_limited', retryable: true, retryAfterMs: 400 }),
    );
  });

  it('saves up no more than a burst', async () => {
    const { clock, call, passed } = start();
    await clock.advance(60_000);
    for (const name of 'abcd') call(name);
    expect(passed).toEqual(['a', 'b', 'c']);
  });
});

describe('a rate that lanes share', () => {
  function lanes() {
    const clock = createVirtualClock(0);
    const limit = createLaneLimit({
      name: 'test',
      clock,
      perSecond: 10,
      burst: 20,
      lanes: [
        { lane: 'first', share: 0.5, waitingMaximum: 100 },
        { lane: 'second', share: 0.5, waitingMaximum: 100 },
      ],
    });
    const passed = { first: 0, second: 0 };
    const call = (lane: 'first' | 'second', count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const turn = limit.take(lane);
        if (turn === null) passed[lane] += 1;
        else void turn.then(() => (passed[lane] += 1));
      }
    };
    return { clock, call, passed };
  }

  it('keeps a lane its share, at once and for as long as the other one floods', async () => {
    const { clock, call, passed } = lanes();
    call('second', 60);
    call('first', 5);
    expect(passed).toEqual({ first: 5, second: 25 });
    await clock.advance(1_000);
    call('first', 5);
    expect(passed.first).toBe(10);
  });

  it('gives all of the rate to the one lane that asks, and no more than the rate', async () => {
    const { clock, call, passed } = lanes();
    call('second', 60);
    // the idle lane is full, so what would flow into it is the other's
    await clock.advance(2_000);
    expect(passed).toEqual({ first: 0, second: 25 + 20 });
  });

  it('gives what is left to the lane that was named first', async () => {
    const { clock, call, passed } = lanes();
    call('second', 30);
    call('first', 30);
    await clock.advance(1_000);
    expect(passed.first + passed.second).toBe(30 + 10);
    expect(passed.first).toBeGreaterThanOrEqual(10);
  });
});
