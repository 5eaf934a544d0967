import { describe, expect, it } from 'vitest';
import { FEEDS } from '../../../config/limits/market-data.ts';
import { normalCdf, probabilityUp } from '../../../src/domain/probability.ts';
import { assetPriceE8 } from '../../../src/domain/units.ts';
import { foldVolatility, NO_VOLATILITY, volatilityOf } from '../../../src/domain/volatility.ts';
import { gzipLines, settlementTicks } from '../../support/recordings/recorded-figures.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

const SETTLEMENT = 'data/venue_a-btc5m-settlement';
const [inSample, outOfSample] = ['2026-06-08', '2026-07-24-0000-0800'].map((day) => ({
  ticks: sharedData(`${SETTLEMENT}/chainlink-btcusd-${day}.csv.gz`),
  markets: sharedData(`${SETTLEMENT}/markets-${day}.jsonl.gz`),
}));
const VOLATILITY = {
  halfLifeSeconds: FEEDS.volatilityHalfLifeSeconds,
  minimumReturns: FEEDS.volatilityMinimumReturns,
  gapSeconds: FEEDS.volatilityGapSeconds,
  floor: FEEDS.volatilityFloorBillionths / 1e9,
};

interface Asked {
  readonly ours: number;
  readonly normal: number;
  readonly isUp: boolean;
}

/**
 * What the strength said every ten seconds from 30 s to 270 s of each recorded round, and how the
 * round ended.
 */
function asked({
  ticks,
  markets,
}: {
  readonly ticks: string | null;
  readonly markets: string | null;
}): readonly Asked[] {
  const known = new Map<number, { readonly price: number; readonly volatility: number | null }>();
  let state = NO_VOLATILITY;
  for (const { second, value } of settlementTicks(ticks ?? '')) {
    const price = assetPriceE8(Math.round(value * 1e8));
    state = foldVolatility(state, price, second * 1_000, VOLATILITY);
    known.set(second, { price, volatility: volatilityOf(state, VOLATILITY) });
  }
  return gzipLines(markets ?? '').flatMap((line) => {
    const market = JSON.parse(line) as {
      interval_sec: number;
      resolved: boolean;
      start_sec: number;
      strike_value: string | null;
      outcome_prices: readonly string[];
    }; // rows of the recording's own format
    if (market.interval_sec !== 300 || !market.resolved || market.strike_value === null) return [];
    const strike = assetPriceE8(Math.round(Number(market.strike_value) / 1e10));
    return Array.from({ length: 25 }, (_, index) => 30 + index * 10).flatMap((elapsed) => {
      const at = known.get(market.start_sec + elapsed);
      if (at === undefined || at.volatility === null) return [];
      const question = {
        price: assetPriceE8(at.price),
        strike,
        volatility: at.volatility,
        secondsLeft: 300 - elapsed,
      };
      const normal = normalCdf(
        Math.log(at.price / strike) / (at.volatility * Math.sqrt(300 - elapsed)),
      );
      return [{ ours: probabilityUp(question), normal, isUp: market.outcome_prices[0] === '1' }];
    });
  });
}

function logLoss(rows: readonly Asked[], said: (row: Asked) => number): number {
  const losses = rows.map((row) => -Math.log(Math.max(1e-4, row.isUp ? said(row) : 1 - said(row))));
  return losses.reduce((sum, loss) => sum + loss, 0) / rows.length;
}

/**
 * Of what was said of the likelier side between two probabilities: how much, and how often it came
 * true.
 */
function band(
  rows: readonly Asked[],
  from: number,
  to: number,
): { readonly said: number; readonly came: number } {
  const those = rows
    .map(({ ours, isUp }) =>
      ours >= 0.5 ? { said: ours, came: isUp } : { said: 1 - ours, came: !isUp },
    )
    .filter(({ said }) => said >= from && said < to);
  return {
    said: those.reduce((sum, { said }) => sum + said, 0) / those.length,
    came: those.filter(({ came }) => came).length / those.length,
  };
}

const isHere = [inSample, outOfSample].every(
  (day) => day !== undefined && day.ticks !== null && day.markets !== null,
);

describe.runIf(isHere)('the signal strength on recorded rounds', () => {
  const [june, july] = [inSample, outOfSample].map((day) =>
    asked(day ?? { ticks: null, markets: null }),
  );

  it('has the log loss that is written beside it, less than a normal distribution in sample and out of it', () => {
    const losses = [june, july].map((rows = []) =>
      [logLoss(rows, ({ ours }) => ours), logLoss(rows, ({ normal }) => normal)].map((loss) =>
        loss.toFixed(3),
      ),
    );
    expect(losses).toEqual([
      ['0.452', '0.461'],
      ['0.593', '0.681'],
    ]);
  });

  it.each([
    [0.5, 0.6],
    [0.6, 0.7],
    [0.7, 0.8],
    [0.8, 0.9],
    [0.9, 1.01],
  ])('comes true in sample as often as it says, within four points, from %d to %d', (from, to) => {
    const { said, came } = band(june ?? [], from, to);
    expect(Math.abs(said - came)).toBeLessThan(0.04);
  });

  it('comes true within three points of what it says at 70 percent and more in sample, and is too sure out of it', () => {
    const [inside = 1, outside = 1] = [june, july].map((rows = []) => {
      const { said, came } = band(rows, 0.7, 1.01);
      return came - said;
    });
    expect(Math.abs(inside)).toBeLessThan(0.03);
    expect(outside).toBeLessThan(-0.03);
  });
});
