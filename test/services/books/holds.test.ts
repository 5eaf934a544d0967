import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { CashAccount, Hold } from '../../../src/domain/cash.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { endHold, openHold, openHolds } from '../../../src/services/books/holds.ts';
import { OPEN_HOLDS, RISK } from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aUserId, T0 } from '../../support/builders.ts';
import {
  aFundedLife,
  brokenLaws,
  during,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';
import { orderIdOf } from '../../support/attempts.ts';

let world: World;
let life: Life;
let store: MemoryStore;

beforeEach(async () => {
  ({ world, life, store } = await aFundedLife());
});

const aHold = (usdc: number, cashAccount: CashAccount = 'usdc:safe', holdId = 'h1'): Hold => ({
  userId: world.user,
  holdId,
  purpose: 'swap',
  cashAccount,
  usdc: usdcMicros(usdc),
});
const hold = (wanted: Hold) => life.commit((tx) => openHold(tx, wanted, T0));
const end = (how: 'booked' | 'released') =>
  life.commit((tx) => endHold(tx, { userId: world.user, holdId: 'h1' }, { how, atMs: T0 }));
const cash = () => life.portfolio.cash(world.user, 'usdc:safe');

describe('a hold', () => {
  it('L3: sets money aside, and ends when it is proven to have left or never to leave', async () => {
    await hold(aHold(30_000_000));
    expect(cash()).toMatchObject({ settled: 100_000_000, available: 70_000_000 });
    await end('booked');
    expect(cash()).toMatchObject({ settled: 70_000_000, provisional: 0, available: 70_000_000 });
    await hold(aHold(10_000_000, 'usdc:safe', 'h2'));
    await life.commit((tx) =>
      endHold(tx, { userId: world.user, holdId: 'h2' }, { how: 'released', atMs: T0 }),
    );
    expect(cash()).toMatchObject({ settled: 70_000_000, provisional: 0, available: 70_000_000 });
    expect([openHolds(store, world.user), brokenLaws(store, world.user)]).toEqual([[], []]);
  });

  it('L3: beside a buy: what is settled, on its way, reserved and available at each step, to the payout', async () => {
    const steps: Record<string, readonly number[]> = {};
    const note = (step: string) => {
      const { settled, provisional, reserved, available } = cash();
      steps[step] = [settled, provisional, reserved, available].map((micros) => micros / 1_000);
    };
    note('deposit');
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    note('reserved');
    await hold(aHold(30_000_000));
    note('held');
    world.venue.trade(orderIdOf(placed), 20_000_000);
    await world.clock.advance(10);
    note('matched');
    await world.clock.advance(60_000);
    note('settled');
    await end('booked');
    note('booked');
    await life.portfolio.recordResolution({
      marketId: world.market.marketId,
      payoutTicks: [10_000, 0],
      resolvedAtMs: 0,
    });
    await during(world, life.portfolio.payOut(world.market.marketId));
    note('paid');
    expect(steps).toEqual({
      deposit: [100_000, 0, 0, 100_000],
      reserved: [100_000, 0, 8_561, 91_439],
      held: [100_000, -30_000, 8_561, 61_439],
      matched: [100_000, -38_000, 0, 62_000],
      settled: [92_000, -30_000, 0, 62_000],
      booked: [62_000, 0, 0, 62_000],
      paid: [82_000, 0, 0, 82_000],
    });
  });

  it('L5: takes no more than is free in its account, and leaves nothing behind when it is refused', async () => {
    await expect(hold(aHold(100_000_001))).rejects.toMatchObject({
      code: 'insufficient_funds',
      fields: [{ path: '/amount', message: 'at most 100' }],
    });
    await expect(hold(aHold(1, 'usdc:base'))).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect([cash().available, openHolds(store, world.user)]).toEqual([100_000_000, []]);
    await hold(aHold(100_000_000));
    expect(cash().available).toBe(0);
  });

  it('is listed for its user alone', async () => {
    const mine = aHold(30_000_000);
    const other = { ...mine, userId: aUserId(99) };
    await hold(mine);
    await life.commit((tx) => tx.put(OPEN_HOLDS, [other.userId, 'h1'], other));
    expect([openHolds(store, world.user), openHolds(store, other.userId)]).toEqual([
      [mine],
      [other],
    ]);
  });

  it('L5: and an order never spend the same money, whichever comes first', async () => {
    await hold(aHold(90_000_000));
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    await end('released');
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await expect(hold(aHold(90_000_000))).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it.each(['booked', 'released'] as const)('ends once, %s', async (how) => {
    await expect(end(how)).rejects.toThrow('invariant broken');
    await hold(aHold(1));
    await end(how);
    await expect(end('booked')).rejects.toThrow('invariant broken');
    await expect(hold(aHold(1))).rejects.toThrow('invariant broken');
  });

  it('L9: is found again after a start, and what is at risk with it', async () => {
    await hold(aHold(30_000_000));
    await during(world, life.orders.place(world.user, aLimitBuy()));
    const before = store.get(RISK, [world.user])?.value;
    await life.commit((tx) => tx.remove(RISK, [world.user]));
    await life.orders.stop();
    const next = world.live(store, { seed: 'second' });
    await during(world, next.orders.recover());
    expect(store.get(RISK, [world.user])?.value).toMatchObject({
      tokens: before?.tokens,
      cash: before?.cash,
    });
    expect(before?.cash['usdc:safe']?.outgoingUsdc).toBe(30_000_000);
  });
});
