import { describe, expect, it } from 'vitest';
import { amountIn, exactIn, priceIn, resultIn } from '../../../src/web/format/viewed.ts';

const DOLLARS = { symbol: 'USDT', isDollar: true };
const POINTS = { symbol: 'PTS', isDollar: false };
const UNKNOWN = { symbol: null, isDollar: false };

describe('amounts at view-only venues', () => {
  it('are written in dollars only where they are dollars', () => {
    expect([DOLLARS, POINTS, UNKNOWN].map((each) => amountIn(each, '599.383076'))).toEqual([
      '$599.38',
      '599.38 PTS',
      '599.38 units',
    ]);
    expect([DOLLARS, POINTS].map((each) => priceIn(each, '0.42'))).toEqual(['42¢', '0.42']);
    expect(exactIn(DOLLARS, '5.311456')).toBe('5.311456 USDT');
  });

  it('have the sign of a result', () => {
    const results = ['2', '-2', '0'];
    expect(results.map((each) => resultIn(DOLLARS, each))).toEqual(['+$2.00', '−$2.00', '$0.00']);
    expect(results.map((each) => resultIn(POINTS, each))).toEqual([
      '+2.00 PTS',
      '−2.00 PTS',
      '0.00 PTS',
    ]);
  });
});
