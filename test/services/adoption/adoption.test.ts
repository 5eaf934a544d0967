import { describe, expect, it } from 'vitest';
import { ADOPTION } from '../../../config/limits/adoption.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { FundsDispute } from '../../../src/domain/funds-dispute.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { createAdoption, type Unattributed } from '../../../src/services/adoption/adoption.ts';
import type { Undecided } from '../../../src/services/adoption/order-adoption.ts';
import { isLacking } from '../../../src/services/books/restores.ts';
import { FUNDS_DISPUTES, RESTORES } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { USERS, type UserRecord } from '../../../src/services/sign-in/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const [ADA, BOB] = [asId<UserId>('usr_ada'), asId<UserId>('usr_bob')];
const UP_TO = T0 - 600_000;

async function begin(store = createMemoryStore(), isRestored = true) {
  const clock = createVirtualClock(T0);
  const log = createKeptLog();
  if (store.range(USERS).length === 0)
    await store.write((tx) => {
      for (const userId of [ADA, BOB]) tx.put(USERS, [userId], { userId } as UserRecord); // its name is all that is read
      if (isRestored)
        tx.put(RESTORES, ['newest'], { upToMs: UP_TO, madeAtMs: UP_TO, adoptedAtMs: null });
    });
  const asked: string[] = [];
  const found = {
    undecided: NONE,
    differences: new Map<UserId, readonly Unattributed[]>(),
    failure: null as AppError | null,
  };
  const adoption = createAdoption({
    store,
    commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
    orders: {
      async adopt(userId, sinceMs) {
        asked.push(`orders ${userId} ${UP_TO - sinceMs}`);
        if (found.failure !== null) throw found.failure;
        return { adopted: 2, undecided: found.undecided };
      },
    },
    bookMovements: async (userId) => void asked.push(`movements ${userId}`),
    differences: async (userId) => found.differences.get(userId) ?? [],
    clock,
    marketClock: clock,
    log,
  });
  const ended = (): Promise<boolean> =>
    clock.advanceUntil(() => adoption.report().state !== 'running', 3_600_000);
  return { store, clock, log, asked, found, adoption, ended };
}

const NONE: Undecided = { orders: 0, trades: 0, venues: 0 };
const OFF: Unattributed = { asset: 'usdc:safe', booked: 5_000_000, onChain: 4_000_000 };

