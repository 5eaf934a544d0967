import { describe, expect, it } from 'vitest';
import { highestBid } from '../../src/app/equity.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';

const level = (ticks: number) => ({ price: priceTicks(ticks), size: shareMicros(1_000_000) });

describe('the bid that equity is valued at', () => {
  it('is the best one, in whatever order the venue states its book', () => {
    expect(highestBid({ bids: [level(100), level(2_900), level(200)] })).toBe(2_900);
    expect(highestBid({ bids: [level(2_900), level(100)] })).toBe(2_900);
  });

  it('is null without bids', () => {
    expect(highestBid({ bids: [] })).toBeNull();
  });
});
