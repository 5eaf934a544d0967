import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createLateFunds, type WalletFundsParts } from '../../src/app/wallet-funds.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { createCommit } from '../../src/services/commit.ts';
import { USERS, type UserRecord } from '../../src/services/sign-in/tables.ts';
import type { EndedAgain } from '../../src/services/transactions/ended-again.ts';
import { T0 } from '../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';

const [ADA, BOB] = [asId<UserId>('usr_ada'), asId<UserId>('usr_bob')];

/** Rounds over two users; answers how often each wallet was read, after so long. */
async function readsAfter(ms: number, ended: (userId: UserId) => EndedAgain) {
  const store = createMemoryStore();
  await store.write((tx) => {
    for (const userId of [ADA, BOB]) tx.put(USERS, [userId], { userId } as UserRecord);
  });
  const [clock, metrics] = [createVirtualClock(T0), createKeptMetrics()];
  const reads: UserId[] = [];
  const rounds = createLateFunds().begin({
    store,
    commit: createCommit({ store, bus: createKeptBus(), metrics }),
    walletReads: () => [async (userId: UserId) => (reads.push(userId), 'nothing')],
    transactions: () => ({ watchEnded: async (userId: UserId) => ended(userId) }),
    clock,
    wallClock: clock,
    log: createKeptLog(),
    metrics,
  } as unknown as WalletFundsParts); // no venue is there that redeems or trades
  const round = rounds.round();
  await clock.advance(ms);
  await round;
  rounds.stop();
  return reads;
}

it('rounds ask again about what each user’s accounts have ended, and read their wallet soon where that has changed', async () => {
  const undoing = (userId: UserId) => ({ moving: 0, changed: userId === ADA ? 1 : 0 });
  const reads = await readsAfter(20_000, undoing);
  expect(reads.filter((userId) => userId === ADA).length).toBeGreaterThan(1);
  expect(reads.filter((userId) => userId === BOB)).toHaveLength(1);
});

it('a chain that does not answer about that keeps no wallet from being read', async () => {
  const reads = await readsAfter(1_000, () => {
    throw new AppError('chain_unavailable', 'no answer', { retryable: true });
  });
  expect(reads).toEqual([ADA, BOB]);
});
