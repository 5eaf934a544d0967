import { describe, expect, it } from 'vitest';
import { calibrationEmpty, comparisonEmpty } from '../../../src/web/pages/agents/empty-words.ts';

const ROUNDS = { asset: 'SOL' } as const;

describe('why an agent shows no strength against what came', () => {
  it('says that nothing was entered only of an agent that entered nothing', () => {
    expect(calibrationEmpty({ entered: 0, entries: 0 }, ROUNDS)).toMatch(/entered no market yet/);
    expect(calibrationEmpty({ entered: 2, entries: 0 }, ROUNDS)).toMatch(/no signal strength/);
    expect(calibrationEmpty({ entered: 2, entries: 1 }, ROUNDS)).toMatch(
      /entered 1 market, and none/,
    );
  });
});

describe('why an agent with real money is not held against paper', () => {
  it('says that nothing ended only while no order of it has', () => {
    expect(comparisonEmpty({ trades: 0, fillRate: null }, false)).toMatch(
      /no entry with real money/,
    );
    expect(comparisonEmpty({ trades: 1, fillRate: null }, false)).toMatch(/is over yet/);
    expect(comparisonEmpty({ trades: 2, fillRate: '1.000000' }, false)).toMatch(/at the same time/);
  });

  it('says of one on paper that it trades so', () => {
    expect(comparisonEmpty({ trades: 2, fillRate: null }, true)).toMatch(/^It trades on paper/);
  });
});
