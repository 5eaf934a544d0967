import { describe, expect, it } from 'vitest';
import { dayBefore, withPrice } from '../../../src/web/pages/wallet/token-points.ts';

describe('the drawn price of a token', () => {
  const first = withPrice([], { priceUsd: '0.0000124', atMs: 5_999 });

  it('begins with the first price that is known, at the second it was published', () => {
    expect(first).toEqual([{ time: 5, value: 0.0000124 }]);
    expect(withPrice([], { priceUsd: null, atMs: 5_000 })).toEqual([]);
    expect(withPrice([], { priceUsd: '1', atMs: null })).toEqual([]);
  });

  it('goes on with what was published later, and takes nothing twice or backwards', () => {
    expect(withPrice(first, { priceUsd: '2', atMs: 5_000 })).toBe(first);
    expect(withPrice(first, { priceUsd: '2', atMs: 4_000 })).toBe(first);
    expect(withPrice(first, { priceUsd: '2', atMs: 20_000 })).toEqual([
      ...first,
      { time: 20, value: 2 },
    ]);
  });

  it('keeps half a day of a page that stays open', () => {
    const kept = Array.from({ length: 3_000 }, (_each, index) => index + 1).reduce<
      ReturnType<typeof withPrice>
    >((points, second) => withPrice(points, { priceUsd: '1', atMs: second * 1_000 }), []);
    expect([kept.length, kept.at(-1)?.time]).toEqual([2_880, 3_000]);
  });

  it.each([
    ['1.5', '50', 1],
    ['0.5', '-50', 1],
    ['1', '0', 1],
    ['1', '-100', null],
    [null, '5', null],
    ['1', null, null],
  ])('that costs %s after a change of %s %% was at %s a day before', (price, change, before) => {
    expect(dayBefore(price, change)).toBe(before);
  });
});
