import { describe, expect, it } from 'vitest';
import { LOCK } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createUserLocks } from '../../../src/services/orders/user-locks.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';

function locks() {
  const clock = createVirtualClock(T0);
  const log = createKeptLog();
  return { clock, log, ...createUserLocks({ clock, log, leaseMs: 1_000, queueMaximum: 2 }) };
}

describe('user locks', () => {
  it('L7: a free lock is had at once, without giving up the turn', () => {
    expect(locks().acquire(aUserId(1))).not.toBeInstanceOf(Promise);
  });

  it('L7: the next one waits for the release, and users do not wait for one another', async () => {
    const { acquire } = locks();
    const first = await acquire(aUserId(1));
    const second = acquire(aUserId(1));
    expect(second).toBeInstanceOf(Promise);
    expect(acquire(aUserId(2))).not.toBeInstanceOf(Promise);
    first.release();
    (await second).release();
    expect(acquire(aUserId(1))).not.toBeInstanceOf(Promise);
  });

  it('refuses when too many wait, and is not used up by it', async () => {
    const { acquire } = locks();
    const first = await acquire(aUserId(1));
    const waiting = [acquire(aUserId(1)), acquire(aUserId(1))];
    expect(() => acquire(aUserId(1))).toThrow(
      expect.objectContaining({ code: 'lock_busy', retryable: true }),
    );
    first.release();
    for (const lock of waiting) (await lock).release();
    expect(acquire(aUserId(1))).not.toBeInstanceOf(Promise);
  });

  it('a holder that outstays its lease is told in the log, and its late release harms nobody', async () => {
    const { acquire, clock, log } = locks();
    const first = await acquire(aUserId(1));
    const second = acquire(aUserId(1));
    await clock.advance(1_000);
    const held = await second;
    first.release();
    first.release();
    expect(log.lines).toMatchObject([{ level: 'warn', event: 'lock.lease_ran_out' }]);
    expect(acquire(aUserId(1))).toBeInstanceOf(Promise);
    held.release();
  });

  it('keeps no timer for a lock nobody holds', async () => {
    const { acquire, clock } = locks();
    (await acquire(aUserId(1))).release();
    expect(clock.pending).toBe(0);
  });

  it('serves more users than it keeps locks for, one after another and at once', async () => {
    const { acquire } = locks();
    const users = Array.from({ length: LOCK.keptMaximum + 50 }, (_, index) => aUserId(index));
    const held = await Promise.all(users.map(acquire));
    held.forEach((lock) => lock.release());
    for (const user of users) (await acquire(user)).release();
    expect(acquire(aUserId(0))).not.toBeInstanceOf(Promise);
  });
});
