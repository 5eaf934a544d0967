import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASH_ACCOUNTS } from '../../../src/domain/cash.ts';
import type { OrderAmount, OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { VenueParts } from '../../../src/venues/contract.ts';
import { eventually } from '../../support/eventually.ts';
import { aBook, aLevel } from '../../support/builders.ts';
import { ordersAt, type VenueUnderTest } from './fixture.ts';

/**
 * What every row of the table opens: a venue that says what it is, lists its markets, and states
 * its rules before anything is asked. `pricedBy` says what its prices come from.
 */
export function rowContract(
  name: string,
  start: () => Promise<VenueUnderTest>,
  { pricedBy = 'orders' }: { readonly pricedBy?: VenueUnderTest['pricedBy'] } = {},
): void {
  // Orders are small by their shares; a trade with a curve by what it is worth, for it costs gas.
  const tooSmall = pricedBy === 'orders' ? 'size_too_small' : 'amount_too_small';
  describe(`${name} is a row as every other`, () => {
    let under: VenueUnderTest;
    let orders: ReturnType<typeof ordersAt>;
    const unknown = () => `${under.market.marketId.slice(0, -2)}zz`;
    const terms = (change: Partial<Parameters<typeof orders.intentOf>[0]>): OrderIntent =>
      orders.intentOf({
        side: 'buy',
        amount: orders.shares(10),
        type: { kind: 'limit', price: priceTicks(4_000) },
        ...change,
      });
    const refusalOf = (change: Parameters<typeof terms>[0]): unknown => {
      try {
        return terms(change);
      } catch (error) {
        return error;
      }
    };
    const usdc = (micros: number): OrderAmount => ({ unit: 'usdc', micros });

    beforeAll(async () => {
      under = await start();
      orders = ordersAt(under);
    });
    afterAll(() => under.close());

    it('is named alike by its row and its markets, in plain text', () => {
      const { venue, world, market } = under;
      expect([venue.id, market.venue]).toEqual([world.row.id, world.row.id]);
      expect(venue.id).toMatch(/^[a-z][a-z0-9_]*$/);
    });

    it('is not opened with settings it cannot use, and names itself', async () => {
      const { row } = under.world;
      const unused = {} as VenueParts; // settings are looked at before anything is used
      await expect(row.open(unused, 'none')).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining(row.id),
      });
    });

    it('is paid from one of the accounts the ledger knows', () => {
      expect(CASH_ACCOUNTS).toContain(under.venue.cashAccount);
    });

    it('states times and steps that fit one another', () => {
      const { traits, rules } = under.trading;
      expect(rules.rest === null).toBe(traits.restsAt !== 'service');
      expect(traits.lives.includes('rests')).toBe(traits.restsAt !== null);
      expect(traits.submitTimeoutMs).toBeLessThanOrEqual(traits.absenceFinalAfterMs ?? Infinity);
      expect(
        Math.min(traits.attemptsMaximum, traits.shareStepMicros, traits.cashStepMicros),
      ).toBeGreaterThan(0);
      // What is in steps is done when less than one is left.
      if (pricedBy === 'orders')
        expect(traits.dustShareMicros).toBeLessThanOrEqual(traits.shareStepMicros);
    });

    if (pricedBy === 'curve')
      it('counts no order as done of which nothing was traded: the least one is more than dust', () => {
        const { dustShareMicros } = under.trading.traits;
        const amount = { unit: 'shares', micros: dustShareMicros } as const;
        const type = { kind: 'limit', price: priceTicks(9_900) } as const;
        for (const side of ['buy', 'sell'] as const)
          expect(refusalOf({ side, amount, type })).toMatchObject({ code: tooSmall });
      });

    it('finds its market by its id and by the token of either outcome', async () => {
      const { venue, market } = under;
      const { marketId, outcomes } = market;
      const found = await venue.catalogue.market(marketId);
      expect(found).toMatchObject({ venue: venue.id, marketId, outcomes, closed: false });
      for (const { tokenId } of outcomes)
        expect(await venue.catalogue.marketOfToken(tokenId)).toMatchObject({ marketId });
    });

    it('gives the market terms by which the service trades', async () => {
      const found = await under.venue.catalogue.market(under.market.marketId);
      const { tickSize, minSize, fee, acceptingOrders } = under.market;
      expect(found).toMatchObject({ tickSize, minSize, fee, acceptingOrders });
    });

    it('finds nothing under an id or a token of no market', async () => {
      const { catalogue } = under.venue;
      expect(await catalogue.market(unknown() as typeof under.market.marketId)).toBeNull();
      expect(
        await catalogue.marketOfToken('123' as (typeof under.market.outcomes)[0]['tokenId']),
      ).toBeNull();
    });

    it('shows people the market by its id, by its name and in its list', async () => {
      const { directory } = under.venue.browsing;
      const { marketId, slug } = under.market;
      expect(await listedIn(directory)).toContain(marketId);
      for (const key of [marketId, slug])
        expect(await directory.listing(key)).toMatchObject({ market: { marketId } });
      expect(await directory.listing('no-such-market')).toBeNull();
    });

    it('rests an order at the price asked for, its money no more than price times shares', () => {
      expect(terms({})).toMatchObject({
        price: 4_000,
        spendMicros: 4_000_000,
        receiveMicros: 10_000_000,
        exact: 'receive',
      });
      expect(terms({ side: 'sell' })).toMatchObject({
        price: 4_000,
        spendMicros: 10_000_000,
        receiveMicros: 4_000_000,
        exact: 'spend',
      });
    });

    it('buys for a sum of money no more than it pays for at the worst price', () => {
      const type = { kind: 'market', life: 'all_now', book: orders.bookAt(4_000) } as const;
      const { spendMicros, receiveMicros, price } = terms({ amount: usdc(10_000_000), type });
      expect(spendMicros).toBeLessThanOrEqual(10_000_000);
      expect(receiveMicros * price).toBeLessThanOrEqual(spendMicros * 10_000);
    });

    it('refuses a price between two ticks', () => {
      const between = priceTicks(4_000 + under.market.tickSize / 2);
      const type = { kind: 'limit', price: between } as const;
      expect(refusalOf({ type })).toMatchObject({ code: 'price_off_tick' });
    });

    it('refuses fewer shares than the market takes', () => {
      const amount = { unit: 'shares', micros: under.market.minSize / 2 } as const;
      expect(refusalOf({ amount })).toMatchObject({ code: tooSmall });
    });

    it('refuses what the book cannot fill, and what it fills beyond the worst price', () => {
      const life = 'all_now';
      const thin = aBook(under.market, 0, { asks: [aLevel(4_000, 5)], bids: [] });
      const worstPrice = priceTicks(3_900);
      for (const type of [
        { kind: 'market', life, book: thin },
        { kind: 'market', life, book: orders.bookAt(4_000), worstPrice },
      ] as const)
        expect(refusalOf({ type })).toMatchObject({ code: 'no_liquidity' });
    });

    it('refuses an amount with more decimals than an order keeps', () => {
      const { rules, traits } = under.trading;
      for (const amount of [
        usdc(traits.cashStepMicros + 1),
        { unit: 'shares', micros: traits.shareStepMicros + 1 } as const,
      ])
        expect(() => rules.assertStep(amount, null)).toThrowError(
          expect.objectContaining({ code: 'amount_off_step' }),
        );
      rules.assertStep(usdc(traits.cashStepMicros), null);
    });

    it('says how the market ended once it has, and not before; no book is left', async () => {
      const { venue, world, market } = under;
      const { marketId, outcomes } = market;
      expect(await venue.catalogue.resolution(marketId)).toBeNull();
      world.resolve([10_000, 0]);
      const resolution = { marketId, payoutTicks: [10_000, 0], resolvedAtMs: expect.any(Number) };
      await eventually(async () =>
        expect(await venue.catalogue.resolution(marketId)).toEqual(resolution),
      );
      expect(await venue.catalogue.market(marketId)).toMatchObject({ closed: true });
      expect(await under.books.snapshot(outcomes[0].tokenId)).toBeNull();
    });
  });
}

/** Markets of a venue's list, page by page. */
async function listedIn(directory: VenueUnderTest['venue']['browsing']['directory']) {
  const listed: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof directory.markets>> = await directory.markets({
      limit: 100,
      cursor,
    });
    listed.push(...page.data.map(({ market }) => market.marketId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return listed;
}
