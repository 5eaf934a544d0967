import { describe, expect, it } from 'vitest';
import {
  aboutCoin,
  cents,
  levelShares,
  chance,
  decimalText,
  feeOf,
  changePercent,
  gasPaid,
  percent,
  sellable,
  shares,
  signedUsd,
  spendable,
  sumOf,
  tokenAmount,
  tokenPrice,
  usd,
} from '../../../src/web/format/money.ts';

describe('money on a page', () => {
  it('says what a trade cost beside its price: dollars, or the shares the venue kept', () => {
    expect([feeOf({ usdc: '0.03', kept: '0' }), feeOf({ usdc: '0.03', kept: '0.075' })]).toEqual([
      '$0.03',
      '0.08 shares, $0.03',
    ]);
  });

  it.each([
    ['966.959', '$966.95'],
    ['5', '$5.00'],
    ['0.004', '$0.0040'],
    [null, '–'],
  ])('never says that more than %s can be spent', (amount, text) => {
    expect(spendable(amount)).toBe(text);
  });

  it.each([
    ['28.5799', '28.57'],
    ['0.0049', '0.0049'],
  ])('never says that more than %s can be sold', (amount, text) => {
    expect(sellable(amount)).toBe(text);
  });

  it.each([
    ['0', '$0.00'],
    ['5', '$5.00'],
    ['966.959', '$966.96'],
    ['4.9972', '$5.00'],
    ['0.995', '$1.00'],
    ['0.00999', '$0.01'],
    ['1234567.5', '$1,234,567.50'],
    ['-5.067', '−$5.07'],
    ['-0.005', '−$0.0050'],
    ['0.004', '$0.0040'],
    ['0.0000001', '$0.00'],
    ['-0.0000001', '$0.00'],
    ['0.01', '$0.01'],
    [null, '–'],
  ])('%s USDC is rounded to the nearest cent: %s', (amount, shown) => {
    expect(usd(amount)).toBe(shown);
  });

  it.each([
    ['64311.4299', '$64,311.43'],
    ['0.04', '$0.04'],
    ['0.0000123456', '$0.00001235'],
    ['0.003', '$0.003'],
    ['0', '$0.00'],
    ['0.000', '$0.00'],
    [null, '–'],
  ])('a token’s price of %s is %s', (price, shown) => {
    expect(tokenPrice(price)).toBe(shown);
  });

  it.each([
    ['1.2', '+$1.20'],
    ['-1.2', '−$1.20'],
    ['0', '$0.00'],
    [null, '–'],
  ])('a result of %s carries its sign: %s', (amount, shown) => {
    expect(signedUsd(amount)).toBe(shown);
  });

  it.each([
    ['20.8333', '20.83'],
    ['435.9', '435.90'],
    ['1557.3765', '1,557.38'],
    ['99.999', '100'],
    ['1177', '1,177'],
    ['0.005', '0.005'],
    ['0.004300', '0.0043'],
    ['0.009', '0.009'],
    ['0', '0.00'],
    ['0.000000', '0.00'],
    [null, '–'],
  ])('%s shares are %s', (amount, shown) => {
    expect(shares(amount)).toBe(shown);
  });

  it('whole shares of a level of a book have no places, others two', () => {
    expect(['14', '1659', '0.5', '0.004'].map(levelShares)).toEqual([
      '14',
      '1,659',
      '0.50',
      '0.004',
    ]);
  });

  it.each([
    ['0.63', '63¢'],
    ['0.965', '96.5¢'],
    ['0.0001', '0.01¢'],
    ['-0.002', '\u22120.2¢'],
    [null, '–'],
  ])('a price of %s is %s', (price, shown) => {
    expect(cents(price)).toBe(shown);
  });

  it.each([
    ['0.62', '0.64', '63 %'],
    ['0.6', '0.72', '60–72 %'],
    [null, null, '–'],
    [null, '0.03', '2 %'],
    ['0.4', null, '40–100 %'],
  ])('a bid of %s and an ask of %s are a chance of %s', (bid, ask, shown) => {
    expect(chance(bid, ask)).toBe(shown);
  });

  it.each([
    ['0.00000123456', '0.0000012'],
    ['0.04', '0.04'],
    ['1.2', '1.2'],
    ['25', '25'],
    ['0', '0'],
  ])('about %s of a coin is %s', (amount, shown) => {
    expect(aboutCoin(amount)).toBe(shown);
  });

  it('says what the network took for a transaction, about, in its coin', () => {
    const paid = { amount: '0.000212537', symbol: 'ETH', amountUsd: '0.7438' };
    expect([
      gasPaid(paid),
      gasPaid({ ...paid, amountUsd: '0.0003' }),
      gasPaid({ ...paid, amountUsd: null }),
    ]).toEqual(['0.00021 ETH ($0.74)', '0.00021 ETH (less than $0.01)', '0.00021 ETH']);
  });

  it.each([
    ['19.856', '+19.9 %'],
    ['213.528', '+213.5 %'],
    ['-68.04', '−68 %'],
    ['-0.659', '−0.66 %'],
    ['0.04', '+0.04 %'],
    ['0.004', '0 %'],
    ['0', '0 %'],
  ])('writes a change of %s percent as %s', (percent, text) => {
    expect(changePercent(percent)).toBe(text);
  });

  it.each([
    ['0.71', '71 %'],
    ['0.0387', '3.9 %'],
    ['0.955', '95.5 %'],
    ['1', '100 %'],
    [null, '–'],
  ])('a part of %s is %s', (part, shown) => {
    expect(percent(part)).toBe(shown);
  });

  it.each([
    ['1.5', '1.5'],
    ['0.00123456', '0.001234'],
    ['12345.678', '12,345.67'],
    ['100', '100'],
  ])('%s of a token is %s', (amount, shown) => {
    expect(tokenAmount(amount)).toBe(shown);
  });

  it.each([
    [['1.10', '2.205'], '3.305000'],
    [['1', '-2.5'], '-1.500000'],
    [['-0.25', '0.25'], '0.000000'],
    [[], '0.000000'],
    [['1', null], null],
  ])('%j adds up to %s, exactly', (amounts, sum) => {
    expect(sumOf(amounts)).toBe(sum);
  });

  it('a total is the exact sum of its parts and rounded once, as any amount is', () => {
    const parts = ['-2.494', '-2.494', '-2.487'];
    expect(parts.map((part) => usd(part))).toEqual(['−$2.49', '−$2.49', '−$2.49']);
    expect(usd(sumOf(parts))).toBe('−$7.48');
  });

  it.each([
    // as a float it lies below the half, and rounds to 7.47 there
    [7.475, '$7.48'],
    [-7.475, '−$7.48'],
    [1.005, '$1.01'],
    [0.1 + 0.2, '$0.30'],
    [-1e-9, '$0.00'],
  ])('a chart’s value of %d is rounded as its decimal text is: %s', (value, shown) => {
    expect(usd(decimalText(value))).toBe(shown);
  });
});
