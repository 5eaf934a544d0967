import { expect, it } from 'vitest';
import { shownPerformance } from '../../../src/web/pages/agents/shown-performance.ts';

type Answer = NonNullable<Parameters<typeof shownPerformance>[1]>;

// of an answer these fields alone are read
const ANSWER = {
  realizedPnl: '0',
  trades: 0,
  paper: { account: { realizedPnl: '4.5', trades: 12 }, shadow: null },
} as unknown as Answer;

it('an agent on paper is shown by what it made on paper', () => {
  expect(shownPerformance({ mode: 'paper' }, ANSWER)).toEqual({
    results: { realizedPnl: '4.5', trades: 12 },
    isPaper: true,
  });
});

it('an agent with real money is shown by that, and nothing is shown before it is known', () => {
  expect(shownPerformance({ mode: 'live' }, ANSWER).results).toBe(ANSWER);
  expect(shownPerformance({ mode: 'paper' }, undefined)).toEqual({ results: null, isPaper: true });
  const without = { ...ANSWER, paper: null };
  expect(shownPerformance({ mode: 'paper' }, without).results).toBeNull();
});
