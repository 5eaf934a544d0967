import { describe, expect, it } from 'vitest';
import { atLiveBid } from '../../../src/web/pages/markets/live-worth.ts';

const HELD = {
  shares: '10.5',
  costUsdc: '5.25',
  currentPrice: '0.48',
  unrealizedPnl: '-0.21',
  payoutPerShare: null,
} as const;

describe('a position beside the live book of its market', () => {
  it('is worth the best bid of the book, less what it cost', () => {
    expect(atLiveBid(HELD, '0.74')).toEqual({ price: '0.74', profit: '2.520000' });
  });

  it('is worth what the daemon last read where the book has no bid', () => {
    expect(atLiveBid(HELD, null)).toEqual({ price: '0.48', profit: '-0.21' });
  });

  it('is worth its payout once the market has resolved, whatever is bid', () => {
    const won = { ...HELD, currentPrice: '1', unrealizedPnl: '5.25', payoutPerShare: '1' } as const;
    expect(atLiveBid(won, '0.74')).toEqual({ price: '1', profit: '5.25' });
  });
});
