import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { openHold } from '../../../src/services/books/holds.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { ARRIVALS } from '../../../src/services/funding/tables.ts';
import { createWalletCash } from '../../../src/services/funding/wallet-cash.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = asId<UserId>('usr_ada');

function begin() {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0);
  const log = createKeptLog();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const wallet = { usdc: [0] };
  const cash = createWalletCash({
    store,
    commit,
    clock,
    marketClock: clock,
    log,
    cashAccount: 'usdc:solana',
    chain: 'SOLANA',
    accounts: {
      collateral: async () => {
        const [now = 0] = wallet.usdc.length > 1 ? wallet.usdc.splice(0, 1) : wallet.usdc;
        return usdcMicros(now);
      },
    },
  });
  const booked = () => balanceOf(store, USER, 'usdc:solana').settled;
  return { store, commit, log, wallet, cash, booked };
}

describe('USDC in a wallet of the user', () => {
  it('L4: is booked as it arrives, once, with a line of the list of deposits', async () => {
    const { cash, wallet, booked, store } = begin();
    wallet.usdc = [5_000_000];
    expect([await cash.sync(USER), await cash.sync(USER), booked()]).toEqual([1, 0, 5_000_000]);
    expect(store.range(ARRIVALS).map(({ value }) => value.usdc)).toEqual([5_000_000]);
  });

  it('is booked once however many look at a time', async () => {
    const { cash, wallet, booked } = begin();
    wallet.usdc = [5_000_000];
    const found = await Promise.all([cash.sync(USER), cash.sync(USER), cash.sync(USER)]);
    expect([found.reduce((sum, one) => sum + one, 0), booked()]).toEqual([1, 5_000_000]);
  });

  it("leaves the books with what its owner's key has moved, and somebody hears of it", async () => {
    const { cash, wallet, booked, log } = begin();
    wallet.usdc = [5_000_000];
    await cash.sync(USER);
    wallet.usdc = [2_000_000];
    expect([await cash.sync(USER), booked()]).toEqual([0, 2_000_000]);
    expect(log.lines.map(({ event }) => event)).toContain('money.departed');
  });

  it('is not booked while it changes as it is looked at', async () => {
    const { cash, wallet, booked } = begin();
    wallet.usdc = [5_000_000, 7_000_000];
    expect([await cash.sync(USER), booked()]).toEqual([0, 0]);
  });

  it('is not booked while something of ours is on its way out of it', async () => {
    const { cash, wallet, booked, commit } = begin();
    wallet.usdc = [5_000_000];
    await cash.sync(USER);
    const hold = {
      userId: USER,
      holdId: 'h1',
      purpose: 'transfer',
      cashAccount: 'usdc:solana',
      usdc: usdcMicros(1_000_000),
    } as const;
    await commit((tx) => openHold(tx, hold, T0));
    wallet.usdc = [4_000_000];
    expect([await cash.sync(USER), booked()]).toEqual([0, 5_000_000]);
  });
});
