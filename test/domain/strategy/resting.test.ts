import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeResting } from '../../../src/domain/strategy/resting.ts';
import { signalStrength } from '../../../src/domain/strategy/terms.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { aPrice, aRoundView, observed } from '../../support/worlds/round-views.ts';

const judge = judgeResting(priceTicks(6_000));

describe('a resting bid', () => {
  it('stays while its outcome is worth more than it pays', () => {
    expect(judge(aRoundView(), 0)).toEqual({
      verdict: 'hold',
      outcome: 0,
      criteria: [
        {
          name: 'signal strength Up',
          value: '84.8 %',
          threshold: "above 60.0 %, the bid's price",
          passed: true,
        },
      ],
      reason: 'The bid at 0.6 stays: Up is worth more.',
    });
  });

  it('is taken back when its outcome is worth no more', () => {
    expect(judge(aRoundView(), 1)).toEqual({
      verdict: 'exit',
      outcome: 1,
      criteria: [
        {
          name: 'signal strength Down',
          value: '15.3 %',
          threshold: "above 60.0 %, the bid's price",
          passed: false,
        },
      ],
      reason: 'The bid at 0.6 is taken back: Down is worth no more than it pays.',
    });
    expect(judge(aRoundView({ oracle: observed(aPrice(70_000)) }), 0).verdict).toBe('exit');
  });

  it('is taken back where its outcome is worth exactly what it pays', () => {
    const even = aRoundView({ oracle: observed(aPrice(70_000)) });
    expect([
      signalStrength(even, 0),
      judgeResting(priceTicks(5_000))(even, 0).verdict,
      judgeResting(priceTicks(4_999))(even, 0).verdict,
    ]).toEqual([0.5, 'exit', 'hold']);
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['price to beat', { strike: null }],
    ['volatility', { volatility: null }],
  ] as const)('L8: cannot be judged without a fresh %s', (name, changes) => {
    expect(judge(aRoundView(changes), 0)).toEqual({
      verdict: 'skip',
      outcome: null,
      criteria: [
        {
          name: 'inputs',
          value: `missing: ${name}`,
          threshold: 'all present and fresh',
          passed: false,
        },
      ],
      reason: `The bid at 0.6 cannot be judged without ${name}.`,
    });
  });

  it('stays exactly while the strength is above the price', () => {
    assert(
      property(
        integer({ min: -10_000, max: 10_000 }),
        integer({ min: 1, max: 9_999 }),
        (cents, price) => {
          const view = aRoundView({ oracle: observed(aPrice(70_000 + cents / 100)) });
          const strength = signalStrength(view, 0) ?? 0;
          expect(judgeResting(priceTicks(price))(view, 0).verdict).toBe(
            strength > price / 10_000 ? 'hold' : 'exit',
          );
        },
      ),
    );
  });
});
