import { describe, expect, it } from 'vitest';
import { priceFault } from '../../../src/web/pages/markets/price-fault.ts';

describe('a limit price as it is typed', () => {
  it.each(['', ' ', '1', '40', '40.', '40.5', '99', ' 7 '])('“%s” has no fault', (typed) => {
    expect(priceFault(typed, '0.01')).toBeNull();
  });

  it.each(['abc', '-1', '.5', '1e1', '4,5'])('“%s” is to be written in digits', (typed) => {
    expect(priceFault(typed, '0.01')).toBe('Write the price in digits, from 1¢ to 99¢.');
  });

  it.each(['0', '0.99', '99.01', '100', '1000', '100.001'])('“%s” is out of range', (typed) => {
    expect(priceFault(typed, '0.01')).toBe('A price here is from 1¢ to 99¢.');
  });

  it('has the range of its market', () => {
    expect(priceFault('99.9', '0.001')).toBeNull();
    expect(priceFault('0.1', '0.001')).toBeNull();
    expect(priceFault('0', '0.001')).toBe('A price here is from 0.1¢ to 99.9¢.');
  });

  it('with more decimals than a price has is no price in dollars', () => {
    expect(priceFault('0.123', '0.001')).toBe('A price in cents has at most two decimals.');
  });
});
