import { describe, expect, it } from 'vitest';
import { AGAINST_BTC, BTC_MOVES } from '../../../../src/sandbox/calibration/calibration.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { ASSETS, toUsd, twapAt } from '../../../../src/sandbox/feeds/prices/settlement-prices.ts';
import {
  fitAgainstLeader,
  fitMoves,
  movesOver,
  type FeedTick,
} from '../../../support/recordings/price-fit.ts';

const START = 1_780_876_800;

describe('price process', () => {
  it('L10: gives the same 18-decimals price for a seed and a second, whatever was asked before', () => {
    const one = createPriceProcess(7, startingPrices(START));
    const other = createPriceProcess(7, startingPrices(START));
    other.at('SOL', START + 5_000);
    expect(ASSETS.map((asset) => one.at(asset, START + 900))).toEqual(
      ASSETS.map((asset) => other.at(asset, START + 900)),
    );
    expect(createPriceProcess(8, startingPrices(START)).at('BTC', START + 900)).not.toBe(
      one.at('BTC', START + 900),
    );
  });

  it('goes on after a stop from a checkpoint with the prices of the run that was not stopped', () => {
    const running = createPriceProcess(7, startingPrices(START));
    running.at('BTC', START + 20_000);
    const saved = running.checkpoint(START + 9_000);
    const resumed = createPriceProcess(7, structuredClone(saved));
    expect(saved.second).toBeLessThanOrEqual(START + 9_000);
    expect(saved.second).toBeGreaterThan(START + 9_000 - 3_601);
    expect(resumed.at('ETH', START + 30_000)).toBe(running.at('ETH', START + 30_000));
  });

  it('has no price before its start, and none that has left its memory', () => {
    const prices = createPriceProcess(7, startingPrices(START));
    expect(prices.at('BTC', START - 1)).toBeNull();
    prices.at('BTC', START + 200_000);
    expect(prices.at('BTC', START + 10)).toBeNull();
  });

  it('uses all 18 decimals', () => {
    const price = createPriceProcess(7, startingPrices(START)).at('BTC', START + 60) ?? 0n;
    expect(price % 10_000_000_000n).not.toBe(0n);
    expect(toUsd(price)).toBeCloseTo(65_454, -4);
  });

  it('moves as the recordings did: memory, volatility, jumps and correlation', () => {
    const prices = createPriceProcess(11, startingPrices(START));
    const ticks: FeedTick[] = Array.from({ length: 110_000 }, (_, index) => ({
      second: START + index,
      value: prices.valueAt('BTC', START + index) ?? 0,
    }));
    const found = fitMoves([ticks]);
    expect(found.returnLag1).toBeCloseTo(BTC_MOVES.returnLag1, 1);
    expect(Math.abs(found.logScaleMean - BTC_MOVES.logScaleMean)).toBeLessThan(0.25);
    expect(Math.abs(found.logScaleSpread - BTC_MOVES.logScaleSpread)).toBeLessThan(0.15);
    expect(
      (found.innovationQuantiles[12] ?? 0) / (BTC_MOVES.innovationQuantiles[12] ?? 1),
    ).toBeCloseTo(1, 0);
    const second = movesOver(ticks, 1);
    expect(second.kurtosis).toBeGreaterThan(15);
    expect(second.deviation).toBeGreaterThan(0.00003);
    expect(second.deviation).toBeLessThan(0.0001);
    const closes = (asset: 'BTC' | 'ETH') =>
      new Map(
        Array.from({ length: 360 }, (_, index) => [
          index * 300,
          prices.valueAt(asset, START + index * 300) ?? 0,
        ]),
      );
    const against = fitAgainstLeader(closes('BTC'), closes('ETH'), 300);
    expect(Math.abs(against.correlation - AGAINST_BTC.ETH.correlation)).toBeLessThan(0.1);
    expect(Math.abs(against.ratio - AGAINST_BTC.ETH.ratio)).toBeLessThan(0.25);
  });
});

describe('time-weighted average', () => {
  it('is the mean of the 60 whole seconds that end three seconds before its stamp', () => {
    const prices = { at: (_asset: string, second: number) => BigInt(second), valueAt: () => null };
    expect(twapAt(prices, 'BTC', 1_000)).toBe(967n);
  });

  it('is absent when fewer than half of its ticks exist', () => {
    const prices = {
      at: (_asset: string, second: number) => (second % 3 === 0 ? 5n : null),
      valueAt: () => null,
    };
    expect(twapAt(prices, 'BTC', 1_000)).toBeNull();
  });
});
