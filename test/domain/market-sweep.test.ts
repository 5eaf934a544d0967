import { describe, expect, it } from 'vitest';
import { sweepMarket, type MarketSweepQuestion } from '../../src/domain/market-sweep.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { aBook, aLevel, aMarket } from '../support/builders.ts';

const BOOK = aBook(aMarket(), 0, {
  bids: [aLevel(4_800, 100), aLevel(4_600, 100)],
  asks: [aLevel(5_000, 100), aLevel(5_200, 100)],
});
const inUsdc = (usdc: number) => ({ unit: 'usdc', micros: usdcMicros(usdc * 1_000_000) }) as const;
const inShares = (shares: number) =>
  ({ unit: 'shares', micros: shareMicros(shares * 1_000_000) }) as const;
const swept = (changes: Partial<MarketSweepQuestion>) =>
  sweepMarket({
    book: BOOK,
    side: 'buy',
    amount: inShares(100),
    life: 'part_now',
    tick: priceTicks(100),
    slippageTicks: 0,
    ...changes,
  });

describe('a market order meets a book', () => {
  it.each<[string, Partial<MarketSweepQuestion>, object]>([
    ['a purchase of shares takes asks', {}, { worstPrice: 5_000, costMicros: 50_000_000 }],
    [
      'a purchase for money takes as many as it pays for',
      { amount: inUsdc(50 + 26) },
      { worstPrice: 5_200, shares: 150_000_000 },
    ],
    ['a sale takes bids', { side: 'sell' }, { worstPrice: 4_800, costMicros: 48_000_000 }],
  ])('%s', (_, question, sweep) => {
    expect(swept(question).sweep).toMatchObject({ ...sweep, complete: true });
  });

  it.each<[string, Partial<MarketSweepQuestion>, number]>([
    ['a purchase accepts the worst level it reaches', { amount: inShares(101) }, 5_200],
    ['and a little more, down to the tick', { slippageTicks: 250 }, 5_200],
    ['a sale accepts the worst level it reaches', { side: 'sell' }, 4_800],
    ['and a little less, up to the tick', { side: 'sell', slippageTicks: 250 }, 4_600],
    ['a purchase never accepts a dollar', { slippageTicks: 9_000 }, 9_900],
    ['a sale never accepts nothing', { side: 'sell', slippageTicks: 9_000 }, 100],
    [
      'a finer tick leaves more of the slippage',
      { slippageTicks: 255, tick: priceTicks(10) },
      5_250,
    ],
    [
      'a bound below the slippage holds',
      { slippageTicks: 300, worstPrice: priceTicks(5_199) },
      5_100,
    ],
    ['one beyond it changes nothing', { slippageTicks: 300, worstPrice: priceTicks(5_900) }, 5_300],
    ['the level itself is within it', { worstPrice: priceTicks(5_000) }, 5_000],
    [
      'for a sale likewise',
      { side: 'sell', slippageTicks: 300, worstPrice: priceTicks(4_601) },
      4_700,
    ],
    [
      'a bound of a sale beyond the slippage changes nothing',
      { side: 'sell', slippageTicks: 300, worstPrice: priceTicks(4_000) },
      4_500,
    ],
    ['the bid itself is within it', { side: 'sell', worstPrice: priceTicks(4_800) }, 4_800],
  ])('%s', (_, question, price) => {
    expect(swept(question).price).toBe(price);
  });

  it.each<[string, Partial<MarketSweepQuestion>]>([
    ['an empty side', { book: { ...BOOK, asks: [] } }],
    ['less than all of it, where it must be all', { amount: inShares(201), life: 'all_now' }],
    ['asks beyond the bound', { worstPrice: priceTicks(4_999) }],
    ['bids beyond the bound', { side: 'sell', worstPrice: priceTicks(4_801) }],
  ])('is refused, and may be tried again: %s', (_, question) => {
    expect(() => swept(question)).toThrow(
      expect.objectContaining({ code: 'no_liquidity', retryable: true }),
    );
  });

  it('is refused with the price that the book reaches, and the worst one accepted', () => {
    expect(() => swept({ worstPrice: priceTicks(4_999) })).toThrow(
      expect.objectContaining({ movedPrice: { price: '0.5', worstPrice: '0.4999' } }),
    );
  });

  it('is refused for its amount where the book has too little', () => {
    expect(() => swept({ amount: inShares(201), life: 'all_now' })).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ path: '/amount' })] }),
    );
  });

  it('takes what there is, unless it must be all', () => {
    expect(swept({ amount: inShares(201) }).sweep).toMatchObject({
      shares: 200_000_000,
      complete: false,
    });
    expect(swept({ amount: inShares(200), life: 'all_now' }).sweep.complete).toBe(true);
  });

  it('says in its own unit what the book could not fill', () => {
    const of = (amount: MarketSweepQuestion['amount']) => () => swept({ amount, life: 'all_now' });
    expect(of(inUsdc(500))).toThrow('cannot fill 500 USDC');
    expect(of(inShares(500))).toThrow('cannot fill 500 shares');
  });
});
