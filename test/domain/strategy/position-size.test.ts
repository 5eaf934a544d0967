import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takerFeeMicros } from '../../../src/domain/fees.ts';
import { positionSize } from '../../../src/domain/strategy/position-size.ts';
import { priceTicks, sharesFor, usdcMicros } from '../../../src/domain/units.ts';

const usd = (whole: number) => usdcMicros(whole * 1_000_000);
const settings = { minPositionSize: usd(2), avgPositionSize: usd(5), maxPositionSize: usd(10) };
const fee = { rateMicros: 70_000, exponent: 1, takerOnly: true };

describe('the size of a position', () => {
  it('is the average size when cash covers it and its fee', () => {
    expect(positionSize({ settings, availableUsdc: usd(100), ask: priceTicks(5_000), fee })).toBe(usd(5));
  });

  it('is cut to what cash covers with the fee', () => {
    expect(positionSize({ settings, availableUsdc: usd(4), ask: priceTicks(5_000), fee: null })).toBe(3_999_990);
    expect(positionSize({ settings, availableUsdc: usd(4), ask: priceTicks(5_000), fee })).toBe(3_864_724);
  });

  it('is none when cash does not cover the smallest size', () => {
    expect(positionSize({ settings, availableUsdc: usd(2), ask: priceTicks(5_000), fee })).toBeNull();
    expect(positionSize({ settings, availableUsdc: usd(0), ask: priceTicks(5_000), fee })).toBeNull();
  });

  it('L5: never exceeds cash together with its fee, nor the settings', () => {
    assert(property(integer({ min: 0, max: 20_000_000 }), integer({ min: 1, max: 9_999 }), (cash, ticks) => {
      const ask = priceTicks(ticks);
      const size = positionSize({ settings, availableUsdc: usdcMicros(cash), ask, fee });
      if (size === null) return;
      expect(size + takerFeeMicros(sharesFor(size, ask), ask, fee)).toBeLessThanOrEqual(cash);
      expect(size).toBeGreaterThanOrEqual(settings.minPositionSize);
      expect(size).toBeLessThanOrEqual(settings.avgPositionSize);
    }), { numRuns: 5_000 });
  });
});
