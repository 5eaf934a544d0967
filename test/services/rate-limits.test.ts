import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createRateLimits } from '../../src/services/rate-limits.ts';

describe('createRateLimits', () => {
  it('lets a burst of the whole budget through, then as many as flow back', async () => {
    const clock = createVirtualClock(0);
    const limits = createRateLimits(clock);
    const burst = Array.from({ length: 121 }, () => limits.spend('writes', 'a').allowed);
    expect([burst.filter(Boolean).length, burst.at(-1)]).toEqual([120, false]);
    expect(limits.spend('writes', 'a')).toEqual({
      allowed: false,
      limit: 120,
      remaining: 0,
      resetMs: 60_000,
      retryAfterMs: 500,
    });
    await clock.advance(500);
    expect([limits.spend('writes', 'a').allowed, limits.spend('writes', 'a').allowed]).toEqual([
      true,
      false,
    ]);
  });

  it('takes back what was given back, up to the whole budget', () => {
    const limits = createRateLimits(createVirtualClock(0));
    limits.giveBack('sign_in', 'a');
    expect(limits.spend('sign_in', 'a')).toMatchObject({ limit: 20, remaining: 19 });
    for (let call = 0; call < 3; call += 1) limits.giveBack('sign_in', 'a');
    expect(limits.spend('sign_in', 'a').remaining).toBe(19);
  });

  it('keeps callers and budgets apart', () => {
    const limits = createRateLimits(createVirtualClock(0));
    for (let call = 0; call < 20; call += 1) limits.spend('sign_in', 'a');
    expect([
      limits.spend('sign_in', 'a').allowed,
      limits.spend('sign_in', 'b').allowed,
      limits.spend('reads', 'a').allowed,
    ]).toEqual([false, true, true]);
  });

  it('remembers a bounded number of callers, the busy ones longest', () => {
    const limits = createRateLimits(createVirtualClock(0), 3);
    for (let call = 0; call < 20; call += 1) limits.spend('sign_in', 'busy');
    for (const stranger of ['b', 'c', 'd', 'e']) {
      limits.spend('sign_in', stranger);
      limits.spend('sign_in', 'busy');
    }
    expect([
      limits.spend('sign_in', 'busy').allowed,
      limits.spend('sign_in', 'b').remaining,
    ]).toEqual([false, 19]);
  });
});

it('tells of each call that is refused what it is counted as', () => {
  const refused: string[] = [];
  const limits = createRateLimits(createVirtualClock(0), 10, (budget) => void refused.push(budget));
  while (limits.spend('sign_in', 'one').allowed) expect(refused).toEqual([]);
  limits.spend('sign_in', 'one');
  expect(refused).toEqual(['sign_in', 'sign_in']);
});
