import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { assetPriceE8 } from '../../src/domain/units.ts';
import {
  foldVolatility,
  NO_VOLATILITY,
  volatilityOf,
  type VolatilitySettings,
  type VolatilityState,
} from '../../src/domain/volatility.ts';

const settings: VolatilitySettings = {
  halfLifeSeconds: 300,
  floor: 0.000_01,
  minimumReturns: 20,
  gapSeconds: 10,
};

function foldAll(
  samples: readonly (readonly [price: number, atMs: number])[],
  from: VolatilityState = NO_VOLATILITY,
): VolatilityState {
  return samples.reduce(
    (state, [price, atMs]) =>
      foldVolatility(state, assetPriceE8(Math.round(price * 1e8)), atMs, settings),
    from,
  );
}

/**
 * A walk of `count` seconds with the given deviation a second, by the sum of twelve uniform draws.
 */
function walk(count: number, deviation: number, stepSeconds = 1): (readonly [number, number])[] {
  const random = createSeededRandom(7);
  let price = 60_000;
  return Array.from({ length: count }, (_, index) => {
    const normal = Array.from({ length: 12 }, () => random.integer(1_000_001) / 1_000_000).reduce(
      (sum, draw) => sum + draw,
      -6,
    );
    price *= Math.exp(normal * deviation * Math.sqrt(stepSeconds));
    return [price, index * stepSeconds * 1_000] as const;
  });
}

describe('volatility', () => {
  it('finds the deviation of a known walk, whatever the step between samples', () => {
    for (const step of [1, 2, 5]) {
      const found = volatilityOf(foldAll(walk(5_000, 0.000_08, step)), settings) ?? 0;
      expect(Math.abs(found / 0.000_08 - 1)).toBeLessThan(0.15);
    }
  });

  it('is absent until enough returns were seen', () => {
    expect(volatilityOf(foldAll(walk(20, 0.000_08)), settings)).toBeNull();
    expect(volatilityOf(foldAll(walk(21, 0.000_08)), settings)).not.toBeNull();
  });

  it('never falls under its floor when the price does not move', () => {
    expect(
      volatilityOf(
        foldAll(Array.from({ length: 100 }, (_, second) => [60_000, second * 1_000] as const)),
        settings,
      ),
    ).toBe(settings.floor);
  });

  it('ignores further prices of the same second and prices from the past', () => {
    const calm = foldAll(walk(30, 0.000_08));
    expect(
      foldAll(
        [
          [90_000, 29_500],
          [90_000, 3_000],
        ],
        calm,
      ),
    ).toEqual(calm);
  });

  it('forgets half of what it saw within its half-life', () => {
    const seen: VolatilityState = {
      last: { price: assetPriceE8(100), second: 0 },
      squares: 8,
      seconds: 20,
      returns: 20,
    };
    const later = foldVolatility(seen, assetPriceE8(100), 10_000, {
      ...settings,
      halfLifeSeconds: 10,
    });
    expect(later).toEqual({ ...seen, last: { price: 100, second: 10 }, squares: 4, seconds: 20 });
  });

  it('does not take what happened in a hole for one return', () => {
    const before = foldAll(walk(30, 0.000_08));
    const after = foldAll([[70_000, 29_000 + 11_000]], before);
    expect(volatilityOf(after, settings)).toBe(volatilityOf(before, settings));
    expect(after.last).toEqual({ price: 7_000_000_000_000, second: 40 });
  });
});
