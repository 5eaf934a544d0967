import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalCdf, probabilityUp, wideTailedCdf } from '../../src/domain/probability.ts';
import { assetPriceE8 } from '../../src/domain/units.ts';

const usd = (value: number) => assetPriceE8(Math.round(value * 1e8));

describe('normalCdf', () => {
  it('agrees with published values to fourteen digits', () => {
    const known: readonly (readonly [number, number])[] = [
      [0, 0.5],
      [1, 0.841_344_746_068_542_9],
      [-1, 0.158_655_253_931_457_05],
      [1.959_963_984_540_054, 0.975],
      [2, 0.977_249_868_051_820_8],
      [3, 0.998_650_101_968_369_9],
      [-5, 2.866_515_718_791_939e-7],
    ];
    expect(
      known.filter(([deviations, expected]) => Math.abs(normalCdf(deviations) - expected) > 1e-14),
    ).toEqual([]);
  });

  it('is a distribution: from 0 to 1, rising, and mirrored around 0', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -12, max: 12, noNaN: true }),
        fc.double({ min: 0, max: 4, noNaN: true }),
        (x, step) => {
          const value = normalCdf(x);
          expect(value >= 0 && value <= 1).toBe(true);
          expect(normalCdf(x + step)).toBeGreaterThanOrEqual(value - 1e-15);
          expect(value + normalCdf(-x)).toBeCloseTo(1, 13);
        },
      ),
    );
    expect([normalCdf(Infinity), normalCdf(-Infinity), normalCdf(Number.NaN)]).toEqual([
      1,
      0,
      Number.NaN,
    ]);
  });
});

describe('wideTailedCdf', () => {
  it.each([
    [0, 0.5],
    [0.7407, 0.75],
    [2.1318, 0.95],
    [3.7469, 0.99],
    [-2.1318, 0.05],
    [8.6103, 0.9995],
  ] as const)("is Student's t with four degrees of freedom at %d", (x, p) => {
    expect(wideTailedCdf(x)).toBeCloseTo(p, 4);
  });

  it('is a distribution at any distance: from 0 to 1, rising, mirrored around 0, and never surer than the normal one by much', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e12, max: 1e12, noNaN: true }),
        fc.double({ min: 0, max: 1e3, noNaN: true }),
        (x, step) => {
          const value = wideTailedCdf(x);
          expect(value >= 0 && value <= 1).toBe(true);
          expect(wideTailedCdf(x + step)).toBeGreaterThanOrEqual(value - 1e-15);
          expect(value + wideTailedCdf(-x)).toBeCloseTo(1, 13);
          if (x > 0) expect(value).toBeLessThanOrEqual(normalCdf(x) + 1e-15);
        },
      ),
    );
    expect([wideTailedCdf(Infinity), wideTailedCdf(-Infinity)]).toEqual([1, 0]);
  });
});

describe('probabilityUp', () => {
  it('is even at the strike and moves with the price', () => {
    const ask = (price: number) =>
      probabilityUp({
        price: usd(price),
        strike: usd(60_000),
        volatility: 0.00005,
        secondsLeft: 100,
      });
    expect(ask(60_000)).toBe(0.5);
    expect(ask(60_030)).toBeCloseTo(0.792_6, 3);
    expect(ask(59_970)).toBeCloseTo(0.207_4, 3);
  });

  it('is decided once there is no time or no movement left, and equality counts as Up', () => {
    const decided = (price: number, volatility: number, secondsLeft: number) =>
      probabilityUp({ price: usd(price), strike: usd(100), volatility, secondsLeft });
    expect([
      decided(100, 0.001, 0),
      decided(100, 0, 60),
      decided(99.99, 0, 60),
      decided(100.01, 0.001, -5),
      decided(99.99, 0.001, -5),
    ]).toEqual([1, 1, 0, 1, 0]);
  });

  it('tends to the decided outcome as volatility or time goes to nothing', () => {
    for (const [volatility, secondsLeft] of [
      [1e-12, 300],
      [0.0001, 1e-12],
    ] as const) {
      expect(probabilityUp({ price: usd(100.01), strike: usd(100), volatility, secondsLeft })).toBe(
        1,
      );
      expect(probabilityUp({ price: usd(99.99), strike: usd(100), volatility, secondsLeft })).toBe(
        0,
      );
    }
  });

  it('gives Up and Down of mirrored prices the same chance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.integer({ min: 1, max: 900 }),
        (a, b, secondsLeft) => {
          const forth = probabilityUp({
            price: assetPriceE8(a),
            strike: assetPriceE8(b),
            volatility: 0.0001,
            secondsLeft,
          });
          const back = probabilityUp({
            price: assetPriceE8(b),
            strike: assetPriceE8(a),
            volatility: 0.0001,
            secondsLeft,
          });
          expect(forth + back).toBeCloseTo(1, 12);
        },
      ),
    );
  });
});
