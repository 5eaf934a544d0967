import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCK } from '../../../config/limits.ts';
import { CASH_ACCOUNTS, type CashAccount } from '../../../src/domain/cash.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createCashLocks } from '../../../src/services/orders/cash-locks.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';

const [SAFE, SOLANA, BASE] = CASH_ACCOUNTS;

function locks() {
  const clock = createVirtualClock(T0);
  const log = createKeptLog();
  return { clock, log, ...createCashLocks({ clock, log, leaseMs: 1_000, queueMaximum: 2 }) };
}

describe('cash locks', () => {
  it('L7: a lock in use stays the one there is, however many others are used meanwhile', async () => {
    const { acquire } = locks();
    const users = Array.from({ length: LOCK.keptMaximum + 1 }, (_, index) => aUserId(index));
    const [first, ...others] = await Promise.all(users.map((user) => acquire(user, SAFE)));
    others.forEach((lock) => lock.release());
    expect(acquire(aUserId(0), SAFE)).toBeInstanceOf(Promise);
    first?.release();
  });

  it('L7: a free lock is had at once, without giving up the turn', () => {
    expect(locks().acquire(aUserId(1), SAFE)).not.toBeInstanceOf(Promise);
  });

  it('L7: the next one waits for the release, and users do not wait for one another', async () => {
    const { acquire } = locks();
    const first = await acquire(aUserId(1), SAFE);
    const second = acquire(aUserId(1), SAFE);
    expect(second).toBeInstanceOf(Promise);
    expect(acquire(aUserId(2), SAFE)).not.toBeInstanceOf(Promise);
    first.release();
    (await second).release();
    expect(acquire(aUserId(1), SAFE)).not.toBeInstanceOf(Promise);
  });

  it('refuses when too many wait, and is not used up by it', async () => {
    const { acquire } = locks();
    const first = await acquire(aUserId(1), SAFE);
    const waiting = [acquire(aUserId(1), SAFE), acquire(aUserId(1), SAFE)];
    expect(() => acquire(aUserId(1), SAFE)).toThrow(
      expect.objectContaining({ code: 'lock_busy', retryable: true }),
    );
    first.release();
    for (const lock of waiting) (await lock).release();
    expect(acquire(aUserId(1), SAFE)).not.toBeInstanceOf(Promise);
  });

  it('a holder that outstays its lease is named in the log, and its late release changes nothing', async () => {
    const { acquire, clock, log } = locks();
    const first = await acquire(aUserId(1), SAFE);
    const second = acquire(aUserId(1), SAFE);
    await clock.advance(1_000);
    const held = await second;
    first.release();
    first.release();
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        event: 'lock.lease_ran_out',
        fields: { lock: `${aUserId(1)} ${SAFE}`, leaseMs: 1_000 },
      },
    ]);
    expect(acquire(aUserId(1), SAFE)).toBeInstanceOf(Promise);
    held.release();
    expect(log.lines).toHaveLength(1);
  });

  it('keeps no timer for a lock that is free', async () => {
    const { acquire, clock } = locks();
    (await acquire(aUserId(1), SAFE)).release();
    expect(clock.pending).toBe(0);
  });

  it('serves more users than it keeps locks for, one after another and at once', async () => {
    const { acquire } = locks();
    const users = Array.from({ length: LOCK.keptMaximum + 50 }, (_, index) => aUserId(index));
    const held = await Promise.all(users.map((user) => acquire(user, SAFE)));
    held.forEach((lock) => lock.release());
    for (const user of users) (await acquire(user, SAFE)).release();
    expect(acquire(aUserId(0), SAFE)).not.toBeInstanceOf(Promise);
  });

  it('L7: the accounts of one user do not wait for one another', async () => {
    const { acquire } = locks();
    await acquire(aUserId(1), SOLANA);
    expect(acquire(aUserId(1), SAFE)).not.toBeInstanceOf(Promise);
    expect(acquire(aUserId(1), SOLANA)).toBeInstanceOf(Promise);
  });

  it('two accounts are locked by one at a time, and given back together', async () => {
    const { acquire } = locks();
    const both = await acquire(aUserId(1), BASE, SAFE);
    const [safe, base] = [acquire(aUserId(1), SAFE), acquire(aUserId(1), BASE)];
    expect([safe, base]).toEqual([expect.any(Promise), expect.any(Promise)]);
    both.release();
    await Promise.all([safe, base]);
  });

  it('gives back what it has when too many wait for the second account', async () => {
    const { acquire } = locks();
    await acquire(aUserId(1), BASE);
    for (let waiting = 0; waiting < 2; waiting += 1) void acquire(aUserId(1), BASE);
    await expect(acquire(aUserId(1), SAFE, BASE)).rejects.toMatchObject({ code: 'lock_busy' });
    expect(acquire(aUserId(1), SAFE)).not.toBeInstanceOf(Promise);
  });

  it('L7: has both or none: a lease that ran out while the other account was waited for is no lock', async () => {
    const { acquire, clock } = locks();
    await acquire(aUserId(1), BASE);
    void acquire(aUserId(1), BASE);
    const both = acquire(aUserId(1), SAFE, BASE);
    const refused = expect(both).rejects.toMatchObject({ code: 'lock_busy' });
    await clock.advance(2_000);
    await refused;
    const [safe, base] = [acquire(aUserId(1), SAFE), acquire(aUserId(1), BASE)];
    expect([safe, base].some((lock) => lock instanceof Promise)).toBe(false);
  });

  it('says of a lock whether it is still held', async () => {
    const { acquire, clock } = locks();
    const [given, lost] = [await acquire(aUserId(1), SAFE), await acquire(aUserId(1), BASE)];
    expect([given.isHeld(), lost.isHeld()]).toEqual([true, true]);
    given.release();
    await clock.advance(1_000);
    expect([given.isHeld(), lost.isHeld()]).toEqual([false, false]);
  });

  it('L7: trades of any accounts, asked for in any order, all get their turn, each account one at a time', async () => {
    const wanted = fc.shuffledSubarray([...CASH_ACCOUNTS], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 2, maxLength: 12 }), async (trades) => {
        const clock = createVirtualClock(T0);
        const { acquire } = createCashLocks({
          clock,
          log: createKeptLog(),
          leaseMs: 60_000,
          queueMaximum: trades.length,
        });
        const inUse = new Set<CashAccount>();
        const trade = async ([first, ...others]: readonly CashAccount[]) => {
          if (first === undefined) return;
          const accounts = [first, ...others];
          const lock = await acquire(aUserId(1), first, ...others);
          expect(accounts.filter((account) => inUse.has(account))).toEqual([]);
          accounts.forEach((account) => inUse.add(account));
          await new Promise<void>((resolve) => void clock.after(10, resolve));
          accounts.forEach((account) => inUse.delete(account));
          lock.release();
        };
        let done = 0;
        for (const accounts of trades) void trade(accounts).then(() => (done += 1));
        await clock.advance(10 * trades.length + 10);
        expect(done).toBe(trades.length);
      }),
    );
  });
});
