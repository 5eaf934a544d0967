import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderId } from '../../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { VenueTraits } from '../../../src/domain/venue.ts';
import { eventually } from '../../support/eventually.ts';
import { atOnceFacts } from './at-once.ts';
import { curveFacts } from './curve.ts';
import { expectTraded, ordersAt, type TradingUnderTest } from './fixture.ts';
import { pricedFacts } from './priced.ts';
import { restingFacts } from './resting.ts';

/** Of a venue that lists no trades. */
const NO_LIST = { read: [], unread: 0 };

/** What a venue under test is, and its user's orders there. */
export interface TradingFacts {
  readonly venue: TradingUnderTest;
  readonly orders: ReturnType<typeof ordersAt>;
}

/**
 * What trading at every venue does; the same facts over sockets, over models, and over a venue in
 * memory. `restsAt` says who keeps what rests there: the venue unless stated, this service for
 * venues that carry out at once what comes, or neither. `pricedBy` says what prices come from.
 */
export function tradingContract(
  name: string,
  start: () => Promise<TradingUnderTest>,
  {
    restsAt = 'venue',
    pricedBy = 'orders',
  }: {
    readonly restsAt?: VenueTraits['restsAt'];
    readonly pricedBy?: TradingUnderTest['pricedBy'];
  } = {},
): void {
  describe(`${name} trades as every venue does`, () => {
    let venue: TradingUnderTest;
    let orders: ReturnType<typeof ordersAt>;
    const gateway = () => venue.trading.gateway;
    const token = (outcome: 0 | 1 = 0) => venue.market.outcomes[outcome].tokenId;
    const legsOf = async (orderId: OrderId) =>
      (await orders.fillsOf(orderId)).flatMap(({ legs }) => legs);
    /** Signed, and not sent. */
    const unsent = async () => {
      if (restsAt === 'venue') return orders.rest(10, 2_000);
      return orders.now('buy', 10, 6_000);
    };
    const facts = (): TradingFacts => ({ venue, orders });

    beforeAll(async () => {
      venue = await start();
      orders = ordersAt(venue);
      await venue.accounts.open(venue.userId);
      // What unsent orders would take; dearer than anything else here.
      if (restsAt !== 'venue')
        await venue.quote({ tokenId: token(), side: 'sell', price: 6_000, shares: 10 });
    });
    afterAll(() => venue.close());

    it('opens an account again and again, and shows its collateral and its deposit', async () => {
      await venue.accounts.open(venue.userId);
      expect(await venue.accounts.collateral(venue.userId)).toBe(1_000_000_000);
      const { wallet } = venue.accounts;
      const deposits = await venue.accounts.deposits(venue.userId, 0);
      if (wallet === undefined)
        expect(deposits).toEqual([
          { depositId: expect.any(String), usdc: 1_000_000_000, atMs: expect.any(Number) },
        ]);
      // Who keeps the money tells of it.
      else {
        const history = await wallet.history(venue.userId, null, null);
        const movements = history.kind === 'read' ? history.movements : [];
        const known = movements.map(({ transactionHash, micros, isTrade = false }) => ({
          transactionHash,
          micros,
          isTrade,
        }));
        expect([deposits, known]).toEqual([
          [],
          [{ transactionHash: expect.any(String), micros: 1_000_000_000, isTrade: false }],
        ]);
      }
    });

    it('tells of no deposit that is older than it is asked for', async () => {
      const [deposit] = await venue.accounts.deposits(venue.userId, 0);
      const after = (deposit?.atMs ?? 0) + 60_000;
      expect(await venue.accounts.deposits(venue.userId, after)).toEqual([]);
    });

    it('keeps what rests where it is said to, and has its prices from what is said', () => {
      expect(venue.trading.traits.restsAt).toBe(restsAt);
      expect(venue.pricedBy ?? 'orders').toBe(pricedBy);
    });

    it('signs the same intent with the same preparation to the same bytes, named alike', async () => {
      const { signer } = venue.trading;
      const { intent } = await unsent();
      const prepared = await orders.prepare(intent);
      expect(signer.sign(intent, prepared)).toEqual(signer.sign(intent, prepared));
      const kept: typeof prepared = JSON.parse(JSON.stringify(prepared));
      expect(signer.sign(intent, kept)).toEqual(signer.sign(intent, prepared));
    });

    it('L1: names every attempt anew, also of an intent that is signed once more', async () => {
      const { signer } = venue.trading;
      const { intent, attempt } = await unsent();
      const again = signer.sign(intent, await orders.prepare(intent));
      const other = (await unsent()).attempt;
      expect(new Set([attempt, again, other].map(({ attemptId }) => attemptId)).size).toBe(3);
    });

    it('says that an order it never saw is absent', async () => {
      expect((await gateway().lookup(await unsent())).kind).toBe('absent');
    });

    it('L6: sends nothing without permission at the last moment', async () => {
      const order = await unsent();
      const { signal } = new AbortController();
      const outcome = await gateway().submit(order, { signal, isGranted: () => false });
      expect([outcome.kind, (await gateway().lookup(order)).kind]).toEqual(['deferred', 'absent']);
    });

    if (pricedBy === 'orders') pricedFacts(facts);
    else curveFacts(facts);

    it('settles a trade in the end, with a fee no larger than what was to be set aside', async () => {
      const { rules } = venue.trading;
      await venue.quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 10 });
      const order = await orders.now('buy', 10, 5_000);
      const { orderId } = await orders.taken(order);
      await eventually(async () => {
        const words = (await orders.fillsOf(orderId)).map(({ word }) => word);
        expect(new Set(words)).toEqual(new Set(['confirmed']));
      });
      const fills = await orders.fillsOf(orderId);
      const worked = fills.flatMap(({ fee, legs, role }) =>
        fee === null ? [rules.feeOf(venue.market, legs, role)] : [],
      );
      const stated = fills.map(({ fee }) => (fee?.unit === 'cash' ? fee.micros : 0));
      const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
      expect(sum(worked) + sum(stated)).toBeLessThanOrEqual(
        rules.worstFee(venue.market, order.intent.spendMicros, order.intent.price),
      );
    });

    it('L5: sets aside for what a sum of money buys no more than its rules say of the sum', () => {
      const { rules } = venue.trading;
      for (const micros of [5_000_000, 49_990_000, 50_000_000])
        for (const ticks of [1_000, 5_000, 9_500]) {
          const price = priceTicks(ticks);
          const { spendMicros } = rules.terms({
            market: venue.market,
            side: 'buy',
            amount: { unit: 'usdc', micros },
            type: { kind: 'limit', price },
          });
          expect(
            spendMicros + rules.worstFee(venue.market, spendMicros, price),
          ).toBeLessThanOrEqual(rules.mostSetAside(venue.market, usdcMicros(micros)));
        }
    });

    it('sells shares that were bought, for the money a fill says', async () => {
      const before = await venue.accounts.collateral(venue.userId);
      await venue.quote({ tokenId: token(), side: 'buy', price: 4_000, shares: 10 });
      const { orderId } = await orders.taken(await orders.now('sell', 10, 4_000));
      const legs = await legsOf(orderId);
      expectTraded(venue, legs, { side: 'sell', shares: 10, price: 4_000 });
      const brought = legs.reduce((sum, { usdc }) => sum + (usdc ?? 4_000_000), 0);
      const [fill] = await orders.fillsOf(orderId);
      const fee =
        (fill?.fee ?? null) === null && fill !== undefined
          ? venue.trading.rules.feeOf(venue.market, fill.legs, fill.role)
          : (fill?.fee?.micros ?? 0);
      await eventually(async () =>
        expect(await venue.accounts.collateral(venue.userId)).toBe(before + brought - fee),
      );
    });

    if (restsAt === 'venue') restingFacts(facts);
    else atOnceFacts(facts);

    it('tells no trade that is older than it is asked for', async () => {
      const all = await orders.trades();
      const newest = Math.max(...all.map(({ matchedAtMs }) => matchedAtMs));
      const later = (await gateway().fills?.(venue.userId, newest + 60_000)) ?? NO_LIST;
      expect([all.length > 0, later]).toEqual([true, { read: [], unread: 0 }]);
    });

    it('L4: names each part of each trade once', async () => {
      const trades = await orders.trades();
      const names = trades.map(({ tradeId, orderId }) => `${tradeId} ${orderId}`);
      expect(new Set(names).size).toBe(names.length);
    });

    it('keeps to a worst price that is on the tick', async () => {
      const { intent } = await orders.now('buy', 10, 5_500);
      expect([intent.price <= priceTicks(5_500), intent.price % venue.market.tickSize]).toEqual([
        true,
        0,
      ]);
    });
  });
}
