import { describe, expect, it } from 'vitest';
import { judgeExit } from '../../../src/domain/strategy/exit.ts';
import { T0 } from '../../support/builders.ts';
import { aDownView, aRoundMarket, aRoundView, aTop } from '../../support/round-views.ts';

describe('the exit of a held position', () => {
  it('leaves when the signal has turned and the bid, less the fee, pays a cent more than holding', () => {
    const decision = judgeExit(aDownView({ books: [aTop(1_800, 1_900), aTop(8_100, 8_200)] }), 0);
    expect(decision).toEqual({
      verdict: 'exit', outcome: 0,
      criteria: [
        { name: 'time left', value: '240 s', threshold: 'more than 10 s', passed: true },
        { name: 'signal strength Up', value: '15.3 %', threshold: 'at most 35.0 %', passed: true },
        { name: 'sale per share after fee', value: '0.16967 at 0.18', threshold: 'at least 0.162722, a cent above the worth of holding', passed: true },
      ],
      reason: 'The signal has turned against Up and the bid pays more than holding.',
    });
  });

  it('reckons the fee of the market: the same bid without one pays more', () => {
    const market = aRoundMarket(1, { fee: null });
    expect(judgeExit(aDownView({ market, books: [aTop(1_600, 1_700), null] }), 0).criteria[2]?.value).toBe('0.16 at 0.16');
  });

  it('leaves a Down position when the price has risen', () => {
    expect(judgeExit(aRoundView({ books: [aTop(7_900, 8_000), aTop(2_000, 2_100)] }), 1)).toMatchObject({ verdict: 'exit', outcome: 1 });
  });

  it.each([
    ['the signal still speaks for it', aRoundView(), 'signal strength Up is 84.7 %'],
    ['the bid is below the worth of holding', aDownView({ books: [aTop(900, 1_000), null] }), 'sale per share after fee is'],
    ['nobody bids', aDownView({ books: [aTop(null, 1_000), null] }), 'sale per share after fee is no bid'],
    ['the round is about to end', aDownView({ atMs: T0 + 291_000, books: [aTop(1_600, 1_700), null] }), 'time left is 9 s'],
  ] as const)('holds while %s', (_case, view, reason) => {
    const decision = judgeExit(view, 0);
    expect([decision.verdict, decision.outcome, decision.reason.includes(reason)]).toEqual(['hold', 0, true]);
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['price to beat', { strike: null }],
    ['volatility', { volatility: null }],
  ] as const)('L8: holds without a fresh %s', (name, changes) => {
    expect(judgeExit(aDownView(changes), 0)).toEqual({ verdict: 'hold', outcome: 0, criteria: [], reason: `Held without ${name}.` });
  });

  it('L8: holds without a trusted book', () => {
    expect(judgeExit(aDownView({ books: [null, null] }), 0).reason).toBe('Held without a trusted Up book.');
  });
});
