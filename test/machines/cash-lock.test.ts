import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { cashLockMachine } from '../../machines/cash-lock.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import { T0 } from '../support/builders.ts';

function startLock({ leaseMs = 30_000, queueMaximum = 3 } = {}) {
  const clock = createVirtualClock(T0);
  const lock = createActor(cashLockMachine, {
    input: { leaseMs, queueMaximum },
    clock: toActorClock(clock),
  });
  const reported: string[] = [];
  lock.on('lock.granted', ({ by }) => void reported.push(`granted ${by}`));
  lock.on('lock.refused', ({ by }) => void reported.push(`refused ${by}`));
  lock.start();
  const request = (by: string) => lock.send({ type: 'lock.request', by });
  const release = (by: string) => lock.send({ type: 'lock.release', by });
  return {
    clock,
    lock,
    reported,
    request,
    release,
    holder: () => lock.getSnapshot().context.holder,
  };
}

describe('the lock of a cash account', () => {
  it('L7: is granted at once when it is free, and to one only', () => {
    const { request, reported, holder } = startLock();
    request('a');
    request('b');
    expect(reported).toEqual(['granted a']);
    expect(holder()).toBe('a');
  });

  it('L7: passes on in the order of asking', () => {
    const { request, release, reported } = startLock();
    ['a', 'b', 'c'].forEach(request);
    release('a');
    release('b');
    release('c');
    expect(reported).toEqual(['granted a', 'granted b', 'granted c']);
  });

  it('is free again after the last release', () => {
    const { request, release, lock } = startLock();
    request('a');
    release('a');
    expect(lock.getSnapshot().value).toBe('free');
  });

  it('refuses when too many wait', () => {
    const { request, reported } = startLock({ queueMaximum: 2 });
    ['a', 'b', 'c', 'd'].forEach(request);
    expect(reported).toEqual(['granted a', 'refused d']);
  });

  it('passes on when the lease runs out', async () => {
    const { clock, request, holder } = startLock({ leaseMs: 30_000 });
    request('a');
    request('b');
    await clock.advance(30_000);
    expect(holder()).toBe('b');
  });

  it('ignores the release of a caller that no longer holds it', async () => {
    const { clock, request, release, holder } = startLock({ leaseMs: 1_000 });
    request('a');
    request('b');
    await clock.advance(1_000);
    release('a');
    expect(holder()).toBe('b');
  });

  it('lets one that waits give up', () => {
    const { request, release, reported } = startLock();
    ['a', 'b', 'c'].forEach(request);
    release('b');
    release('a');
    expect(reported).toEqual(['granted a', 'granted c']);
  });
});
