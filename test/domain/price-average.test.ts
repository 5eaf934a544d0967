import { describe, expect, it } from 'vitest';
import { addSecond, minuteAverage, type SecondPrices } from '../../src/domain/price-average.ts';
import { assetPriceE8 } from '../../src/domain/units.ts';

const fill = (count: number, from: SecondPrices = []) =>
  Array.from({ length: count }, (_, second) => second).reduce(
    (seconds, second) => addSecond(seconds, assetPriceE8(100 + second), second * 1_000),
    from,
  );

describe('minuteAverage', () => {
  it('averages the last sixty whole seconds, cut to a whole unit', () => {
    expect(minuteAverage(fill(60))).toBe(129);
    expect(minuteAverage(fill(100))).toBe(169);
  });

  it('is absent while more than five of the sixty seconds are missing', () => {
    expect([minuteAverage(fill(54)), minuteAverage(fill(55))]).toEqual([null, 127]);
    expect(minuteAverage(addSecond(fill(100), assetPriceE8(1), 106_000))).toBeNull();
  });

  it('keeps the first price of a second and ignores the past', () => {
    const seconds = fill(60);
    expect(
      addSecond(addSecond(seconds, assetPriceE8(9_999), 59_900), assetPriceE8(9_999), 3_000),
    ).toEqual(seconds);
  });
});
