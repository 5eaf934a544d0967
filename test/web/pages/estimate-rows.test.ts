import { describe, expect, it } from 'vitest';
import type { Estimate } from '../../../src/web/api/venues.ts';
import { estimateRows } from '../../../src/web/pages/markets/estimate-rows.ts';

/** Of an estimate the fields that the ticket lists. */
function anEstimate(part: Partial<Estimate> = {}): Estimate {
  return {
    orderType: 'market',
    averagePrice: '0.61',
    worstPrice: '0.64',
    shares: '8.1',
    amountUsdc: '4.94',
    restingShares: '0',
    fee: { estimated: '0.05', worst: '0.06' },
    feeShares: '0',
    gas: null,
    networkCost: '0',
    left: { usdc: '95.5' },
    ...part,
  } as Estimate;
}

const BUY = { action: 'buy', label: 'Yes', venue: 'venue a', poolTick: null } as const;

describe('what the ticket says before an order is sent', () => {
  it('names the worst price that a market order may trade at, either way', () => {
    expect(estimateRows(anEstimate(), BUY)).toContainEqual([
      'At most, a share',
      '64¢',
      'worstPrice',
    ]);
    expect(estimateRows(anEstimate(), { ...BUY, action: 'sell' })).toContainEqual([
      'At least, a share',
      '64¢',
      'worstPrice',
    ]);
  });

  it('says what a purchase takes in all, and what a sale brings, with the fee', () => {
    expect(estimateRows(anEstimate(), BUY)).toContainEqual(['You pay in all, about', '$4.99']);
    expect(estimateRows(anEstimate(), { ...BUY, action: 'sell' })).toContainEqual([
      'You get after the fee, about',
      '$4.89',
    ]);
  });

  it('takes a fee that is kept in shares off what is paid out, and adds none to what is paid', () => {
    const rows = estimateRows(anEstimate({ feeShares: '0.1' }), BUY);
    expect(rows).toContainEqual(['Fee, about', '0.10 shares, $0.05']);
    expect(rows).toContainEqual(['You pay in all, about', '$4.94']);
    expect(rows).toContainEqual(['If Yes, it pays', '$8.00']);
  });

  it('names what the network takes for a right that an order in a book needs first', () => {
    const gas = { symbol: 'ETH', rent: null, amount: '0.0001', needed: '0.0007', held: '0' };
    const rows = estimateRows(anEstimate({ gas, networkCost: '0.35' }), BUY);
    expect(rows.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Network takes, about', 'Needed for gas']),
    );
    expect(rows).toContainEqual(['You pay in all with gas, about', '$5.34']);
    expect(estimateRows(anEstimate(), BUY).map(([name]) => name)).not.toContain(
      'Network takes, about',
    );
  });

  it('names on a chain of rents the most it takes, and the rent that stays in an account', () => {
    const gas = { symbol: 'SOL', amount: '0.0022', rent: '0.0021', needed: '0.003', held: '1' };
    const rows = estimateRows(anEstimate({ gas, networkCost: '0.16' }), BUY);
    expect(rows).toContainEqual(['Network takes, at most', '0.0022 SOL, $0.16', 'gas']);
    expect(rows).toContainEqual(['Of that, rent of a token account', '0.0021 SOL', 'rent']);
    const unknown = estimateRows(anEstimate({ gas: null, networkCost: null }), BUY);
    expect(unknown).toContainEqual(['Network takes', 'the chain does not answer', 'gas']);
  });

  it('says of a limit order what trades at once, what rests at its price, and what both come to', () => {
    const limit = anEstimate({
      orderType: 'limit',
      worstPrice: '0.64',
      restingShares: '3',
      setsAside: { usdc: '6.91', shares: '0' },
    });
    expect(estimateRows(limit, BUY)).toEqual([
      ['Average price', '61¢'],
      ['Shares at once', '8.10'],
      ['Shares that rest', '3.00 at 64¢'],
      ['Fee, about', '$0.05'],
      ['If filled and Yes, it pays', '$11.10'],
      ['Set aside until then', '$6.91', 'setAside'],
      ['Available at venue a', '$95.50'],
    ]);
    expect(estimateRows(limit, { ...BUY, action: 'sell' })).toContainEqual([
      'You get when filled, about',
      '$6.81',
    ]);
  });

  it('names no shares at once, and no average price, of an order that only rests', () => {
    const resting = anEstimate({
      orderType: 'limit',
      averagePrice: null,
      shares: '0',
      amountUsdc: '0',
      restingShares: '10',
      setsAside: { usdc: '6.4', shares: '0' },
    });
    expect(estimateRows(resting, BUY).map(([name, value]) => `${name}: ${value}`)).toEqual([
      'Shares that rest: 10.00 at 64¢',
      'Fee, about: $0.05',
      'If filled and Yes, it pays: $10.00',
      'Set aside until then: $6.40',
      'Available at venue a: $95.50',
    ]);
  });

  it('says at which venue the money is that it calls available', () => {
    expect(estimateRows(anEstimate(), BUY).at(-1)).toEqual(['Available at venue a', '$95.50']);
  });

  describe('of a pool', () => {
    const POOL = { ...BUY, poolTick: '0.001' } as const;
    const book = { ageMs: 5, trusted: true, bestBid: '0.58', bestAsk: '0.6' };
    const gas = {
      symbol: 'ETH',
      rent: null,
      amount: '0.00000123',
      needed: '0.00005',
      held: '0.01',
    };
    const aPools = (part: Partial<Estimate> = {}) =>
      anEstimate({ averagePrice: '0.612', book, gas, networkCost: '0.0043', ...part });

    it('says how far its average price is beyond the first one, no closer than a step', () => {
      expect(estimateRows(aPools(), POOL)).toContainEqual(['Price impact', '2.0 %', 'priceImpact']);
      expect(estimateRows(aPools({ averagePrice: '0.6004' }), POOL)).toContainEqual([
        'Price impact',
        'below 0.2 %',
        'priceImpact',
      ]);
      const sale = aPools({ averagePrice: '0.551' });
      expect(estimateRows(sale, { ...POOL, action: 'sell' })).toContainEqual([
        'Price impact',
        '5.0 %',
        'priceImpact',
      ]);
      const resting = aPools({ averagePrice: null });
      expect(estimateRows(resting, POOL).map(([name]) => name)).not.toContain('Price impact');
    });

    it('says what the network takes before the press, and that it is not known where it is not', () => {
      const names = estimateRows(aPools(), POOL).map(([name]) => name);
      expect(names).not.toContain('Fee, about');
      expect(names).not.toContain('Needed for gas');
      expect(estimateRows(aPools(), POOL)).toContainEqual([
        'Network takes, about',
        '0.0000012 ETH, $0.0043',
        'gas',
      ]);
      expect(estimateRows(aPools({ gas: null, networkCost: null }), POOL)).toContainEqual([
        'Network takes',
        'the chain does not answer',
        'gas',
      ]);
    });

    it('adds what the network takes to what is paid in all, where that is known in dollars', () => {
      const of = (part: Partial<Estimate>) =>
        estimateRows(aPools({ fee: { estimated: '0', worst: '0' }, ...part }), POOL).filter(
          ([name]) => name.startsWith('You pay'),
        );
      expect(of({ networkCost: '0.53' })).toEqual([['You pay in all with gas, about', '$5.47']]);
      expect(of({ networkCost: null })).toEqual([['You pay in all, about', '$4.94']]);
    });

    it('takes what the network takes off what a sale brings, and says so where it cannot', () => {
      const of = (part: Partial<Estimate>) =>
        estimateRows(aPools({ fee: { estimated: '0', worst: '0' }, ...part }), {
          ...POOL,
          action: 'sell',
        }).filter(([name]) => name.startsWith('You get'));
      expect(of({ networkCost: '0.41' })).toEqual([['You get after fee and gas, about', '$4.53']]);
      const unknown = [['You get after the fee, before gas, about', '$4.94']];
      expect(of({ networkCost: null })).toEqual(unknown);
      expect(of({ gas: null, networkCost: null })).toEqual(unknown);
      expect(of({ networkCost: '0.41', restingShares: '1' })).toEqual([
        ['You get when filled, before gas, about', '$5.58'],
      ]);
    });

    it('says how much of the coin is needed, and how much is there, where that is less', () => {
      const poor = aPools({ gas: { ...gas, held: '0' }, networkCost: null });
      expect(estimateRows(poor, POOL)).toContainEqual([
        'Needed for gas',
        '0.00005 ETH, you have 0',
        'gasNeeded',
      ]);
      expect(estimateRows(poor, POOL)).toContainEqual([
        'Network takes, about',
        '0.0000012 ETH',
        'gas',
      ]);
    });
  });
});
