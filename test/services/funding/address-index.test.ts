import { describe, expect, it } from 'vitest';
import { DEPOSITS } from '../../../config/limits/bridge.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import { createKeptBus } from '../../support/quiet.ts';

const userOf = (number: number) => asId<UserId>(`usr_${String(number).padStart(6, '0')}`);
const safeOf = (userId: UserId) => asId<Address>(`0x${userId.slice(4).padStart(39, '0')}A`);

/** Users as a store gives them, page by page. */
function fixture(count: number) {
  const all = Array.from({ length: count }, (_, number) => userOf(number));
  const pages: number[] = [];
  const failures: Error[] = [];
  const clock = createVirtualClock(0);
  const bus = createKeptBus();
  const index = createAddressIndex({
    bus,
    clock,
    addressOf: safeOf,
    users(after, limit) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const page = all
        .filter((userId) => after === null || userId > after)
        .slice(0, limit)
        .map((userId) => ({ userId, address: safeOf(userId) }));
      pages.push(page.length);
      return page;
    },
  });
  return { index, pages, failures, bus, clock };
}

describe('the index of addresses', () => {
  it('reads every user once, page by page with turns of the event loop between, however often it is asked', async () => {
    const count = 2 * DEPOSITS.usersPerPage + 7;
    const { index, pages, clock } = fixture(count);
    const loads = Promise.all([index.load(), index.load()]);
    expect(pages).toEqual([DEPOSITS.usersPerPage]);
    await clock.settle();
    await loads;
    await index.load();
    expect([pages, index.owners.size]).toEqual([
      [DEPOSITS.usersPerPage, DEPOSITS.usersPerPage, 7],
      count,
    ]);
    expect(index.owners.get(safeOf(userOf(3)).toLowerCase())).toBe(userOf(3));
  });

  it('names every Safe in exactly one question, none of which is too long', async () => {
    const count = DEPOSITS.addressesPerQuestion + 1;
    const { index, clock } = fixture(count);
    const loaded = index.load();
    await clock.settle();
    await loaded;
    expect(index.topics.map(({ length }) => length)).toEqual([DEPOSITS.addressesPerQuestion, 1]);
    expect(new Set(index.topics.flat()).size).toBe(count);
    expect(index.topics[1]?.[0]).toBe(
      `0x${'0'.repeat(24)}${safeOf(userOf(count - 1))
        .slice(2)
        .toLowerCase()}`,
    );
  });

  it('reads again, and misses no user, after a reading that failed', async () => {
    const { index, bus, clock, failures } = fixture(DEPOSITS.usersPerPage + 1);
    failures.push(new Error('the disk does not answer'));
    await expect(index.load()).rejects.toThrow('the disk does not answer');
    bus.publish([
      {
        seq: 1,
        event: {
          type: 'user.created',
          userId: userOf(900_000),
          atMs: 0,
          address: safeOf(userOf(900_000)),
        },
      },
    ]);
    const loaded = index.load();
    await clock.settle();
    await loaded;
    bus.publish([
      {
        seq: 2,
        event: {
          type: 'user.created',
          userId: userOf(900_001),
          atMs: 0,
          address: safeOf(userOf(900_001)),
        },
      },
    ]);
    expect([index.owners.size, index.topics.flat().length]).toEqual([
      DEPOSITS.usersPerPage + 3,
      DEPOSITS.usersPerPage + 3,
    ]);
  });

  it('takes in users who are made while it reads and afterwards, and none of them twice', async () => {
    const { index, bus, clock } = fixture(DEPOSITS.usersPerPage);
    const loaded = index.load();
    for (const userId of [userOf(1), userOf(900_000)])
      bus.publish([
        { seq: 1, event: { type: 'user.created', userId, atMs: 0, address: safeOf(userId) } },
      ]);
    await clock.settle();
    await loaded;
    expect([index.owners.size, index.topics.flat().length]).toEqual([
      DEPOSITS.usersPerPage + 1,
      DEPOSITS.usersPerPage + 1,
    ]);
    index.stop();
    bus.publish([
      {
        seq: 2,
        event: {
          type: 'user.created',
          userId: userOf(900_001),
          atMs: 0,
          address: safeOf(userOf(900_001)),
        },
      },
    ]);
    expect(index.owners.size).toBe(DEPOSITS.usersPerPage + 1);
  });
});