describe('adopting what a restored store lacks', () => {
  it('takes orders from a while before the end of the log, then movements, and ends where ledger and chain agree', async () => {
    const { adoption, ended, asked, store } = await begin();
    expect(adoption.report()).toMatchObject({ state: 'waiting', users: { lacking: 2 } });
    expect(adoption.begin().state).toBe('running');
    await ended();
    expect(asked).toEqual([
      `orders ${ADA} ${ADOPTION.overlapMs}`,
      `movements ${ADA}`,
      `orders ${BOB} ${ADOPTION.overlapMs}`,
      `movements ${BOB}`,
    ]);
    expect(adoption.report()).toEqual({
      state: 'adopted',
      upToMs: UP_TO,
      users: { adopted: 2, lacking: 0 },
      orders: 4,
      left: [],
      current: null,
    });
    expect([isLacking(store, ADA), isLacking(store, BOB)]).toEqual([false, false]);
  });

  it('says whose books it is at, and what of them', async () => {
    const { adoption, clock, found, ended } = await begin();
    found.undecided = { ...NONE, orders: 1 };
    expect(adoption.begin().current).toEqual({
      userId: ADA,
      number: 1,
      of: 2,
      reading: 1,
      doing: 'orders',
    });
    await clock.advanceUntil(() => adoption.report().current?.doing === 'waiting', 60_000);
    expect(adoption.report().current).toMatchObject({ userId: ADA, number: 1, reading: 2 });
    found.undecided = NONE;
    found.differences.set(BOB, [OFF]);
    await clock.advanceUntil(() => adoption.report().current?.userId === BOB, 60_000);
    expect(adoption.report().current).toMatchObject({ number: 2, of: 2, doing: 'waiting' });
    found.differences.clear();
    await ended();
    expect(adoption.report().current).toBeNull();
  });

  it('counts those it brought to the chain, and no user who came after it had ended', async () => {
    const { adoption, ended, store } = await begin();
    adoption.begin();
    await ended();
    const late = asId<UserId>('usr_late');
    await store.write((tx) => tx.put(USERS, [late], { userId: late } as UserRecord)); // as above
    expect(adoption.report().users).toEqual({ adopted: 2, lacking: 0 });
    await store.write((tx) =>
      tx.put(RESTORES, ['newest'], { upToMs: UP_TO + 1, madeAtMs: UP_TO, adoptedAtMs: null }),
    );
    expect(adoption.report().users).toEqual({ adopted: 0, lacking: 3 });
  });

  it('concludes nothing from money while an order is not decided', async () => {
    const { adoption, clock, asked, found, ended } = await begin();
    found.undecided = { ...NONE, orders: 1 };
    adoption.begin();
    await clock.advance(ADOPTION.readingPauseMs * 3);
    expect(asked).not.toContain(`movements ${ADA}`);
    found.undecided = NONE;
    await ended();
    expect(adoption.report().state).toBe('adopted');
  });

  it.each([
    [{ ...NONE, orders: 1 }, 'not decided yet: 1 order'],
    [
      { orders: 2, trades: 1, venues: 1 },
      'not decided yet: 2 orders, 1 trade, 1 venue that is not open',
    ],
  ])('says what is not decided of %j', async (undecided, reason) => {
    const { adoption, found, ended } = await begin();
    found.undecided = undecided;
    adoption.begin();
    await ended();
    expect(adoption.report().left[0]).toMatchObject({ userId: ADA, reason });
  });

  it('names what nothing on record explains with its amounts, and leaves that user as lacking', async () => {
    const { adoption, found, ended, store, log } = await begin();
    found.differences.set(ADA, [OFF]);
    adoption.begin();
    await ended();
    expect(adoption.report()).toMatchObject({
      state: 'incomplete',
      users: { adopted: 1, lacking: 1 },
      left: [{ userId: ADA, differences: [OFF], reason: null }],
    });
    expect([isLacking(store, ADA), isLacking(store, BOB)]).toEqual([true, false]);
    expect(log.lines.map(({ event }) => event)).toContain('adoption.unattributed');
  });

  it('L9: goes on in the next life where the last was cut off, and does what is done once', async () => {
    const first = await begin();
    first.found.differences.set(BOB, [OFF]);
    first.adoption.begin();
    await first.clock.advance(ADOPTION.readingPauseMs);
    await first.adoption.stop();
    const next = await begin(first.store.crash());
    next.adoption.begin();
    await next.ended();
    expect(next.asked.filter((line) => line.includes(ADA))).toEqual([]);
    expect(next.adoption.report().state).toBe('adopted');
    next.adoption.begin();
    expect(next.adoption.report().state).toBe('adopted');
    expect(next.asked).toHaveLength(2);
  });

  it('waits for a venue that does not answer, and says why where it never does', async () => {
    const { adoption, found, ended } = await begin();
    found.failure = new AppError('venue_unavailable', 'the venue is away');
    adoption.begin();
    await ended();
    expect(adoption.report()).toMatchObject({
      state: 'incomplete',
      left: [
        { userId: ADA, reason: 'the venue is away' },
        { userId: BOB, reason: 'the venue is away' },
      ],
    });
    found.failure = null;
    adoption.begin();
    await ended();
    expect(adoption.report().state).toBe('adopted');
  });

  it('ends disputes over funds once ledger and chain agree', async () => {
    const { adoption, ended, store } = await begin();
    const dispute = { asset: 'usdc:safe' } as FundsDispute; // its end is all that is read
    await store.write((tx) => tx.put(FUNDS_DISPUTES, [ADA, 'usdc:safe'], dispute));
    adoption.begin();
    await ended();
    expect(store.range(FUNDS_DISPUTES)).toEqual([]);
    expect(store.readJournal(0, 10).map(({ event }) => event.type)).toEqual(['funds.agreed']);
  });

  it('is refused for a store that was never restored', async () => {
    const { adoption } = await begin(createMemoryStore(), false);
    expect(adoption.report().state).toBe('none');
    expect(() => adoption.begin()).toThrow('this store was not restored from a backup');
  });
});
