import { describe, expect, it } from 'vitest';
import { basisOf, type DecisionBasis } from '../../../src/domain/decision-basis.ts';
import { fromUnit, inUnit, unitOf } from '../../../src/web/pages/activity/number-units.ts';

const STOP = basisOf({
  kind: 'stop_loss',
  held: 0,
  entry: { usdc: 4_900_000, shares: 5_000_000 },
  lossPerMille: 100,
  looks: [{ bidTicks: 8_400, atMs: 9_000 }],
  atMs: 10_000,
});
/** Of a round the moments that others are counted from. */
const ROUND = {
  version: 1,
  kind: 'entry',
  view: { startsAtMs: 4_000, atMs: 10_000 },
} as DecisionBasis;

function shown(path: string, value: number, basis: DecisionBasis = ROUND): string {
  const number = { path: path.split('.'), value };
  const unit = unitOf(number, basis);
  return `${inUnit(value, unit)} ${unit.words}`.trim();
}

describe('a number of a receipt', () => {
  it.each([
    ['view.oracle.value', 6_558_941_812_611, '65589.41812611 in dollars'],
    ['view.exchangeAtStart', 210_423_500_000, '2104.235 in dollars'],
    ['view.strike.price', 210_470_634_828, '2104.70634828 in dollars'],
    ['view.prediction.value.interval.3', 210_478_563_748, '2104.78563748 in dollars'],
    ['view.books.1.value.ask.price', 5_050, '50.5 in cents'],
    ['view.book.value.bid.price', 9_100, '91 in cents'],
    ['view.books.0.value.bid.size', 1_115_000_000, '1115 shares'],
    ['inferenceDifferenceMicros', 500, '0.05 in percent'],
    ['view.market.fee.rateMicros', 70_000, '7 in percent'],
    ['view.volatility', 0.00006813662735348363, '0.0527784 in percent a minute'],
    ['filters.spreadMaximumTicks', 300, '3 in cents'],
    ['strictFilters.probabilityMinimumTicks', 9_400, '94 in percent'],
    ['filters.volumeAboveUsd', 500, '500 in dollars'],
    ['filters.endsWithinHours', 72, '72 in hours'],
    ['view.minutes', 5, '5 in minutes'],
    ['view.atMs', 10_000, '6 in seconds into the round'],
    ['view.oracle.receivedAtMs', 9_250, '0.75 in seconds before the decision'],
    ['view.endsAtMs', 25_000, '15 in seconds after the decision'],
    ['held', 1, '1'],
  ])('%s of %s is shown as “%s”', (path, value, words) => {
    expect(shown(path, value)).toBe(words);
  });

  it.each([
    ['entry.usdc', 4_900_000, '4.9 in dollars'],
    ['entry.shares', 5_000_000, '5 shares'],
    ['lossPerMille', 100, '10 in percent'],
    ['looks.0.bidTicks', 8_400, '84 in cents'],
    ['looks.0.atMs', 9_000, '1 in seconds before the decision'],
    ['atMs', 10_000, '0 in seconds later than it was'],
  ])('of a stop: %s of %s is shown as “%s”', (path, value, words) => {
    expect(shown(path, value, STOP)).toBe(words);
  });

  it('that is typed in its unit is one of the journal, whole where it was', () => {
    const price = { path: ['view', 'oracle', 'value'], value: 6_558_941_812_611 };
    expect(fromUnit(65_589.41812611, unitOf(price, ROUND), price.value)).toBe(price.value);
    const cents = { path: ['looks', '0', 'bidTicks'], value: 8_400 };
    expect(fromUnit(84.005, unitOf(cents, STOP), cents.value)).toBe(8_401);
    const at = { path: ['view', 'oracle', 'receivedAtMs'], value: 9_250 };
    expect(fromUnit(2, unitOf(at, ROUND), at.value)).toBe(8_000);
    const calm = { path: ['view', 'volatility'], value: 0.00007 };
    expect(fromUnit(0.1, unitOf(calm, ROUND), calm.value)).toBeCloseTo(0.000129, 6);
  });
});
