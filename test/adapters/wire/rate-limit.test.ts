import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createRateLimit } from '../../../src/adapters/wire/rate-limit.ts';

function start() {
  const clock = createVirtualClock(0);
  const limit = createRateLimit({ name: 'test', clock, perSecond: 10, burst: 3, waitingMaximum: 4 });
  const passed: string[] = [];
  const call = (name: string): void => {
    const turn = limit.take();
    if (turn === null) passed.push(name);
    else void turn.then(() => passed.push(name));
  };
  return { clock, call, passed };
}

describe('a rate limit', () => {
  it('lets a burst pass at once and the rest in order at the rate', async () => {
    const { clock, call, passed } = start();
    for (const name of 'abcdef') call(name);
    expect(passed).toEqual(['a', 'b', 'c']);
    await clock.advance(100);
    expect(passed).toEqual(['a', 'b', 'c', 'd']);
    await clock.advance(200);
    expect(passed).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('lets nobody overtake those who wait', async () => {
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
    expect(() => call('h')).toThrowError(expect.objectContaining({ code: 'rate_limited', retryable: true, retryAfterMs: 400 }));
  });

  it('saves up no more than a burst', async () => {
    const { clock, call, passed } = start();
    await clock.advance(60_000);
    for (const name of 'abcd') call(name);
    expect(passed).toEqual(['a', 'b', 'c']);
  });
});
