import { describe, expect, it } from 'vitest';
import { createSymbolPrices } from '../../../src/adapters/exchange/mid-price.ts';

describe('createSymbolPrices', () => {
  it('gives the middle of bid and ask', () => {
    const prices = createSymbolPrices(5_000);
    expect([
      prices.quote(1, '60000.00', '60000.01', 0),
      prices.quote(2, '0.00000001', '0.00000004', 0),
    ]).toEqual([
      { kind: 'mid', price: 6_000_000_500_000 },
      { kind: 'mid', price: 2 },
    ]);
  });

  it('drops quotes out of order, crossed or unreadable', () => {
    const prices = createSymbolPrices(5_000);
    prices.quote(5, '100', '101', 0);
    expect([
      prices.quote(5, '100', '101', 0),
      prices.quote(4, '100', '101', 0),
      prices.quote(6, '102', '101', 0),
      prices.quote(7, '1e5', '101', 0),
    ]).toEqual([
      { kind: 'dropped', reason: 'repeated' },
      { kind: 'dropped', reason: 'repeated' },
      { kind: 'dropped', reason: 'malformed' },
      { kind: 'dropped', reason: 'malformed' },
    ]);
  });

  it('drops a quote more than half a percent from a recent trade, not from an old one', () => {
    const prices = createSymbolPrices(5_000);
    prices.trade(1, '100', 0, 0);
    expect(
      [
        prices.quote(1, '100.49', '100.51', 5_000),
        prices.quote(2, '100.5', '100.6', 5_000),
        prices.quote(3, '100.5', '100.6', 5_001),
      ].map(({ kind }) => kind),
    ).toEqual(['mid', 'dropped', 'mid']);
  });

  it('knows how late the stream is by the newest trade', () => {
    const prices = createSymbolPrices(5_000);
    expect(prices.lagMs(0)).toBe(0);
    prices.trade(1, '100', 1_000, 4_000);
    expect([prices.lagMs(4_000), prices.lagMs(9_000), prices.lagMs(9_001)]).toEqual([
      3_000, 3_000, 0,
    ]);
    expect(prices.trade(1, '100', 9_000, 9_000)).toBe(false);
  });

  it('goes on with numbers that begin anew, or after one far ahead of them, once nothing newer has come for as long as a trade counts', () => {
    const prices = createSymbolPrices(1_000);
    expect(prices.quote(Number.MAX_SAFE_INTEGER, '100', '102', 0).kind).toBe('mid');
    expect(prices.trade(Number.MAX_SAFE_INTEGER, '101', 0, 0)).toBe(true);
    expect([
      prices.quote(7, '100', '102', 1_000).kind,
      prices.trade(7, '101', 1_000, 1_000),
    ]).toEqual(['dropped', false]);
    expect([
      prices.quote(8, '100', '102', 1_001).kind,
      prices.trade(8, '101', 1_001, 1_001),
    ]).toEqual(['mid', true]);
    expect([
      prices.quote(8, '100', '102', 1_002).kind,
      prices.trade(8, '101', 1_002, 1_002),
    ]).toEqual(['dropped', false]);
  });
});
