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
    left: { usdc: '95.5' },
    ...part,
  } as Estimate;
}

const BUY = { action: 'buy', label: 'Yes', venue: 'venue a' } as const;

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

  it('does not state one of a limit order, whose price is its own field', () => {
    const rows = estimateRows(anEstimate({ orderType: 'limit', restingShares: '3' }), BUY);
    expect(rows.map(([name]) => name)).toEqual([
      'Average price',
      'Shares',
      'Rests in the book',
      'Fee, about',
      'If Yes, it pays',
      'Available at venue a',
    ]);
  });

  it('says at which venue the money is that it calls available', () => {
    expect(estimateRows(anEstimate(), BUY).at(-1)).toEqual(['Available at venue a', '$95.50']);
  });
});
