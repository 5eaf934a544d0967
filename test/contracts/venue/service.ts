import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { CASH_ACCOUNTS } from '../../../src/domain/cash.ts';
import { isTerminal, lastAttempt, type OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks, TICKS_PER_USD } from '../../../src/domain/units.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';
import type { VenueWorld } from './fixture.ts';

/** In this a change of a book has been read at every venue. */
const BOOK_IS_READ_MS = 500;
/** In this a curve has been read again, and what rests has been held against it. */
const CURVE_IS_TRIED_MS = 6_000;
/** Questions until a deposit that is final is seen. */
const DEPOSIT_TRIES = 60;

/**
 * What becomes of orders at every venue when the whole service trades there: orders, ledger, store
 * and recovery are the real ones. `pricedBy` says what prices come from.
 */
export function serviceContract(
  name: string,
  makeWorld: () => Promise<VenueWorld>,
  { pricedBy = 'orders' }: { readonly pricedBy?: VenueWorld['pricedBy'] } = {},
): void {
  const restingAt = (ticks: number): Partial<PlaceOrder> => ({
    type: { kind: 'limit', price: priceTicks(ticks), expiresAtMs: null, untilCancelled: true },
  });
  const begin = async (): Promise<{ readonly world: VenueWorld; readonly life: VenueLife }> => {
    const world = await makeWorld();
    const life = await startLife([world], createMemoryStore(), 'first');
    // Money that lies on a chain is seen a moment later.
    for (let tries = 0; life.cash().settled === 0 && tries < DEPOSIT_TRIES; tries += 1) {
      await world.clock.advance(BOOK_IS_READ_MS);
      await life.syncDeposits();
    }
    return { world, life };
  };
  /** So many shares, as orders state them; a curve gives millionths more. */
  const sharesOf = (number: number) =>
    pricedBy === 'curve' ? about(number * 1_000_000) : number * 1_000_000;
  /** What orders of a price cost; a curve is no dearer. */
  const dollarsOf = (micros: number) =>
    pricedBy === 'curve' ? expect.toSatisfy((usdc) => usdc > 0 && usdc <= micros) : micros;
  const SALE: Partial<PlaceOrder> = {
    side: 'sell',
    amount: { unit: 'shares', micros: 15_000_000 },
    type: { kind: 'market', life: 'part_now' },
  };
  const offer = (
    { quote, market }: VenueWorld,
    shares: number,
    price = 5_000,
  ): void | Promise<void> =>
    quote({ tokenId: market.outcomes[0].tokenId, side: 'sell', price, shares });
  /** An order that was lost on its way is there once in the end, or it never was. */
  const lost = async (life: VenueLife, order: OrderRecord): Promise<void> => {
    await life.until(() => ['filled', 'rejected'].includes(life.order(order).state), 120_000);
    await life.agrees();
    const isFilled = life.order(order).state === 'filled';
    expect(life.fills().map(({ shares }) => shares)).toEqual(isFilled ? [sharesOf(20)] : []);
    expect(life.cash().reserved).toBe(0);
    await life.end();
  };
  const hit = ({ take, market }: VenueWorld, shares: number, price: number): void | Promise<void> =>
    take({ tokenId: market.outcomes[0].tokenId, side: 'sell', price, shares });

  describe(`the service trades at ${name} as at every venue`, () => {
    it("books a deposit on the venue's own cash account, once, and on no other", async () => {
      const { life } = await begin();
      await life.syncDeposits();
      expect(CASH_ACCOUNTS.map((account) => life.cash(account).settled)).toEqual(
        CASH_ACCOUNTS.map((account) => (account === life.venue.cashAccount ? 1_000_000_000 : 0)),
      );
      await life.end();
    });

    it('buys, and holds in the end what the venue says, to the micro', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      const order = await life.buy(20);
      expect(['submitting', 'delayed', 'matched', 'filled']).toContain(order.state);
      const [fill] = await life.settled(1);
      expect(fill).toMatchObject({
        shares: sharesOf(20),
        usdc: dollarsOf(10_000_000),
        settlement: 'settled',
      });
      expect(life.order(order).state).toBe('filled');
      await life.agrees();
      await life.end();
    });

    it("learns the venue's id of an order, if it did not know it, and keeps what it was sent by", async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      const { intent, attempts } = await life.buy(20);
      await life.settled(1);
      const order = life.order({ intent });
      const attempt = lastAttempt(order);
      expect([order.attempts.length, attempt?.attemptId]).toEqual([1, attempts[0]?.attemptId]);
      expect([attempt?.orderId === null, attempt?.ended?.how]).toEqual([false, 'done']);
      const [fill] = life.fills();
      expect(fill?.orderId).toBe(attempt?.orderId);
      await life.end();
    });

    it('sells what was bought', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      await life.buy(20);
      await life.settled(1);
      const { tokenId } = world.market.outcomes[0];
      await world.quote({ tokenId, side: 'buy', price: 4_800, shares: 50 });
      await world.clock.advance(BOOK_IS_READ_MS);
      await life.placed({ side: 'sell', amount: { unit: 'shares', micros: 10_000_000 } });
      const fills = await life.settled(2);
      const sides = fills.toSorted((one, other) => one.side.localeCompare(other.side));
      expect(sides.map(({ side, shares }) => [side, shares])).toEqual([
        ['buy', sharesOf(20)],
        ['sell', sharesOf(10)],
      ]);
      await life.agrees();
      await life.end();
    });

    it('L5: sets money aside for an order that rests, and gives it back with the cancel', async () => {
      const { life } = await begin();
      const order = await life.rest(20, 4_000);
      expect([order.state, life.cash().reserved]).toEqual([
        'live',
        life.setAsideFor(8_000_000, 4_000),
      ]);
      await life.cancelled(order);
      expect([life.order(order).state, life.cash().reserved]).toEqual(['cancelled', 0]);
      await life.agrees();
      await life.end();
    });

    if (pricedBy === 'orders')
      it('fills an order that rests in parts, and ends what is left of it', async () => {
        const { world, life } = await begin();
        const order = await life.rest(20, 4_000);
        await hit(world, 8, 4_000);
        await life.settled(1);
        expect(life.order(order)).toMatchObject({ state: 'live', filledShares: 8_000_000 });
        await life.cancelled(order);
        expect(life.order(order)).toMatchObject({ state: 'cancelled', filledShares: 8_000_000 });
        await life.agrees();
        await life.end();
      });
    else
      it('fills an order that rests as a whole, once all of it is to be had at its price', async () => {
        const { world, life } = await begin();
        const order = await life.rest(20, 4_000);
        await hit(world, 1, 4_000);
        await world.clock.advance(CURVE_IS_TRIED_MS);
        expect(life.order(order)).toMatchObject({ state: 'live', filledShares: 0 });
        await hit(world, 20, 4_000);
        await life.settled(1);
        expect(life.order(order)).toMatchObject({ state: 'filled', filledShares: sharesOf(20) });
        expect(life.fills()).toMatchObject([{ usdc: dollarsOf(8_000_000) }]);
        await life.agrees();
        await life.end();
      });

    it('ends an order that rests at its moment', async () => {
      const { world, life } = await begin();
      const order = await life.rest(20, 4_000, world.clock.nowMs() + 120_000);
      await life.until(() => life.order(order).state !== 'live', 300_000);
      expect(life.order(order).state).toBe('expired');
      await life.agrees();
      await life.end();
    });

    it('sells once what is sold twice at a time, and says what is missing for the other', async () => {
      const { world, life } = await begin();
      const bid = { tokenId: world.market.outcomes[0].tokenId, side: 'buy' } as const;
      await offer(world, 100);
      await life.buy(20);
      await life.settled(1);
      await world.quote({ ...bid, price: 4_800, shares: 100 });
      await world.clock.advance(BOOK_IS_READ_MS);
      const sold = await life.tried([SALE, SALE, SALE]);
      const refused = sold.flatMap((one) => (one instanceof AppError ? [one.code] : []));
      expect(refused).toEqual(['insufficient_shares', 'insufficient_shares']);
      await life.settled(2);
      await life.agrees();
      await life.end();
    });

    // Of a curve it is a fact of trading alone: no other trader is faster there by a known moment.
    if (pricedBy === 'orders')
      it('keeps nothing of an order that finds too little', async () => {
        const { world, life } = await begin();
        await offer(world, 100);
        await life.buy(10);
        await life.settled(1);
        const { tokenId } = world.market.outcomes[0];
        const order = await life.unheard({}, () =>
          world.take({ tokenId, side: 'buy', price: 5_000, shares: 100 }),
        );
        await life.until(() => life.order(order).state === 'cancelled');
        expect(life.cash().reserved).toBe(0);
        await life.agrees();
        await life.end();
      });

    it('estimates a purchase as it then turns out, its fee included', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      const { shares, usdc, fee, refusal } = await life.estimated({});
      expect([life.orders(), refusal]).toEqual([[], null]);
      await life.buy(20);
      const [fill] = await life.settled(1);
      const feeShares = (fill?.feeShares ?? 0) / 2; // at half a dollar each
      expect([fill?.shares, (fill?.fee ?? 0) + feeShares]).toEqual([
        sharesOf(shares / 1_000_000),
        fee,
      ]);
      const paid = fill?.usdc ?? 0;
      if (pricedBy === 'orders') expect(paid).toBe(usdc);
      else {
        // A curve is shown in levels, each at the worst price within it: a tick a share at most.
        expect(paid).toBeLessThanOrEqual(usdc);
        expect(paid).toBeGreaterThan(usdc - (shares * world.market.tickSize) / TICKS_PER_USD);
      }
      await life.end();
    });

    it('estimates what an order that rests sets aside, and what the account could not pay', async () => {
      const { life } = await begin();
      const { setsAside } = await life.estimated(restingAt(4_000));
      const dear = {
        ...restingAt(9_000),
        amount: { unit: 'shares', micros: 4_000_000_000 },
      } as const;
      const { refusal } = await life.estimated(dear);
      await life.rest(20, 4_000);
      expect([setsAside.usdc, refusal?.code]).toEqual([life.cash().reserved, 'insufficient_funds']);
      await life.end();
    });

    it('L5: refuses what the account cannot pay, and sends nothing', async () => {
      const { life } = await begin();
      await expect(life.rest(4_000, 9_000)).rejects.toMatchObject({ code: 'insufficient_funds' });
      expect(life.orders()).toEqual([]);
      await life.end();
    });

    it('L6: sends nothing of a user who is stopped', async () => {
      const { life } = await begin();
      await life.stopTrading();
      await expect(life.rest(20, 4_000)).rejects.toMatchObject({ code: 'trading_stopped' });
      expect(life.orders()).toEqual([]);
      await life.end();
    });

    it('takes a trade back that fails to settle', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      world.failTrade();
      const order = await life.buy(20);
      const reversed = () => life.fills().filter(({ settlement }) => settlement === 'reversed');
      if (pricedBy === 'orders') await life.until(() => reversed().length > 0);
      else {
        // A block that went again may never have been asked about: nothing is to be reversed then.
        await life.until(() => {
          const { state } = life.order(order);
          return isTerminal(state) && (state !== 'filled' || reversed().length > 0);
        });
        expect(life.fills()).toEqual(reversed());
        expect(life.cash().reserved).toBe(0);
      }
      expect(life.holding()).toBe(0);
      await life.agrees();
      await life.end();
    });

    it('pays winners once the market has ended, and losers nothing', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      await life.buy(20);
      await life.settled(1);
      world.resolve([10_000, 0]);
      // Nothing tells of a curve's end, and who plays its time asks at once.
      if (pricedBy === 'curve') life.core.trading.resolutionHint(world.market.marketId);
      await life.until(() => life.holding() === 0, 2 * 86_400_000);
      await life.agrees();
      expect(life.cash().settled).toBeGreaterThan(1_000_000_000);
      await life.end();
    });

    it('L1: finds an order whose answer was lost, and sends no second one', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      world.befall('unanswered');
      const order = await life.buy(20);
      await life.until(() => life.order(order).state === 'filled');
      await life.agrees();
      expect(life.fills().map(({ shares }) => shares)).toEqual([sharesOf(20)]);
      await life.end();
    });

    it('L1: has an order that was lost on its way at the venue once, or proves that it never was there', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      world.befall('lost');
      await lost(life, await life.buy(20));
    });

    it('L9: finds an order after a kill whose answer it never heard, and its fill', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      await life.estimated({});
      world.befall('unanswered');
      const order = await life.unheard({});
      const next = await life.killed();
      await next.settled(1);
      expect(next.order(order)).toMatchObject({ state: 'filled', filledShares: sharesOf(20) });
      await next.agrees();
      await next.end();
    });

    it('L9: decides an order after a kill that never arrived, once', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      await life.estimated({});
      world.befall('lost');
      const order = await life.unheard({});
      await lost(await life.killed(), order);
    });

    it('L9: has an order that rested filled after a kill by who came while no process ran', async () => {
      const { world, life } = await begin();
      const order = await life.rest(20, 4_000);
      const next = await life.killed(async () => {
        await hit(world, 20, 4_000);
        await world.clock.advance(60_000);
      });
      await next.settled(1);
      expect(next.order(order).state).toBe('filled');
      await next.agrees();
      await next.end();
    });

    it('L9: cancels after a kill an order that was left resting', async () => {
      const { life } = await begin();
      const order = await life.rest(20, 4_000);
      const next = await life.killed();
      await next.cancelled(order);
      expect([next.order(order).state, (await next.resting()).length]).toEqual(['cancelled', 0]);
      await next.agrees();
      await next.end();
    });

    it('L9: pays after a kill what was won while no process ran', async () => {
      const { world, life } = await begin();
      await offer(world, 100);
      await life.buy(20);
      await life.settled(1);
      const next = await life.killed(async () => world.resolve([10_000, 0]));
      await next.until(() => next.holding() === 0, 2 * 86_400_000);
      await next.agrees();
      expect(next.cash().settled).toBeGreaterThan(1_000_000_000);
      await next.end();
    });
  });
}

/** Within the dust of a trade whose dollars are whole millionths. */
function about(micros: number): number {
  // a matcher in the place of the number
  return expect.toSatisfy((shares) => Math.abs(shares - micros) <= 2_000) as unknown as number;
}
