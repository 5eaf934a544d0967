import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { ORDER } from '../../../config/limits.ts';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import { viewOrder } from '../../../src/http/views/order.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';

let life: VenueLife;
afterEach(() => life.end());

/**
 * Offers asked for in one order: with a fee set aside that this world does not take, the first is
 * for a contract too many.
 */
const OFFERS = 2;

/**
 * A user with a thousand dollars before a book that offers a hundred contracts at a half, and bids
 * for as many at 0.48.
 */
async function begin(...faults: readonly FaultName[]) {
  const world = await createVenueBWorld();
  const { tokenId } = world.market.outcomes[0];
  world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
  world.quote({ tokenId, side: 'buy', price: 4_800, shares: 100 });
  life = await startLife([world], createMemoryStore(), 'first');
  const isOfOffers = (name: FaultName) => ['stale-quote', 'expired-blockhash'].includes(name);
  for (const name of faults) world.faults.arm(name, { times: isOfOffers(name) ? OFFERS : 1 });
  return world;
}

/** Nothing was made, and nothing is set aside. */
function expectNothing(): void {
  expect([life.orders(), life.cash()]).toMatchObject([[], { reserved: 0, provisional: 0 }]);
}

describe('what goes wrong at venue_b', () => {
  it('slow-fill: the order is under way, its money set aside, until the fill', async () => {
    await begin('slow-fill');
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'delayed');
    expect(life.cash().reserved).toBe(life.setAsideFor(10_200_000, 5_100));
    await life.until(() => life.order(order).state === 'filled');
    await life.agrees();
  });

  it('partial-fill: the order ends with what it got, and the rest is free again', async () => {
    await begin('partial-fill');
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'cancelled');
    expect(life.order(order)).toMatchObject({
      filledShares: 10_000_000,
      filledUsdc: 5_000_000,
      reason: 'the venue gave the rest back',
    });
    await life.agrees();
    const { feesUsdc } = life.order(order);
    expect(life.cash()).toMatchObject({ settled: 995_000_000 - feesUsdc, reserved: 0 });
  });

  it('reverted-fill: the order ends with nothing, and nothing was spent', async () => {
    await begin('reverted-fill');
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'cancelled');
    await life.agrees();
    expect([life.fills(), life.cash().settled]).toEqual([[], 1_000_000_000]);
  });

  it('stale-quote: an offer the book has left behind comes to nothing', async () => {
    await begin('stale-quote');
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'cancelled');
    await life.agrees();
  });

  it('expired-blockhash: an offer that can never land is not signed', async () => {
    await begin('expired-blockhash');
    await expect(life.buy(20)).rejects.toMatchObject({ code: 'preparation_timeout' });
    expectNothing();
  });

  it.each([
    ['route-not-found', 'no_liquidity'],
    ['clearing-maintenance', 'no_liquidity'],
    ['stale-route', 'venue_unavailable'],
  ] as const)('%s: nothing is made', async (fault, code) => {
    await begin(fault);
    await expect(life.buy(20)).rejects.toMatchObject({ code });
    expectNothing();
  });

  it('L1: solana-transaction-lost: the same bytes go again, and the order is there once', async () => {
    await begin('solana-transaction-lost');
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'filled');
    expect(life.order(order).attempts).toMatchObject([{ sends: 2 }]);
    await life.agrees();
  });

  it('L1: lost for good: proven never to have landed, then quoted and signed once more for the same intent', async () => {
    const world = await begin();
    world.faults.arm('solana-transaction-lost', { times: ORDER.sendsMaximum });
    const order = await life.buy(20);
    await life.until(() => ['filled', 'rejected'].includes(life.order(order).state), 180_000);
    const { state, attempts } = life.order(order);
    expect([state, attempts.map(({ ended }) => ended?.how)]).toEqual(['filled', ['never', 'done']]);
    expect(new Set(attempts.map(({ attemptId }) => attemptId)).size).toBe(2);
    await life.agrees();
  });

  it('L3: solana-fork: a sale that is taken back has not brought its money', async () => {
    const world = await begin();
    await life.buy(20);
    await life.settled(1);
    world.faults.arm('solana-fork', { times: 1 });
    await life.placed({ side: 'sell', amount: { unit: 'shares', micros: 10_000_000 } });
    await life.until(() => life.fills().every(({ settlement }) => settlement !== 'provisional'));
    await life.agrees();
  });

  it('L3: solana-fork: of a fill that is taken back and one in its place the order counts the second alone, and both are notified', async () => {
    const world = await begin('slow-fill');
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'delayed');
    world.faults.arm('solana-fork', { times: 1 });
    await life.until(() => life.fills().some(({ settlement }) => settlement === 'settled'));
    expect(life.fills().map(({ settlement, usdc }) => [settlement, usdc])).toEqual([
      ['reversed', 10_000_000],
      ['settled', 10_000_000],
    ]);
    expect(viewOrder(life.order(order))).toMatchObject({
      state: 'filled',
      requestedShares: '20',
      filledShares: '20',
      filledUsdc: '10',
      averagePrice: '0.5',
      feesUsdc: '0.4',
      settledShares: '20',
      reversedShares: '20',
    });
    const notified = life.store.range(NOTIFICATIONS).map(({ value }) => value.facts.kind);
    expect(notified.slice(1)).toEqual(['trade', 'trade_reversed', 'trade']);
    await life.agrees();
  });

  it('L2: solana-node-behind: nothing is concluded from a node that does not know yet', async () => {
    const world = await begin();
    world.faults.arm('solana-node-behind', {});
    const order = await life.buy(20);
    await world.clock.advance(15_000);
    expect(['rejected', 'cancelled']).not.toContain(life.order(order).state);
    world.faults.clear('solana-node-behind');
    await life.until(() => life.order(order).state === 'filled');
    expect(life.order(order).attempts.length).toBe(1);
    await life.agrees();
  });
});
