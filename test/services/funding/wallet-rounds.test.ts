import { describe, expect, it } from 'vitest';
import { RECONCILE, WALLET } from '../../../config/limits/funds.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { WalletDifference } from '../../../src/domain/wallet-mismatch.ts';
import { createMemoryBus } from '../../../src/adapters/bus/memory-bus.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { walletMismatches } from '../../../src/services/books/wallet-mismatches.ts';
import type { WalletRest } from '../../../src/services/funding/wallet-cash.ts';
import { createWalletRounds } from '../../../src/services/funding/wallet-rounds.ts';
import { USERS, type UserRecord } from '../../../src/services/sign-in/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptLog } from '../../support/quiet.ts';

const [ADA, BOB] = [asId<UserId>('usr_ada'), asId<UserId>('usr_bob')];

const LESS: WalletDifference = {
  cashAccount: 'usdc:base',
  asset: 'usdc:base',
  booked: 5_000_000,
  onChain: 2_000_000,
};

async function begin(restOf: (userId: UserId) => WalletRest) {
  const store = createMemoryStore();
  await store.write((tx) => {
    for (const userId of [ADA, BOB]) tx.put(USERS, [userId], { userId } as UserRecord);
  });
  const clock = createVirtualClock(T0);
  const looked: UserId[] = [];
  const metrics = createCountingMetrics();
  const rounds = createWalletRounds({
    store,
    clock,
    metrics,
    log: createKeptLog(),
    commit: createCommit({ store, bus: createMemoryBus({ log: createKeptLog() }), metrics }),
    differences: async () => [LESS],
    async read(userId) {
      looked.push(userId);
      return restOf(userId);
    },
  });
  const mismatched = () => metrics.gauges['wallets_mismatched_users'];
  return { store, rounds, clock, looked, mismatched };
}

describe("rounds over users' own wallets", () => {
  it('read everybody, whoever is about, and again after a while', async () => {
    const { rounds, clock, looked, mismatched } = await begin(() => 'nothing');
    rounds.start();
    await clock.advance(RECONCILE.intervalMs + 10 * RECONCILE.paceMs);
    expect([looked, mismatched()]).toEqual([[ADA, BOB, ADA, BOB], 0]);
    rounds.stop();
    await clock.advance(10 * RECONCILE.intervalMs);
    expect(looked).toHaveLength(4);
  });

  it('read at once who reads their money, and not again right away', async () => {
    const { rounds, clock, looked } = await begin(() => 'nothing');
    rounds.soon(BOB);
    rounds.soon(BOB);
    await clock.advance(WALLET.soonMs);
    rounds.soon(BOB);
    expect(looked).toEqual([BOB, BOB]);
  });

  it('read again soon what is not final, and call it no difference', async () => {
    let rest: WalletRest = 'unsettled';
    const { rounds, clock, looked, mismatched } = await begin(() => rest);
    const round = rounds.round();
    await clock.advance(10 * RECONCILE.paceMs);
    await round;
    await clock.advance(3 * WALLET.againMs);
    rest = 'nothing';
    await clock.advance(10 * WALLET.againMs);
    expect([looked.filter((one) => one === ADA).length, mismatched()]).toEqual([5, 0]);
    rounds.stop();
  });

  it('count a user whose wallet shows for long what is never final', async () => {
    const { rounds, clock, mismatched } = await begin((userId) =>
      userId === BOB ? 'unsettled' : 'nothing',
    );
    rounds.start();
    await clock.advance(WALLET.unsettledMaximumMs - 2 * RECONCILE.intervalMs);
    expect(mismatched()).toBe(0);
    await clock.advance(4 * RECONCILE.intervalMs);
    expect(mismatched()).toBe(1);
    rounds.stop();
  });

  it('count a user whose difference nothing explains through every sighting', async () => {
    const { rounds, clock, mismatched } = await begin((userId) =>
      userId === BOB ? 'unexplained' : 'nothing',
    );
    rounds.start();
    await clock.advance(10 * RECONCILE.paceMs);
    expect(mismatched()).toBe(0);
    await clock.advance(RECONCILE.intervalMs);
    expect(mismatched()).toBe(1);
    rounds.stop();
  });

  it('count such a user at once, and no more once nothing is found, whenever the next round is', async () => {
    let rest: WalletRest | 'unread' = 'unexplained';
    const { rounds, clock, mismatched } = await begin((userId) => {
      if (userId !== BOB) return 'nothing';
      if (rest === 'unread') throw new Error('no answer');
      return rest;
    });
    rounds.start();
    await clock.advance((RECONCILE.sightings - 1) * WALLET.againMs + 10 * RECONCILE.paceMs);
    expect(mismatched()).toBe(1);
    rest = 'unread';
    await clock.advance(WALLET.againMs);
    expect(mismatched()).toBe(1);
    rest = 'nothing';
    await clock.advance(WALLET.soonMs);
    rounds.soon(BOB);
    await clock.advance(1);
    expect(mismatched()).toBe(0);
    rounds.stop();
  });

  it('keep what differs with its time, also while it cannot be compared, until nothing is found', async () => {
    let rest: WalletRest = 'unexplained';
    const { store, rounds, clock, mismatched } = await begin((userId) =>
      userId === BOB ? rest : 'nothing',
    );
    const kept = () => walletMismatches(store, BOB);
    rounds.start();
    await clock.advance((RECONCILE.sightings - 1) * WALLET.againMs - 1);
    expect(kept()).toEqual([]);
    await clock.advance(10 * RECONCILE.paceMs);
    const [first] = kept();
    expect(first).toMatchObject(LESS);
    for (const each of ['unexplained', 'moving', 'unsettled'] as const) {
      rest = each;
      await clock.advance(2 * RECONCILE.intervalMs);
      expect([kept(), mismatched()]).toEqual([[first], 1]);
    }
    rest = 'nothing';
    await clock.advance(2 * RECONCILE.intervalMs);
    expect([kept(), mismatched()]).toEqual([[], 0]);
    rounds.stop();
  });
});
