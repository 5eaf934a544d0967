import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeeSchedule } from '../../../src/domain/market.ts';
import { leastBid, positionSize } from '../../../src/domain/strategy/position-size.ts';
import { priceTicks, shareMicros, usdcMicros, type UsdcMicros } from '../../../src/domain/units.ts';
import { venueARules } from '../../../src/venues/venue-a/rules.ts';
import { aMarket } from '../../support/builders.ts';

const usd = (whole: number) => usdcMicros(whole * 1_000_000);
const settings = { minPositionSize: usd(2), avgPositionSize: usd(5), maxPositionSize: usd(10) };
/** What comes on top of a sum by the rules of a market with these fees. */
const by = (fee: FeeSchedule | null) => (amountUsdc: UsdcMicros) =>
  venueARules.mostSetAside(aMarket(1, { fee }), amountUsdc);
const mostSetAside = by({ rateMicros: 70_000, exponent: 1, takerOnly: true });
/** Of a venue whose fees are inside what is paid. */
const inside = (amountUsdc: UsdcMicros) => amountUsdc;

describe('the least a bid may be for', () => {
  it('is the smallest number of shares of its market at its price, rounded up', () => {
    const market = aMarket(1, { minSize: shareMicros(5_000_001) });
    expect(leastBid(market, priceTicks(6_000))).toBe(3_000_001);
  });
});

describe('the size of a position', () => {
  it('is the average size when cash covers it and its fee', () => {
    expect(
      positionSize({ settings, availableUsdc: usd(100), leastUsdc: usd(0), mostSetAside }),
    ).toBe(usd(5));
    expect(
      positionSize({ settings, availableUsdc: usd(5), leastUsdc: usd(0), mostSetAside: inside }),
    ).toBe(usd(5));
  });

  it('is cut to what cash covers with the fee', () => {
    const size = positionSize({ settings, availableUsdc: usd(4), leastUsdc: usd(0), mostSetAside });
    expect(size === null ? null : Math.round(size / 1_000)).toBe(3_737);
  });

  it('is null when cash does not cover the smallest size', () => {
    expect(
      positionSize({ settings, availableUsdc: usd(2), leastUsdc: usd(0), mostSetAside }),
    ).toBeNull();
    expect(
      positionSize({ settings, availableUsdc: usd(0), leastUsdc: usd(0), mostSetAside }),
    ).toBeNull();
  });

  it('is null when cash covers no more than the rounding of the fee', () => {
    const sizeOf = (cash: number) =>
      positionSize({ settings, availableUsdc: usdcMicros(cash), leastUsdc: usd(0), mostSetAside });
    expect([1_000, 1_001, 1_002].map(sizeOf)).toEqual([null, null, null]);
  });

  it('is raised to what the venue takes, and none when that is above the largest size', () => {
    const small = { minPositionSize: usd(1), avgPositionSize: usd(2), maxPositionSize: usd(4) };
    expect(
      positionSize({ settings: small, availableUsdc: usd(100), leastUsdc: usd(3), mostSetAside }),
    ).toBe(usd(3));
    expect(
      positionSize({ settings: small, availableUsdc: usd(100), leastUsdc: usd(4), mostSetAside }),
    ).toBe(usd(4));
    expect(
      positionSize({
        settings: small,
        availableUsdc: usd(100),
        leastUsdc: usdcMicros(4_000_001),
        mostSetAside,
      }),
    ).toBeNull();
  });

  it('is null when cash does not cover what the venue takes at least', () => {
    expect(
      positionSize({ settings, availableUsdc: usd(3), leastUsdc: usd(3), mostSetAside }),
    ).toBeNull();
    expect(
      positionSize({ settings, availableUsdc: usd(3), leastUsdc: usd(3), mostSetAside: inside }),
    ).toBe(usd(3));
  });

  it('L5: with its fee never exceeds cash, leaves less than ten micros of it unused when it is cut, and stays within the settings', () => {
    assert(
      property(
        integer({ min: 0, max: 20_000_000 }),
        integer({ min: 0, max: 70_000 }),
        integer({ min: 1, max: 2 }),
        (cash, rateMicros, exponent) => {
          const most = by({ rateMicros, exponent, takerOnly: true });
          const size = positionSize({
            settings,
            availableUsdc: usdcMicros(cash),
            leastUsdc: usd(0),
            mostSetAside: most,
          });
          if (size === null) {
            expect(most(settings.minPositionSize)).toBeGreaterThan(cash - 10);
            return;
          }
          expect(most(size)).toBeLessThanOrEqual(cash);
          if (size < settings.avgPositionSize) expect(most(size)).toBeGreaterThan(cash - 10);
          expect(size).toBeGreaterThanOrEqual(settings.minPositionSize);
          expect(size).toBeLessThanOrEqual(settings.avgPositionSize);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
